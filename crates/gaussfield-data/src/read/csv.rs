//! CSV and TSV with a header line.
//!
//! Every column is a feature, or those that are chosen by name or pattern, but for the label column,
//! the column of the rows' names and the columns that are left out. A cell of a feature column is a
//! finite number; a missing one (empty, `NA`, `?`, …) is an error that names its row, unless
//! [`CsvOptions::impute`] says what takes its place. A cell of the label column is a class name, kept
//! as text; an empty one means that the row has no label. The classes stand in the order in which
//! their names first appear.

use super::missing::{Impute, is_missing};
use super::records::Records;
use super::{memory::Memory, rows, rows::Rows, source};
use crate::{DataError, Dataset, KeptColumn};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How to read a CSV or TSV file.
///
/// See the example of the [module above](super).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CsvOptions {
    pub(super) label: Option<String>,
    /// Whether the column of the class names may be absent.
    pub(super) optional_label: bool,
    pub(super) id: Option<String>,
    #[serde(rename = "ignore")]
    pub(super) ignored: Vec<String>,
    pub(super) features: Vec<String>,
    #[serde(rename = "keep")]
    pub(super) kept: Vec<String>,
    pub(super) impute: Option<Impute>,
    /// The byte's number, such as 59 for a semicolon.
    delimiter: Option<u8>,
}

impl CsvOptions {
    /// No column of labels or names, nothing left out, the delimiter by the file's extension: a tab for
    /// `.tsv` and `.tab` (also before `.gz`), a comma otherwise.
    pub fn new() -> Self {
        Self::default()
    }

    /// The column of the class names.
    #[must_use]
    pub fn label(mut self, column: impl Into<String>) -> Self {
        self.label = Some(column.into());
        self
    }

    /// The column of the class names, if there is such a column.
    #[must_use]
    pub fn optional_label(mut self, column: impl Into<String>) -> Self {
        self.optional_label = true;
        self.label(column)
    }

    /// The column of the rows' own names, kept as text in [`Dataset::ids`].
    #[must_use]
    pub fn id(mut self, column: impl Into<String>) -> Self {
        self.id = Some(column.into());
        self
    }

    /// Columns that are features, by name or by pattern (`*` for any text, `?` for a character); may be
    /// called several times. Without a call, every column that has no other role.
    #[must_use]
    pub fn feature(mut self, pattern: impl Into<String>) -> Self {
        self.features.push(pattern.into());
        self
    }

    /// Columns whose cells are handed on as text in [`Dataset::kept`], by name or by pattern; may be
    /// called several times. It changes no column's role: a column of text that is no feature is
    /// ignored as well. The columns of labels and names are handed on as such.
    #[must_use]
    pub fn keep(mut self, pattern: impl Into<String>) -> Self {
        self.kept.push(pattern.into());
        self
    }

    /// What takes the place of a missing number. Default: nothing, it is an error.
    #[must_use]
    pub fn impute(mut self, impute: Impute) -> Self {
        self.impute = Some(impute);
        self
    }

    /// A column, or all that fit a pattern, that is neither feature, label nor name.
    #[must_use]
    pub fn ignore(mut self, column: impl Into<String>) -> Self {
        self.ignored.push(column.into());
        self
    }

    /// The byte between cells, whatever the extension says.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Reads a file, row by row: beside the numbers little memory is needed. O(bytes).
    ///
    /// # Errors
    /// As [`CsvOptions::parse`], and [`DataError::Io`].
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Dataset, DataError> {
        let path = path.as_ref();
        let (file, length) = open(path)?;
        self.rows(Memory::of(path), file, length)
    }

    /// Reads a stream as [`CsvOptions::read`] reads a file; `path` names it in messages and gives the
    /// delimiter.
    ///
    /// # Errors
    /// As [`CsvOptions::read`].
    pub fn read_from(&self, path: &Path, from: impl Read) -> Result<Dataset, DataError> {
        self.rows(Memory::of(path), from, None)
    }

    /// Reads bytes; `path` names them in messages and gives the delimiter.
    ///
    /// # Errors
    /// An empty file, a header only, a column without a name or named twice, an unknown label,
    /// name or ignored column, no feature column, a row of another length, a feature that is no finite
    /// number.
    pub fn parse(&self, path: &Path, bytes: &[u8]) -> Result<Dataset, DataError> {
        self.rows(Memory::holding(path, bytes)?, bytes, Some(bytes.len() as u64))
    }

    fn rows(
        &self,
        mut memory: Memory<'_>,
        from: impl Read,
        length: Option<u64>,
    ) -> Result<Dataset, DataError> {
        let memory = &mut memory;
        let path = memory.path;
        let mut records = Records::new(path, from, length, self.delimiter_of(path))?;
        let header = header(memory, &mut records)?;
        let line = records.line;
        let roles = self.roles(path, line, header)?;
        let numbers: Vec<f64> = roles.names.iter().filter_map(|name| name.parse().ok()).collect();
        if numbers.len() == roles.names.len() && numbers.iter().any(|x| x.fract() != 0.0) {
            return Err(DataError::Format {
                path: path.to_owned(),
                problem: format!("line {line} holds numbers where the column names should stand"),
                remedy: "add a header line".to_owned(),
            });
        }
        let length = length.filter(|_| !records.is_packed());
        let mut rows = Rows::new(&roles);
        while records.next(memory)? {
            let line = records.line;
            let record = of_width(path, &records, roles.names.len())?;
            // The first rows tell how long a row is.
            let expected = || {
                let length = length.filter(|_| rows.len() >= 1024)? as f64;
                Some((1.01 * length / records.bytes() as f64 * rows.len() as f64) as usize)
            };
            let expected = expected();
            rows.room(memory, 1, || expected)?;
            for &column in &roles.features {
                let cell = record.get(column).unwrap_or_default();
                if is_missing(cell) {
                    rows.gaps.note(line, column);
                    rows.numbers.push(f64::NAN);
                    continue;
                }
                let name = || roles.names[column].clone();
                rows.numbers.push(feature(path, line, name, cell)?);
            }
            for (at, &column) in roles.kept.iter().enumerate() {
                rows.keep(memory, at, record.get(column).unwrap_or_default())?;
            }
            rows.id(memory, roles.id.and_then(|column| record.get(column)).unwrap_or_default())?;
            rows.label(memory, roles.label.and_then(|column| record.get(column)))?;
        }
        if rows.len() == 0 {
            return Err(source::empty(path, "there is a header but no row", "add rows"));
        }
        rows.finish(memory, &roles, self.impute)
    }

    /// The cells of some columns as text, for what is no number: words, names, classes; and of those
    /// that are kept.
    ///
    /// # Errors
    /// A column that is not there, a row of another length.
    pub fn parse_text(
        &self,
        path: &Path,
        bytes: &[u8],
        columns: &[&str],
    ) -> Result<Texts, DataError> {
        self.texts(Memory::holding(path, bytes)?, bytes, Some(bytes.len() as u64), columns)
    }

    /// [`CsvOptions::parse_text`] of a stream.
    ///
    /// # Errors
    /// As [`CsvOptions::parse_text`].
    pub fn read_text_from(
        &self,
        path: &Path,
        from: impl Read,
        columns: &[&str],
    ) -> Result<Texts, DataError> {
        self.texts(Memory::of(path), from, None, columns)
    }

    fn texts(
        &self,
        mut memory: Memory<'_>,
        from: impl Read,
        length: Option<u64>,
        columns: &[&str],
    ) -> Result<Texts, DataError> {
        let memory = &mut memory;
        let path = memory.path;
        let mut records = Records::new(path, from, length, self.delimiter_of(path))?;
        let header = header(memory, &mut records)?;
        let place = |name: &&str| {
            let place = header.iter().position(|own| own == name);
            place.ok_or_else(|| self.no_such_column(path, name, &header))
        };
        let places = columns.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let kept = self.kept_beside(path, &header, &places)?;
        let mut texts = Texts::new(places.len(), kept.iter().map(|&place| &*header[place]));
        while records.next(memory)? {
            let record = of_width(path, &records, header.len())?;
            let cells = places.iter().chain(&kept).map(|&place| record.get(place));
            for (at, cell) in cells.enumerate() {
                texts.push(memory, at, cell.unwrap_or_default())?;
            }
        }
        Ok(texts)
    }

    pub(super) fn delimiter_of(&self, path: &Path) -> u8 {
        let name = path.to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let tabs = name.ends_with(".tsv") || name.ends_with(".tab");
        self.delimiter.unwrap_or(if tabs { b'\t' } else { b',' })
    }
}

/// Columns of a table as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// A list for each of the columns, in the order asked for.
    pub columns: Vec<Vec<String>>,
    /// Those that [`CsvOptions::keep`] names beside them.
    pub kept: Vec<KeptColumn>,
}

impl Texts {
    pub(super) fn new<'n>(columns: usize, kept: impl Iterator<Item = &'n str>) -> Self {
        Self { columns: vec![Vec::new(); columns], kept: kept.map(rows::kept).collect() }
    }

    /// One more cell: of the columns asked for, then of those that are kept.
    pub(super) fn push(
        &mut self,
        memory: &mut Memory<'_>,
        at: usize,
        cell: &str,
    ) -> Result<(), DataError> {
        memory.items("the texts", 1, 3 * size_of::<String>() + cell.len())?;
        let asked = self.columns.len();
        match self.columns.get_mut(at) {
            Some(cells) => cells.push(cell.to_owned()),
            None => self.kept[at - asked].cells.push(cell.to_owned()),
        }
        Ok(())
    }
}

/// A file to be read, and the number of its bytes if it has one.
fn open(path: &Path) -> Result<(File, Option<u64>), DataError> {
    let file = File::open(path).map_err(DataError::io(path))?;
    let data = file.metadata().map_err(DataError::io(path))?;
    Ok((file, data.is_file().then_some(data.len())))
}

/// The names of the columns.
fn header(memory: &mut Memory<'_>, records: &mut Records<'_>) -> Result<Vec<String>, DataError> {
    let blank = |records: &Records<'_>| records.record.len() == 1 && records.record[0].is_empty();
    let mut more = records.next(memory)?;
    while more && blank(records) {
        more = records.next(memory)?;
    }
    if !more {
        return Err(source::empty(memory.path, "the file is empty", "write a header and rows"));
    }
    memory.items("the columns", records.record.len(), 24 + 120)?;
    memory.items("the names of the columns", records.record.as_slice().len(), 2)?;
    Ok(records.record.iter().map(str::to_owned).collect())
}

/// The record, if it has as many cells as there are columns.
fn of_width<'r>(
    path: &Path,
    records: &'r Records<'_>,
    expected: usize,
) -> Result<&'r ::csv::StringRecord, DataError> {
    let (line, got) = (records.line, records.record.len());
    if got != expected {
        return Err(DataError::Ragged { path: path.to_owned(), line, expected, got });
    }
    Ok(&records.record)
}

/// A finite number from a cell of a feature column, whose name is only made for the message.
fn feature(
    path: &Path,
    line: usize,
    column: impl Fn() -> String,
    cell: &str,
) -> Result<f64, DataError> {
    source::finite(path, line, || format!("column {:?}", column()), cell).map_err(|error| {
        match error {
            DataError::Parse { path, line, value, .. } => {
                DataError::NotANumber { path, line, column: column(), value }
            }
            other => other,
        }
    })
}

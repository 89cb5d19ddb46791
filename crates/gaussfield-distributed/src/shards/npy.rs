//! Shards as numpy saves them.

use super::{Head, Kind, SHARED, file_error};
use crate::DistributedError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// Where the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Where they begin.
    at: u64,
    /// Bytes of a number: 4 or 8.
    bytes: usize,
}

pub(super) fn head(path: &Path) -> Result<Head, DistributedError> {
    const SAVE: &str = "save a matrix of float32 or float64 by numpy.save, in C order";
    let unread = |error: std::io::Error| file_error(path, error.to_string(), SHARED);
    let mut file = File::open(path).map_err(unread)?;
    let mut begin = [0; 10];
    file.read_exact(&mut begin).map_err(|_| file_error(path, "is no .npy file", SAVE))?;
    if &begin[..6] != b"\x93NUMPY" || begin[6] != 1 {
        return Err(file_error(path, "is no .npy file of version 1", SAVE));
    }
    let mut text = vec![0; usize::from(u16::from_le_bytes([begin[8], begin[9]]))];
    file.read_exact(&mut text).map_err(|_| file_error(path, "ends within its head", SAVE))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let value = |name: &str| {
        let at = text.find(&format!("'{name}':"))? + name.len() + 3;
        Some(text[at..].trim_start().to_owned())
    };
    let bytes = match value("descr").as_deref() {
        Some(descr) if descr.starts_with("'<f4'") => 4,
        Some(descr) if descr.starts_with("'<f8'") => 8,
        _ => return Err(file_error(path, format!("has numbers of another kind ({text})"), SAVE)),
    };
    if !value("fortran_order").is_some_and(|order| order.starts_with("False")) {
        return Err(file_error(path, "is in Fortran order", SAVE));
    }
    let shape = value("shape").unwrap_or_default();
    let shape: Vec<u64> = shape
        .trim_start_matches('(')
        .split(')')
        .next()
        .unwrap_or_default()
        .split(',')
        .filter_map(|number| number.trim().parse().ok())
        .collect();
    let [rows, width] = shape[..] else {
        return Err(file_error(path, format!("has {} dimensions", shape.len()), SAVE));
    };
    let at = 10 + u64::from(u16::from_le_bytes([begin[8], begin[9]]));
    let length = file.metadata().map_err(unread)?.len();
    let needed = rows.checked_mul(width).and_then(|numbers| numbers.checked_mul(bytes as u64));
    if needed.and_then(|needed| needed.checked_add(at)) != Some(length) || width == 0 {
        let problem = format!("has {length} bytes, which do not fit {rows} x {width} numbers");
        return Err(file_error(path, problem, "copy it again: it may be cut"));
    }
    Ok(Head { rows, width: width as usize, kind: Kind::Npy(Layout { at, bytes }) })
}

/// Some rows behind the numbers that are there, a piece at a time.
pub(super) fn read(
    path: &Path,
    layout: &Layout,
    width: usize,
    rows: &Range<u64>,
    into: &mut Vec<f64>,
) -> Result<(), DistributedError> {
    let row = (layout.bytes * width) as u64;
    let mut left = (rows.end - rows.start) * row;
    let mut read = || -> std::io::Result<()> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(layout.at + rows.start * row))?;
        let mut piece = vec![0; PIECE.min(left as usize)];
        while left > 0 {
            let piece = &mut piece[..PIECE.min(left as usize)];
            file.read_exact(piece)?;
            match layout.bytes {
                4 => {
                    let read = crate::world::unpacked::<f32>(piece);
                    into.extend(read.into_iter().map(f64::from));
                }
                _ => into.extend(crate::world::unpacked::<f64>(piece)),
            }
            left -= piece.len() as u64;
        }
        Ok(())
    };
    read().map_err(|error| file_error(path, error.to_string(), SHARED))
}

//! What a table says of itself before its rows are read.

use super::super::memory::Memory;
use super::super::source;
use super::{CsvOptions, Stored, parquet, roles};
use crate::DataError;
use bytes::Bytes;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;

/// How many rows a table has, and which columns are features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Rows.
    pub rows: usize,
    /// The names of the features, in their order.
    pub features: Vec<String>,
}

/// What [`read`](super::read) would find, without the rows: of Parquet the footer is read and nothing
/// else, of an Arrow file all bytes, which are not unpacked.
///
/// ```
/// use gaussfield_data::read::columnar::{self, Column, Layout};
/// use gaussfield_data::read::csv::CsvOptions;
///
/// let columns = ["x", "y"].map(|name| (name.to_owned(), Column::Numbers(vec![Some(0.5); 3])));
/// let path = std::env::temp_dir().join(format!("gaussfield-head-{}", std::process::id()));
/// std::fs::write(&path, columnar::write(columns.into(), Layout::Parquet)?)?;
/// let head = columnar::head(&path, &CsvOptions::new())?;
/// assert_eq!((head.rows, &head.features[..]), (3, &["x".to_owned(), "y".to_owned()][..]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`read`](super::read), but for what is wrong with cells.
pub fn head(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Head, DataError> {
    let path = path.as_ref();
    let unread = |source| DataError::Io { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(unread)?;
    let mut begin = Vec::new();
    file.by_ref().take(4).read_to_end(&mut begin).map_err(unread)?;
    let (schema, rows) = if begin == b"PAR1" {
        file.rewind().map_err(unread)?;
        parquet::File::footer(&file, &mut Memory::of(path))?
    } else {
        let bytes = source::bytes(path)?;
        let memory = Memory::holding(path, &bytes)?;
        let table = Stored::open(&memory, Bytes::from(bytes))?;
        (table.schema, table.rows)
    };
    let roles = roles(path, &schema, options)?;
    let features = roles.features.iter().map(|&column| roles.names[column].clone()).collect();
    Ok(Head { rows, features })
}

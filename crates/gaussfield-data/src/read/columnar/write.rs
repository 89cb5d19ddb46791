//! Writing tables column by column.

use crate::DataError;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;

/// Rows that are handed to a writer at a time.
const ROWS: usize = 1 << 16;

/// How a table is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Parquet, packed by Snappy.
    Parquet,
    /// An Arrow file (Feather 2), not packed.
    Arrow,
}

/// A column to be written; what is not there becomes a null.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Texts.
    Text(Vec<Option<String>>),
    /// Numbers.
    Numbers(Vec<Option<f64>>),
}

/// The bytes of a table of named columns, all of the same length. Equal columns give equal bytes.
///
/// ```
/// use gaussfield_data::read::columnar::{self, Column, Layout};
/// use gaussfield_data::read::csv::CsvOptions;
/// use std::path::Path;
///
/// let kinds = ["cat", "dog"].map(|kind| Some(kind.to_owned())).to_vec();
/// let columns = vec![
///     ("kind".to_owned(), Column::Text(kinds)),
///     ("height".to_owned(), Column::Numbers(vec![Some(0.5), Some(1.0)])),
/// ];
/// let bytes = columnar::write(columns, Layout::Parquet)?;
/// let data = columnar::parse(Path::new("pets"), &bytes, &CsvOptions::new().label("kind"))?;
/// assert_eq!((data.len(), data.dim(), data.classes()), (2, 1, 2));
/// # Ok::<(), gaussfield_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::Argument`] for no column, two of the same name, or lengths that differ.
pub fn write(columns: Vec<(String, Column)>, layout: Layout) -> Result<Vec<u8>, DataError> {
    let refused = |error: &dyn std::fmt::Display| DataError::Argument {
        name: "columns",
        value: error.to_string(),
        expected: "columns of the same length with names that differ".to_owned(),
    };
    let mut names: Vec<&String> = columns.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refused(&format!("two named {:?}", twice[0])));
    }
    let columns = columns.into_iter().map(|(name, column)| {
        let array: ArrayRef = match column {
            Column::Text(texts) => Arc::new(StringArray::from(texts)),
            Column::Numbers(numbers) => Arc::new(Float64Array::from(numbers)),
        };
        (name, array)
    });
    let table = RecordBatch::try_from_iter(columns).map_err(|error| refused(&error))?;
    let parts = (0..table.num_rows())
        .step_by(ROWS)
        .map(|first| table.slice(first, ROWS.min(table.num_rows() - first)));
    let mut bytes = Vec::new();
    match layout {
        Layout::Parquet => {
            let how = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            let writer = ArrowWriter::try_new(&mut bytes, table.schema(), Some(how));
            let mut writer = writer.map_err(|error| refused(&error))?;
            for part in parts {
                writer.write(&part).map_err(|error| refused(&error))?;
            }
            writer.close().map_err(|error| refused(&error))?;
        }
        Layout::Arrow => {
            let writer = FileWriter::try_new(&mut bytes, &table.schema());
            let mut writer = writer.map_err(|error| refused(&error))?;
            for part in parts {
                writer.write(&part).map_err(|error| refused(&error))?;
            }
            writer.finish().map_err(|error| refused(&error))?;
        }
    }
    Ok(bytes)
}

//! Tables that are stored column by column: Parquet, Arrow files (IPC, also called Feather 2), and streams
//! of Arrow messages.
//!
//! Which of them it is, the first bytes say. The roles of the columns are said as for a CSV. Feature
//! columns hold whole numbers, floating-point or decimal numbers, or booleans (1 and 0); columns of
//! labels and names also text, plain or by dictionary. A null is a missing value, NaN is one too; a
//! null or an empty text in the column of labels means that the row has none. Columns named
//! `__index_level_N__`, which pandas adds for the index of a frame, are features only if they are
//! named.
//!
//! Pages may be packed by Snappy, LZ4, Zstandard or gzip.
//!
//! ```no_run
//! use gaussfield_data::read::columnar;
//! use gaussfield_data::read::csv::CsvOptions;
//!
//! let data = columnar::read("flowers.parquet", &CsvOptions::new().label("species"))?;
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

mod arrow;
mod cells;
mod head;
mod pages;
mod parquet;
mod write;

pub use head::{Head, head};
pub use write::{Column, Layout, write};

use super::csv::{CsvOptions, Texts};
use super::memory::Memory;
use super::roles::{Roles, no_such_column};
use super::{rows::Rows, source};
use crate::{DataError, Dataset};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use cells::{Numbers, is_number};
use gaussfield_core::Progress;
use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::path::Path;

/// Reads a file. O(bytes).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Dataset, DataError> {
    let path = path.as_ref();
    let bytes = source::bytes(path)?;
    let memory = Memory::holding(path, &bytes)?;
    rows(memory, Bytes::from(bytes), options)
}

/// Reads bytes; `path` names them in messages.
///
/// # Errors
/// Bytes that are neither format or damaged; no row; a column that is not there or has a type that is
/// no number; a number that is infinite, missing or too large to be exact.
pub fn parse(path: &Path, bytes: &[u8], options: &CsvOptions) -> Result<Dataset, DataError> {
    let (memory, bytes) = held(path, bytes)?;
    rows(memory, bytes, options)
}

/// The cells of some columns as text, empty where they are null: words, names, classes; and of those
/// that are kept.
///
/// # Errors
/// As [`parse`]; a column whose cells are no text.
pub fn parse_text(
    path: &Path,
    bytes: &[u8],
    columns: &[&str],
    options: &CsvOptions,
) -> Result<Texts, DataError> {
    let (mut memory, bytes) = held(path, bytes)?;
    let table = Stored::open(&memory, bytes)?;
    let names = names(path, &table.schema)?;
    let place = |name: &&str| {
        let place = names.iter().position(|own| own == name);
        place.ok_or_else(|| no_such_column(path, name, &names))
    };
    let places = columns.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let kept = options.kept_beside(path, &names, &places)?;
    let mut texts = Texts::new(places.len(), kept.iter().map(|&place| &*names[place]));
    let read = Projection::of(places.iter().chain(&kept).copied());
    table.visit(&mut memory, &read, |memory, batch, first| {
        for (at, &place) in places.iter().chain(&kept).enumerate() {
            let column = batch.column(read.place(place));
            for row in 0..batch.num_rows() {
                let cell = cells::text(path, &names[place], column, row, first)?;
                texts.push(memory, at, &cell.unwrap_or_default())?;
            }
        }
        Ok(())
    })?;
    Ok(texts)
}

/// Bytes that the decoders may keep parts of.
fn held<'a>(path: &'a Path, bytes: &[u8]) -> Result<(Memory<'a>, Bytes), DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    memory.take("a copy of the file", bytes.len() as u64)?;
    Ok((memory, Bytes::copy_from_slice(bytes)))
}

fn rows(mut memory: Memory<'_>, bytes: Bytes, options: &CsvOptions) -> Result<Dataset, DataError> {
    let path = memory.path;
    let table = Stored::open(&memory, bytes)?;
    let roles = roles(path, &table.schema, options)?;
    let called = roles.label.iter().chain(&roles.id).chain(&roles.kept);
    let read = Projection::of(roles.features.iter().chain(called).copied());
    let mut rows = Rows::new(&roles);
    let (width, expected) = (roles.features.len(), table.rows);
    table.visit(&mut memory, &read, |memory, batch, first| {
        let count = batch.num_rows();
        rows.room(memory, count, || Some(expected))?;
        let begin = rows.numbers.len();
        rows.numbers.resize(begin + count * width, f64::NAN);
        for (at, &column) in roles.features.iter().enumerate() {
            let numbers =
                Numbers::new(path, &roles.names[column], batch.column(read.place(column)));
            for row in 0..count {
                match numbers.get(row, first)? {
                    Some(number) => rows.numbers[begin + row * width + at] = number,
                    None => rows.gaps.note(first + row + 1, column),
                }
            }
        }
        for row in 0..count {
            let text = |column: usize| {
                let array = batch.column(read.place(column));
                cells::text(path, &roles.names[column], array, row, first)
            };
            for (at, &column) in roles.kept.iter().enumerate() {
                rows.keep(memory, at, &text(column)?.unwrap_or_default())?;
            }
            let id = roles.id.map(text).transpose()?.flatten();
            rows.id(memory, id.as_deref().unwrap_or_default())?;
            rows.label(memory, roles.label.map(text).transpose()?.flatten().as_deref())?;
        }
        Ok(())
    })?;
    if rows.len() == 0 {
        return Err(source::empty(path, "there are columns but no row", "add rows"));
    }
    rows.finish(&memory, &roles, options.impute).map_err(in_rows)
}

/// The roles of the columns, of which all features hold numbers.
fn roles(path: &Path, schema: &SchemaRef, options: &CsvOptions) -> Result<Roles, DataError> {
    let roles = without_index(options, options.roles(path, 1, names(path, schema)?)?);
    for &column in &roles.features {
        let kind = schema.field(column).data_type();
        if !is_number(kind) {
            let name = &roles.names[column];
            return Err(DataError::Format {
                path: path.to_owned(),
                problem: format!("column {name:?} holds {kind}, which is no number"),
                remedy: format!("convert it, or ignore the column {name:?}"),
            });
        }
    }
    Ok(roles)
}

/// The index of a frame is no feature unless it is asked for.
fn without_index(options: &CsvOptions, mut roles: Roles) -> Roles {
    if options.features.is_empty() && roles.features.len() > 1 {
        let names = &roles.names;
        roles.features.retain(|&column| !names[column].starts_with("__index_level_"));
    }
    roles
}

/// A gap is in a row here, not in a line.
fn in_rows(error: DataError) -> DataError {
    match error {
        DataError::Missing { path, column, cells, lines } => DataError::Format {
            path,
            problem: format!(
                "row {}, column {column:?}: the value is missing, as {cells} {} in all",
                lines.first().copied().unwrap_or_default(),
                if cells == 1 { "value is" } else { "values are" }
            ),
            remedy: format!(
                "fill them in, ignore the column {column:?}, or ask for imputation (mean, median or \
                 zero)"
            ),
        },
        other => other,
    }
}

/// Columns that are read, in the order of the file.
pub(super) struct Projection {
    columns: Vec<usize>,
}

impl Projection {
    fn of(columns: impl Iterator<Item = usize>) -> Self {
        let mut columns: Vec<usize> = columns.collect::<HashSet<_>>().into_iter().collect();
        columns.sort_unstable();
        Self { columns }
    }

    /// Where a column of the file stands among those that are read.
    fn place(&self, column: usize) -> usize {
        self.columns.binary_search(&column).unwrap_or_default()
    }
}

/// A table in memory, as it is stored.
struct Stored {
    schema: SchemaRef,
    /// How many rows it says it has.
    rows: usize,
    kind: Kind,
}

enum Kind {
    Parquet(parquet::File),
    Arrow(arrow::File),
}

impl Stored {
    fn open(memory: &Memory<'_>, bytes: Bytes) -> Result<Self, DataError> {
        let path = memory.path;
        let wrong = |problem: &str, remedy: &str| DataError::Format {
            path: path.to_owned(),
            problem: problem.to_owned(),
            remedy: remedy.to_owned(),
        };
        if bytes.starts_with(b"PAR1") {
            let file = parquet::File::open(path, bytes)?;
            return Ok(Self {
                schema: file.schema(),
                rows: file.rows(),
                kind: Kind::Parquet(file),
            });
        }
        if bytes.starts_with(b"ARROW1") {
            let file = arrow::File::open(path, bytes)?;
            return Ok(Self { schema: file.schema(), rows: file.rows(), kind: Kind::Arrow(file) });
        }
        if bytes.starts_with(&arrow::MESSAGE) {
            let file = arrow::File::of_stream(path, bytes)?;
            return Ok(Self { schema: file.schema(), rows: file.rows(), kind: Kind::Arrow(file) });
        }
        Err(match bytes.get(..4) {
            Some(b"FEA1") => wrong("the file is Feather of version 1", "write it as version 2"),
            Some(b"PARE") => wrong("the file is encrypted", "write it without encryption"),
            _ => wrong(
                "the file is neither Parquet nor an Arrow file, or it is cut short",
                "write or fetch it again",
            ),
        })
    }

    /// Shows batches of rows, one after the other, with the number of the first row of each.
    fn visit(
        self,
        memory: &mut Memory<'_>,
        read: &Projection,
        mut show: impl FnMut(&mut Memory<'_>, &RecordBatch, usize) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let mut first = 0;
        let stage = Progress::stage("reading", Some(self.rows as u64));
        let mut numbered = |memory: &mut Memory<'_>, batch: &RecordBatch| {
            show(memory, batch, first)?;
            first += batch.num_rows();
            stage.advance(batch.num_rows() as u64).map_err(DataError::Cancelled)
        };
        match self.kind {
            Kind::Parquet(file) => file.visit(memory, &read.columns, &mut numbered),
            Kind::Arrow(file) => file.visit(memory, &read.columns, &mut numbered),
        }
    }
}

/// The names of the columns, no two alike.
fn names(path: &Path, schema: &SchemaRef) -> Result<Vec<String>, DataError> {
    let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(names),
        Some(name) => Err(DataError::Format {
            path: path.to_owned(),
            problem: format!("two columns are named {:?}", source::shown(name)),
            remedy: "rename one".to_owned(),
        }),
    }
}

/// What becomes of a batch.
type Show<'s> = &'s mut dyn FnMut(&mut Memory<'_>, &RecordBatch) -> Result<(), DataError>;

fn damaged(path: &Path, error: impl std::fmt::Display) -> DataError {
    DataError::Format {
        path: path.to_owned(),
        problem: format!("the file is damaged, or of a kind that is not known ({error})"),
        remedy: "write or fetch it again".to_owned(),
    }
}

/// Calls a decoder. It has assertions that a damaged file can fail: that becomes an error too.
fn guarded<T, E: std::fmt::Display>(
    path: &Path,
    decode: impl FnOnce() -> Result<T, E>,
) -> Result<T, DataError> {
    match std::panic::catch_unwind(AssertUnwindSafe(decode)) {
        Ok(decoded) => decoded.map_err(|error| damaged(path, error)),
        Err(_) => Err(damaged(path, "its decoder gave up")),
    }
}

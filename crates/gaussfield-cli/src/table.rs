//! Tables: numbers by `CsvOptions`, or words of one column.

use crate::arguments::{Impute, Input};
use crate::failure::Failure;
use crate::formats::Format;
use crate::input::{Known, Rows};
use gaussfield::Error;
use gaussfield::data::read::csv::CsvOptions;
use gaussfield::data::read::text::{TermCounts, TfIdf};
use gaussfield::data::{self, DataError};
use std::path::Path;

/// Reads a table.
pub(crate) fn read(
    input: &Input,
    format: Format,
    path: &Path,
    bytes: &[u8],
) -> Result<Known, Failure> {
    if let Some(column) = &input.text {
        return text(input, format, column, path, bytes);
    }
    let read = options(input, format)?.parse(path, bytes);
    let data = read.map_err(|error| name_option(error, input))?;
    let name = |class: &Option<usize>| class.map(|class| data.labels.names()[class].clone());
    let labels = input.labels.is_none().then(|| data.labels.as_slice().iter().map(name).collect());
    Ok(Known { rows: Rows::Points(data.points), labels, ids: data.ids })
}

fn options(input: &Input, format: Format) -> Result<CsvOptions, Failure> {
    let mut options = CsvOptions::new();
    if input.labels.is_none() {
        options = options.label(&input.label);
    }
    if let Some(id) = &input.id {
        options = options.id(id);
    }
    for pattern in &input.features {
        options = options.feature(pattern);
    }
    for pattern in &input.ignore {
        options = options.ignore(pattern);
    }
    options = options.delimiter(delimiter(input, format)?);
    if let Some(impute) = input.impute {
        options = options.impute(match impute {
            Impute::Mean => data::read::Impute::Mean,
            Impute::Median => data::read::Impute::Median,
            Impute::Zero => data::read::Impute::Zero,
        });
    }
    Ok(options)
}

fn delimiter(input: &Input, format: Format) -> Result<u8, Failure> {
    let usual = if format == Format::Tsv { '\t' } else { ',' };
    let delimiter = input.delimiter.unwrap_or(usual);
    let byte = u8::try_from(delimiter).ok().filter(u8::is_ascii);
    byte.ok_or_else(|| {
        Failure::Input(format!("--delimiter {delimiter:?}: it must be one ASCII character"))
    })
}

/// Says by which option a column that is not there was named.
fn name_option(error: DataError, input: &Input) -> Failure {
    let option = match &error {
        DataError::NoSuchColumn { name, .. } if *name == input.label => "--label",
        DataError::NoSuchColumn { name, .. } if input.id.as_ref() == Some(name) => "--id",
        DataError::NoSuchColumn { name, .. } if input.text.as_ref() == Some(name) => "--text",
        DataError::NoSuchColumn { name, .. } if input.ignore.contains(name) => "--ignore",
        DataError::NoSuchColumn { .. } => "--features",
        _ => return Failure::from(Error::from(error)),
    };
    Failure::Input(format!("{error} (with {option})"))
}

/// The words of a column, weighed by tf-idf.
fn text(
    input: &Input,
    format: Format,
    column: &str,
    path: &Path,
    bytes: &[u8],
) -> Result<Known, Failure> {
    let mut columns = vec![column];
    columns.extend(input.labels.is_none().then_some(input.label.as_str()));
    columns.extend(input.id.as_deref());
    let options = CsvOptions::new().delimiter(delimiter(input, format)?);
    let found = options.parse_text(path, bytes, &columns);
    let mut found = found.map_err(|error| name_option(error, input))?.into_iter();
    let documents = found.next().unwrap_or_default();
    let labels = input.labels.is_none().then(|| found.next().unwrap_or_default());
    let ids = input.id.as_ref().and_then(|_| found.next());
    let words = TermCounts::new(&documents).and_then(|counts| counts.tf_idf(TfIdf::default()));
    let points = words.map_err(|error| {
        Failure::Input(format!("{}, column {column:?}: {error}", path.display()))
    })?;
    let known = |cell: String| Some(cell).filter(|cell| !cell.is_empty());
    let labels = labels.map(|labels| labels.into_iter().map(known).collect());
    Ok(Known { rows: Rows::Points(points), labels, ids })
}

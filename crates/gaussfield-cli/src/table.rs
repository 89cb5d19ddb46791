//! Tables: numbers by `CsvOptions`, or words of one column.

use crate::arguments::{Impute, Input};
use crate::failure::Failure;
use crate::formats::Format;
use crate::input::{Columns, Known, Needs, Rows};
use gaussfield::Error;
use gaussfield::data::read::csv::CsvOptions;
use gaussfield::data::read::text::{Idf, TermCounts, Tf, TfIdf};
use gaussfield::data::{self, DataError};
use gaussfield::points::Points;
use ndarray::Axis;
use std::path::Path;

/// Reads a table.
pub(crate) fn read(
    input: &Input,
    format: Format,
    path: &Path,
    bytes: &[u8],
    needs: Needs,
) -> Result<Known, Failure> {
    if let Some(column) = &input.text {
        return text(input, format, column, path, bytes);
    }
    let labels_inside = input.labels.is_none();
    let read = options(input, format, labels_inside)?.parse(path, bytes);
    let data = match read {
        // Who needs no labels does without the column.
        Err(DataError::NoSuchColumn { name, .. })
            if needs == Needs::Rows && name == input.label =>
        {
            let read = options(input, format, false)?.parse(path, bytes);
            let data = read.map_err(|error| name_option(error, input))?;
            let features = data.feature_names;
            let columns = Columns { features, vocabulary: None };
            return Ok(Known {
                rows: Rows::Points(data.points),
                labels: None,
                ids: data.ids,
                columns,
            });
        }
        read => read.map_err(|error| name_option(error, input))?,
    };
    let name = |class: &Option<usize>| class.map(|class| data.labels.names()[class].clone());
    let labels = labels_inside.then(|| data.labels.as_slice().iter().map(name).collect());
    let columns = Columns { features: data.feature_names, vocabulary: None };
    Ok(Known { rows: Rows::Points(data.points), labels, ids: data.ids, columns })
}

/// Reads new rows of the columns that a model was fitted to, in its order.
pub(crate) fn read_new(
    input: &Input,
    path: &Path,
    bytes: &[u8],
    columns: &Columns,
) -> Result<(Points, Option<Vec<String>>), Failure> {
    let format = Format::of(input);
    if let (Some(column), Some(vocabulary)) = (&input.text, &columns.vocabulary) {
        let mut names = vec![column.as_str()];
        names.extend(input.id.as_deref());
        let options = CsvOptions::new().delimiter(delimiter(input, format)?);
        let found = options.parse_text(path, bytes, &names);
        let mut found = found.map_err(|error| name_option(error, input))?.into_iter();
        let documents = found.next().unwrap_or_default();
        let points = vocabulary.points(documents).map_err(Error::from)?;
        return Ok((points, found.next()));
    }
    let named = Input { features: columns.features.clone().unwrap_or_default(), ..input.clone() };
    let read = options(&named, format, false)?.parse(path, bytes);
    let data = read.map_err(|error| name_option(error, input))?;
    let Some(wanted) = &columns.features else { return Ok((data.points, data.ids)) };
    let there = data.feature_names.unwrap_or_default();
    let place = |name: &String| there.iter().position(|other| other == name);
    let order: Option<Vec<usize>> = wanted.iter().map(place).collect();
    let (Some(order), Some(rows)) = (order, data.points.as_dense()) else {
        return Err(Failure::Input(format!(
            "{}: a column of the model is missing; it has {}",
            path.display(),
            wanted.join(", ")
        )));
    };
    let points = Points::dense(rows.select(Axis(1), &order)).map_err(Error::from)?;
    Ok((points, data.ids))
}

fn options(input: &Input, format: Format, labels: bool) -> Result<CsvOptions, Failure> {
    let mut options = CsvOptions::new();
    if labels {
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
    let useless = |error| Failure::Input(format!("{}, column {column:?}: {error}", path.display()));
    let counts = TermCounts::new(&documents).map_err(useless)?;
    let points = counts.tf_idf(TfIdf::default()).map_err(useless)?;
    let vocabulary = Some(counts.vocabulary_by(Tf::default(), Idf::default()));
    let columns = Columns { features: None, vocabulary };
    let known = |cell: String| Some(cell).filter(|cell| !cell.is_empty());
    let labels = labels.map(|labels| labels.into_iter().map(known).collect());
    Ok(Known { rows: Rows::Points(points), labels, ids, columns })
}

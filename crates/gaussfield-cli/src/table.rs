//! Tables: numbers by `CsvOptions`, or words of one column.

use crate::arguments::{Impute, Input};
use crate::failure::Failure;
use crate::formats::Format;
use crate::input::{Columns, Known, Needs, Rows, is_stdin, name_of};
use gaussfield::Error;
use gaussfield::data::read::columnar;
use gaussfield::data::read::csv::{CsvOptions, Texts};
use gaussfield::data::read::text::{Idf, TermCounts, Tf, TfIdf, Vocabulary};
use gaussfield::data::{self, DataError, Dataset, KeptColumn};
use gaussfield::labels::Labels;
use gaussfield::points::Points;
use ndarray::Axis;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Columns that a message lists.
const LISTED: usize = 20;

/// Reads a table.
pub(crate) fn read(input: &Input, format: Format, needs: Needs) -> Result<Known, Failure> {
    if let Some(column) = &input.text {
        return text(input, format, column, needs);
    }
    let labels_inside = input.labels.is_none();
    // Beside the table or inside it: a column of that name is no feature.
    let options = options(input, format, Some(if labels_inside { needs } else { Needs::Rows }))?;
    let data = rows(&options, format, &input.file).map_err(|error| name_option(error, input))?;
    let has_labels = labels_inside && (needs != Needs::Rows || !data.labels.names().is_empty());
    let labels = has_labels.then_some(data.labels);
    let columns = Columns { features: data.feature_names, vocabulary: None };
    Ok(Known { rows: Rows::Points(data.points), labels, ids: data.ids, columns, kept: data.kept })
}

/// The rows of a table; a CSV is never in memory as a whole.
fn rows(options: &CsvOptions, format: Format, file: &Path) -> Result<Dataset, DataError> {
    let stdin = is_stdin(file);
    match (is_columnar(format), stdin) {
        (true, false) => columnar::read(file, options),
        (true, true) => columnar::parse(name_of(file), &all_of_stdin()?, options),
        (false, false) => options.read(file),
        (false, true) => options.read_from(name_of(file), std::io::stdin().lock()),
    }
}

/// Columns of a table as text.
pub(crate) fn texts(
    options: &CsvOptions,
    format: Format,
    file: &Path,
    columns: &[&str],
) -> Result<Texts, DataError> {
    let (name, stdin) = (name_of(file), is_stdin(file));
    let refused = |source| DataError::Io { path: file.to_owned(), source };
    match (is_columnar(format), stdin) {
        (true, false) => {
            columnar::parse_text(name, &std::fs::read(file).map_err(refused)?, columns, options)
        }
        (true, true) => columnar::parse_text(name, &all_of_stdin()?, columns, options),
        (false, false) => options.read_text_from(name, File::open(file).map_err(refused)?, columns),
        (false, true) => options.read_text_from(name, std::io::stdin().lock(), columns),
    }
}

fn is_columnar(format: Format) -> bool {
    matches!(format, Format::Parquet | Format::Arrow)
}

fn all_of_stdin() -> Result<Vec<u8>, DataError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|source| DataError::Io { path: name_of(Path::new("-")).to_owned(), source })?;
    Ok(bytes)
}

/// Points, their names and the columns to be handed on.
pub(crate) type NewRows = (Points, Option<Vec<String>>, Vec<KeptColumn>);

/// Reads new rows of the columns that a model was fitted to, in its order.
pub(crate) fn read_new(input: &Input, columns: &Columns) -> Result<NewRows, Failure> {
    let format = Format::of(input);
    let path = name_of(&input.file);
    if let Some(vocabulary) = &columns.vocabulary {
        let Some(column) = &input.text else {
            return Err(Failure::Input(format!(
                "{}: the model was fitted to documents; name the column of the text with --text",
                path.display()
            )));
        };
        let mut names = vec![column.as_str()];
        names.extend(input.id.as_deref());
        let options = for_texts(input, format)?;
        let found = texts(&options, format, &input.file, &names);
        let Texts { columns, kept } = found.map_err(|error| name_option(error, input))?;
        let mut columns = columns.into_iter();
        let documents = columns.next().unwrap_or_default();
        let points = vocabulary.points(documents).map_err(Error::from)?;
        return Ok((points, columns.next(), kept));
    }
    let named = Input { features: columns.features.clone().unwrap_or_default(), ..input.clone() };
    let read = rows(&options(&named, format, None)?, format, &input.file);
    let data = read.map_err(|error| match error {
        DataError::NoSuchColumn { name, available, .. } if named.features.contains(&name) => {
            let there: Vec<String> =
                available.iter().take(LISTED).map(|n| format!("{n:?}")).collect();
            Failure::Input(format!(
                "{}: the model was fitted to a column {name:?}, which is not there; give rows with \
                 the {} columns of the model (here are {})",
                path.display(),
                named.features.len(),
                there.join(", ")
            ))
        }
        error => name_option(error, input),
    })?;
    let Some(wanted) = &columns.features else { return Ok((data.points, data.ids, data.kept)) };
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
    Ok((points, data.ids, data.kept))
}

/// How the columns are told apart; with `labels`, one of them holds the labels, or may where rows will
/// do.
fn options(input: &Input, format: Format, labels: Option<Needs>) -> Result<CsvOptions, Failure> {
    let mut options = CsvOptions::new();
    options = match labels {
        None => options,
        Some(Needs::Rows) => options.optional_label(&input.label),
        Some(_) => options.label(&input.label),
    };
    if let Some(id) = &input.id {
        options = options.id(id);
    }
    for pattern in &input.features {
        options = options.feature(pattern);
    }
    for pattern in &input.ignore {
        options = options.ignore(pattern);
    }
    for pattern in &input.keep {
        options = options.keep(pattern);
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

/// How a table of texts is read.
fn for_texts(input: &Input, format: Format) -> Result<CsvOptions, Failure> {
    let options = CsvOptions::new().delimiter(delimiter(input, format)?);
    Ok(input.keep.iter().fold(options, CsvOptions::keep))
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
        DataError::NoSuchColumn { name, .. } if input.keep.contains(name) => "--keep",
        DataError::NoSuchColumn { .. } => "--features",
        _ => return Failure::from(Error::from(error)),
    };
    Failure::Input(format!("{error} (with {option})"))
}

/// The words of a column, weighed by tf-idf.
fn text(input: &Input, format: Format, column: &str, needs: Needs) -> Result<Known, Failure> {
    let options = for_texts(input, format)?;
    let mut names = vec![column];
    names.extend(input.id.as_deref());
    if input.labels.is_none() && needs != Needs::Rows {
        names.push(&input.label);
    }
    let found = texts(&options, format, &input.file, &names);
    let Texts { columns: found, kept } = found.map_err(|error| name_option(error, input))?;
    let mut found = found.into_iter();
    let documents = found.next().unwrap_or_default();
    let ids = input.id.as_ref().and_then(|_| found.next());
    let place = format!("{}, column {column:?}", name_of(&input.file).display());
    let (points, vocabulary) = words(&place, &documents)?;
    let columns = Columns { features: None, vocabulary: Some(vocabulary) };
    let known = |cell: String| Some(cell).filter(|cell| !cell.is_empty());
    let labels = found.next();
    let labels = labels.map(|labels| Labels::from_names(labels.into_iter().map(known)));
    Ok(Known { rows: Rows::Points(points), labels, ids, columns, kept })
}

/// The words of documents, weighed by tf-idf, and how to find them again.
pub(crate) fn words(place: &str, documents: &[String]) -> Result<(Points, Vocabulary), Failure> {
    let useless = |error| Failure::Input(format!("{place}: {error}"));
    let counts = TermCounts::new(documents).map_err(useless)?;
    let points = counts.tf_idf(TfIdf::default()).map_err(useless)?;
    Ok((points, counts.vocabulary_by(Tf::default(), Idf::default())))
}

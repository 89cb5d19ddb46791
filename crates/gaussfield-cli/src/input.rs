//! From a file to rows with names, labels and numbers, checked for what labelling needs.

use crate::arguments::{Impute, Input};
use crate::failure::Failure;
use gaussfield::Error;
use gaussfield::data::read::csv::CsvOptions;
use gaussfield::data::{self, DataError};
use gaussfield::labels::Labels;
use gaussfield::points::Points;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;

/// The rows of a file.
#[derive(Debug)]
pub(crate) struct Table {
    /// The file, as it is named in messages.
    pub(crate) name: String,
    /// What each row is called.
    pub(crate) ids: Vec<String>,
    pub(crate) points: Points,
    pub(crate) labels: Labels,
    pub(crate) features: Vec<String>,
}

/// What a command needs of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Labels of two classes.
    Labels,
    /// And a row without a label.
    Unlabelled,
}

/// Reads the table and checks that there is something to learn from and about.
pub(crate) fn read(input: &Input, needs: Needs) -> Result<Table, Failure> {
    let stdin = input.file == Path::new("-");
    let path = if stdin { Path::new("standard input") } else { &input.file };
    let unreadable = |source: std::io::Error| Failure::unreadable(path.to_owned(), &source);
    let bytes = if stdin {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
        bytes
    } else {
        std::fs::read(path).map_err(unreadable)?
    };
    let data = options(input)?.parse(path, &bytes).map_err(|error| name_option(error, input))?;
    let data::Dataset { points, labels, feature_names, ids, .. } = data;
    let name = path.display().to_string();
    check_labels(&name, &labels, &input.label, needs)?;
    let ids = match ids {
        Some(ids) => distinct(&name, ids, input.id.as_deref().unwrap_or_default())?,
        None => (1..=points.len()).map(|row| row.to_string()).collect(),
    };
    Ok(Table { name, ids, points, labels, features: feature_names.unwrap_or_default() })
}

fn options(input: &Input) -> Result<CsvOptions, Failure> {
    let mut options = CsvOptions::new().label(&input.label);
    if let Some(id) = &input.id {
        options = options.id(id);
    }
    for pattern in &input.features {
        options = options.feature(pattern);
    }
    for pattern in &input.ignore {
        options = options.ignore(pattern);
    }
    if let Some(delimiter) = input.delimiter {
        let byte = u8::try_from(delimiter).ok().filter(u8::is_ascii);
        options = options.delimiter(byte.ok_or_else(|| {
            Failure::Input(format!("--delimiter {delimiter:?}: it must be one ASCII character"))
        })?);
    }
    if let Some(impute) = input.impute {
        options = options.impute(match impute {
            Impute::Mean => data::read::Impute::Mean,
            Impute::Median => data::read::Impute::Median,
            Impute::Zero => data::read::Impute::Zero,
        });
    }
    Ok(options)
}

/// Says by which option a column that is not there was named.
fn name_option(error: DataError, input: &Input) -> Failure {
    let option = match &error {
        DataError::NoSuchColumn { name, .. } if *name == input.label => "--label",
        DataError::NoSuchColumn { name, .. } if input.id.as_ref() == Some(name) => "--id",
        DataError::NoSuchColumn { name, .. } if input.ignore.contains(name) => "--ignore",
        DataError::NoSuchColumn { .. } => "--features",
        _ => return Failure::from(Error::from(error)),
    };
    Failure::Input(format!("{error} (with {option})"))
}

/// Labels of at least two classes, and a row without one if the command is about such.
fn check_labels(name: &str, labels: &Labels, column: &str, needs: Needs) -> Result<(), Failure> {
    let labelled = labels.labelled().len();
    let refuse = |problem: String| Err(Failure::Input(format!("{name}: {problem}")));
    if labelled == 0 {
        return refuse(format!(
            "no row has a label; fill in a few cells of the column {column:?}, at least one for each \
             class"
        ));
    }
    if let [only] = labels.names() {
        return refuse(format!(
            "all {labelled} labels are {only:?}; add at least one label of another class to the \
             column {column:?}"
        ));
    }
    if labelled == labels.len() && needs == Needs::Unlabelled {
        return refuse(format!(
            "every row has a label, so that there is nothing to label; leave cells of the column \
             {column:?} empty where the class is not known, or look for wrong labels with `gaussfield audit`"
        ));
    }
    Ok(())
}

/// The names of the rows, if no two are equal.
fn distinct(name: &str, ids: Vec<String>, column: &str) -> Result<Vec<String>, Failure> {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(ids.len());
    for (row, id) in ids.iter().enumerate() {
        if let Some(before) = first.insert(id, row) {
            return Err(Failure::Input(format!(
                "{name}: rows {} and {} are both named {id:?} in the column {column:?}; make the \
                 names differ, or leave --id out to number the rows",
                before + 1,
                row + 1
            )));
        }
    }
    Ok(ids)
}

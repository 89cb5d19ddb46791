//! Which columns of a table are features, which one is the label, which one the name.

use super::csv::CsvOptions;
use super::{names, source};
use crate::DataError;
use std::collections::HashMap;
use std::path::Path;

/// The roles of the columns of a table.
#[derive(Debug)]
pub(super) struct Roles {
    pub(super) names: Vec<String>,
    pub(super) features: Vec<usize>,
    pub(super) label: Option<usize>,
    pub(super) id: Option<usize>,
    /// Columns to be handed on as text, features or not.
    pub(super) kept: Vec<usize>,
}

impl CsvOptions {
    /// Sorts columns into features, label, name and ignored ones. `line` is that of the header.
    pub(super) fn roles(
        &self,
        path: &Path,
        line: usize,
        names: Vec<String>,
    ) -> Result<Roles, DataError> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (column, name) in names.iter().enumerate() {
            if let Some(&first) = places.get(name.as_str()) {
                return Err(DataError::DuplicateColumn {
                    path: path.to_owned(),
                    line,
                    name: source::shown(name),
                    first: first + 1,
                    second: column + 1,
                });
            }
            places.insert(name, column);
        }
        let find = |name: &String| {
            places
                .get(name.as_str())
                .copied()
                .ok_or_else(|| self.no_such_column(path, name, &names))
        };
        let label = match &self.label {
            Some(name) if self.optional_label => places.get(name.as_str()).copied(),
            label => label.as_ref().map(find).transpose()?,
        };
        let id = self.id.as_ref().map(find).transpose()?;
        let fitting = |pattern: &String| self.fitting(path, pattern, &names);
        let mut others: Vec<usize> = Vec::new();
        for pattern in &self.ignored {
            others.extend(fitting(pattern)?);
        }
        others.extend(label.iter().chain(&id));
        let mut chosen = vec![self.features.is_empty(); names.len()];
        for pattern in &self.features {
            fitting(pattern)?.into_iter().for_each(|column| chosen[column] = true);
        }
        others.into_iter().for_each(|column| chosen[column] = false);
        let features: Vec<usize> = (0..names.len()).filter(|&column| chosen[column]).collect();
        if let Some(column) = features.iter().find(|&&column| names[column].is_empty()) {
            return Err(DataError::Format {
                path: path.to_owned(),
                problem: format!("line {line}: column {} has no name", column + 1),
                remedy: "name it, or leave it out by ignoring the column \"\"".to_owned(),
            });
        }
        if features.is_empty() {
            let what = "no column is left as a feature";
            return Err(source::empty(path, what, "add a column of numbers"));
        }
        // What is the label or the name is handed on as such.
        let called: Vec<usize> = label.iter().chain(&id).copied().collect();
        let kept = self.kept_beside(path, &names, &called)?;
        Ok(Roles { names, features, label, id, kept })
    }

    /// The columns to be handed on, but for those that are read anyway.
    pub(super) fn kept_beside(
        &self,
        path: &Path,
        names: &[String],
        read: &[usize],
    ) -> Result<Vec<usize>, DataError> {
        let mut kept = vec![false; names.len()];
        for pattern in &self.kept {
            self.fitting(path, pattern, names)?.into_iter().for_each(|place| kept[place] = true);
        }
        read.iter().for_each(|&place| kept[place] = false);
        Ok((0..names.len()).filter(|&place| kept[place]).collect())
    }

    /// The column of a name, or else all that fit it as a pattern.
    fn fitting(
        &self,
        path: &Path,
        pattern: &String,
        names: &[String],
    ) -> Result<Vec<usize>, DataError> {
        if let Some(column) = names.iter().position(|name| name == pattern) {
            return Ok(vec![column]);
        }
        let fits = |&column: &usize| names::fits(pattern, &names[column]);
        let all: Vec<usize> = (0..names.len()).filter(fits).collect();
        if all.is_empty() { Err(self.no_such_column(path, pattern, names)) } else { Ok(all) }
    }

    /// A column that is asked for and not there, or would be there with another delimiter.
    pub(super) fn no_such_column(&self, path: &Path, name: &str, names: &[String]) -> DataError {
        let there = |delimiter: &char| {
            let mut cells = names.iter().flat_map(|cell| cell.split(*delimiter));
            names.iter().any(|cell| cell.contains(*delimiter))
                && cells.any(|cell| cell.trim().trim_matches('"') == name)
        };
        match DELIMITERS.into_iter().find(there) {
            Some(found) => DataError::Delimiter {
                path: path.to_owned(),
                found,
                used: char::from(self.delimiter_of(path)),
            },
            None => no_such_column(path, name, names),
        }
    }
}

/// A column that is asked for and not there.
pub(super) fn no_such_column(path: &Path, name: &str, names: &[String]) -> DataError {
    DataError::NoSuchColumn {
        path: path.to_owned(),
        name: name.to_owned(),
        available: names.iter().map(|name| source::shown(name)).collect(),
    }
}

/// What is between cells in practice.
const DELIMITERS: [char; 4] = [';', '\t', '|', ','];

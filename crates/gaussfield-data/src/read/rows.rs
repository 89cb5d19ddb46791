//! The rows of a table while they are read: numbers, classes, names.

use super::memory::Memory;
use super::missing::{Gaps, Impute};
use super::roles::Roles;
use super::source;
use crate::{DataError, Dataset, KeptColumn};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::Array2;
use std::collections::HashMap;

/// Numbers that there is room for at first.
const FIRST: usize = 1 << 10;
/// A place in a list that grows by doubling, old and new.
const GROWING: usize = 3;

/// What has been read of a table.
pub(super) struct Rows {
    width: usize,
    /// Row by row; NaN where a number is missing.
    pub(super) numbers: Vec<f64>,
    pub(super) gaps: Gaps,
    classes: Vec<Option<usize>>,
    names: Vec<String>,
    numbers_of: HashMap<String, usize>,
    ids: Option<Vec<String>>,
    kept: Vec<KeptColumn>,
}

/// A column of which nothing was read yet.
pub(super) fn kept(name: &str) -> KeptColumn {
    KeptColumn { name: name.to_owned(), cells: Vec::new() }
}

impl Rows {
    pub(super) fn new(roles: &Roles) -> Self {
        Self {
            width: roles.features.len(),
            numbers: Vec::new(),
            gaps: Gaps::default(),
            classes: Vec::new(),
            names: Vec::new(),
            numbers_of: HashMap::new(),
            ids: roles.id.map(|_| Vec::new()),
            kept: roles.kept.iter().map(|&column| kept(&roles.names[column])).collect(),
        }
    }

    /// How many rows are whole.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Makes room for the numbers of so many rows more, or of all that are expected. Old and new room
    /// together must fit; afterwards the old one is given back.
    pub(super) fn room(
        &mut self,
        memory: &mut Memory<'_>,
        more: usize,
        expected: impl FnOnce() -> Option<usize>,
    ) -> Result<(), DataError> {
        let held = self.numbers.capacity();
        let needed = more.saturating_mul(self.width).saturating_add(self.numbers.len());
        if needed <= held {
            return Ok(());
        }
        // An expectation may be wrong; doubling is never far off.
        let wanted = match expected() {
            Some(rows) => rows.saturating_mul(self.width).min(held.max(FIRST).saturating_mul(8)),
            None => held.saturating_mul(2).max(FIRST),
        };
        let most = usize::try_from(memory.left() / 8).unwrap_or(usize::MAX);
        let wanted = wanted.min(most).max(needed);
        memory.items("the numbers", wanted, 8)?;
        self.numbers.reserve_exact(wanted - self.numbers.len());
        memory.give_back(8 * held as u64);
        Ok(())
    }

    /// Ends a row: its label, empty or absent where it has none.
    pub(super) fn label(
        &mut self,
        memory: &mut Memory<'_>,
        label: Option<&str>,
    ) -> Result<(), DataError> {
        memory.items("the rows", GROWING, size_of::<Option<usize>>())?;
        let class = match label.filter(|label| !label.is_empty()) {
            None => None,
            Some(label) => Some(match self.numbers_of.get(label) {
                Some(&class) => class,
                None => {
                    memory.items("the names of the classes", 1, source::NAMED_ROW)?;
                    memory.items("the names of the classes", GROWING, label.len())?;
                    self.numbers_of.insert(label.to_owned(), self.names.len());
                    self.names.push(label.to_owned());
                    self.names.len() - 1
                }
            }),
        };
        self.classes.push(class);
        Ok(())
    }

    /// The name of a row, where rows have names.
    pub(super) fn id(&mut self, memory: &mut Memory<'_>, id: &str) -> Result<(), DataError> {
        if let Some(ids) = &mut self.ids {
            memory.items("the names of the rows", 1, GROWING * size_of::<String>() + id.len())?;
            ids.push(id.to_owned());
        }
        Ok(())
    }

    /// A cell of the kept column of that place among those that are kept.
    pub(super) fn keep(
        &mut self,
        memory: &mut Memory<'_>,
        at: usize,
        cell: &str,
    ) -> Result<(), DataError> {
        memory.items("the columns to be kept", 1, GROWING * size_of::<String>() + cell.len())?;
        self.kept[at].cells.push(cell.to_owned());
        Ok(())
    }

    /// The table as a data set; gaps are filled, or an error.
    pub(super) fn finish(
        self,
        memory: &Memory<'_>,
        roles: &Roles,
        impute: Option<Impute>,
    ) -> Result<Dataset, DataError> {
        let path = memory.path;
        let shape = (self.classes.len(), self.width);
        let rows = Array2::from_shape_vec(shape, self.numbers);
        let mut rows = rows.map_err(|error| DataError::Format {
            path: path.to_owned(),
            problem: error.to_string(),
            remedy: "give every row the same number of cells".to_owned(),
        })?;
        self.gaps.fill(path, &roles.names, &roles.features, impute, &mut rows)?;
        let name = |&column: &usize| roles.names[column].clone();
        let labels = Labels::new(self.classes, self.names)?;
        Ok(Dataset {
            feature_names: Some(roles.features.iter().map(name).collect()),
            ids: self.ids,
            kept: self.kept,
            ..Dataset::new(source::stem(path), Points::dense(rows)?, labels)
        })
    }
}

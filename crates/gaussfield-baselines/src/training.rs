//! The labelled rows, and checks of labels.

use crate::BaselineError;
use gaussfield_core::{Budget, SizeMismatch};
use gaussfield_labels::{Labels, LabelsError};
use gaussfield_points::Points;

/// The labelled rows with their classes: all that a supervised method sees.
#[derive(Debug, Clone)]
pub(crate) struct Training {
    pub(crate) points: Points,
    pub(crate) classes: Vec<usize>,
    pub(crate) names: Vec<String>,
}

impl Training {
    pub(crate) fn new(points: &Points, labels: &Labels) -> Result<Self, BaselineError> {
        SizeMismatch::check("labels, one (or none) for each point", points.len(), labels.len())?;
        let labelled = labelled(labels)?;
        Ok(Self {
            points: points.select(&labelled)?,
            classes: labels.as_slice().iter().flatten().copied().collect(),
            names: labels.names().to_vec(),
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn check_dimension(&self, queries: &Points) -> Result<(), BaselineError> {
        Ok(queries.check_dim(self.points.dim())?)
    }
}

/// The labelled nodes, at least one; the scores of all classes must fit into memory.
pub(crate) fn labelled(labels: &Labels) -> Result<Vec<usize>, BaselineError> {
    let labelled = labels.labelled();
    if labelled.is_empty() {
        return Err(LabelsError::NoLabels.into());
    }
    labels.take_scores(Budget::default())?;
    Ok(labelled)
}

/// Whether at least two classes have a label.
pub(crate) fn more_than_one_class(labels: &Labels) -> Result<(), BaselineError> {
    let counts = labels.counts();
    let labelled: usize = counts.iter().sum();
    match counts.iter().position(|&count| count == labelled && count > 0) {
        Some(class) => {
            Err(BaselineError::OneClass { class: labels.names()[class].clone(), labelled })
        }
        None => Ok(()),
    }
}

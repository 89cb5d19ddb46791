//! Classes and soft scores of queries.

use gaussfield_labels::{LabelsError, Scores};
use ndarray::Axis;

/// What a classifier says about each query: a class, and how it leans.
///
/// Invariant: no class of a row has a larger score than the predicted one. At a tie the classifier
/// decides by its own rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    classes: Vec<usize>,
    scores: Scores,
}

impl Prediction {
    pub(crate) fn new(classes: Vec<usize>, scores: Scores) -> Self {
        Self { classes, scores }
    }

    /// The predictions of batches of queries, one after the other.
    ///
    /// # Panics
    /// If there is no batch, or if they are of different numbers of classes.
    pub(crate) fn concatenate(batches: Vec<Self>) -> Self {
        let views: Vec<_> = batches.iter().map(|batch| batch.scores.values()).collect();
        let scores = ndarray::concatenate(Axis(0), &views).map_err(|error| error.to_string());
        let scores = scores.and_then(|all| Scores::new(all).map_err(|error| error.to_string()));
        match scores {
            Ok(scores) => {
                let classes = batches.into_iter().flat_map(|batch| batch.classes).collect();
                Self { classes, scores }
            }
            Err(error) => panic!("batches of one model fit together: {error}"),
        }
    }

    /// The predicted class of each query.
    pub fn classes(&self) -> &[usize] {
        &self.classes
    }

    /// The soft predictions, rows that sum to one. What they mean is up to the classifier; they
    /// are votes, not calibrated probabilities.
    pub fn scores(&self) -> &Scores {
        &self.scores
    }

    /// The hard predictions as zeros and ones: the dongle values of Zhu et al. 2003, section 7.
    pub fn hard_scores(&self) -> Scores {
        match Scores::one_hot(&self.classes, self.scores.classes()) {
            Ok(scores) => scores,
            Err(error) => unreachable!("a predicted class is one of the classes: {error}"),
        }
    }

    /// The predictions of the given queries, in the given order.
    ///
    /// # Errors
    /// [`LabelsError::NoSuchNode`] for a query past the end.
    pub fn select(&self, queries: &[usize]) -> Result<Self, LabelsError> {
        let scores = self.scores.select(queries)?;
        let classes = queries.iter().map(|&query| self.classes[query]).collect();
        Ok(Self { classes, scores })
    }
}

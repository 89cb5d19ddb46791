use gaussfield_labels::{LabelsError, Scores};

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

//! The answer of methods that keep nothing to ask on.

use crate::{Labels, LabelsError, Named, Scores, Transductive};
use gaussfield_core::{Facts, SizeMismatch};

/// The probability of every class at every node, with how it was computed: the answer of methods
/// that keep nothing to ask on.
///
/// What found more holds one of these beside it and shows it through [`AsRef`]: by that it is
/// [`Transductive`].
///
/// ```
/// use gaussfield_core::Facts;
/// use gaussfield_labels::{Decision, Labels, NodeScores, Scores, Transductive};
/// use ndarray::array;
///
/// let labels = Labels::from_names([Some("cat"), None, Some("dog")]);
/// let scores = Scores::new(array![[1.0, 0.0], [0.3, 0.7], [0.0, 1.0]])?;
/// let answer = NodeScores::new(&labels, scores, Facts::default().with("method", "by eye"))?;
/// assert_eq!(answer.predictions(&Decision::Argmax)?.to_string(), "1: dog (0.70)\n");
/// # Ok::<(), gaussfield_labels::LabelsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NodeScores {
    names: Vec<String>,
    scores: Scores,
    interior: Vec<usize>,
    islands: Vec<usize>,
    facts: Facts,
}

impl NodeScores {
    /// The scores of all nodes of these labels.
    ///
    /// # Errors
    /// Scores of other nodes or classes.
    pub fn new(labels: &Labels, scores: Scores, facts: Facts) -> Result<Self, LabelsError> {
        SizeMismatch::check("rows of scores, one for each label,", labels.len(), scores.nodes())?;
        SizeMismatch::check("classes of the scores", labels.classes(), scores.classes())?;
        let (names, interior) = (labels.names().to_vec(), labels.unlabelled());
        Ok(Self { names, scores, interior, islands: Vec::new(), facts })
    }

    /// Says which nodes no label reaches, in increasing order.
    #[must_use]
    pub fn on_islands(self, islands: Vec<usize>) -> Self {
        Self { islands, ..self }
    }
}

impl AsRef<Self> for NodeScores {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<T: AsRef<NodeScores>> Named for T {
    fn class_names(&self) -> &[String] {
        &self.as_ref().names
    }
}

impl<T: AsRef<NodeScores>> Transductive for T {
    fn scores(&self) -> &Scores {
        &self.as_ref().scores
    }

    fn interior(&self) -> &[usize] {
        &self.as_ref().interior
    }

    fn islands(&self) -> &[usize] {
        &self.as_ref().islands
    }

    fn facts(&self) -> Facts {
        self.as_ref().facts.clone()
    }
}

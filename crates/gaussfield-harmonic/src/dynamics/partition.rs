//! What threshold dynamics end with.

use gaussfield_labels::NodeScores;

/// Where [`Dynamics`](crate::Dynamics) ended: for every node the probability of each class after the
/// last walk, the largest of which is the class decided for.
///
/// Of balanced dynamics these are the probabilities times the multiplier of each class, rows divided
/// by their sums. Labelled nodes hold their label, islands the prior.
#[derive(Debug, Clone)]
pub struct Partition {
    pub(super) answer: NodeScores,
    pub(super) rounds: usize,
    pub(super) settled: bool,
}

impl Partition {
    /// How many times was walked and decided.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Whether the last decision was the one before it.
    pub fn settled(&self) -> bool {
        self.settled
    }
}

impl AsRef<NodeScores> for Partition {
    fn as_ref(&self) -> &NodeScores {
        &self.answer
    }
}

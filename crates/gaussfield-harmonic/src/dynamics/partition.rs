//! What threshold dynamics end with.

use gaussfield_core::Facts;
use gaussfield_labels::{Labels, Named, Scores, Transductive};

/// Where [`Dynamics`](crate::Dynamics) ended: for every node the probability of each class after the
/// last walk, the largest of which is the class decided for.
///
/// Of balanced dynamics these are the probabilities times the multiplier of each class, rows divided
/// by their sums. Labelled nodes hold their label, islands the prior.
#[derive(Debug, Clone)]
pub struct Partition {
    names: Vec<String>,
    scores: Scores,
    interior: Vec<usize>,
    islands: Vec<usize>,
    rounds: usize,
    settled: bool,
    facts: Facts,
}

impl Partition {
    pub(super) fn new(
        labels: &Labels,
        scores: Scores,
        islands: Vec<usize>,
        (rounds, settled): (usize, bool),
        facts: Facts,
    ) -> Self {
        let (names, interior) = (labels.names().to_vec(), labels.unlabelled());
        Self { names, scores, interior, islands, rounds, settled, facts }
    }

    /// How many times was walked and decided.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Whether the last decision was the one before it.
    pub fn settled(&self) -> bool {
        self.settled
    }

    /// Nodes that no label reaches and that hold the prior instead, in increasing order.
    pub fn islands(&self) -> &[usize] {
        &self.islands
    }
}

impl Named for Partition {
    fn class_names(&self) -> &[String] {
        &self.names
    }
}

impl Transductive for Partition {
    fn scores(&self) -> &Scores {
        &self.scores
    }

    fn interior(&self) -> &[usize] {
        &self.interior
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

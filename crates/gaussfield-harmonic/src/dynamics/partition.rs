//! What threshold dynamics end with.

use crate::NodeScores;
use gaussfield_core::Facts;
use gaussfield_labels::{Named, Scores, Transductive};

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

    /// Nodes that no label reaches and that hold the prior instead, in increasing order.
    pub fn islands(&self) -> &[usize] {
        self.answer.islands()
    }
}

impl Named for Partition {
    fn class_names(&self) -> &[String] {
        self.answer.class_names()
    }
}

impl Transductive for Partition {
    fn scores(&self) -> &Scores {
        self.answer.scores()
    }

    fn interior(&self) -> &[usize] {
        self.answer.interior()
    }

    fn facts(&self) -> Facts {
        self.answer.facts()
    }
}

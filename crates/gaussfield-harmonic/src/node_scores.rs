//! The answer of methods that keep nothing to ask on.

use gaussfield_core::Facts;
use gaussfield_labels::{Named, Scores, Transductive};

/// The probability of every class at every node, with how it was computed: the answer of methods
/// that keep no factorised system.
#[derive(Debug, Clone)]
pub struct NodeScores {
    pub(crate) names: Vec<String>,
    pub(crate) scores: Scores,
    pub(crate) interior: Vec<usize>,
    pub(crate) islands: Vec<usize>,
    pub(crate) facts: Facts,
}

impl NodeScores {
    /// Nodes that no label reaches and that hold the prior instead, in increasing order. Empty
    /// unless [`Islands::Prior`](gaussfield_labels::Islands::Prior) was asked for.
    pub fn islands(&self) -> &[usize] {
        &self.islands
    }
}

impl Named for NodeScores {
    fn class_names(&self) -> &[String] {
        &self.names
    }
}

impl Transductive for NodeScores {
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

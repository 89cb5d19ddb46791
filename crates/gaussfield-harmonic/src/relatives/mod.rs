//! Methods that section 3 of Zhu et al. 2003 compares the harmonic function with, on the same graph
//! and labels.
//!
//! | method | what it minimises or follows | classes |
//! |---|---|---|
//! | [`NearestGrowth`] | the strongest link to a labelled node, again and again: the limit of short length scales | any |
//! | [`MinimumCut`] | ½ Σ wᵢⱼ·\|fᵢ − fⱼ\|, the weight of the edges cut | two |
//! | [`NormalisedCut`] | the cut over the weight of each side, labels of a class held together | two |
//! | [`MarkovWalk`] | a walk of t steps to the labels | any |
//! | [`Eigenvectors`] | least squares on the p smoothest eigenvectors | any |
//!
//! They are here to compare with; the paper says of each how it differs.

mod eigenvectors;
mod flow;
mod growth;
mod markov_walk;
mod minimum_cut;
mod normalised_cut;

pub use eigenvectors::{Eigenvectors, SmoothFit};
pub use growth::{Grown, NearestGrowth};
pub use markov_walk::MarkovWalk;
pub use minimum_cut::{Cut, MinimumCut};
pub use normalised_cut::{NormalisedCut, NormalisedCutFit};

use crate::problem::fill_islands;
use crate::{HarmonicError, boundary_of};
use gaussfield_core::Facts;
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, NodeScores, Scores};
use gaussfield_laplacian::unreachable;
use ndarray::{Array2, ArrayView1};

/// Checked input, and the parts of the graph that no label reaches.
struct Ground<'a> {
    labels: &'a Labels,
    islands: Vec<usize>,
    fill: Vec<f64>,
}

impl<'a> Ground<'a> {
    fn new(graph: &Graph, labels: &'a Labels, islands: &Islands) -> Result<Self, HarmonicError> {
        let unreached = unreachable(graph, &boundary_of(graph, labels)?);
        let fill = fill_islands(islands, labels.classes(), &unreached)?;
        Ok(Self { labels, islands: unreached, fill })
    }

    /// The same for a method between two classes, each of which needs a label.
    fn between_two(
        graph: &Graph,
        labels: &'a Labels,
        islands: &Islands,
        method: &'static str,
    ) -> Result<Self, HarmonicError> {
        let ground = Self::new(graph, labels, islands)?;
        let classes = labels.classes();
        if classes != 2 {
            return Err(HarmonicError::TwoClasses { method, classes });
        }
        match labels.counts().iter().position(|&count| count == 0) {
            None => Ok(ground),
            Some(class) => {
                let class = labels.names().get(class).cloned().unwrap_or_default();
                Err(HarmonicError::ClassWithoutLabel { method, class })
            }
        }
    }

    /// Whether a label reaches a node.
    fn reaches(&self, node: usize) -> bool {
        self.islands.binary_search(&node).is_err()
    }

    /// The answer, from probabilities on all nodes; those on islands become the prior.
    fn answer(self, mut values: Array2<f64>, facts: Facts) -> Result<NodeScores, HarmonicError> {
        for &node in &self.islands {
            values.row_mut(node).assign(&ArrayView1::from(&self.fill));
        }
        let facts = facts.with("nodes on islands", self.islands.len());
        Ok(NodeScores::new(self.labels, Scores::new(values)?, facts)?.on_islands(self.islands))
    }
}

//! Graph mincut: the lightest set of edges between two classes.

use super::Ground;
use super::flow::Network;
use crate::HarmonicError;
use gaussfield_core::Facts;
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, NodeScores};
use serde::{Deserialize, Serialize};

/// The minimum st-cut between the labels of two classes (Blum and Chawla 2001; Zhu et al. 2003,
/// section 3.3): the classes that minimise ½ Σᵢⱼ wᵢⱼ |fᵢ − fⱼ|, where the harmonic function
/// minimises the squares.
///
/// With few labels the lightest cut is often the one around the labels themselves: compare with
/// [`Harmonic`](crate::Harmonic) before trusting it. The cut need not be the only one of its weight.
/// Nodes that lie on one side in every minimum cut have probability 0 or 1 here, the others ½.
/// At most n phases of O(n·m); memory for both directions of every edge.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::relatives::MinimumCut;
/// use gaussfield_labels::{Labels, Transductive};
///
/// let graph = Graph::from_edges(5, [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 0.1), (3, 4, 0.1)])?;
/// let labels = Labels::from_names([Some("cat"), None, None, None, Some("dog")]);
/// let cut = MinimumCut::default().fit(&graph, &labels)?;
/// assert!((cut.weight() - 0.1).abs() < 1e-12);
/// // Either of the two light edges may be cut, so that node 3 is open.
/// assert_eq!(cut.undecided(), [3]);
/// assert_eq!(cut.scores().argmax()[2], 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MinimumCut {
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
}

/// What [`MinimumCut::fit`] gives: probabilities 0 and 1, and ½ on the nodes that are
/// [undecided](Self::undecided).
#[derive(Debug, Clone)]
pub struct Cut {
    answer: NodeScores,
    weight: f64,
    undecided: Vec<usize>,
}

impl Cut {
    /// The weight of the edges cut: the least there is.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Nodes that are on one side in one minimum cut and on the other in another, increasing. None
    /// if the cut is unique.
    pub fn undecided(&self) -> &[usize] {
        &self.undecided
    }
}

impl AsRef<NodeScores> for Cut {
    fn as_ref(&self) -> &NodeScores {
        &self.answer
    }
}

impl MinimumCut {
    /// The cut of least weight that parts the labels of the first class from those of the second.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, another number of classes than two or
    /// one without a label, parts without a label (unless [`Islands::Prior`]); the work was stopped.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<Cut, HarmonicError> {
        let ground = Ground::between_two(graph, labels, &self.islands, "the minimum cut")?;
        let of = |class: usize| -> Vec<bool> {
            labels.as_slice().iter().map(|own| *own == Some(class)).collect()
        };
        let (first, second) = (of(0), of(1));
        let mut network = Network::new(graph);
        network.saturate(&first, &second)?;
        let (first, second) = (network.reached_from(&first), network.reaching(&second));
        let mut values = labels.one_hot();
        let mut undecided = Vec::new();
        for node in labels.unlabelled() {
            let share = match (first[node], second[node]) {
                (true, _) => 1.0,
                (_, true) => 0.0,
                _ => 0.5,
            };
            if !first[node] && !second[node] && ground.reaches(node) {
                undecided.push(node);
            }
            values[[node, 0]] = share;
            values[[node, 1]] = 1.0 - share;
        }
        let mut weight = 0.0;
        for node in (0..graph.nodes()).filter(|&node| first[node]) {
            graph.for_each_neighbour(node, |to, w| weight += if first[to] { 0.0 } else { w });
        }
        let facts = Facts::default()
            .with("method", "the minimum cut")
            .with("weight of the cut", weight)
            .with("nodes undecided", undecided.len());
        Ok(Cut { answer: ground.answer(values, facts)?, weight, undecided })
    }
}

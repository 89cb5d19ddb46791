//! The limit of short length scales: the strongest link to a labelled node, again and again.

use super::Ground;
use crate::HarmonicError;
use gaussfield_core::{Budget, Facts, Progress};
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, NodeScores};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Labels the unlabelled node with the strongest link to a labelled one like that one, counts it as
/// labelled, and goes on until no link is left (Zhu et al. 2003, section 6).
///
/// This is where the harmonic function goes as a length scale shrinks to zero: of weights that lie
/// orders of magnitude apart only the strongest counts, and f becomes 0 or 1 everywhere. Only the
/// order of the weights matters, so that a graph with weights that fall slowly with the distance
/// gives this limit where those of the length scale itself would underflow. It is the forest of
/// greatest weight that is rooted at the labels. O(m log m).
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::relatives::NearestGrowth;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// // The nearest label of node 2 is node 3, but node 1 is nearer still, and grows first.
/// let graph = Graph::from_edges(4, [(0, 1, 0.9), (1, 2, 0.8), (2, 3, 0.7)])?;
/// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
/// let grown = NearestGrowth::default().fit(&graph, &labels)?;
/// assert_eq!(grown.predictions(&Decision::Argmax)?.classes(), [0, 0]);
/// assert_eq!(grown.order(), [(1, 0), (2, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NearestGrowth {
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
}

/// What [`NearestGrowth::fit`] gives: the class of every node, with probability one.
#[derive(Debug, Clone)]
pub struct Grown {
    answer: NodeScores,
    order: Vec<(usize, usize)>,
}

impl Grown {
    /// The nodes in the order in which they were labelled, each with the one it has its label from.
    pub fn order(&self) -> &[(usize, usize)] {
        &self.order
    }
}

impl AsRef<NodeScores> for Grown {
    fn as_ref(&self) -> &NodeScores {
        &self.answer
    }
}

/// A link from a labelled node to one that was not labelled when it was found.
struct Link {
    weight: f64,
    to: usize,
    from: usize,
}

impl Ord for Link {
    /// The strongest is the greatest; of equals the one to the lower node, then from the lower.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_node = (other.to, other.from).cmp(&(self.to, self.from));
        self.weight.total_cmp(&other.weight).then(by_node)
    }
}

impl PartialOrd for Link {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Link {}

impl NearestGrowth {
    /// Grows the labels over the graph. Where two links are equally strong, the lower node is
    /// labelled first, by the lower of the labelled ones.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, parts without a label (unless
    /// [`Islands::Prior`]), scores of more than 4 GiB; the work was stopped.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<Grown, HarmonicError> {
        let ground = Ground::new(graph, labels, &self.islands)?;
        labels.take_scores(Budget::default())?;
        let mut class: Vec<Option<usize>> = labels.as_slice().to_vec();
        let mut links = BinaryHeap::new();
        let reach = |links: &mut BinaryHeap<Link>, class: &[Option<usize>], from: usize| {
            graph.for_each_neighbour(from, |to, weight| {
                if class[to].is_none() {
                    links.push(Link { weight, to, from });
                }
            });
        };
        for node in labels.labelled() {
            reach(&mut links, &class, node);
        }
        let mut order = Vec::new();
        let stage = Progress::stage("growing the labels", Some(labels.unlabelled().len() as u64));
        while let Some(Link { to, from, .. }) = links.pop() {
            if class[to].is_none() {
                stage.step()?;
                class[to] = class[from];
                order.push((to, from));
                reach(&mut links, &class, to);
            }
        }
        let mut values = labels.one_hot();
        for &(node, _) in &order {
            if let Some(class) = class[node] {
                values[[node, class]] = 1.0;
            }
        }
        let facts = Facts::default().with("method", "growth by the nearest label");
        Ok(Grown { answer: ground.answer(values, facts)?, order })
    }
}

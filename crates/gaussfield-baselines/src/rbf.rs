//! One step of the graph: weights to labelled nodes.

use crate::BaselineError;
use crate::training::labelled;
use gaussfield_core::{Facts, SizeMismatch};
use gaussfield_graph::{Graph, Weights};
use gaussfield_labels::{Islands, Labels, NodeScores, Scores};
use ndarray::Array2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The radial basis function classifier of Zhu et al. 2003, section 7.
///
/// Each unlabelled node goes by its direct edges to labelled nodes, and by nothing else: class 1 if
/// and only if W_ul f_l > W_ul (1 − f_l). With C classes, the class of the largest
/// $`\sum_{j \in L_c} w_{ij}`$, the lowest at a tie. The scores are these sums, divided by their
/// total. What separates it from the harmonic function is that unlabelled nodes do not help.
///
/// ```
/// use gaussfield_baselines::Rbf;
/// use gaussfield_graph::Graph;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// let graph = Graph::from_edges(3, [(0, 1, 1.0), (1, 2, 3.0)])?;
/// let labels = Labels::from_names([Some("a"), None, Some("b")]);
/// let fit = Rbf::default().fit(&graph, &labels)?;
/// assert_eq!(fit.predictions(&Decision::Argmax)?.to_string(), "1: b (0.75)\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rbf {
    /// What unlabelled nodes get that have no edge to a labelled one. Default: an error.
    pub islands: Islands,
}

impl Rbf {
    /// Adds up the weights. O(n·l) on a dense graph, O(edges) on a sparse one. Unlabelled nodes without
    /// an edge to a labelled one are the islands of the answer.
    ///
    /// # Errors
    /// Labels for another number of nodes, no label, unlabelled nodes without an edge to a labelled
    /// one (unless [`Islands::Prior`]).
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<NodeScores, BaselineError> {
        SizeMismatch::check("labels, one (or none) for each node", graph.nodes(), labels.len())?;
        let labelled = labelled(labels)?;
        let row = |&i: &usize| {
            let mut sums = vec![0.0; labels.classes()];
            let mut add = |j: usize, weight: f64| {
                if let Some(class) = labels.get(j) {
                    sums[class] += weight;
                }
            };
            match graph.weights() {
                Weights::Dense(weights) => labelled.iter().for_each(|&j| add(j, weights[[i, j]])),
                Weights::Sparse(_) => graph.for_each_neighbour(i, add),
            }
            sums
        };
        let interior = labels.unlabelled();
        let rows: Vec<Vec<f64>> = interior.par_iter().map(row).collect();
        let reached = |row: &[f64]| row.iter().any(|&sum| sum > 0.0);
        let unreached: Vec<usize> = interior
            .iter()
            .zip(&rows)
            .filter(|(_, row)| !reached(row))
            .map(|(&node, _)| node)
            .collect();
        let fill = match (&self.islands, unreached.first()) {
            (Islands::Prior(prior), _) => {
                prior.check_classes(labels.classes())?;
                prior.as_slice()
            }
            (_, Some(&example)) => {
                return Err(BaselineError::Unreached { count: unreached.len(), example });
            }
            (_, None) => &[],
        };
        let mut sums: Array2<f64> = labels.one_hot();
        for (&node, row) in interior.iter().zip(&rows) {
            let row = if reached(row) { row } else { fill };
            sums.row_mut(node).assign(&ndarray::aview1(row));
        }
        let scores = Scores::normalised(sums)?;
        let facts = Facts::default()
            .with("method", "weights to labelled nodes")
            .with("nodes without such a weight", unreached.len());
        Ok(NodeScores::new(labels, scores, facts)?.on_islands(unreached))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gaussfield_labels::{ClassPrior, Decision, Transductive as _};
    use ndarray::array;

    #[test]
    fn dense_and_sparse_graphs_agree_and_islands_are_named() {
        // Node 4 has an edge to an unlabelled node only.
        let edges = [(0, 1, 0.9), (1, 2, 0.4), (1, 3, 0.6), (2, 3, 0.2), (1, 4, 1.0)];
        let sparse = Graph::from_edges(5, edges).unwrap();
        let mut weights = Array2::zeros((5, 5));
        for (i, j, w) in edges {
            weights[[i, j]] = w;
            weights[[j, i]] = w;
        }
        let dense = Graph::from_dense(weights).unwrap();
        let labels = Labels::from_names([Some("a"), None, Some("b"), Some("b"), None]);
        let error = Rbf::default().fit(&sparse, &labels).unwrap_err();
        assert_eq!(error, BaselineError::Unreached { count: 1, example: 4 });
        let islands = Islands::Prior(ClassPrior::given(vec![0.7, 0.3]).unwrap());
        let rbf = Rbf { islands };
        let fit = rbf.fit(&sparse, &labels).unwrap();
        assert_eq!(fit, rbf.fit(&dense, &labels).unwrap());
        assert_eq!(fit.islands(), [4]);
        // Node 1: 0.9 for a, 0.4 + 0.6 for b.
        let told = fit.predictions(&Decision::Argmax).unwrap();
        assert_eq!(told.to_string(), "1: b (0.53)\n4: a (0.70)\n");
        assert_eq!(fit.scores().argmax(), [0, 1, 1, 1, 0]);
    }

    #[test]
    fn a_tie_goes_to_class_zero() {
        let graph = Graph::from_dense(array![[0., 1., 0.], [1., 0., 1.], [0., 1., 0.]]).unwrap();
        let labels = Labels::from_names([Some("a"), None, Some("b")]);
        assert_eq!(Rbf::default().fit(&graph, &labels).unwrap().scores().argmax()[1], 0);
    }

    #[test]
    fn bad_input() {
        let graph = Graph::from_edges(2, [(0, 1, 1.0)]).unwrap();
        let says = |labels: Labels| Rbf::default().fit(&graph, &labels).unwrap_err().to_string();
        let none = says(Labels::from_names([None::<&str>, None]));
        assert!(none.contains("no node is labelled"), "{none}");
        let short = says(Labels::from_names([Some("a")]));
        assert!(short.contains("1 given where 2"), "{short}");
    }
}

//! One step of the graph: weights to labelled nodes.

use crate::training::{check_length, labelled};
use crate::{BaselineError, Prediction};
use gaussfield_graph::{Graph, Weights};
use gaussfield_labels::{Labels, Scores};
use ndarray::Array2;
use rayon::prelude::*;

/// What [`rbf`] gives.
#[derive(Debug, Clone, PartialEq)]
pub struct RbfPrediction {
    /// One prediction for each node of the graph.
    pub prediction: Prediction,
    /// Nodes without an edge to a labelled node. Their scores are uniform and their class is 0, as
    /// the strict inequality of the rule has it.
    pub unreached: Vec<usize>,
}

/// The radial basis function classifier of Zhu et al. 2003, section 7.
///
/// Each node goes by its direct edges to labelled nodes, and by nothing else: class 1 if and only
/// if W_ul f_l > W_ul (1 − f_l). With C classes, the class of the largest
/// \\(\sum_{j \in L_c} w_{ij}\\), the lowest at a tie. The soft scores are these sums, divided by
/// their total. What separates it from the harmonic function is that unlabelled nodes do not help.
///
/// The prediction has a row for every node; take the unlabelled ones with [`Prediction::select`].
/// A labelled node is judged by the *other* labels, since a graph has no self-loops.
///
/// O(n·l) on a dense graph, O(edges) on a sparse one.
///
/// # Errors
/// Labels for another number of nodes, or no label.
pub fn rbf(graph: &Graph, labels: &Labels) -> Result<RbfPrediction, BaselineError> {
    check_length("nodes", graph.nodes(), labels)?;
    let labelled = labelled(labels)?;
    let classes = labels.classes();
    let row = |i: usize| {
        let mut sums = vec![0.0; classes];
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
    let rows: Vec<Vec<f64>> = (0..graph.nodes()).into_par_iter().map(row).collect();
    let mut sums = Array2::zeros((graph.nodes(), classes));
    let mut unreached = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        if row.iter().all(|&sum| sum <= 0.0) {
            unreached.push(i);
            sums.row_mut(i).fill(1.0);
        } else {
            sums.row_mut(i).assign(&ndarray::aview1(row));
        }
    }
    let scores = Scores::normalised(sums)?;
    Ok(RbfPrediction { prediction: Prediction::new(scores.argmax(), scores), unreached })
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let result = rbf(&sparse, &labels).unwrap();
        assert_eq!(result, rbf(&dense, &labels).unwrap());
        assert_eq!(result.unreached, [0, 4]);
        assert_eq!(result.prediction.classes(), [0, 1, 1, 1, 0]);
        // Node 1: 0.9 for a, 0.4 + 0.6 for b.
        let row = result.prediction.scores().values().row(1).to_owned();
        assert!((row[0] - 0.9 / 1.9).abs() < 1e-15 && (row[1] - 1.0 / 1.9).abs() < 1e-15);
    }

    #[test]
    fn a_tie_goes_to_class_zero() {
        let graph = Graph::from_dense(array![[0., 1., 0.], [1., 0., 1.], [0., 1., 0.]]).unwrap();
        let labels = Labels::from_names([Some("a"), None, Some("b")]);
        assert_eq!(rbf(&graph, &labels).unwrap().prediction.classes()[1], 0);
    }

    #[test]
    fn bad_input() {
        let graph = Graph::from_edges(2, [(0, 1, 1.0)]).unwrap();
        let none = Labels::from_names([None::<&str>, None]);
        assert!(rbf(&graph, &none).unwrap_err().to_string().contains("no node is labelled"));
        let short = Labels::from_names([Some("a")]);
        let message = rbf(&graph, &short).unwrap_err().to_string();
        assert!(message.contains("1 labels for 2 nodes"), "{message}");
    }
}

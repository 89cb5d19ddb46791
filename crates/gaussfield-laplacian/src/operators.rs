//! The Laplacians as operators, as full matrices, and their eigenvalues.

use crate::LaplacianError;
use crate::grounded::normalising_degrees;
use gaussfield_core::dense::symmetric_eigenvalues;
use gaussfield_core::{Budget, SizeMismatch};
use gaussfield_graph::Graph;
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Which Laplacian of a graph. All have eigenvalues ≥ 0, and as many zero ones as the graph has
/// components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Laplacian {
    /// Δ = D − W.
    #[default]
    Combinatorial,
    /// I − D^−½ W D^−½; a zero row for a node without edges.
    Symmetric,
    /// I − D⁻¹W; a zero row for a node without edges. Similar to the symmetric one, not symmetric
    /// itself.
    RandomWalk,
}

impl Laplacian {
    /// The Laplacian times a matrix, in difference form: (Δx)ᵢ = Σⱼ wᵢⱼ (xᵢ − xⱼ). O(m·C).
    ///
    /// # Errors
    /// A wrong number of rows.
    pub fn apply(self, graph: &Graph, x: ArrayView2<f64>) -> Result<Array2<f64>, LaplacianError> {
        self.apply_power(graph, x, 1)
    }

    /// The p-th power of the Laplacian times a matrix; p = 0 is the identity. O(p·m·C).
    ///
    /// # Errors
    /// A wrong number of rows.
    pub fn apply_power(
        self,
        graph: &Graph,
        x: ArrayView2<f64>,
        power: usize,
    ) -> Result<Array2<f64>, LaplacianError> {
        SizeMismatch::check("rows of what the Laplacian is applied to", graph.nodes(), x.nrows())?;
        let (left, right) = self.factors(graph);
        let mut x = x.to_owned();
        for _ in 0..power {
            if let Some(right) = &right {
                x *= right;
            }
            x = differences(graph, x.view());
            if let Some(left) = &left {
                x *= left;
            }
        }
        Ok(x)
    }

    /// The full matrix. O(n²) memory.
    ///
    /// # Errors
    /// A matrix over the budget.
    pub fn dense(self, graph: &Graph, budget: Budget) -> Result<Array2<f64>, LaplacianError> {
        let mut matrix = graph.to_dense(budget)?;
        matrix.mapv_inplace(|w| if w > 0.0 { -w } else { 0.0 });
        matrix.diag_mut().assign(&graph.degrees());
        let (left, right) = self.factors(graph);
        if let Some(left) = &left {
            matrix *= left;
        }
        if let Some(right) = &right {
            matrix *= &right.t();
        }
        Ok(matrix)
    }

    /// All eigenvalues, increasing; those of the random-walk Laplacian by its symmetric twin.
    /// O(n³) time, O(n²) memory.
    ///
    /// # Errors
    /// A matrix over the budget, eigenvalues that are not found.
    pub fn eigenvalues(self, graph: &Graph, budget: Budget) -> Result<Array1<f64>, LaplacianError> {
        let symmetric = match self {
            Self::RandomWalk => Self::Symmetric,
            other => other,
        };
        Ok(symmetric_eigenvalues(symmetric.dense(graph, budget)?)?)
    }

    /// This Laplacian is diag(left)·Δ·diag(right); columns, None for ones.
    fn factors(self, graph: &Graph) -> (Option<Array2<f64>>, Option<Array2<f64>>) {
        let degrees = || normalising_degrees(graph).insert_axis(Axis(1));
        match self {
            Self::Combinatorial => (None, None),
            Self::Symmetric => {
                let root = degrees().mapv(|d| 1.0 / d.sqrt());
                (Some(root.clone()), Some(root))
            }
            Self::RandomWalk => (Some(degrees().mapv(|d| 1.0 / d)), None),
        }
    }
}

/// Σⱼ wᵢⱼ (xᵢ − xⱼ), rows in parallel.
fn differences(graph: &Graph, x: ArrayView2<f64>) -> Array2<f64> {
    let mut y = Array2::zeros(x.dim());
    y.axis_iter_mut(Axis(0)).into_par_iter().enumerate().for_each(|(i, mut row)| {
        let own = x.row(i);
        graph.for_each_neighbour(i, |j, weight| {
            for ((y, own), other) in row.iter_mut().zip(own).zip(x.row(j)) {
                *y += weight * (own - other);
            }
        });
    });
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn unit(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Graph {
        Graph::from_edges(nodes, edges.into_iter().map(|(i, j)| (i, j, 1.0))).unwrap()
    }

    fn check(graph: &Graph, laplacian: Laplacian, mut expected: Vec<f64>) {
        expected.sort_by(f64::total_cmp);
        let got = laplacian.eigenvalues(graph, Budget::default()).unwrap();
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(&expected) {
            let allowed = 1e-12 + 1e-9 * expected.abs();
            assert!((got - expected).abs() <= allowed, "{laplacian:?}: {got} {expected}");
        }
    }

    #[test]
    fn spectra_of_well_known_graphs() {
        let n = 9;
        let path = unit(n, (1..n).map(|i| (i - 1, i)));
        let cycle = unit(n, (0..n).map(|i| (i, (i + 1) % n)));
        let complete = unit(n, (0..n).flat_map(|i| (0..i).map(move |j| (i, j))));
        let angle = |k: usize, m: f64| (PI * k as f64 / m).cos();
        let m = n as f64;
        use Laplacian::{Combinatorial, RandomWalk, Symmetric};
        check(&path, Combinatorial, (0..n).map(|k| 2.0 - 2.0 * angle(k, m)).collect());
        check(&cycle, Combinatorial, (0..n).map(|k| 2.0 - 2.0 * angle(2 * k, m)).collect());
        let mut once = vec![m; n];
        once[0] = 0.0;
        check(&complete, Combinatorial, once.clone());
        for normalised in [Symmetric, RandomWalk] {
            check(&path, normalised, (0..n).map(|k| 1.0 - angle(k, m - 1.0)).collect());
            check(&cycle, normalised, (0..n).map(|k| 1.0 - angle(2 * k, m)).collect());
            check(&complete, normalised, once.iter().map(|v| v / (m - 1.0)).collect());
        }
        // A node without edges: a zero row, so one more zero.
        let lonely = unit(3, [(0, 1)]);
        check(&lonely, Combinatorial, vec![0.0, 0.0, 2.0]);
        check(&lonely, Symmetric, vec![0.0, 0.0, 2.0]);
        check(&unit(0, []), Symmetric, vec![]);
    }

    #[test]
    fn applying_is_multiplying_by_the_dense_matrix() {
        let graph =
            Graph::from_edges(5, [(0, 1, 0.3), (1, 2, 2.0), (0, 2, 1.1), (3, 1, 0.7)]).unwrap();
        let x = Array2::from_shape_fn((5, 2), |(i, c)| ((3 * i + 7 * c) % 5) as f64 - 1.5);
        let budget = Budget::default();
        for laplacian in [Laplacian::Combinatorial, Laplacian::Symmetric, Laplacian::RandomWalk] {
            let dense = laplacian.dense(&graph, budget).unwrap();
            let mut expected = x.clone();
            for p in 0..4 {
                let got = laplacian.apply_power(&graph, x.view(), p).unwrap();
                assert!((&got - &expected).iter().all(|d| d.abs() < 1e-11), "{laplacian:?} {p}");
                expected = dense.dot(&expected);
            }
        }
        let wrong = Laplacian::Symmetric.apply(&graph, Array2::zeros((4, 1)).view());
        assert!(matches!(
            wrong,
            Err(LaplacianError::SizeMismatch(SizeMismatch { expected: 5, got: 4, .. }))
        ));
        let tiny = Budget { bytes: 8 };
        assert!(matches!(
            Laplacian::Symmetric.eigenvalues(&graph, tiny),
            Err(LaplacianError::Graph(_))
        ));
    }
}

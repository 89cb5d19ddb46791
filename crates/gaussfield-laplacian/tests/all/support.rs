//! Graphs and helpers shared by the tests.

use gaussfield_core::Budget;
use gaussfield_graph::{Graph, Weights};
use gaussfield_laplacian::{
    Grounded, LaplacianError, Preconditioner, Solver, SolverOptions, normalising_degrees,
};
use ndarray::Array2;
use proptest::prelude::*;

pub(crate) const NAMED: [Solver; 5] = [
    Solver::DenseCholesky,
    Solver::SparseCholesky,
    Solver::ConjugateGradient(Preconditioner::Jacobi),
    Solver::ConjugateGradient(Preconditioner::ApproximateCholesky),
    Solver::Elimination,
];

pub(crate) fn with(solver: Solver) -> SolverOptions {
    SolverOptions { solver, ..SolverOptions::default() }
}

/// A system on all nodes of a graph.
fn on_all(graph: &Graph, scale: f64, excess: Vec<f64>) -> Result<Grounded, LaplacianError> {
    Grounded::new(graph, &(0..graph.nodes()).collect::<Vec<_>>(), scale, excess)
}

/// β (Δ + I/σ²).
pub(crate) fn regularised(
    graph: &Graph,
    beta: f64,
    sigma: f64,
) -> Result<Grounded, LaplacianError> {
    on_all(graph, beta, vec![beta / sigma / sigma; graph.nodes()])
}

/// Δ + δI.
pub(crate) fn shifted(graph: &Graph, delta: f64) -> Result<Grounded, LaplacianError> {
    on_all(graph, 1.0, vec![delta; graph.nodes()])
}

/// Δ + δD.
pub(crate) fn normalised_shifted(graph: &Graph, delta: f64) -> Result<Grounded, LaplacianError> {
    on_all(graph, 1.0, (normalising_degrees(graph) * delta).to_vec())
}

/// The same graph in the other storage.
pub(crate) fn densified(graph: &Graph) -> Graph {
    Graph::from_dense(graph.to_dense(Budget::default()).unwrap()).unwrap()
}

/// The same pattern with other weights: `change(i, j, w)`, i < j.
pub(crate) fn reweighted(graph: &Graph, change: impl Fn(usize, usize, f64) -> f64) -> Graph {
    match graph.weights() {
        Weights::Sparse(w) => {
            let edges = w.iter().filter(|&(_, (i, j))| i < j).map(|(&w, (i, j))| {
                let (i, j) = (i as usize, j as usize);
                (i, j, change(i, j, w))
            });
            Graph::from_edges(graph.nodes(), edges.collect::<Vec<_>>()).unwrap()
        }
        Weights::Dense(w) => {
            let full = Array2::from_shape_fn(w.dim(), |(i, j)| {
                if i == j { 0.0 } else { change(i.min(j), i.max(j), w[[i, j]]) }
            });
            Graph::from_dense(full).unwrap()
        }
    }
}

/// A sequence of numbers in [0, 1) without a generator: fractional parts of multiples of the
/// golden ratio.
pub(crate) fn fraction(i: usize) -> f64 {
    (i as f64 * 0.618_033_988_749_894_9).fract()
}

/// A grid of side × side nodes with weights between 0.1 and 2.1.
pub(crate) fn grid(side: usize) -> Graph {
    let weight = |i: usize| 0.1 + 2.0 * fraction(i + 1);
    let mut edges = Vec::new();
    for r in 0..side {
        for c in 0..side {
            let i = r * side + c;
            if c + 1 < side {
                edges.push((i, i + 1, weight(2 * i)));
            }
            if r + 1 < side {
                edges.push((i, i + side, weight(2 * i + 1)));
            }
        }
    }
    Graph::from_edges(side * side, edges).unwrap()
}

/// n nodes, each linked to the next and to a few that lie far away: no separator is small, so a
/// factor fills up.
pub(crate) fn expander(n: usize) -> Graph {
    let mut pairs = std::collections::BTreeMap::new();
    for i in 0..n {
        for hop in 0..8 {
            let j = (i + 1 + hop * (n / 9 + hop * hop) + (i * i * (hop + 3)) % n) % n;
            if i != j {
                pairs.insert((i.min(j), i.max(j)), 0.5 + fraction(i + hop));
            }
        }
        pairs.insert((i.min((i + 1) % n), i.max((i + 1) % n)), 1.0);
    }
    Graph::from_edges(n, pairs.into_iter().map(|((i, j), w)| (i, j, w))).unwrap()
}

/// Right-hand sides of both signs.
pub(crate) fn right_hand_sides(n: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, columns), |(i, c)| fraction(7 * i + 13 * c + 1) - 0.3 * c as f64)
}

/// A connected graph of 2 to 40 nodes with weights from 1e-2 to 1e2, and a boundary of at least
/// one node that leaves at least one free.
pub(crate) fn connected() -> impl Strategy<Value = (Graph, Vec<usize>)> {
    (2_usize..40).prop_flat_map(|n| {
        let parents: Vec<_> = (1..n).map(|i| 0..i).collect();
        let extra = proptest::collection::vec((0..n, 0..n), 0..3 * n);
        let exponents = proptest::collection::vec(-2.0..2.0_f64, 4 * n);
        let boundary = proptest::sample::subsequence((0..n).collect::<Vec<_>>(), 1..n);
        (Just(n), parents, extra, exponents, boundary).prop_map(
            |(n, parents, extra, exponents, boundary)| {
                let mut pairs = std::collections::BTreeSet::new();
                for (i, &parent) in parents.iter().enumerate() {
                    pairs.insert((parent, i + 1));
                }
                for (i, j) in extra {
                    if i != j {
                        pairs.insert((i.min(j), i.max(j)));
                    }
                }
                let edges = pairs
                    .into_iter()
                    .zip(exponents)
                    .map(|((i, j), exponent)| (i, j, 10f64.powf(exponent)));
                (Graph::from_edges(n, edges).unwrap(), boundary)
            },
        )
    })
}

/// Largest |a − b|.
pub(crate) fn distance(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    (a - b).iter().fold(0.0, |worst: f64, d| worst.max(d.abs()))
}

/// Largest |a|.
pub(crate) fn size(a: &Array2<f64>) -> f64 {
    a.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()))
}

//! Random problems, and when two answers are the same.

use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use ndarray::Array2;
use proptest::prelude::*;

/// A connected graph (a random tree plus extra edges) with two to four classes on it.
pub(crate) fn problem() -> impl Strategy<Value = (Graph, Labels)> {
    (4_usize..14, 2_usize..5).prop_flat_map(|(n, classes)| {
        let weight = 0.05..5.0_f64;
        let tree = prop::collection::vec((0.0..1.0_f64, weight.clone()), n - 1);
        let extra = prop::collection::vec((0..n, 0..n, weight), 0..2 * n);
        let chosen = prop::collection::vec(0..n + 2, n);
        (Just((n, classes)), tree, extra, chosen).prop_map(|((n, classes), tree, extra, chosen)| {
            let mut edges = std::collections::BTreeMap::new();
            for (child, &(u, w)) in tree.iter().enumerate() {
                edges.insert(((u * (child + 1) as f64) as usize, child + 1), w);
            }
            for (i, j, w) in extra {
                if i != j {
                    edges.insert((i.min(j), i.max(j)), w);
                }
            }
            let graph = Graph::from_edges(n, edges.into_iter().map(|((i, j), w)| (i, j, w)));
            let mut of: Vec<Option<usize>> =
                chosen.iter().map(|&c| (c < classes).then_some(c)).collect();
            (of[0], of[n - 1], of[1]) = (Some(0), Some(1), None);
            let names = (0..classes).map(|c| format!("class {c}")).collect();
            (graph.unwrap(), Labels::new(of, names).unwrap())
        })
    })
}

pub(crate) fn close(a: &Array2<f64>, b: &Array2<f64>, tolerance: f64) -> bool {
    a.dim() == b.dim() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance)
}

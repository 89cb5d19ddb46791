//! Graphs and points of known answers.

use gaussfield_distributed::{DistributedError, OwnPoints, World};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Edges (i, j, weight).
pub(crate) type Edges = Vec<(u64, u64, f64)>;

/// A ring with chords, weights over a few powers of ten.
pub(crate) fn ring(nodes: u64, sharp: i32) -> Edges {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut edges = Vec::new();
    for i in 0..nodes {
        for step in [1, 5, 17] {
            let weight = (0.05 + 0.95 * random.random::<f64>()).powi(sharp);
            edges.push((i, (i + step) % nodes, weight));
        }
    }
    edges
}

/// The edges with one member: every so many-th.
pub(crate) fn share(world: &impl World, edges: &Edges) -> Edges {
    edges.iter().copied().skip(world.rank()).step_by(world.size()).collect()
}

/// The same on one machine.
pub(crate) fn graph(nodes: u64, edges: &Edges) -> Graph {
    let edges = edges.iter().map(|&(i, j, weight)| (i as usize, j as usize, weight));
    Graph::from_edges(nodes as usize, edges).unwrap()
}

/// Labels for one machine.
pub(crate) fn labels(nodes: u64, given: &[(u64, u32)]) -> Labels {
    let mut names = vec![None; nodes as usize];
    given.iter().for_each(|&(row, class)| names[row as usize] = Some(class.to_string()));
    Labels::from_names(names)
}

/// Rows around a few centres.
pub(crate) fn clouds(rows: usize, dims: usize) -> Array2<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    Array2::from_shape_fn((rows, dims), |(i, d)| {
        let centre = if (i % 5) == d % 5 { 3.0 } else { 0.0 };
        centre + random.random::<f64>() + random.random::<f64>()
    })
}

/// The rows of one member, dealt out evenly.
pub(crate) fn own(world: &impl World, rows: &Array2<f64>) -> OwnPoints {
    let (n, me, size) = (rows.nrows(), world.rank(), world.size());
    let (from, to) = (n * me / size, n * (me + 1) / size);
    let own = rows.slice(ndarray::s![from..to, ..]).to_owned();
    OwnPoints { rows: own, first: from as u64, total: n as u64 }
}

/// The rows of a member, and their scores.
pub(crate) type Own = (Vec<u64>, Array2<f64>);

/// All rows of all members, by row.
pub(crate) fn joined(parts: Vec<Result<Own, DistributedError>>) -> Array2<f64> {
    let parts: Vec<_> = parts.into_iter().map(|part| part.unwrap()).collect();
    let rows = parts.iter().map(|(rows, _)| rows.len()).sum();
    let mut all = Array2::from_elem((rows, parts[0].1.ncols()), f64::NAN);
    for (rows, values) in &parts {
        for (&row, values) in rows.iter().zip(values.rows()) {
            all.row_mut(row as usize).assign(&values);
        }
    }
    all
}

//! Points, documents, labels and graphs to test with.

use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, WeightFamily};
use gaussfield_labels::Labels;
use gaussfield_mixture::Responsibilities;
use gaussfield_points::Points;
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A few blobs of points in d dimensions; point i is of blob i mod `blobs`.
pub(crate) fn blobs(n: usize, d: usize, blobs: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_fn((n, d), |(i, k)| {
        let place = 3.0 * (((i % blobs) * (k + 2)) % 5) as f64;
        // Three uniform numbers: close enough to a bell.
        let noise: f64 = (0..3).map(|_| rng.random::<f64>() - 0.5).sum();
        place + noise
    })
}

/// Counts of documents on two topics over eight words.
pub(crate) fn documents(n: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut counts = Array2::zeros((n, 8));
    for (i, mut row) in counts.rows_mut().into_iter().enumerate() {
        for _ in 0..12 {
            let own = rng.random::<f64>() < 0.8;
            let topic = if own { i % 2 } else { 1 - i % 2 };
            row[4 * topic + rng.random_range(0..4)] += 1.0;
        }
    }
    counts
}

/// The first points labelled, in turn of each class.
pub(crate) fn first_labelled(n: usize, labelled: usize, classes: usize) -> Labels {
    let given = (0..n).map(|i| (i < labelled).then_some(i % classes)).collect();
    Labels::new(given, (0..classes).map(|c| format!("class {c}")).collect()).unwrap()
}

/// A complete graph on random points of the plane.
pub(crate) fn graph(n: usize, seed: u64) -> Graph {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let rows = Array2::from_shape_fn((n, 2), |_| rng.random::<f64>());
    let pattern = Pattern::complete(&Points::dense(rows).unwrap(), Metric::Euclidean).unwrap();
    Exponential { sigma: 0.4 }.graph(&pattern, Budget::default()).unwrap()
}

/// Random rows that add up to one; a high `sharpness` makes them close to one component.
pub(crate) fn soft(n: usize, components: usize, sharpness: i32, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rows =
        Array2::from_shape_fn((n, components), |_| rng.random::<f64>().powi(sharpness) + 1e-9);
    for mut row in rows.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    rows
}

pub(crate) fn dense(rows: Array2<f64>) -> Responsibilities {
    Responsibilities::dense(rows).unwrap()
}

pub(crate) fn close(a: &Array2<f64>, b: &Array2<f64>, tolerance: f64) -> bool {
    a.dim() == b.dim() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

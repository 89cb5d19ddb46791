//! The data-dependent kernel: its formula, its gradients, its two forms, what it refuses.

use gaussfield_core::Budget;
use gaussfield_gp::{Ambient, Geometry, Kernel, Observed, Warp, WarpedKernel};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::Array2;
use openblas_src as _;

mod bad_input;
mod kernels;
mod landmarks;
mod laws;
mod queries;

const N: usize = 14;

fn points(coordinates: &[f64]) -> Points {
    let rows = Array2::from_shape_vec((coordinates.len() / 2, 2), coordinates.to_vec()).unwrap();
    Points::dense(rows).unwrap()
}

fn graph(points: &Points, sigma: f64) -> (Pattern, Graph) {
    let pattern = Pattern::knn(points.clone(), 3, Metric::Euclidean, Symmetry::Either).unwrap();
    let graph = Exponential { sigma }.graph(&pattern, Budget::default()).unwrap();
    (pattern, graph)
}

fn warped(
    points: &Points,
    graph: &Graph,
    which: Laplacian,
    width: f64,
    warp: Warp,
) -> WarpedKernel {
    let budget = Budget::default();
    let geometry = Geometry::new(graph, which, budget).unwrap();
    let ambient = Ambient::new(&geometry, points.clone(), Kernel::Rbf { width }, budget).unwrap();
    ambient.warp(warp).unwrap()
}

fn observed() -> Observed {
    Observed::new(&[2, 9, 5, 12], &[1.0, -1.0, 1.0, -1.0]).unwrap()
}

fn which(normalised: bool) -> Laplacian {
    if normalised { Laplacian::Symmetric } else { Laplacian::Combinatorial }
}

fn spiral() -> Points {
    let at = |(i, d): (usize, usize)| {
        let angle = 0.4 * i as f64;
        (0.2 + 0.1 * i as f64) * if d == 0 { angle.cos() } else { angle.sin() }
    };
    Points::dense(Array2::from_shape_fn((N, 2), at)).unwrap()
}

//! The data-dependent kernel: its formula, its gradients, its two forms, what it refuses.

use gaussfield_core::Budget;
use gaussfield_gp::{Ambient, Geometry, Kernel, Observed, Warp, WarpedKernel};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::Array2;

mod bad_input;
mod kernels;
mod landmarks;
mod laws;
mod polynomial;
mod queries;

const N: usize = 14;

fn points(coordinates: &[f64]) -> Points {
    let rows = Array2::from_shape_vec((coordinates.len() / 2, 2), coordinates.to_vec()).unwrap();
    Points::dense(rows).unwrap()
}

fn graph(points: &Points, sigma: f64) -> (Pattern, Graph) {
    let pattern = Pattern::knn(points, Metric::Euclidean, 3, Symmetry::Either).unwrap();
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
    let ambient = Ambient::new(&geometry, points, Kernel::Rbf { width }, budget).unwrap();
    ambient.warp(warp).unwrap()
}

/// The inverse of a matrix, and its determinant, by elimination.
fn inverse(mut matrix: Array2<f64>) -> (Array2<f64>, f64) {
    let size = matrix.nrows();
    let (mut inverse, mut determinant) = (Array2::<f64>::eye(size), 1.0);
    for at in 0..size {
        let largest =
            |a: &usize, b: &usize| matrix[[*a, at]].abs().total_cmp(&matrix[[*b, at]].abs());
        let pivot = (at..size).max_by(largest).unwrap();
        for part in [&mut matrix, &mut inverse] {
            for column in 0..size {
                part.swap([at, column], [pivot, column]);
            }
        }
        let scale = matrix[[at, at]];
        determinant *= if pivot == at { scale } else { -scale };
        for part in [&mut matrix, &mut inverse] {
            part.row_mut(at).mapv_inplace(|x| x / scale);
        }
        for row in (0..size).filter(|&row| row != at) {
            let factor = matrix[[row, at]];
            for part in [&mut matrix, &mut inverse] {
                let from = part.row(at).to_owned();
                part.row_mut(row).scaled_add(-factor, &from);
            }
        }
    }
    (inverse, determinant)
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

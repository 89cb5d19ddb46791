//! The form with landmarks.

use super::{N, graph, observed, points, spiral, warped};
use gaussfield_core::Budget;
use gaussfield_gp::{GaussianProcess, Kernel, LandmarkKernel, Observed, Prior, Probit, Warp};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView1, array};

fn landmarks(points: &Points, graph: &Graph, warp: Warp, nodes: &[usize]) -> LandmarkKernel {
    let (which, kernel) = (Laplacian::Symmetric, Kernel::Rbf { width: 0.4 });
    let budget = Budget::default();
    LandmarkKernel::new(points, graph, which, kernel, warp, nodes, budget).unwrap()
}

/// From a graph that hardly bends to one that leaves next to nothing of the base kernel.
#[test]
fn all_points_as_landmarks_are_the_exact_kernel() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let all: Vec<usize> = (0..N).collect();
    for gamma_i in [0.0, 3.0, 1e4, 1e8] {
        let warp = Warp { gamma_a: 0.5, gamma_i, power: 2 };
        let exact = warped(&points, &graph, Laplacian::Symmetric, 0.4, warp);
        let landmarks = landmarks(&points, &graph, warp, &all);
        assert_eq!(landmarks.landmarks(), N);
        let gap = exact.columns(&all).unwrap().values - landmarks.columns(&all).unwrap().values;
        assert!(gap.iter().all(|gap| gap.abs() < 1e-6), "γ_I {gamma_i}");
        let gap = exact.log_geometry() - landmarks.log_geometry();
        assert!(gap.abs() < 1e-6 * (1.0 + exact.log_geometry().abs()), "γ_I {gamma_i}: {gap}");
        let process = GaussianProcess::ep(Probit { noise: 0.1 });
        let (a, b) = (
            process.fit(&exact, observed()).unwrap(),
            process.fit(&landmarks, observed()).unwrap(),
        );
        assert!((a.log_evidence() - b.log_evidence()).abs() < 1e-6, "γ_I {gamma_i}");
        let queries = Points::dense(array![[0.1, 0.2], [-0.5, 0.4]]).unwrap();
        let (a, b) = (a.marginals(&queries).unwrap(), b.marginals(&queries).unwrap());
        assert!((&a.mean - &b.mean).iter().all(|gap| gap.abs() < 1e-5), "γ_I {gamma_i}");
        // What no landmark explains of a new point is missing from its variance.
        assert!((&a.variance - &b.variance).iter().all(|gap| *gap > -1e-6), "γ_I {gamma_i}");
    }
}

/// Landmarks that lie on each other add nothing and break nothing.
#[test]
fn doubled_landmarks_do_no_harm() {
    let doubled: Vec<f64> =
        spiral().to_dense().outer_iter().flat_map(|row| [row[0], row[1], row[0], row[1]]).collect();
    let points = points(&doubled);
    let (_, graph) = graph(&points, 0.7);
    let warp = Warp { gamma_a: 1.0, gamma_i: 50.0, power: 2 };
    let once: Vec<usize> = (0..2 * N).step_by(2).collect();
    let twice: Vec<usize> = (0..2 * N).collect();
    let labels = Observed::new(&[2, 9, 20], &[1.0, -1.0, 1.0]).unwrap();
    let process = GaussianProcess::ep(Probit { noise: 0.1 });
    let fit = |nodes: &[usize]| process.fit(landmarks(&points, &graph, warp, nodes), &labels);
    let (once, twice) = (fit(&once).unwrap(), fit(&twice).unwrap());
    assert!((once.log_evidence() - twice.log_evidence()).abs() < 1e-5);
    assert!(twice.gradient().unwrap().prior.iter().all(|slope| slope.is_finite()));
}

/// Two long arcs, one inside the other, 3000 points: far past what the tests do with n × n
/// matrices.
#[test]
fn a_hundred_landmarks_serve_three_thousand_points() {
    const MANY: usize = 3000;
    let rows = Array2::from_shape_fn((MANY, 2), |(i, d)| {
        let angle = 5.0 * (i / 2) as f64 / (MANY / 2) as f64;
        let radius = if i % 2 == 0 { 1.0 } else { 1.6 };
        radius * if d == 0 { angle.cos() } else { angle.sin() }
    });
    let points = Points::dense(rows).unwrap();
    let pattern = Pattern::knn(&points, Metric::Euclidean, 6, Symmetry::Either).unwrap();
    let family = Exponential::gaussian(pattern.mean_distance());
    let graph = family.graph(&pattern, Budget::default()).unwrap();
    let chosen: Vec<usize> = (0..MANY).step_by(29).collect();
    let prior = landmarks(&points, &graph, Warp { gamma_a: 1.0, gamma_i: 1e4, power: 1 }, &chosen);
    assert_eq!(prior.landmarks(), 104);
    // One label on each arc, at opposite ends.
    let labels = Observed::new(&[0, MANY - 1], &[1.0, -1.0]).unwrap();
    let posterior = GaussianProcess::ep(Probit { noise: 0.1 }).fit(&prior, &labels).unwrap();
    let right = |means: ArrayView1<'_, f64>| {
        means.iter().enumerate().filter(|&(i, mean)| (*mean > 0.0) == (i % 2 == 0)).count()
    };
    let bent = right(posterior.latent());
    assert!(bent > MANY * 95 / 100, "{bent} of {MANY}");
    // Without the graph the nearer label decides.
    let plain = landmarks(&points, &graph, Warp { gamma_a: 1.0, gamma_i: 0.0, power: 1 }, &chosen);
    let plain = GaussianProcess::ep(Probit { noise: 0.1 }).fit(&plain, &labels).unwrap();
    let plain = right(plain.latent());
    assert!(plain < MANY * 3 / 4, "{plain} of {MANY}");
    assert!(prior.log_geometry() < 0.0 && posterior.gradient().unwrap().edges.is_some());
}

//! The data-dependent kernel against its formula, its gradients, its two forms.

use gaussfield_gp::{
    Ambient, GaussianProcess, Geometry, GpError, Kernel, LandmarkKernel, Observed, Prior, Probit,
    Warp, WarpedKernel,
};
use gaussfield_graph::{Exponential, Graph, MemoryBudget, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::{Array2, Axis};
use ndarray_linalg::{Determinant, Inverse};
use openblas_src as _;
use proptest::prelude::*;

const N: usize = 14;

fn points(coordinates: &[f64]) -> Points {
    let rows = Array2::from_shape_vec((coordinates.len() / 2, 2), coordinates.to_vec()).unwrap();
    Points::dense(rows).unwrap()
}

fn graph(points: &Points, sigma: f64) -> (Pattern, Graph) {
    let pattern = Pattern::knn(points.clone(), 3, Metric::Euclidean, Symmetry::Either).unwrap();
    let graph = Exponential { sigma }.graph(&pattern, MemoryBudget::default()).unwrap();
    (pattern, graph)
}

fn warped(
    points: &Points,
    graph: &Graph,
    which: Laplacian,
    width: f64,
    warp: Warp,
) -> WarpedKernel {
    let budget = MemoryBudget::default();
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn it_is_the_formula_on_nodes_and_new_points(
        coordinates in prop::collection::vec(-1.5..1.5_f64, 2 * N),
        new in prop::collection::vec(-2.0..2.0_f64, 6),
        gamma_a in 0.2..2.0_f64,
        gamma_i in 0.0..20.0_f64,
        power in 1..4_u32,
        normalised in any::<bool>(),
    ) {
        let points = points(&coordinates);
        let queries = self::points(&new);
        let (_, graph) = graph(&points, 0.8);
        let (which, kernel) = (which(normalised), Kernel::Rbf { width: 0.6 });
        let warp = Warp { gamma_a, gamma_i, power };
        let warped = warped(&points, &graph, which, 0.6, warp);

        let budget = MemoryBudget::default();
        let m = which.dense_power(&graph, power as usize, budget).unwrap() * (gamma_i / gamma_a);
        let k = kernel.gram(&points).unwrap();
        let middle = (Array2::eye(N) + m.dot(&k)).inv().unwrap().dot(&m);
        let expected = (&k - &k.dot(&middle).dot(&k)) / gamma_a;
        let scale = 1.0 / gamma_a;
        let close = |a: &Array2<f64>, b: &Array2<f64>| {
            (a - b).iter().all(|gap| gap.abs() < 1e-9 * scale)
        };
        prop_assert!(close(&warped.gram().unwrap(), &expected));
        let nodes = [3, 0, 11];
        prop_assert!(close(&warped.columns(&nodes).unwrap(), &expected.select(Axis(1), &nodes)));
        let variances = warped.variances(&nodes).unwrap();
        for (at, &node) in nodes.iter().enumerate() {
            prop_assert!((variances[at] - expected[[node, node]]).abs() < 1e-9 * scale);
        }
        let cross = kernel.cross(&queries, &points).unwrap();
        let expected_cross = (&cross - &cross.dot(&middle).dot(&k)) / gamma_a;
        prop_assert!(close(&warped.covariance(&queries, &points).unwrap(), &expected_cross));

        // A new point that lies on a node is that node.
        let process = GaussianProcess::ep(Probit { noise: 0.3 });
        let posterior = process.fit(&warped, &observed()).unwrap();
        let predictions = posterior.predict(&points).unwrap();
        let all: Vec<usize> = (0..N).collect();
        let own = posterior.variances(&all).unwrap();
        let probabilities = posterior.probabilities(&all).unwrap();
        for i in 0..N {
            prop_assert!((predictions.mean[i] - posterior.latent()[i]).abs() < 1e-7);
            prop_assert!((predictions.variance[i] - own[i]).abs() < 1e-7 * scale);
            prop_assert!((predictions.probability[i] - probabilities[i]).abs() < 1e-6);
            prop_assert!((0.0..=0.694).contains(&predictions.entropy[i]));
        }
        // log p(G|φ) by a plain determinant.
        let (sign, log_det) =
            (Array2::<f64>::eye(N) + m.dot(&k)).sln_det().unwrap();
        prop_assert!(sign > 0.0 && (warped.log_geometry() + 0.5 * log_det).abs() < 1e-8);
    }

    #[test]
    fn gradients_equal_finite_differences(
        coordinates in prop::collection::vec(-1.5..1.5_f64, 2 * N),
        width in 0.4..1.0_f64,
        gamma_a in 0.3..2.0_f64,
        gamma_i in 0.1..5.0_f64,
        power in 1..3_u32,
        normalised in any::<bool>(),
    ) {
        let points = points(&coordinates);
        let which = which(normalised);
        let process = GaussianProcess::ep(Probit { noise: 0.4 });
        let sigma = 0.8;
        let landmarks: Vec<usize> = (0..N).step_by(2).collect();
        for exact in [true, false] {
            let evidence = |width: f64, gamma_a: f64, gamma_i: f64, sigma: f64| {
                let (_, graph) = graph(&points, sigma);
                let warp = Warp { gamma_a, gamma_i, power };
                let observed = observed();
                if exact {
                    let prior = warped(&points, &graph, which, width, warp);
                    let fit = process.fit(prior, &observed).unwrap();
                    (fit.log_evidence(), fit.gradient())
                } else {
                    let kernel = Kernel::Rbf { width };
                    let prior = LandmarkKernel::new(
                        points.clone(), &graph, which, kernel, warp, &landmarks,
                    ).unwrap();
                    let fit = process.fit(prior, &observed).unwrap();
                    (fit.log_evidence(), fit.gradient())
                }
            };
            let gradient = evidence(width, gamma_a, gamma_i, sigma).1;
            let j = |w, a, i, s| evidence(w, a, i, s).0;
            let step = 1e-5;
            let mut differences = vec![
                (gradient.prior[0],
                 j(width + step, gamma_a, gamma_i, sigma) - j(width - step, gamma_a, gamma_i, sigma)),
                (gradient.prior[1],
                 j(width, gamma_a + step, gamma_i, sigma) - j(width, gamma_a - step, gamma_i, sigma)),
                (gradient.prior[2],
                 j(width, gamma_a, gamma_i + step, sigma) - j(width, gamma_a, gamma_i - step, sigma)),
            ];
            if let Some(edges) = gradient.edges {
                let (pattern, graph) = graph(&points, sigma);
                let by_sigma = Exponential { sigma }.pullback(&pattern, &graph, &edges).unwrap()[0];
                differences.push((
                    by_sigma,
                    j(width, gamma_a, gamma_i, sigma + step)
                        - j(width, gamma_a, gamma_i, sigma - step),
                ));
            } else {
                prop_assert!(!exact && normalised);
            }
            for (at, (exactly, difference)) in differences.into_iter().enumerate() {
                let gap = (difference / (2.0 * step) - exactly).abs() / (1e-2 + exactly.abs());
                prop_assert!(gap < 2e-4, "exact {exact}, parameter {at}: {exactly}, gap {gap}");
            }
        }
    }
}

fn spiral() -> Points {
    let at = |(i, d): (usize, usize)| {
        let angle = 0.4 * i as f64;
        (0.2 + 0.1 * i as f64) * if d == 0 { angle.cos() } else { angle.sin() }
    };
    Points::dense(Array2::from_shape_fn((N, 2), at)).unwrap()
}

#[test]
fn all_points_as_landmarks_are_the_exact_kernel() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let all: Vec<usize> = (0..N).collect();
    let warp = Warp { gamma_a: 0.5, gamma_i: 3.0, power: 2 };
    let exact = warped(&points, &graph, Laplacian::Symmetric, 0.4, warp);
    let kernel = Kernel::Rbf { width: 0.4 };
    let landmarks =
        LandmarkKernel::new(points.clone(), &graph, Laplacian::Symmetric, kernel, warp, &all)
            .unwrap();
    assert_eq!(landmarks.landmarks(), N);
    let gap = exact.columns(&all).unwrap() - landmarks.columns(&all).unwrap();
    assert!(gap.iter().all(|gap| gap.abs() < 1e-6));
    let process = GaussianProcess::ep(Probit { noise: 0.1 });
    let (a, b) =
        (process.fit(&exact, &observed()).unwrap(), process.fit(&landmarks, &observed()).unwrap());
    assert!((a.log_evidence() - b.log_evidence()).abs() < 1e-6);
    let queries = Points::dense(ndarray::array![[0.1, 0.2], [-0.5, 0.4]]).unwrap();
    let (a, b) = (a.predict(&queries).unwrap(), b.predict(&queries).unwrap());
    assert!((&a.mean - &b.mean).iter().all(|gap| gap.abs() < 1e-5));
}

#[test]
fn many_queries_are_answered_as_one_by_one() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let warp = Warp { gamma_a: 1.0, gamma_i: 5.0, power: 1 };
    let prior = warped(&points, &graph, Laplacian::Combinatorial, 0.4, warp);
    let process = GaussianProcess::ep(Probit { noise: 0.1 });
    let posterior = process.fit(&prior, &observed()).unwrap();
    // More than one batch.
    let rows =
        Array2::from_shape_fn((1100, 2), |(i, d)| ((7 * i + 3 * d) % 31) as f64 / 15.0 - 1.0);
    let queries = Points::dense(rows).unwrap();
    let together = posterior.predict(&queries).unwrap();
    for at in [0, 511, 512, 1099] {
        let alone = posterior.predict(&queries.select(&[at]).unwrap()).unwrap();
        assert!((alone.mean[0] - together.mean[at]).abs() < 1e-12);
        assert!((alone.variance[0] - together.variance[at]).abs() < 1e-12);
    }
}

#[test]
fn duplicate_points_do_no_harm() {
    let mut coordinates = Vec::new();
    for i in 0..N {
        let x = (i / 2) as f64 * 0.4;
        coordinates.extend([x, 0.5 * x]);
    }
    let points = points(&coordinates);
    let (_, graph) = graph(&points, 0.7);
    for gamma_i in [0.0, 10.0] {
        let warp = Warp { gamma_a: 1.0, gamma_i, power: 1 };
        let prior = warped(&points, &graph, Laplacian::Combinatorial, 0.5, warp);
        let observed = Observed::new(&[0, 1, 12], &[1.0, 1.0, -1.0]).unwrap();
        let posterior = GaussianProcess::ep(Probit { noise: 0.1 }).fit(&prior, &observed).unwrap();
        assert!(posterior.log_evidence().is_finite());
        assert!(posterior.latent()[0] > 0.0 && posterior.latent()[13] < 0.0);
        assert!(posterior.gradient().prior.iter().all(|slope| slope.is_finite()));
    }
}

#[test]
fn wrong_input_is_refused() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let budget = MemoryBudget::default();
    let geometry = Geometry::new(&graph, Laplacian::Combinatorial, budget).unwrap();
    let kernel = Kernel::Rbf { width: 0.5 };
    let ambient = Ambient::new(&geometry, points.clone(), kernel, budget).unwrap();
    let good = Warp { gamma_a: 1.0, gamma_i: 1.0, power: 1 };
    let cases = [
        (Warp { gamma_a: 0.0, ..good }, "γ_A"),
        (Warp { gamma_a: f64::NAN, ..good }, "γ_A"),
        (Warp { gamma_i: -1.0, ..good }, "γ_I"),
        (Warp { power: 0, ..good }, "power"),
    ];
    for (warp, words) in cases {
        for error in [
            ambient.warp(warp).unwrap_err(),
            LandmarkKernel::new(
                points.clone(),
                &graph,
                Laplacian::Combinatorial,
                kernel,
                warp,
                &[0, 3],
            )
            .unwrap_err(),
        ] {
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    let landmarks = |which, nodes: &[usize]| {
        LandmarkKernel::new(points.clone(), &graph, which, kernel, good, nodes).unwrap_err()
    };
    assert!(landmarks(Laplacian::Combinatorial, &[]).to_string().contains("landmarks"));
    let past = GpError::NoSuchNode { node: N, nodes: N };
    assert_eq!(landmarks(Laplacian::Combinatorial, &[N]), past);
    assert!(matches!(landmarks(Laplacian::RandomWalk, &[0]), GpError::Laplacian(_)));
    assert!(Geometry::new(&graph, Laplacian::RandomWalk, budget).is_err());
    assert!(Geometry::new(&graph, Laplacian::Symmetric, MemoryBudget { bytes: 8 }).is_err());
    assert!(Ambient::new(&geometry, points.clone(), Kernel::Rbf { width: 0.0 }, budget).is_err());
    let fewer = points.select(&[0, 1]).unwrap();
    let error = Ambient::new(&geometry, fewer, kernel, budget).unwrap_err();
    assert!(matches!(error, GpError::NodeCount { nodes: N, got: 2, .. }));

    let prior = ambient.warp(good).unwrap();
    let posterior = GaussianProcess::ep(Probit { noise: 0.1 }).fit(&prior, &observed()).unwrap();
    let other = Points::dense(ndarray::array![[1.0, 2.0, 3.0]]).unwrap();
    let error = posterior.predict(&other).unwrap_err();
    assert!(matches!(error, GpError::Kernel(_)), "{error}");
}

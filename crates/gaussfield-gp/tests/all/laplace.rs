//! The approximation itself: exact where it must be, stable where the prior is wide.

use gaussfield_core::Budget;
use gaussfield_gp::{
    Gaussian, GaussianProcess, GraphPrior, Mean, Observed, Prior, Probit, Sigmoid, SmoothLikelihood,
};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, WeightFamily};
use gaussfield_labels::Labels;
use gaussfield_laplacian::Grounded;
use gaussfield_points::Points;
use ndarray::{Array1, Array2, Axis, array};
use std::f64::consts::{LN_2, PI};

/// Points on two arcs, without any randomness.
fn points(n: usize) -> Points {
    let at = |(i, d): (usize, usize)| {
        let angle = 3.0 * i as f64 / n as f64;
        let side = if i % 2 == 0 { 0.0 } else { 2.5 };
        if d == 0 { angle.cos() + side } else { angle.sin() - 0.3 * side }
    };
    Points::dense(Array2::from_shape_fn((n, 2), at)).unwrap()
}

fn graph(n: usize, sigma: f64) -> Graph {
    let pattern = Pattern::complete(&points(n), Metric::Euclidean).unwrap();
    Exponential { sigma }.graph(&pattern, Budget::default()).unwrap()
}

fn observed() -> Observed {
    Observed::new(&[5, 2, 11, 0], &[1.0, -1.0, 1.0, -1.0]).unwrap()
}

/// x with A x = b, and ln |A|, by elimination.
fn solve(mut a: Array2<f64>, mut b: Array2<f64>) -> (Array2<f64>, f64) {
    let n = a.nrows();
    let mut log_det = 0.0;
    for k in 0..n {
        log_det += a[[k, k]].ln();
        for i in 0..n {
            if i != k {
                let factor = a[[i, k]] / a[[k, k]];
                for j in 0..n {
                    a[[i, j]] -= factor * a[[k, j]];
                }
                for j in 0..b.ncols() {
                    b[[i, j]] -= factor * b[[k, j]];
                }
            }
        }
    }
    for k in 0..n {
        let pivot = a[[k, k]];
        b.row_mut(k).mapv_inplace(|x| x / pivot);
    }
    (b, log_det)
}

#[test]
fn gaussian_likelihood_makes_it_exact() {
    let (graph, observed) = (graph(12, 0.8), observed());
    let prior = GraphPrior::regularised(0.7, 2.0).on(&graph).unwrap();
    let mean = Array1::from_shape_fn(12, |i| 0.1 * i as f64 - 0.4);
    let likelihood = Gaussian { variance: 0.3 };
    let mean_function = || Mean::PerNode(mean.clone());
    let laplace = GaussianProcess::laplace(likelihood).with_mean(mean_function());
    let posterior = laplace.fit(&prior, &observed).unwrap();
    let ep = GaussianProcess::ep(likelihood).with_mean(mean_function());
    let by_ep = ep.fit(&prior, &observed).unwrap();
    assert!((posterior.log_evidence() - by_ep.log_evidence()).abs() < 1e-11);
    assert!((&posterior.latent() - &by_ep.latent()).iter().all(|gap| gap.abs() < 1e-11));

    let all: Vec<usize> = (0..12).collect();
    let full = prior.columns(&all).unwrap().values;
    let l = observed.nodes();
    let mut noisy = full.select(Axis(0), l).select(Axis(1), l);
    noisy.diag_mut().mapv_inplace(|g| g + 0.3);
    let rest = &observed.targets() - &mean.select(Axis(0), l);
    let (solved, log_det) = solve(noisy.clone(), rest.clone().insert_axis(Axis(1)));
    let solved = solved.column(0);
    let evidence = -0.5 * (rest.dot(&solved) + log_det + 4.0 * (2.0 * PI).ln());
    assert!((posterior.log_evidence() - evidence).abs() < 1e-12);

    let expected = &mean + &full.select(Axis(1), l).dot(&solved);
    assert!((&posterior.latent() - &expected).iter().all(|gap| gap.abs() < 1e-12));
    let cross = full.select(Axis(0), l);
    let covariance = &full - &cross.t().dot(&solve(noisy, cross.clone()).0);
    let got = posterior.covariance(&all).unwrap();
    assert!((&got - &covariance).iter().all(|gap| gap.abs() < 1e-12));
    let variances = posterior.variances(&[7, 5]).unwrap();
    assert!((variances[0] - got[[7, 7]]).abs() < 1e-13);
    assert!((variances[1] - got[[5, 5]]).abs() < 1e-13);
}

/// Precision form on all nodes, without G: β(Δ + I/σ²)(ŷ − μ) is ∇log p on labelled nodes and
/// zero elsewhere.
fn stationarity<L: SmoothLikelihood + Clone>(
    process: &GaussianProcess<L>,
    (beta, sigma): (f64, f64),
    graph: &Graph,
    mean: f64,
) -> f64 {
    let observed = observed();
    let prior = GraphPrior::regularised(beta, sigma).on(graph).unwrap();
    let posterior = process.fit(prior, &observed).unwrap();
    let offset = posterior.latent().mapv(|y| y - mean).insert_axis(Axis(1));
    let nodes: Vec<usize> = (0..graph.nodes()).collect();
    let excess = vec![beta / sigma / sigma; nodes.len()];
    let precision = Grounded::new(graph, &nodes, beta, excess).unwrap();
    let mut residual = precision.apply(offset.view());
    for (&node, &target) in observed.nodes().iter().zip(observed.targets()) {
        residual[[node, 0]] -= process.likelihood.at(target, posterior.latent()[node]).first;
    }
    residual.iter().fold(0.0, |most, r| f64::max(most, r.abs()))
}

#[test]
fn the_papers_wide_prior_is_resolved() {
    for scale in [0.3, 1.0] {
        let graph = graph(40, scale);
        for (beta, sigma) in [(0.1, 1e3), (1e-3, 1e3), (0.5, 2.0)] {
            for mean in [0.0, 0.4] {
                let prior = (beta, sigma);
                let sigmoid = GaussianProcess::laplace(Sigmoid { gamma: 1.0 })
                    .with_mean(Mean::Constant(mean));
                let worst = stationarity(&sigmoid, prior, &graph, mean);
                assert!(worst < 1e-7, "sigmoid, β {beta}, σ {sigma}, μ {mean}: {worst}");
                let probit =
                    GaussianProcess::laplace(Probit { noise: 1.0 }).with_mean(Mean::Constant(mean));
                let worst = stationarity(&probit, prior, &graph, mean);
                assert!(worst < 1e-7, "probit, β {beta}, σ {sigma}, μ {mean}: {worst}");
            }
        }
    }
}

#[test]
fn as_many_labels_of_each_class_make_a_wide_prior_forget_its_mean() {
    let graph = graph(40, 0.5);
    let prior = GraphPrior::regularised(0.1, 1e3).on(&graph).unwrap();
    let fit = |mean| {
        GaussianProcess::laplace(Sigmoid { gamma: 1.0 })
            .with_mean(Mean::Constant(mean))
            .fit(&prior, observed())
            .unwrap()
    };
    let (plain, raised) = (fit(0.0), fit(1.0));
    assert!((plain.log_evidence() - raised.log_evidence()).abs() < 1e-4);
    assert!((&plain.latent() - &raised.latent()).iter().all(|gap| gap.abs() < 1e-3));
    assert!(plain.gradient().unwrap().mean.abs() < 1e-4);
}

#[test]
fn one_label_under_a_wide_prior_shows_the_methods_own_error() {
    let single = Graph::from_edges(1, []).unwrap();
    let observed = Observed::new(&[0], &[1.0]).unwrap();
    let prior = GraphPrior::regularised(1.0, 1e5_f64.sqrt()).on(&single).unwrap();
    let posterior = GaussianProcess::laplace(Sigmoid { gamma: 1.0 }).fit(prior, &observed).unwrap();
    // The truth is ln ½ by symmetry.
    assert!((posterior.log_evidence() + 1.22).abs() < 0.01, "{}", posterior.log_evidence());
    assert!((posterior.log_evidence() + LN_2).abs() > 0.5);
}

#[test]
fn labels_of_one_class_are_enough() {
    let graph = graph(12, 0.8);
    for sign in [1.0, -1.0] {
        let observed = Observed::new(&[3, 4, 8], &[sign; 3]).unwrap();
        let prior = GraphPrior::regularised(0.1, 1e3).on(&graph).unwrap();
        let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
        let posterior = process.fit(prior, &observed).unwrap();
        assert!(posterior.log_evidence().is_finite());
        assert!(posterior.latent().iter().all(|&y| y * sign > 0.0));
        let probabilities = posterior.probabilities(&[0, 11]).unwrap();
        assert!(probabilities.iter().all(|&p| (p - 0.5) * sign > 0.0));
    }
}

#[test]
fn a_part_without_labels_keeps_the_prior() {
    let graph = Graph::from_edges(4, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let observed = Observed::new(&[0], &[-1.0]).unwrap();
    let prior = GraphPrior::regularised(0.5, 2.0).on(&graph).unwrap();
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 }).with_mean(Mean::Constant(0.25));
    let posterior = process.fit(&prior, &observed).unwrap();
    assert!(posterior.latent()[1] < 0.25);
    assert!((posterior.latent()[2] - 0.25).abs() < 1e-14);
    let alone = prior.columns(&[3]).unwrap().values[[3, 0]];
    assert!((posterior.variances(&[3]).unwrap()[0] - alone).abs() < 1e-14);
}

#[test]
fn one_against_rest_and_new_points() {
    let labels = Labels::from_names([Some("a"), None, Some("b"), Some("c"), None]);
    let observed = Observed::one_against_rest(&labels, 1).unwrap();
    assert_eq!(observed.nodes(), [0, 2, 3]);
    assert_eq!(observed.targets(), array![-1.0, 1.0, -1.0]);

    let points = points(5);
    let pattern = Pattern::complete(&points, Metric::Euclidean).unwrap();
    let graph = Exponential { sigma: 1.0 }.graph(&pattern, Budget::default()).unwrap();
    let prior = GraphPrior::regularised(0.1, 10.0).on(&graph).unwrap();
    let posterior = GaussianProcess::laplace(Probit { noise: 0.5 }).fit(prior, &observed).unwrap();
    let queries = points.select(&[4, 1]).unwrap();
    let new = posterior.at_new_points(&points, &queries, Metric::Euclidean).unwrap();
    assert_eq!(new.nearest, [4, 1]);
    assert_eq!(new.mode, array![posterior.latent()[4], posterior.latent()[1]]);
}

//! Priors from eigenpairs, and the variances of all nodes by every route.

use gaussfield_core::{ParameterError, Parameters as _, SizeMismatch};
use gaussfield_gp::{
    Flip, GaussianProcess, GpError, GraphPrior, Observed, Prior, PriorFamily, Sigmoid,
    SpectralPrior, Transform,
};
use gaussfield_graph::Graph;
use gaussfield_labels::Transductive as _;
use gaussfield_laplacian::{InverseDiagonal, LanczosOptions, Laplacian};

fn graph() -> Graph {
    let ring = (0..30).map(|i| (i, (i + 1) % 30, 1.0 + 0.2 * (i % 4) as f64));
    let chords = (0..10).map(|i| (i, 2 * i + 7, 0.5));
    Graph::from_edges(30, ring.chain(chords)).unwrap()
}

fn observed() -> Observed {
    Observed::new(&[3, 11, 20, 28], &[1.0, -1.0, -1.0, 1.0]).unwrap()
}

#[test]
fn the_full_spectrum_gives_the_regularised_prior() {
    let spectrum =
        Laplacian::Combinatorial.smallest(&graph(), 30, &LanczosOptions::default()).unwrap();
    let transform = Transform::Regularised { sigma: 2.0 };
    let spectral = SpectralPrior::new(&spectrum, transform, 1.0 / 0.3).unwrap();
    let solved = GraphPrior::regularised(0.3, 2.0).on(&graph()).unwrap();
    let all: Vec<usize> = (0..30).collect();
    let gap = spectral.columns(&all).unwrap().values - solved.columns(&all).unwrap().values;
    assert!(gap.iter().all(|gap| gap.abs() < 1e-10));
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let (a, b) =
        (process.fit(&spectral, observed()).unwrap(), process.fit(&solved, observed()).unwrap());
    assert!((a.log_evidence() - b.log_evidence()).abs() < 1e-10);
    // σ is the same parameter in both.
    assert!((a.gradient().unwrap().prior[1] - b.gradient().unwrap().prior[1]).abs() < 1e-9);
}

#[test]
fn transforms_have_exact_gradients_with_few_eigenpairs() {
    let spectrum = Laplacian::Symmetric.smallest(&graph(), 12, &LanczosOptions::default()).unwrap();
    let transforms: [fn(f64) -> Transform; 4] = [
        |sigma| Transform::Regularised { sigma },
        |sigma| Transform::Diffusion { sigma },
        |a| Transform::RandomWalk { a: a + 1.0, steps: 3 },
        |alpha| Transform::VonNeumann { alpha: 0.5 * alpha },
    ];
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    for (which, make) in transforms.into_iter().enumerate() {
        let fit = |parameter: f64, scale: f64| {
            let prior = SpectralPrior::new(&spectrum, make(parameter), scale).unwrap();
            process.fit(prior, observed()).unwrap()
        };
        let (here, scale, step) = (1.4, 0.7, 1e-5);
        let gradient = fit(here, scale).gradient().unwrap();
        assert!(gradient.edges.is_none());
        let at = |p, s| fit(p, s).log_evidence();
        let by_scale = (at(here, scale + step) - at(here, scale - step)) / (2.0 * step);
        let inner = if which == 3 { 0.5 } else { 1.0 };
        let by_own = (at(here + step, scale) - at(here - step, scale)) / (2.0 * step) / inner;
        assert!((gradient.prior[0] - by_scale).abs() < 1e-7, "{which}");
        assert!((gradient.prior[1] - by_own).abs() < 1e-7, "{which}");
        let all: Vec<usize> = (0..30).collect();
        let prior = SpectralPrior::new(&spectrum, make(here), scale).unwrap();
        let diagonal = prior.columns(&all).unwrap().values.diag().to_owned();
        assert!((prior.variances(&all).unwrap() - diagonal).iter().all(|gap| gap.abs() < 1e-12));
    }
}

#[test]
fn a_spectral_prior_moves_as_a_family() {
    let spectrum = Laplacian::Symmetric.smallest(&graph(), 12, &LanczosOptions::default()).unwrap();
    let transforms = [
        Transform::Regularised { sigma: 1.3 },
        Transform::Diffusion { sigma: 1.3 },
        Transform::RandomWalk { a: 2.4, steps: 3 },
        Transform::VonNeumann { alpha: 0.4 },
    ];
    for transform in transforms {
        let prior = SpectralPrior::new(&spectrum, transform, 0.7).unwrap();
        let values = prior.values();
        let other: Vec<f64> = values.iter().map(|value| value * 1.1).collect();
        let mut moved = prior.clone();
        moved.set_parameters(&other).unwrap();
        assert_eq!(moved.values(), other);
        assert!(moved.weights() != prior.weights());
        assert_eq!(moved.on(&graph()).unwrap(), moved);
        moved.set_parameters(&values).unwrap();
        assert_eq!(moved, prior);
    }
    let mut prior = SpectralPrior::new(&spectrum, transforms[0], 0.7).unwrap();
    assert!(matches!(prior.set_parameters(&[1.0]), Err(ParameterError::Count(_))));
    assert!(prior.set_parameters(&[-1.0, 1.0]).is_err() && prior.values() == [0.7, 1.3]);
    let smaller = Graph::from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let error = prior.on(&smaller).unwrap_err();
    assert!(matches!(error, GpError::SizeMismatch(SizeMismatch { expected: 3, got: 30, .. })));
}

/// Negative site precisions widen their neighbours, and must not leave one without a cavity.
#[test]
fn labels_that_contradict_a_smooth_prior_are_matched_all_the_same() {
    let spectrum = Laplacian::Symmetric.smallest(&graph(), 30, &LanczosOptions::default()).unwrap();
    let nodes: Vec<usize> = (0..24).collect();
    let flipped = |node: usize| node % 7 == 3;
    let target = |&node: &usize| if (node < 12) == flipped(node) { -1.0 } else { 1.0 };
    let targets: Vec<f64> = nodes.iter().map(target).collect();
    let observed = Observed::new(&nodes, &targets).unwrap();
    for (sigma, epsilon) in [(2.0, 0.02), (5.0, 0.001), (10.0, 0.1), (10.0, 0.3)] {
        let prior = SpectralPrior::new(&spectrum, Transform::Diffusion { sigma }, 30.0).unwrap();
        let posterior = GaussianProcess::ep(Flip { epsilon }).fit(&prior, &observed).unwrap();
        // Four in 24 labels are wrong, and no model of them is certain.
        assert!(posterior.log_evidence() < 4.0 * epsilon.ln().max(-2.0), "{sigma} {epsilon}");
    }
}

#[test]
fn transforms_out_of_range_are_refused() {
    let spectrum = Laplacian::Symmetric.smallest(&graph(), 30, &LanczosOptions::default()).unwrap();
    let steep =
        Laplacian::Combinatorial.smallest(&graph(), 30, &LanczosOptions::default()).unwrap();
    let bad = [
        (Transform::Regularised { sigma: 0.0 }, "sigma is 0"),
        (Transform::Diffusion { sigma: -1.0 }, "sigma is -1"),
        (Transform::RandomWalk { a: 1.5, steps: 2 }, "at least 2"),
        (Transform::RandomWalk { a: 2.0, steps: 0 }, "steps"),
        (Transform::VonNeumann { alpha: 1.0 }, "below 1"),
    ];
    for (transform, words) in bad {
        let error = SpectralPrior::new(&spectrum, transform, 1.0).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let error = SpectralPrior::new(&steep, Transform::VonNeumann { alpha: 0.5 }, 1.0).unwrap_err();
    assert!(error.to_string().contains("normalised Laplacian"), "{error}");
    let fine = Transform::Diffusion { sigma: 1.0 };
    assert!(SpectralPrior::new(&spectrum, fine, f64::NAN).is_err());
}

#[test]
fn variances_of_all_nodes_agree_by_every_route() {
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let all: Vec<usize> = (0..30).collect();
    for prior in
        [GraphPrior::regularised(0.3, 2.0), GraphPrior::shifted(0.2), GraphPrior::normalised(0.2)]
    {
        let prior = prior.on(&graph()).unwrap();
        let posterior = process.fit(&prior, observed()).unwrap();
        let by_solves = posterior.variances(&all).unwrap();
        let exact = prior.all_variances(InverseDiagonal::Exact).unwrap();
        let variances = posterior.all_variances(exact.values.view()).unwrap();
        assert!((&variances - &by_solves).iter().all(|gap| gap.abs() < 1e-9));
        let how = InverseDiagonal::Stochastic { probes: 2000, seed: 3 };
        let estimate = prior.all_variances(how).unwrap();
        let errors = estimate.standard_errors.clone().unwrap();
        let guessed = posterior.all_variances(estimate.values.view()).unwrap();
        for i in 0..30 {
            let gap = (guessed[i] - by_solves[i]).abs();
            assert!(gap < 6.0 * errors[i] + 1e-9, "node {i}: {gap} {}", errors[i]);
        }
        let short = exact.values.slice(ndarray::s![..29]);
        assert!(matches!(posterior.all_variances(short), Err(GpError::SizeMismatch(_))));
        let direct = posterior.probabilities(&all).unwrap();
        let again = process.fit(&prior, observed()).unwrap().averaged().unwrap();
        let averaged = posterior.averaged_over(exact.values.view()).unwrap();
        for scores in [averaged.scores(), again.scores()] {
            assert!((&scores.class(1) - &direct).iter().all(|gap| gap.abs() < 1e-9));
        }
        assert!(averaged.averaged_over(short).is_err());
    }
}

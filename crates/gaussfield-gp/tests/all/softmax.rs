//! Several classes: two of them are the binary case, gradients are exact, labels mean classes.

use gaussfield_core::{Budget, SizeMismatch};
use gaussfield_gp::{
    Draws, GaussianProcess, GivenCovariance, GpError, GraphPrior, Laplace, Observed, Prior,
    Sigmoid, Softmax,
};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, WeightFamily};
use gaussfield_labels::{Labels, Transductive as _};
use gaussfield_points::Points;
use ndarray::Array2;
use proptest::prelude::*;

fn pattern(coordinates: &[f64]) -> Pattern {
    let rows = Array2::from_shape_vec((coordinates.len() / 2, 2), coordinates.to_vec()).unwrap();
    Pattern::complete(&Points::dense(rows).unwrap(), Metric::Euclidean).unwrap()
}

fn graph(pattern: &Pattern, sigma: f64) -> Graph {
    Exponential { sigma }.graph(pattern, Budget::default()).unwrap()
}

fn labels(n: usize, classes: &[usize], count: usize) -> Labels {
    let of = |i: usize| classes.get(i).copied();
    let names = (0..count).map(|c| c.to_string()).collect();
    Labels::new((0..n).map(of).collect(), names).unwrap()
}

fn evidence(pattern: &Pattern, sigma: f64, prior: &GraphPrior, labels: &Labels) -> f64 {
    let prior = prior.on(&graph(pattern, sigma)).unwrap();
    Softmax::default().fit(prior, labels).unwrap().log_evidence()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// With two classes f₁ − f₀ has the covariance 2K and the likelihood 1/(1 + e^(−y)).
    #[test]
    fn two_classes_are_the_binary_case(
        coordinates in prop::collection::vec(-1.5..1.5_f64, 20),
        classes in prop::collection::vec(0..2_usize, 1..6),
        beta in 0.05..2.0_f64,
    ) {
        let graph = graph(&pattern(&coordinates), 0.8);
        let prior = GraphPrior::regularised(beta, 3.0).on(&graph).unwrap();
        let labels = labels(10, &classes, 2);
        let softmax = Softmax::default().fit(&prior, &labels).unwrap();
        let all: Vec<usize> = (0..10).collect();
        let twice = GivenCovariance::new(prior.columns(&all).unwrap().values * 2.0).unwrap();
        let binary = GaussianProcess::laplace(Sigmoid { gamma: 0.5 })
            .fit(twice, Observed::one_against_rest(&labels, 1).unwrap())
            .unwrap();
        let gap = (softmax.log_evidence() - binary.log_evidence()).abs();
        prop_assert!(gap < 1e-9, "{gap}");
        let probabilities = softmax.probabilities(&all, Draws { samples: 4000, seed: 1 }).unwrap();
        let exact = binary.probabilities(&all).unwrap();
        for i in 0..10 {
            let difference = softmax.latent()[[i, 1]] - softmax.latent()[[i, 0]];
            prop_assert!((difference - binary.latent()[i]).abs() < 1e-7);
            prop_assert!((probabilities[[i, 1]] - exact[i]).abs() < 0.04);
            prop_assert!((probabilities.row(i).sum() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn gradients_equal_finite_differences(
        coordinates in prop::collection::vec(-1.5..1.5_f64, 24),
        classes in prop::collection::vec(0..4_usize, 2..8),
        beta in 0.1..2.0_f64,
        width in 0.5..1.5_f64,
    ) {
        let pattern = pattern(&coordinates);
        let labels = labels(12, &classes, 4);
        let prior = GraphPrior::regularised(beta, 2.0);
        let here = graph(&pattern, width);
        let posterior = Softmax::default().fit(prior.on(&here).unwrap(), &labels).unwrap();
        let gradient = posterior.gradient().unwrap();
        let family = Exponential { sigma: width };
        let by_width = family.pullback(&pattern, &here, &gradient.edges.unwrap()).unwrap()[0];
        let step = 1e-5;
        let at = |width: f64, beta: f64, sigma: f64| {
            evidence(&pattern, width, &GraphPrior::regularised(beta, sigma), &labels)
        };
        let differences = [
            (by_width, at(width + step, beta, 2.0) - at(width - step, beta, 2.0)),
            (gradient.prior[0], at(width, beta + step, 2.0) - at(width, beta - step, 2.0)),
            (gradient.prior[1], at(width, beta, 2.0 + step) - at(width, beta, 2.0 - step)),
        ];
        for (exact, difference) in differences {
            let gap = (difference / (2.0 * step) - exact).abs() / (1e-2 + exact.abs());
            prop_assert!(gap < 1e-5, "{exact} {gap}");
        }
    }
}

#[test]
fn three_clusters_are_told_apart() {
    let mut coordinates = Vec::new();
    for i in 0..18 {
        let angle = 2.1 * (i % 3) as f64;
        let spread = 0.05 * (i / 3) as f64;
        coordinates.extend([2.0 * angle.cos() + spread, 2.0 * angle.sin() - spread]);
    }
    let labels = labels(18, &[0, 1, 2], 3);
    let prior = GraphPrior::regularised(0.3, 2.0).on(&graph(&pattern(&coordinates), 0.7));
    let posterior = Softmax::default().fit(prior.unwrap(), &labels).unwrap();
    let all: Vec<usize> = (0..18).collect();
    let probabilities = posterior.probabilities(&all, Draws::default()).unwrap();
    for i in 0..18 {
        for other in (0..3).filter(|c| *c != i % 3) {
            assert!(posterior.latent()[[i, i % 3]] > posterior.latent()[[i, other]]);
            assert!(probabilities[[i, i % 3]] > probabilities[[i, other]]);
        }
    }
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let each = process.one_against_rest().fit(posterior.prior(), &labels).unwrap();
    assert!(each.scores().argmax().into_iter().enumerate().all(|(i, class)| class == i % 3));
    // Whom else is asked for changes nothing.
    let alone = posterior.probabilities(&[7], Draws::default()).unwrap();
    assert_eq!(alone.row(0), probabilities.row(7));
}

#[test]
fn wrong_input_is_refused() {
    let prior = GivenCovariance::new(Array2::eye(3)).unwrap();
    let none = labels(3, &[], 2);
    assert_eq!(Softmax::default().fit(&prior, &none).unwrap_err(), GpError::NoObservations);
    let long = labels(4, &[0, 1], 2);
    let error = Softmax::default().fit(&prior, &long).unwrap_err();
    assert!(matches!(error, GpError::SizeMismatch(SizeMismatch { expected: 3, got: 4, .. })));
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 }).one_against_rest();
    assert_eq!(process.fit(&prior, &none).unwrap_err(), GpError::NoObservations);
    assert!(process.fit(&prior, &long).is_err());
    let good = labels(3, &[0, 1], 2);
    let hasty = Softmax { laplace: Laplace { max_iterations: 1, ..Laplace::default() } };
    assert!(matches!(hasty.fit(&prior, &good), Err(GpError::NotConverged(_))));
    let posterior = Softmax::default().fit(&prior, &good).unwrap();
    assert!(posterior.probabilities(&[0], Draws { samples: 0, seed: 0 }).is_err());
    assert!(posterior.probabilities(&[3], Draws::default()).is_err());
    assert!(posterior.covariance(3).is_err());
}

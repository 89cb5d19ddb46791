//! Covariances that are none, labels that contradict each other, priors as wide as they get.

use gaussfield_gp::{
    ExpectationPropagation, Flip, Gaussian, GaussianProcess, GivenCovariance, GpError, Observed,
    Probit, Sigmoid, Softmax,
};
use gaussfield_labels::Labels;
use ndarray::{Array2, array};
use std::time::{Duration, Instant};

fn observed(targets: &[f64]) -> Observed {
    Observed::new(&(0..targets.len()).collect::<Vec<_>>(), targets).unwrap()
}

#[test]
fn a_covariance_with_a_negative_direction_is_refused_by_every_inference() {
    for matrix in [
        array![[1.0, 5.0], [5.0, 1.0]],
        array![[0.0, 5.0], [5.0, 1.0]],
        array![[1.0, -1.1], [-1.1, 1.0]],
        array![[-1.0, 0.0], [0.0, 1.0]],
    ] {
        let prior = GivenCovariance::new(matrix.clone()).unwrap();
        let labels = Labels::from_names([Some("a"), Some("b")]);
        let laplace = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
        let ep = GaussianProcess::ep(Probit { noise: 0.1 });
        let regression = GaussianProcess::laplace(Gaussian { variance: 0.5 });
        for refused in [
            laplace.fit(&prior, &labels).map(drop),
            ep.fit(&prior, &labels).map(drop),
            ep.clone().one_against_rest().fit(&prior, &labels).map(drop),
            Softmax::default().fit(&prior, &labels).map(drop),
            regression.fit(&prior, observed(&[0.3, -2.0])).map(drop),
        ] {
            let error = refused.expect_err("no covariance");
            assert!(
                matches!(error, GpError::IndefiniteCovariance { size: 2 }),
                "{matrix}: {error}"
            );
        }
    }
    // A point that occurs twice is no fault.
    let prior = GivenCovariance::new(array![[1.0, 1.0], [1.0, 1.0]]).unwrap();
    assert!(GaussianProcess::ep(Probit { noise: 0.5 }).fit(&prior, observed(&[1.0, 1.0])).is_ok());
}

/// Points on a line in pairs that lie together and disagree, under a smooth kernel.
fn contradicting(labels: usize) -> (GivenCovariance, Observed) {
    let at = |i: usize| (i / 2) as f64 / (labels as f64 / 40.0) + 1e-3 * (i % 2) as f64;
    let kernel = |(i, j): (usize, usize)| (-((at(i) - at(j)) / 3.0).powi(2) / 2.0).exp();
    let matrix = Array2::from_shape_fn((labels, labels), kernel);
    let targets: Vec<f64> = (0..labels).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    (GivenCovariance::new(matrix).unwrap(), observed(&targets))
}

#[test]
fn contradicting_labels_are_given_up_in_reasonable_time() {
    for (labels, noise, seconds) in [(40, 1e-6, 10), (200, 1e-8, 20)] {
        let (prior, seen) = contradicting(labels);
        let start = Instant::now();
        let fit = GaussianProcess::ep(Probit { noise }).fit(&prior, &seen);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(seconds), "{labels} labels: {took:?}");
        if let Err(error) = fit {
            assert!(error.to_string().contains("expectation propagation"), "{error}");
        }
    }
    let none = ExpectationPropagation { effort: 0.0, ..Default::default() };
    let (prior, seen) = contradicting(4);
    let process = GaussianProcess { inference: none, ..GaussianProcess::ep(Flip { epsilon: 0.1 }) };
    assert!(process.fit(&prior, &seen).is_err());
}

#[test]
fn the_laplace_gradient_keeps_its_digits_under_wide_priors() {
    // Values of arithmetic with 80 digits.
    let two = array![[2.0, 1.0], [1.0, 3.0]];
    let three = array![[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]];
    for (base, rest, targets, evidence, slope) in [
        (1e9, &two, &[1.0, 1.0][..], -1.517_865_998_768_631, -0.045_731_603_204_145),
        (1e9, &three, &[1.0, 1.0, -1.0], -12.246_332_536_753_22, -0.375_688_045_242_949),
        (1e5, &two, &[1.0, 1.0], -1.250_051_104_076_846, -0.075_077_332_830_862),
    ] {
        let prior = GivenCovariance::new(rest + base).unwrap();
        let fit = GaussianProcess::laplace(Sigmoid { gamma: 1.0 }).fit(&prior, observed(targets));
        let fit = fit.unwrap();
        assert!((fit.log_evidence() / evidence - 1.0).abs() < 1e-6, "{}", fit.log_evidence());
        let found = fit.gradient().unwrap().likelihood[0];
        assert!((found / slope - 1.0).abs() < 1e-6, "{base:e}: {found} for {slope}");
    }
}

//! Covariances that are none, labels that contradict each other, priors as wide as they get.

use gaussfield_core::Budget;
use gaussfield_gp::{
    ExpectationPropagation, Flip, Gaussian, GaussianProcess, GivenCovariance, GpError, GraphPrior,
    Laplace, Observed, Probit, Schedule, Sigmoid, Softmax,
};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::SolverOptions;
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

/// The matrices of the labelled points are counted before they are made, the larger ones of a search
/// that plain sweeps do not end too.
#[test]
fn labels_over_the_budget_are_refused_by_every_inference() {
    let (prior, seen) = contradicting(20);
    let names = vec!["a".to_owned(), "b".to_owned()];
    let labels = Labels::new((0..20).map(|i| Some(i % 2)).collect(), names).unwrap();
    // Eight matrices of 20 × 20 numbers are 25,600 bytes.
    let budget = Budget { bytes: 25_599 };
    let small = Laplace { budget, ..Laplace::default() };
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let laplace = GaussianProcess { inference: small, ..process };
    let process = GaussianProcess::ep(Probit { noise: 0.5 });
    let ep = |budget| GaussianProcess {
        inference: ExpectationPropagation { budget, ..Default::default() },
        ..process.clone()
    };
    for refused in [
        laplace.fit(&prior, &seen).map(drop),
        laplace.clone().one_against_rest().fit(&prior, &labels).map(drop),
        ep(budget).fit(&prior, &seen).map(drop),
        Softmax { laplace: small }.fit(&prior, &labels).map(drop),
    ] {
        let told = refused.expect_err("over the budget").to_string();
        assert!(told.starts_with("the matrices of the labelled points take"), "{told}");
    }
    let enough = Budget { bytes: 25_600 };
    let laplace = GaussianProcess { inference: Laplace { budget: enough, ..small }, ..laplace };
    assert!(laplace.fit(&prior, &seen).is_ok() && ep(enough).fit(&prior, &seen).is_ok());
    // Each process keeps its own.
    assert!(laplace.one_against_rest().fit(&prior, &labels).is_err());

    let slow = |bytes| {
        let (schedule, damping, budget) = (Schedule::Parallel, 0.05, Budget { bytes });
        let how = ExpectationPropagation { schedule, damping, budget, ..Default::default() };
        GaussianProcess { inference: how, ..process.clone() }.fit(&prior, &seen)
    };
    let told = slow(25_600).expect_err("it needs Newton's method").to_string();
    assert!(told.starts_with("the matrices of the labelled points take 51.2 kB"), "{told}");
    assert!(slow(51_200).is_ok());
}

#[test]
fn columns_over_the_budget_are_refused() {
    let chain = Graph::from_edges(100, (1..100).map(|i| (i - 1, i, 1.0))).unwrap();
    let labels = Labels::new((0..100).map(|i| Some(i % 2)).collect(), vec!["a".into(), "b".into()]);
    let labels = labels.unwrap();
    // The system of a chain is small, its columns at all nodes are three times 80 kB.
    let solver = SolverOptions { budget: Budget { bytes: 200_000 }, ..SolverOptions::default() };
    let prior = GraphPrior::shifted(0.1).with_solver(solver).on(&chain).unwrap();
    let told = Softmax::default().fit(&prior, &labels).expect_err("over the budget").to_string();
    assert!(told.starts_with("the columns of the covariance take 240.0 kB"), "{told}");
    assert!(Softmax::default().fit(&prior, &labels.keep(&[0, 99]).unwrap()).is_ok());
}

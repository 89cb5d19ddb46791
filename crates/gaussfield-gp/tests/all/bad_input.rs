//! Every wrong input is refused by name.

use gaussfield_core::{
    NoSuchNode, NotConverged, ParameterError, Parameters as _, SizeMismatch, parameters,
};
use gaussfield_gp::{
    Block, EpFit, ExpectationPropagation, Flip, FlippedProbit, Gaussian, GaussianProcess,
    GivenCovariance, GpError, GraphCovariance, GraphPrior, Inference, Laplace, LaplaceFit,
    Likelihood, Mean, Observed, Posterior, Probit, Schedule, Sigmoid, Sites, Tilted,
    TiltedLikelihood,
};
use gaussfield_graph::{Graph, Metric};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::{Array1, Array2, array};

fn path() -> Graph {
    Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap()
}

fn ends() -> Observed {
    Observed::new(&[0, 3], &[-1.0, 1.0]).unwrap()
}

type Fit = Result<Posterior<GraphCovariance, Sigmoid, LaplaceFit>, GpError>;

/// The Laplace approximation on a path, with its ends observed.
fn fit(beta: f64, sigma: f64, gamma: f64) -> Fit {
    let prior = GraphPrior::regularised(beta, sigma).on(&path())?;
    GaussianProcess::laplace(Sigmoid { gamma }).fit(prior, ends())
}

fn error_of<L: Likelihood + Clone, I: Inference<L>>(
    process: GaussianProcess<L, I>,
    observed: &Observed,
) -> GpError {
    let prior = GraphPrior::regularised(1.0, 1.0).on(&path()).unwrap();
    process.fit(prior, observed).expect_err("wrong input")
}

#[test]
fn parameters_out_of_range() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let cases = [
            ("beta", fit(bad, 1.0, 1.0).unwrap_err()),
            ("sigma", fit(1.0, bad, 1.0).unwrap_err()),
            ("gamma", fit(1.0, 1.0, bad).unwrap_err()),
            ("delta", GraphPrior::shifted(bad).on(&path()).unwrap_err()),
            ("delta", GraphPrior::normalised(bad).on(&path()).unwrap_err()),
            ("noise", error_of(GaussianProcess::laplace(Probit { noise: bad }), &ends())),
            ("noise", error_of(GaussianProcess::ep(Probit { noise: bad }), &ends())),
            (
                "noise",
                error_of(GaussianProcess::ep(FlippedProbit { epsilon: 0.1, noise: bad }), &ends()),
            ),
            ("variance", error_of(GaussianProcess::laplace(Gaussian { variance: bad }), &ends())),
        ];
        for (name, error) in cases {
            assert!(matches!(error, GpError::OutOfRange(_)), "{error}");
            let words = error.to_string();
            assert!(words.contains(name) && words.contains("positive and finite"), "{words}");
        }
    }
    for epsilon in [-0.1, 0.5, 0.7, f64::NAN] {
        for error in [
            error_of(GaussianProcess::ep(Flip { epsilon }), &ends()),
            error_of(GaussianProcess::ep(FlippedProbit { epsilon, noise: 1.0 }), &ends()),
        ] {
            let words = error.to_string();
            assert!(words.contains("epsilon is") && words.contains("below ½"), "{words}");
        }
    }
    // In range, but its square is not: no number comes out rather than a wrong one.
    assert!(matches!(fit(1.0, 1.0, 1e200), Err(GpError::Factorisation { size: 2 })));
    let error = fit(1.0, 1e-200, 1.0).unwrap_err();
    assert!(
        matches!(error, GpError::OutOfRange(_)) && error.to_string().contains("β/σ²"),
        "{error}"
    );
    for error in [
        GraphPrior::shifted(1.0).set_parameters(&[1.0, 2.0]).unwrap_err(),
        Sigmoid { gamma: 1.0 }.set_parameters(&[1.0, 2.0]).unwrap_err(),
        Flip { epsilon: 0.1 }.set_parameters(&[0.1, 0.2]).unwrap_err(),
    ] {
        assert!(matches!(error, ParameterError::Count(SizeMismatch { expected: 1, got: 2, .. })));
    }
    // Nothing of a refused move is made.
    let mut noise = FlippedProbit { epsilon: 0.1, noise: 1.0 };
    assert!(noise.set_parameters(&[0.2, -1.0]).is_err() && noise.values() == [0.1, 1.0]);
    noise.set_parameters(&[0.0, 2.0]).unwrap();
    assert_eq!(noise, FlippedProbit { epsilon: 0.0, noise: 2.0 });
}

#[test]
fn observations_that_do_not_fit() {
    assert_eq!(Observed::new(&[], &[]), Err(GpError::NoObservations));
    let error = Observed::new(&[0, 1], &[1.0]).unwrap_err();
    assert!(matches!(error, GpError::SizeMismatch(SizeMismatch { expected: 2, got: 1, .. })));
    assert_eq!(Observed::new(&[2, 2], &[1.0, -1.0]), Err(GpError::Repeated { node: 2 }));
    assert!(matches!(Observed::new(&[1], &[f64::NAN]), Err(GpError::BadTarget { node: 1, .. })));
    let none = Labels::new(vec![None, None], vec!["a".into(), "b".into()]).unwrap();
    assert_eq!(Observed::one_against_rest(&none, 0), Err(GpError::NoObservations));
    assert_eq!(
        Observed::one_against_rest(&none, 2),
        Err(GpError::NoSuchClass { class: 2, classes: 2 })
    );

    assert_eq!(Observed::try_from(&none), Err(GpError::NoObservations));
    let three = Labels::numbered(&[0, 1, 2, 2], 3).unwrap();
    let error = Observed::try_from(&three).unwrap_err();
    assert_eq!(error, GpError::NotTwoClasses { classes: 3 });
    assert!(error.to_string().contains("Softmax"), "{error}");
    let five = Labels::numbered(&[0, 1, 1, 1, 0], 2).unwrap();
    let error =
        error_of(GaussianProcess::ep(Probit { noise: 1.0 }), &Observed::try_from(&five).unwrap());
    assert!(matches!(error, GpError::SizeMismatch(SizeMismatch { expected: 4, got: 5, .. })));

    let past = Observed::new(&[0, 4], &[1.0, -1.0]).unwrap();
    let sigmoid = || GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let error = error_of(sigmoid(), &past);
    assert_eq!(error, NoSuchNode { node: 4, nodes: 4 }.into());
    let halves = Observed::new(&[0, 3], &[0.5, 1.0]).unwrap();
    for error in [
        error_of(sigmoid(), &halves),
        error_of(GaussianProcess::ep(Flip { epsilon: 0.1 }), &halves),
    ] {
        assert!(error.to_string().contains("−1 or +1"), "{error}");
    }
    let prior = GraphPrior::regularised(1.0, 1.0).on(&path()).unwrap();
    let regression = GaussianProcess::laplace(Gaussian { variance: 1.0 });
    assert!(regression.fit(&prior, &halves).is_ok());
}

#[test]
fn sizes_that_differ() {
    let short = Mean::PerNode(Array1::zeros(3));
    let sigmoid = || GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let error = error_of(sigmoid().with_mean(short), &ends());
    assert!(matches!(error, GpError::SizeMismatch(SizeMismatch { expected: 4, got: 3, .. })));
    let error = error_of(sigmoid().with_mean(Mean::Constant(f64::NAN)), &ends());
    assert!(error.to_string().starts_with("the prior mean is NaN"), "{error}");

    let posterior = fit(1.0, 1.0, 1.0).unwrap();
    let past = GpError::from(NoSuchNode { node: 9, nodes: 4 });
    assert_eq!(posterior.variances(&[1, 9]).unwrap_err(), past);
    assert_eq!(posterior.covariance(&[9]).unwrap_err(), past);
    assert_eq!(posterior.probabilities(&[9]).unwrap_err(), past);
    assert!(posterior.variances(&[]).unwrap().is_empty());
    let points = Points::dense(array![[0.0], [1.0]]).unwrap();
    let error = posterior.at_new_points(&points, &points, Metric::Euclidean).unwrap_err();
    assert!(matches!(error, GpError::SizeMismatch(SizeMismatch { expected: 4, got: 2, .. })));
}

#[test]
fn too_few_newton_steps_are_an_error_with_the_last_step() {
    let prior = GraphPrior::regularised(0.1, 1e3).on(&path()).unwrap();
    let with = |inference| {
        let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
        GaussianProcess { inference, ..process }.fit(&prior, ends())
    };
    for max_iterations in [0, 1, 2] {
        let error = with(Laplace { max_iterations, ..Laplace::default() }).unwrap_err();
        let GpError::NotConverged(NotConverged { iterations, reached, tolerance, .. }) = error
        else {
            panic!("another error: {error}");
        };
        assert_eq!(iterations, max_iterations);
        assert!(reached > tolerance);
    }
    let loose = with(Laplace { tolerance: 0.0, ..Laplace::default() });
    assert!(matches!(loose, Err(GpError::OutOfRange(_))));
}

#[test]
fn expectation_propagation_that_cannot_go_on_says_so() {
    let prior = GraphPrior::shifted(0.1).on(&path()).unwrap();
    let with = |inference| -> Result<Posterior<_, _, EpFit>, GpError> {
        let process = GaussianProcess::ep(Flip { epsilon: 0.1 });
        GaussianProcess { inference, ..process }.fit(&prior, ends())
    };
    let ep = ExpectationPropagation::default;
    for schedule in [Schedule::Sequential, Schedule::Parallel] {
        let error = with(ExpectationPropagation { schedule, max_sweeps: 1, ..ep() }).unwrap_err();
        let GpError::NotConverged(NotConverged { iterations: 1, reached, tolerance, .. }) = error
        else {
            panic!("another error: {error}");
        };
        assert!(reached > tolerance);
        let words = error.to_string();
        assert!(words.contains("largest change") && words.contains("more sweeps"), "{words}");
    }
    for damping in [0.0, -1.0, 1.5, f64::NAN] {
        let error = with(ExpectationPropagation { damping, ..ep() }).unwrap_err();
        assert!(error.to_string().contains("damping"), "{error}");
    }
    let other = Sites { precision: array![1.0], shift: array![0.0] };
    let (gram, mean, seen) = (Array2::eye(2), Array1::zeros(2), ends());
    let block = Block {
        gram: &gram,
        mean: mean.view(),
        targets: seen.targets(),
        likelihood: &Flip { epsilon: 0.1 },
    };
    let error = ep().run(&block, Some(&other)).unwrap_err();
    assert!(matches!(error, GpError::SizeMismatch(SizeMismatch { expected: 2, got: 1, .. })));
    let error = error_of(GaussianProcess::ep(Broken), &ends());
    assert!(matches!(error, GpError::BadMoment { label: 0, .. }), "{error}");
}

/// A likelihood whose moments are no numbers.
#[derive(Debug, Clone)]
struct Broken;
parameters!(Broken {});

impl Likelihood for Broken {
    fn accepts(&self, _: f64) -> Result<(), &'static str> {
        Ok(())
    }
    fn probability(&self, _: f64, _: f64) -> f64 {
        f64::NAN
    }
}

impl TiltedLikelihood for Broken {
    fn tilted(&self, _: f64, _: f64, _: f64) -> Tilted {
        Tilted { log_mass: f64::NAN, first: 0.0, second: 0.0 }
    }
    fn tilted_slopes(&self, _: f64, _: f64, _: f64) -> Vec<f64> {
        Vec::new()
    }
}

#[test]
fn covariances_that_are_none() {
    let cases = [
        (array![[1.0, 0.0]], "columns of the covariance"),
        (array![[1.0, 0.5], [0.2, 1.0]], "symmetric"),
        (array![[1.0, f64::NAN], [f64::NAN, 1.0]], "finite"),
    ];
    for (matrix, words) in cases {
        let error = GivenCovariance::new(matrix).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

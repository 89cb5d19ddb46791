//! Every wrong input is refused by name.

use gaussfield_gp::{
    Gaussian, GaussianProcess, GpError, GraphPrior, Mean, Newton, Observed, Probit, Sigmoid,
};
use gaussfield_graph::{Graph, Metric};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::{Array1, array};
use openblas_src as _;

fn path() -> Graph {
    Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap()
}

fn ends() -> Observed {
    Observed::new(&[0, 3], &[-1.0, 1.0]).unwrap()
}

fn process(beta: f64, sigma: f64, gamma: f64) -> GaussianProcess<Sigmoid> {
    GaussianProcess::new(GraphPrior::new(beta, sigma), Sigmoid { gamma })
}

#[test]
fn parameters_out_of_range() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let cases = [
            ("β", process(bad, 1.0, 1.0).fit(&path(), &ends()).err()),
            ("σ", process(1.0, bad, 1.0).fit(&path(), &ends()).err()),
            ("γ", process(1.0, 1.0, bad).fit(&path(), &ends()).err()),
            ("β", GraphPrior::new(bad, 1.0).columns(&path(), &[0]).err()),
            (
                "probit",
                GaussianProcess::new(GraphPrior::new(1.0, 1.0), Probit { noise: bad })
                    .fit(&path(), &ends())
                    .err(),
            ),
            (
                "Gaussian",
                GaussianProcess::new(GraphPrior::new(1.0, 1.0), Gaussian { variance: bad })
                    .fit(&path(), &ends())
                    .err(),
            ),
        ];
        for (name, error) in cases {
            let error = error.expect("out of range");
            assert!(matches!(error, GpError::BadParameter { .. }), "{error}");
            let words = error.to_string();
            assert!(words.contains(name) && words.contains("positive and finite"), "{words}");
        }
    }
    // In range, but its square is not: no number comes out rather than a wrong one.
    let steep = process(1.0, 1.0, 1e200).fit(&path(), &ends());
    assert!(matches!(steep, Err(GpError::Factorisation { size: 2 })));
    let overflowing = process(1.0, 1e-200, 1.0).fit(&path(), &ends());
    assert!(matches!(overflowing, Err(GpError::Laplacian(_))));
}

#[test]
fn observations_that_do_not_fit() {
    assert_eq!(Observed::new(&[], &[]), Err(GpError::NoObservations));
    assert_eq!(Observed::new(&[0, 1], &[1.0]), Err(GpError::TargetCount { nodes: 2, targets: 1 }));
    assert_eq!(Observed::new(&[2, 2], &[1.0, -1.0]), Err(GpError::Repeated { node: 2 }));
    assert!(matches!(Observed::new(&[1], &[f64::NAN]), Err(GpError::BadTarget { node: 1, .. })));
    let none = Labels::new(vec![None, None], vec!["a".into(), "b".into()]).unwrap();
    assert_eq!(Observed::one_against_rest(&none, 0), Err(GpError::NoObservations));
    assert_eq!(
        Observed::one_against_rest(&none, 2),
        Err(GpError::NoSuchClass { class: 2, classes: 2 })
    );

    let past = Observed::new(&[0, 4], &[1.0, -1.0]).unwrap();
    let error = process(1.0, 1.0, 1.0).fit(&path(), &past).unwrap_err();
    assert_eq!(error, GpError::NoSuchNode { node: 4, nodes: 4 });
    let halves = Observed::new(&[0, 3], &[0.5, 1.0]).unwrap();
    let error = process(1.0, 1.0, 1.0).fit(&path(), &halves).unwrap_err();
    assert!(error.to_string().contains("−1 or +1"), "{error}");
    let regression = GaussianProcess::new(GraphPrior::new(1.0, 1.0), Gaussian { variance: 1.0 });
    assert!(regression.fit(&path(), &halves).is_ok());
}

#[test]
fn sizes_that_differ() {
    let short = Mean::PerNode(Array1::zeros(3));
    let error = process(1.0, 1.0, 1.0).with_mean(short).fit(&path(), &ends()).unwrap_err();
    assert!(matches!(error, GpError::NodeCount { nodes: 4, got: 3, .. }));
    let error = process(1.0, 1.0, 1.0)
        .with_mean(Mean::Constant(f64::NAN))
        .fit(&path(), &ends())
        .unwrap_err();
    assert!(matches!(error, GpError::BadParameter { name: "the prior mean", .. }));

    let posterior = process(1.0, 1.0, 1.0).fit(&path(), &ends()).unwrap();
    let past = GpError::NoSuchNode { node: 9, nodes: 4 };
    assert_eq!(posterior.variances(&[1, 9]).unwrap_err(), past);
    assert_eq!(posterior.covariance(&[9]).unwrap_err(), past);
    assert_eq!(posterior.probabilities(&[9]).unwrap_err(), past);
    assert!(posterior.variances(&[]).unwrap().is_empty());
    let points = Points::dense(array![[0.0], [1.0]]).unwrap();
    let error = posterior.at_new_points(&points, &points, Metric::Euclidean).unwrap_err();
    assert!(matches!(error, GpError::NodeCount { nodes: 4, got: 2, .. }));
}

#[test]
fn too_few_newton_steps_are_an_error_with_the_last_step() {
    for max_iterations in [0, 1, 2] {
        let mut hasty = process(0.1, 1e3, 1.0);
        hasty.newton = Newton { max_iterations, ..Newton::default() };
        let error = hasty.fit(&path(), &ends()).unwrap_err();
        let GpError::NotConverged { iterations, step, tolerance, .. } = error else {
            panic!("another error: {error}");
        };
        assert_eq!(iterations, max_iterations);
        assert!(step > tolerance);
    }
    let mut loose = process(0.1, 1e3, 1.0);
    loose.newton.tolerance = 0.0;
    assert!(matches!(loose.fit(&path(), &ends()), Err(GpError::BadParameter { .. })));
}

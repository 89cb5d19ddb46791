//! What fits leave for the next, choices that go through a file, and work that is stopped.

use gaussfield_core::{Facts, Parameters as _, Progress};
use gaussfield_gp::{
    ExpectationPropagation, Flip, FlippedProbit, GaussianProcess, GpError, GraphPrior, Laplace,
    LikelihoodChoice, Memory, Observed, OneAgainstRest, PriorFamily as _, Process as _,
    Regularisation, Ridge, Sigmoid, Softmax, TiltedLikelihood, Transform, Warp,
};
use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, Transductive as _};
use gaussfield_laplacian::{Preconditioner, Solver, SolverOptions};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn ring(weight: f64) -> Graph {
    Graph::from_edges(20, (0..20).map(|i| (i, (i + 1) % 20, weight + 0.1 * (i % 3) as f64)))
        .unwrap()
}

fn labels(classes: usize) -> Labels {
    let class = |i: usize| i.is_multiple_of(3).then_some(i * classes / 20);
    let names = (0..classes).map(|class| class.to_string()).collect();
    Labels::new((0..20).map(class).collect(), names).unwrap()
}

#[test]
fn expectation_propagation_begins_where_it_ended() {
    let process = GaussianProcess::ep(Flip { epsilon: 0.1 });
    let seen = Observed::try_from(&labels(2)).unwrap();
    let mut memory = Memory::default();
    let prior = |weight: f64| GraphPrior::normalised(0.05).on(&ring(weight)).unwrap();
    let first = process.fit_seen(prior(1.0), &seen, &mut memory).unwrap();
    assert_eq!(&memory.sites, &[first.on_labels().sites().clone()]);
    let again = process.fit_seen(prior(1.0), &seen, &mut memory).unwrap();
    assert!(again.on_labels().sweeps() <= 1 && first.on_labels().sweeps() > 1);
    let near = process.fit_seen(prior(1.01), &seen, &mut memory).unwrap();
    let cold = process.fit(prior(1.01), &seen).unwrap();
    assert!(near.on_labels().sweeps() <= cold.on_labels().sweeps());
    assert!((near.log_evidence() - cold.log_evidence()).abs() < 1e-8);
    // Sites of other labels are not used, and neither are those of another number of classes.
    let fewer = Observed::new(&[0, 9], &[1.0, -1.0]).unwrap();
    assert!(process.fit_seen(prior(1.0), &fewer, &mut memory).is_ok());
    let rest = process.one_against_rest();
    rest.fit_seen(prior(1.0), &labels(3), &mut memory).unwrap();
    assert_eq!(memory.sites.len(), 3);
}

/// Under a prior close by, Newton's method needs fewer steps; the mode is the same.
#[test]
fn the_laplace_approximation_begins_at_the_last_mode() {
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let (two, three) = (Observed::try_from(&labels(2)).unwrap(), labels(3));
    let prior = |weight: f64| GraphPrior::regularised(0.1, 20.0).on(&ring(weight)).unwrap();
    let mut memory = Memory::default();
    process.fit_seen(prior(1.0), &two, &mut memory).unwrap();
    let again = process.fit_seen(prior(1.0), &two, &mut memory).unwrap();
    assert_eq!(again.on_labels().iterations(), 1);
    let near = process.fit_seen(prior(1.01), &two, &mut memory).unwrap();
    let cold = process.fit(prior(1.01), &two).unwrap();
    assert!(near.on_labels().iterations() < cold.on_labels().iterations());
    assert!((near.log_evidence() - cold.log_evidence()).abs() < 1e-9);

    let softmax = Softmax::default();
    softmax.fit_seen(prior(1.0), &three, &mut memory).unwrap();
    assert_eq!(memory.mode.as_ref().map(|mode| mode.dim()), Some((7, 3)));
    let near = softmax.fit_seen(prior(1.01), &three, &mut memory).unwrap();
    let cold = softmax.fit(prior(1.01), &three).unwrap();
    let steps = |facts: &Facts| facts.to_string();
    assert_ne!(steps(&near.facts()), steps(&cold.facts()));
    assert!((near.log_evidence() - cold.log_evidence()).abs() < 1e-9);
    // The mode of another number of labels is not used.
    assert!(softmax.fit_seen(prior(1.0), &labels(2), &mut memory).is_ok());
}

/// On one pattern the order is found once, and conjugate gradients start at the last columns.
#[test]
fn a_graph_prior_keeps_what_the_pattern_decides() {
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let seen = Observed::try_from(&labels(2)).unwrap();
    let iterative = Solver::ConjugateGradient(Preconditioner::Jacobi);
    for solver in [Solver::SparseCholesky, iterative] {
        let options = SolverOptions { solver, ..SolverOptions::default() };
        let family = GraphPrior::normalised(0.05).with_solver(options);
        let mut memory = Memory::default();
        for weight in [1.0, 1.01, 1.02] {
            let prior = family.on_with(&ring(weight), &mut memory).unwrap();
            let kept = process.fit_seen(prior, &seen, &mut memory).unwrap();
            let fresh = process.fit(family.on(&ring(weight)).unwrap(), &seen).unwrap();
            assert!((kept.log_evidence() - fresh.log_evidence()).abs() < 1e-7);
        }
        let work = memory.system.work();
        assert_eq!((work.preparations, work.structures, work.solves), (3, 1, 3), "{work:?}");
        assert!(work.analyses <= 1, "{work:?}");
    }
}

fn through_a_file<T: Serialize + DeserializeOwned + PartialEq + Debug>(choice: T, text: &str) {
    assert_eq!(serde_json::to_string(&choice).unwrap(), text);
    assert_eq!(serde_json::from_str::<T>(text).unwrap(), choice);
}

#[test]
fn choices_go_through_a_file() {
    through_a_file(Sigmoid { gamma: 2.0 }, r#"{"gamma":2.0}"#);
    through_a_file(FlippedProbit { epsilon: 0.1, noise: 1.0 }, r#"{"epsilon":0.1,"noise":1.0}"#);
    let regularised = Regularisation::Regularised { beta: 0.1, sigma: 1e3 };
    through_a_file(regularised, r#"{"regularised":{"beta":0.1,"sigma":1000.0}}"#);
    through_a_file(
        LikelihoodChoice::FlippedProbit(FlippedProbit { epsilon: 0.1, noise: 1.0 }),
        r#"{"flipped-probit":{"epsilon":0.1,"noise":1.0}}"#,
    );
    let wide = LikelihoodChoice::Flip(Flip { epsilon: 0.6 });
    assert!(matches!(wide.tilted(), Err(GpError::OutOfRange(_))));
    assert!(matches!(wide.smooth(), Err(GpError::NotSmooth)));
    let prior: GraphPrior =
        serde_json::from_str(r#"{"regularisation":{"normalised":{"delta":0.05}}}"#).unwrap();
    assert_eq!(prior, GraphPrior::normalised(0.05));
    let text = serde_json::to_string(&prior).unwrap();
    assert_eq!(serde_json::from_str::<GraphPrior>(&text).unwrap(), prior);
    through_a_file(
        Transform::RandomWalk { a: 2.5, steps: 3 },
        r#"{"random-walk":{"a":2.5,"steps":3}}"#,
    );
    let warp = Warp { gamma_a: 1.0, gamma_i: 0.5, power: 2 };
    through_a_file(warp, r#"{"gamma-a":1.0,"gamma-i":0.5,"power":2}"#);
    through_a_file(Ridge::Of(0.1), r#"{"of":0.1}"#);
    through_a_file(
        Softmax::default(),
        r#"{"laplace":{"max-iterations":100,"tolerance":1e-9,"budget":{"bytes":4294967296}}}"#,
    );
    let process: OneAgainstRest<Flip, ExpectationPropagation> =
        serde_json::from_str(r#"{"likelihood":{"epsilon":0.1},"inference":{"max-sweeps":7}}"#)
            .unwrap();
    let inference = ExpectationPropagation { max_sweeps: 7, ..Default::default() };
    let expected = GaussianProcess { inference, ..GaussianProcess::ep(Flip { epsilon: 0.1 }) };
    assert_eq!(process, expected.one_against_rest());
    assert!(serde_json::from_str::<Laplace>("{}").unwrap() == Laplace::default());
}

#[test]
fn work_stops_on_request() {
    let progress = Progress::new(|_| {});
    progress.cancel();
    let prior = GraphPrior::normalised(0.05).on(&ring(1.0)).unwrap();
    let stopped = |error: Option<GpError>| {
        assert!(matches!(error, Some(GpError::Cancelled(_))), "{error:?}");
    };
    progress.during(|| {
        let (two, three) = (labels(2), labels(3));
        stopped(GaussianProcess::ep(Flip { epsilon: 0.1 }).fit(&prior, &two).err());
        stopped(GaussianProcess::laplace(Sigmoid { gamma: 1.0 }).fit(&prior, &two).err());
        stopped(Softmax::default().fit(&prior, &three).err());
    });
}

/// Behind a pointer a likelihood is what it was, its own range of ε included.
#[test]
fn a_likelihood_behind_a_pointer_is_the_same() {
    let prior = GraphPrior::normalised(0.05).on(&ring(1.0)).unwrap();
    for epsilon in [0.0, 0.2] {
        let mut boxed: Box<dyn TiltedLikelihood> = Box::new(Flip { epsilon: 0.1 });
        boxed.set_parameters(&[epsilon]).unwrap();
        let by_pointer = GaussianProcess::ep(boxed).fit(&prior, &labels(2)).unwrap();
        let plain = GaussianProcess::ep(Flip { epsilon }).fit(&prior, &labels(2)).unwrap();
        assert_eq!(by_pointer.scores(), plain.scores());
        assert_eq!(by_pointer.gradient(), plain.gradient());
    }
}

//! What every posterior gives: scores, names, facts; on nodes and on new points.

use gaussfield_core::{Budget, FactValue, Facts};
use gaussfield_gp::{
    Columns, Draws, Flip, GaussianProcess, GivenCovariance, GpError, GraphPrior, Kernel,
    KernelPrior, Prior, PriorGradient, Probit, Sigmoid, Softmax,
};
use gaussfield_graph::Graph;
use gaussfield_labels::{Decision, Inductive, Labels, Named, Scores, Transductive};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, array};

/// Three rings of four, weakly linked in a row.
fn rings() -> Graph {
    let ring = |first: usize| (0..4).map(move |i| (first + i, first + (i + 1) % 4, 1.0));
    let links = [(0, 4, 0.05), (4, 8, 0.05)];
    Graph::from_edges(12, ring(0).chain(ring(4)).chain(ring(8)).chain(links)).unwrap()
}

fn three() -> Labels {
    let name = |i: usize| (i % 4 == 1).then(|| ["red", "green", "blue"][i / 4]);
    Labels::from_names((0..12).map(name))
}

fn two() -> Labels {
    let name = |i: usize| (i % 4 == 1).then_some(if i < 4 { "red" } else { "other" });
    Labels::from_names((0..12).map(name))
}

/// What holds for every answer.
fn check(answer: &dyn Transductive, labels: &Labels) {
    assert_eq!(answer.class_names(), labels.names());
    assert_eq!(answer.interior(), labels.unlabelled());
    let scores = answer.scores().values();
    assert_eq!(scores.dim(), (labels.len(), labels.classes()));
    for row in scores.rows() {
        assert!((row.sum() - 1.0).abs() < 1e-12 && row.iter().all(|p| (0.0..=1.0).contains(p)));
    }
    let told = answer.predictions(&Decision::Argmax).unwrap();
    for one in told.iter() {
        let expected = labels.get(one.row / 4 * 4 + 1).unwrap();
        assert_eq!((one.number, one.class), (expected, labels.names()[expected].as_str()));
        assert!(one.probability > 1.0 / labels.classes() as f64);
    }
}

fn number(facts: &Facts, name: &str) -> f64 {
    match facts.get(name) {
        Some(FactValue::Number(number)) => *number,
        Some(FactValue::Count(count)) => *count as f64,
        other => panic!("{name}: {other:?} in {facts}"),
    }
}

#[test]
fn every_process_answers_in_names_and_probabilities() {
    let prior = GraphPrior::regularised(0.5, 3.0).on(&rings()).unwrap();
    let (two, three) = (two(), three());
    let laplace = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let ep = GaussianProcess::ep(Flip { epsilon: 0.05 });
    check(&laplace.fit(&prior, &two).unwrap(), &two);
    check(&ep.fit(&prior, &two).unwrap().averaged().unwrap(), &two);
    let rest = laplace.one_against_rest();
    check(&rest.fit(&prior, &three).unwrap(), &three);
    check(&rest.fit(&prior, &two).unwrap(), &two);
    let averaged = ep.clone().one_against_rest().fit(&prior, &three).unwrap().averaged().unwrap();
    check(&averaged, &three);
    let softmax = Softmax::default().fit(&prior, &three).unwrap();
    check(&softmax, &three);
    check(&softmax.averaged(Draws::default()).unwrap(), &three);
}

#[test]
fn facts_tell_the_solver_the_inference_and_the_kind_of_probability() {
    let prior = GraphPrior::regularised(0.5, 3.0).on(&rings()).unwrap();
    let posterior = GaussianProcess::ep(Flip { epsilon: 0.1 }).fit(&prior, &two()).unwrap();
    let facts = posterior.facts();
    assert!(facts.get("solver").is_some(), "{facts}");
    assert!(number(&facts, "relative residual") < 1e-9, "{facts}");
    assert!(number(&facts, "partition error") < 1e-9, "{facts}");
    assert!(number(&facts, "sweeps") >= 1.0 && number(&facts, "log evidence") < 0.0, "{facts}");
    assert!(facts.to_string().ends_with("at the mean of the latent values"), "{facts}");
    let facts = posterior.averaged().unwrap().facts();
    assert!(facts.to_string().ends_with("averaged over the posterior"), "{facts}");
    let softmax = Softmax::default().fit(&prior, &three()).unwrap().facts();
    assert!(number(&softmax, "Newton steps") >= 1.0, "{softmax}");
    let rest = GaussianProcess::laplace(Sigmoid { gamma: 1.0 }).one_against_rest();
    let rest = rest.fit(&prior, &three()).unwrap().facts();
    assert_eq!(rest.iter().filter(|fact| fact.name == "Newton steps").count(), 3, "{rest}");
}

/// Two classes, one process or one for each: p and 1 − p already sum to one.
#[test]
fn one_against_rest_of_two_classes_is_the_process_of_two() {
    let prior = GraphPrior::regularised(0.5, 3.0).on(&rings()).unwrap();
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let alone = process.fit(&prior, &two()).unwrap().averaged().unwrap();
    let both = process.one_against_rest().fit(&prior, &two()).unwrap().averaged().unwrap();
    assert!((both.log_evidence() - 2.0 * alone.log_evidence()).abs() < 1e-9);
    let gap = &alone.scores().values() - &both.scores().values();
    assert!(gap.iter().all(|gap| gap.abs() < 1e-9), "{gap}");
}

fn line() -> Points {
    let place = |(i, _): (usize, usize)| (i / 4) as f64 * 2.0 + 0.2 * (i % 4) as f64;
    Points::dense(Array2::from_shape_fn((12, 1), place)).unwrap()
}

/// A new point that lies on a node is that node.
#[test]
fn new_points_on_nodes_are_these_nodes() {
    let prior = KernelPrior::new(&line(), Kernel::Rbf { width: 0.7 }, Budget::default()).unwrap();
    let close = |found: &Scores, own: &Scores, within: f64| {
        let gap = &found.values() - &own.values();
        assert!(gap.iter().all(|gap| gap.abs() < within), "{gap}");
    };
    let process = GaussianProcess::ep(Probit { noise: 0.2 });
    let binary = process.fit(&prior, &two()).unwrap().averaged().unwrap();
    close(&binary.predict(&line()).unwrap(), binary.scores(), 1e-9);
    let rest = process.one_against_rest().fit(&prior, &three()).unwrap().averaged().unwrap();
    close(&rest.predict(&line()).unwrap(), rest.scores(), 1e-9);
    assert_eq!(rest.class_names(), three().names());
    let softmax = Softmax::default().fit(&prior, &three()).unwrap();
    close(&softmax.predict(&line()).unwrap(), softmax.scores(), 1e-9);
    // The same stream of numbers for a node and for a query of the same place in its list.
    let softmax = softmax.averaged(Draws { samples: 50, seed: 3 }).unwrap();
    close(&softmax.predict(&line()).unwrap(), softmax.scores(), 1e-6);
    let none = line().select(&[]).unwrap();
    assert_eq!(softmax.predict(&none).unwrap().nodes(), 0);
    let told = binary.predictions_at(&line(), &Decision::Argmax).unwrap();
    assert_eq!(told.len(), 12);
}

/// The gradient in the width of a kernel without a graph, and of a sum of evidences.
#[test]
fn gradients_of_kernels_and_of_several_classes_equal_finite_differences() {
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.3 }).one_against_rest();
    let at = |width: f64| {
        let prior = KernelPrior::new(&line(), Kernel::Rbf { width }, Budget::default()).unwrap();
        process.fit(prior, &three()).unwrap()
    };
    let gradient = at(0.7).gradient().unwrap();
    let difference = (at(0.7 + 1e-5).log_evidence() - at(0.7 - 1e-5).log_evidence()) / 2e-5;
    assert!((gradient.prior[0] - difference).abs() < 1e-7, "{gradient:?} {difference}");
    assert!(gradient.edges.is_none() && gradient.likelihood.len() == 1);
}

/// A prior whose pullback fails.
struct Stuck(GivenCovariance);

impl Prior for Stuck {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }
    fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError> {
        self.0.columns(nodes)
    }
    fn pullback(
        &self,
        _: &[usize],
        _: &Columns,
        _: &Array2<f64>,
    ) -> Result<PriorGradient, GpError> {
        Err(GpError::ForeignQueries)
    }
}

#[test]
fn trouble_in_a_pullback_is_an_error() {
    let prior = Stuck(GivenCovariance::new(array![[1.0, 0.3], [0.3, 1.0]]).unwrap());
    let labels = Labels::from_names([Some("a"), Some("b")]);
    let binary = GaussianProcess::ep(Probit { noise: 1.0 }).fit(&prior, &labels).unwrap();
    assert_eq!(binary.gradient(), Err(GpError::ForeignQueries));
    let softmax = Softmax::default().fit(&prior, &labels).unwrap();
    assert_eq!(softmax.gradient(), Err(GpError::ForeignQueries));
    assert_eq!(prior.variances(&[1, 0]).unwrap(), Array1::from(vec![1.0, 1.0]));
}

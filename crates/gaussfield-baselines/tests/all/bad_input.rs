//! Wrong input is an error that says what is wrong.

use crate::bad_matrices::{assert_says, done};
use gaussfield_baselines::{
    BaselineError, Kernel, NearestNeighbours, Rbf, SupervisedGp, VotedPerceptron,
};
use gaussfield_graph::{Graph, Metric};
use gaussfield_labels::{Inductive as _, Labels};
use gaussfield_points::Points;
use ndarray::{Array2, array};

#[test]
fn every_wrong_input_is_named() {
    let points = Points::dense(array![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]).unwrap();
    let labels = Labels::from_names([Some("a"), Some("b"), None]);
    let none = labels.keep(&[]).unwrap();
    let one = labels.keep(&[1]).unwrap();
    let short = labels.select(&[0, 1]).unwrap();
    let flat = Points::dense(array![[1.0]]).unwrap();
    let huge = Points::dense(Array2::from_elem((3, 2), 1e200)).unwrap();
    let polynomial =
        |degree, offset| VotedPerceptron::new(Kernel::Polynomial { degree, scale: 1.0, offset });
    let nearest = |k| NearestNeighbours { k, metric: Metric::Euclidean };
    let cosine = NearestNeighbours::one(Metric::Cosine);
    let linear = VotedPerceptron::new(Kernel::Linear);

    let table: Vec<(&str, Result<(), BaselineError>, &[&str])> = vec![
        ("1-NN, no label", done(nearest(1).fit(&points, &none)), &["no node is labelled"]),
        ("1-NN, length", done(nearest(1).fit(&points, &short)), &["2 given where 3"]),
        ("k = 0", done(nearest(0).fit(&points, &labels)), &["is 0", "at most 2"]),
        ("k > l", done(nearest(3).fit(&points, &labels)), &["is 3", "at most 2"]),
        (
            "1-NN, dimension",
            done(nearest(1).fit(&points, &labels).unwrap().predict(&flat)),
            &["dimensions of the points: 1 given where 2 are needed"],
        ),
        (
            "cosine of a zero row",
            done(cosine.fit(&points, &labels).unwrap().predict(&points)),
            &["2", "zero"],
        ),
        ("perceptron, no label", done(linear.fit(&points, &none)), &["no node is labelled"]),
        ("perceptron, one class", done(linear.fit(&points, &one)), &["\"b\"", "all 1"]),
        ("perceptron, length", done(linear.fit(&points, &short)), &["2 given where 3"]),
        (
            "no epochs",
            done(VotedPerceptron { epochs: 0, ..linear }.fit(&points, &labels)),
            &["epochs is 0"],
        ),
        ("degree 0", done(polynomial(0, 1.0).fit(&points, &labels)), &["degree", "0"]),
        ("offset", done(polynomial(2, -1.0).fit(&points, &labels)), &["offset", "-1"]),
        ("offset NaN", done(polynomial(2, f64::NAN).fit(&points, &labels)), &["offset", "NaN"]),
        ("overflow", done(linear.fit(&huge, &labels)), &["point 0", "inf", "divide"]),
        (
            "overflow of a query",
            done(polynomial(2, 1.0).fit(&points, &labels).unwrap().predict(&huge)),
            &["point 0", "inf"],
        ),
        (
            "perceptron, dimension",
            done(linear.fit(&points, &labels).unwrap().predict(&flat)),
            &["dimensions of the points: 1 given where 2 are needed"],
        ),
    ];
    assert_says(table);
}

/// One class of labels is no problem to the nearest neighbour: it is the answer everywhere.
#[test]
fn one_class_and_no_query() {
    let points = Points::dense(array![[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let labels = Labels::from_names([Some("a"), None]);
    let model = NearestNeighbours::one(Metric::Euclidean).fit(&points, &labels).unwrap();
    assert_eq!(model.predict(&points).unwrap().argmax(), [0, 0]);
    let no_query = points.select(&[]).unwrap();
    assert!(model.predict(&no_query).unwrap().argmax().is_empty());
    let two = Labels::from_names([Some("a"), Some("b")]);
    let perceptron = VotedPerceptron::new(Kernel::Linear).fit(&points, &two).unwrap();
    assert!(perceptron.predict(&no_query).unwrap().argmax().is_empty());
}

/// A column of ids taken for classes has as many scores as pairs of points.
#[test]
fn scores_of_too_many_classes_are_refused_before() {
    let n = 20_000;
    let names = (0..n).map(|id| id.to_string()).collect();
    let labels = Labels::new((0..n).map(Some).collect(), names).unwrap();
    let points = Points::dense(Array2::from_shape_fn((n, 1), |(i, _)| i as f64)).unwrap();
    let chain = Graph::from_edges(n, (1..n).map(|i| (i - 1, i, 1.0))).unwrap();
    let nearest = NearestNeighbours { k: 1, metric: Metric::Euclidean };
    let words: &[&str] = &["the scores of all classes take 9.60 GB"];
    assert_says(vec![
        ("nearest", done(nearest.fit(&points, &labels)), words),
        ("perceptron", done(VotedPerceptron::new(Kernel::Linear).fit(&points, &labels)), words),
        ("weights", done(Rbf::default().fit(&chain, &labels)), words),
    ]);
    // Each class has a process with matrices of all labels.
    let (points, labels) = (points.select(&all(2000)), labels.select(&all(2000)));
    let (points, labels) = (points.unwrap(), labels.unwrap());
    let process = SupervisedGp::new(Kernel::Linear);
    let words: &[&str] = &["the processes of all classes take"];
    assert_says(vec![("process", done(process.fit(&points, &labels)), words)]);
}

fn all(n: usize) -> Vec<usize> {
    (0..n).collect()
}

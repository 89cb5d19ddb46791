//! The harmonic function on a sample.

use crate::bad_matrices::{assert_says, done};
use gaussfield_baselines::{BaselineError, SampleBaseline};
use gaussfield_graph::Graph;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Inductive as _, Islands, Labels, Transductive as _};
use ndarray::{Array2, array};

/// A ladder of twelve nodes whose weights fall with the distance, four of them labelled.
fn task(reach: usize) -> (Graph, Labels) {
    let edges = (0..12_usize).flat_map(|i| {
        (i + 1..12).filter(move |j| j - i <= reach).map(move |j| (i, j, 1.0 / (j - i) as f64))
    });
    let given = (0..12).map(|i| [0, 1, 10, 11].contains(&i).then_some(usize::from(i > 5)));
    let names = ["low", "high"].map(str::to_owned).to_vec();
    (Graph::from_edges(12, edges).unwrap(), Labels::new(given.collect(), names).unwrap())
}

#[test]
fn sampling_everything_is_the_harmonic_function() {
    let (graph, labels) = task(3);
    let fit = SampleBaseline::default().fit(&graph, &labels, &labels.unlabelled()).unwrap();
    let field = Harmonic::default().fit(&graph, &labels).unwrap();
    assert!((&fit.scores().values() - &field.values()).iter().all(|gap| gap.abs() < 1e-12));
    assert_eq!(fit.interior(), labels.unlabelled());
}

#[test]
fn nodes_outside_the_sample_are_averaged_as_new_points_are() {
    let (graph, labels) = task(11);
    let fit = SampleBaseline::default().fit(&graph, &labels, &[7, 4]).unwrap();
    let chosen = [0, 1, 4, 7, 10, 11];
    for node in [2, 3, 5, 6, 8, 9] {
        let weight = |to: usize| 1.0 / to.abs_diff(node) as f64;
        let weights = Array2::from_shape_fn((1, 6), |(_, at)| weight(chosen[at]));
        let new = fit.predict(&weights.view()).unwrap();
        assert!((new.class(1)[0] - fit.scores().class(1)[node]).abs() < 1e-12, "{node}");
    }
}

#[test]
fn islands_need_a_rule() {
    let (graph, labels) = task(1);
    let error = SampleBaseline::default().fit(&graph, &labels, &[]).unwrap_err();
    assert_eq!(error, BaselineError::Unreached { count: 6, example: 3 });
    let islands = Islands::Prior(ClassPrior::given(vec![0.25, 0.75]).unwrap());
    let filled = SampleBaseline { harmonic: Harmonic { islands, ..Harmonic::default() } };
    let fit = filled.fit(&graph, &labels, &[]).unwrap();
    assert!((3..9).all(|node| (fit.scores().class(1)[node] - 0.75).abs() < 1e-15));
    let far = fit.predict(&Array2::zeros((1, 4)).view()).unwrap();
    assert!((far.class(1)[0] - 0.75).abs() < 1e-15);
}

#[test]
fn wrong_input_is_named() {
    let (graph, labels) = task(11);
    let baseline = SampleBaseline::default();
    let fit = baseline.fit(&graph, &labels, &[5]).unwrap();
    let short = labels.select(&[0, 11]).unwrap();
    let none = labels.keep(&[]).unwrap();
    assert_says(vec![
        ("past the end", done(baseline.fit(&graph, &labels, &[12])), &["12"]),
        ("labelled", done(baseline.fit(&graph, &labels, &[0])), &["0"]),
        ("twice", done(baseline.fit(&graph, &labels, &[5, 5])), &["5"]),
        ("length", done(baseline.fit(&graph, &short, &[5])), &["2 given where 12"]),
        ("no label", done(baseline.fit(&graph, &none, &[5])), &["no node is labelled"]),
        ("columns", done(fit.predict(&array![[1.0]].view())), &["1 given where 5"]),
        ("negative", done(fit.predict(&Array2::from_elem((1, 5), -1.0).view())), &["-1"]),
        ("far", done(fit.predict(&Array2::zeros((2, 5)).view())), &["2 points", "first is 0"]),
    ]);
}

//! Laws of Poisson learning.

use crate::support::problem;
use gaussfield_graph::Graph;
use gaussfield_harmonic::{HarmonicError, Poisson};
use gaussfield_labels::{ClassPrior, Islands, Labels, Scores, Transductive};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What flows out of a node is its label less the mean label, and degrees weigh u to zero.
    #[test]
    fn labels_are_sources((graph, labels) in problem()) {
        let u = Poisson::default().potential(&graph, &labels).unwrap();
        let degrees = graph.degrees();
        let (counts, all) = (labels.counts(), labels.labelled().len() as f64);
        for c in 0..labels.classes() {
            for i in 0..graph.nodes() {
                let mut flow = 0.0;
                graph.for_each_neighbour(i, |j, w| flow += w * (u[[i, c]] - u[[j, c]]));
                let label = labels.get(i).map(|class| f64::from(u8::from(class == c)));
                let source = label.map_or(0.0, |y| y - counts[c] as f64 / all);
                prop_assert!((flow - source).abs() < 1e-9, "{} and {}", flow, source);
            }
            let moment: f64 = u.column(c).iter().zip(&degrees).map(|(u, d)| u * d).sum();
            prop_assert!(moment.abs() < 1e-9);
        }
    }

    /// Scores rank as u does.
    #[test]
    fn the_largest_potential_is_the_largest_score((graph, labels) in problem()) {
        let u = Poisson::default().potential(&graph, &labels).unwrap();
        let found = Poisson::default().fit(&graph, &labels).unwrap();
        for i in labels.unlabelled() {
            let (u, scores) = (u.row(i), found.scores().values().row(i).to_owned());
            for (c, other) in (0..u.len()).flat_map(|c| (0..c).map(move |other| (c, other))) {
                if u[c] > u[other] + 1e-9 {
                    prop_assert!(scores[c] > scores[other]);
                }
            }
        }
    }
}

/// Three parts: one with labels of two classes, one with labels of one, one without.
fn parts() -> (Graph, Labels) {
    let edges = [(0, 1, 1.0), (1, 2, 0.5), (2, 3, 1.0), (4, 5, 1.0), (6, 7, 1.0)];
    let mut of = [None; 8];
    (of[0], of[3], of[4]) = (Some("left"), Some("right"), Some("right"));
    (Graph::from_edges(8, edges).unwrap(), Labels::from_names(of))
}

#[test]
fn every_part_is_a_problem_of_its_own() {
    let (graph, labels) = parts();
    let error = Poisson::default().fit(&graph, &labels).unwrap_err();
    assert_eq!(error, HarmonicError::ComponentWithoutLabel { nodes: vec![6, 7] });
    let prior = ClassPrior::given(vec![0.25, 0.75]).unwrap();
    let method = Poisson { islands: Islands::Prior(prior), ..Poisson::default() };
    let found = method.fit(&graph, &labels).unwrap();
    assert_eq!(found.islands(), [6, 7]);
    let scores: &Scores = found.scores();
    assert_eq!(scores.argmax(), [0, 0, 1, 1, 1, 1, 1, 1]);
    assert_eq!(scores.values().row(5).to_vec(), [0.0, 1.0]);
    assert_eq!(scores.values().row(7).to_vec(), [0.25, 0.75]);
}

#[test]
fn a_path_by_hand() {
    // Current 1/2 flows from end to end of a path of three edges: steps of 1/2 from 3/4 to -3/4.
    let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
    let labels = Labels::from_names([Some("a"), None, None, Some("b")]);
    let u = Poisson::default().potential(&graph, &labels).unwrap();
    for (i, expected) in [0.75, 0.25, -0.25, -0.75].into_iter().enumerate() {
        assert!((u[[i, 0]] - expected).abs() < 1e-12 && (u[[i, 1]] + expected).abs() < 1e-12);
    }
}

/// A node as near to either label has no larger score, whatever the last digits of the solve say.
#[test]
fn a_node_between_two_labels_is_of_both() {
    for weight in [1.0, 0.1, 0.3, 3.7, 1e-9, 1e9] {
        let edges = [(0, 1, weight), (1, 2, weight), (0, 2, weight / 3.0)];
        let graph = Graph::from_edges(3, edges).unwrap();
        for of in [[Some("a"), None, Some("b")], [Some("b"), None, Some("a")]] {
            let found = Poisson::default().fit(&graph, &Labels::from_names(of)).unwrap();
            assert_eq!(found.scores().values().row(1).to_vec(), [0.5, 0.5]);
        }
    }
}

/// What is rounding beside the weights of one part is not beside those of another: u is as large as
/// weights are small.
#[test]
fn a_part_is_judged_by_its_own_size() {
    let chain = |nodes: std::ops::Range<usize>, weight: f64| {
        nodes.clone().zip(nodes.skip(1)).map(move |(i, j)| (i, j, weight))
    };
    // In the first and the last chain the one node is as near to either label.
    let edges = chain(0..3, 1e-14).chain(chain(3..7, 1.0)).chain(chain(7..10, 1e300));
    let graph = Graph::from_edges(10, edges).unwrap();
    let (a, b) = (Some("a"), Some("b"));
    let labels = Labels::from_names([a, None, b, a, None, None, b, a, None, b]);
    let found = Poisson::default().fit(&graph, &labels).unwrap();
    let row = |node: usize| found.scores().values().row(node).to_vec();
    assert_eq!([row(1), row(8)], [[0.5, 0.5]; 2]);
    assert_eq!([row(4), row(5)], [[1.0, 0.0], [0.0, 1.0]]);
}

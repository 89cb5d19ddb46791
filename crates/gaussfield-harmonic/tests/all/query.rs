//! What is chosen to be labelled next is what fresh fits would choose.

use crate::support::problem;
use gaussfield_graph::Graph;
use gaussfield_harmonic::{
    Consistency, Criterion, Field, Harmonic, HarmonicError, Query, Question, Reason,
};
use gaussfield_labels::{ClassPrior, Islands, Labels, Transductive};
use proptest::prelude::*;

/// Σᵢ (1 − max_c f_ic) over the unlabelled nodes.
fn errors(field: &Field) -> f64 {
    let confidence = field.scores().confidence();
    field.interior().iter().map(|&node| 1.0 - confidence[node]).sum()
}

/// The gain of a label at one node, by a fresh fit for each class.
fn gain(graph: &Graph, field: &Field, node: usize, criterion: Criterion) -> f64 {
    let told = |class: usize| {
        let labels = field.labels().with(node, Some(class)).unwrap();
        Harmonic::default().fit(graph, &labels).unwrap()
    };
    let interior = field.interior();
    match criterion {
        Criterion::Variance => {
            let before = field.variances(interior, 0.5).unwrap().sum();
            before - told(0).variances(interior, 0.5).unwrap().sum()
        }
        Criterion::Survey => {
            let before = field.covariance(interior, 0.5).unwrap().sum();
            before - told(0).covariance(interior, 0.5).unwrap().sum()
        }
        Criterion::ExpectedErrors => {
            let share = |class: usize| field.values()[[node, class]];
            let after = |class: usize| share(class) * errors(&told(class));
            errors(field) - (0..field.labels().classes()).map(after).sum::<f64>()
        }
        Criterion::Uncertainty => {
            let degrees = graph.degrees();
            field.scores().entropy()[node] * degrees[node] / degrees.mean().unwrap()
        }
        other => panic!("no reference for {other:?}"),
    }
}

const ALL: [Criterion; 4] =
    [Criterion::ExpectedErrors, Criterion::Variance, Criterion::Survey, Criterion::Uncertainty];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_gain_is_that_of_fresh_fits_and_the_largest((graph, labels) in problem()) {
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        prop_assume!(field.interior().len() > 1);
        for criterion in ALL {
            let query = Query { criterion, candidates: usize::MAX, ..Query::default() };
            let found = query.next(&field, &graph).unwrap();
            let [Question { node, reason: Reason::Gain(told) }] = found[..] else {
                return Err(TestCaseError::fail(format!("{criterion:?}: {found:?}")));
            };
            let scale = field.interior().len() as f64;
            let want = gain(&graph, &field, node, criterion);
            let near = 1e-8 * want.abs().max(scale * f64::EPSILON.sqrt());
            prop_assert!((told - want).abs() <= near, "{criterion:?}: {told} {want}");
            for &other in field.interior() {
                let other = gain(&graph, &field, other, criterion);
                prop_assert!(other <= told + near, "{criterion:?}: {other} above {told}");
            }
        }
    }

    #[test]
    fn a_batch_asks_about_different_nodes((graph, labels) in problem(), batch in 2..6_usize) {
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        for criterion in ALL {
            let query = Query { criterion, batch, ..Query::default() };
            let found = query.next(&field, &graph).unwrap();
            prop_assert_eq!(found.len(), batch.min(field.interior().len()));
            let mut nodes: Vec<usize> = found.iter().map(|question| question.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            prop_assert_eq!(nodes.len(), found.len());
            prop_assert!(nodes.iter().all(|node| field.interior().contains(node)));
        }
    }
}

/// Parts of 3 and 4 nodes without a label, beside one that has two.
fn parts() -> (Graph, Labels) {
    let edges = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (7, 8), (8, 9), (9, 10), (8, 10)];
    let graph = Graph::from_edges(11, edges.map(|(i, j)| (i, j, 1.0))).unwrap();
    let mut labels = vec![None; 11];
    (labels[0], labels[3]) = (Some(0), Some(1));
    (graph, Labels::new(labels, vec!["a".into(), "b".into()]).unwrap())
}

#[test]
fn parts_without_a_label_come_first_the_largest_before_others() {
    let (graph, labels) = parts();
    let islands = Islands::Prior(ClassPrior::uniform(2).unwrap());
    let field = Harmonic { islands, ..Harmonic::default() }.fit(&graph, &labels).unwrap();
    let query = Query { batch: 3, ..Query::default() };
    let found = query.next(&field, &graph).unwrap();
    assert_eq!(found[0], Question { node: 8, reason: Reason::Unreached { nodes: 4 } });
    assert_eq!(found[1], Question { node: 5, reason: Reason::Unreached { nodes: 3 } });
    assert!(matches!(found[2], Question { node: 1 | 2, reason: Reason::Gain(_) }), "{found:?}");
}

/// A lone node tied with the same weak link to both classes is in full doubt, and nothing follows
/// from its class.
#[test]
fn an_outlier_in_full_doubt_is_not_asked_about() {
    let mut edges = vec![(0, 2, 1.0), (1, 3, 1.0), (6, 0, 1e-3), (6, 1, 1e-3)];
    // A cluster between the labels, nearly in doubt.
    edges.extend([(2, 4, 0.5), (3, 4, 0.45), (4, 5, 1.0), (2, 5, 0.3), (3, 5, 0.3)]);
    let graph = Graph::from_edges(7, edges).unwrap();
    let labels = Labels::from_names([Some("a"), Some("b"), None, None, None, None, None]);
    let field = Harmonic::default().fit(&graph, &labels).unwrap();
    let entropy = field.scores().entropy();
    assert!(field.interior().iter().all(|&node| entropy[node] <= entropy[6]));
    for criterion in [Criterion::Uncertainty, Criterion::ExpectedErrors] {
        let found = Query { criterion, ..Query::default() }.next(&field, &graph).unwrap();
        assert!(matches!(found[0].node, 4 | 5), "{criterion:?}: {found:?}");
    }
}

#[test]
fn wrong_questions_are_told_why() {
    let (graph, labels) = parts();
    let islands = Islands::Prior(ClassPrior::uniform(2).unwrap());
    let field = Harmonic { islands: islands.clone(), ..Harmonic::default() };
    let field = field.fit(&graph, &labels).unwrap();
    let consistent = Consistency { islands, ..Consistency::default() }.fit(&graph, &labels);
    let variance = Query { criterion: Criterion::Variance, batch: 4, ..Query::default() };
    let refused = variance.next(&consistent.unwrap(), &graph).unwrap_err();
    assert!(matches!(refused, HarmonicError::NotOfThisMethod { .. }), "{refused}");
    for query in
        [Query { batch: 0, ..Query::default() }, Query { candidates: 0, ..Query::default() }]
    {
        let refused = query.next(&field, &graph).unwrap_err();
        assert!(matches!(refused, HarmonicError::OutOfRange(_)), "{refused}");
    }
    let small = Graph::from_edges(3, [(0, 1, 1.0)]).unwrap();
    let refused = Query::default().next(&field, &small).unwrap_err();
    assert!(matches!(refused, HarmonicError::SizeMismatch(_)), "{refused}");
}

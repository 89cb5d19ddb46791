//! What a field answers from its kept factorisation is what a fresh fit would say.

use crate::support::{close, problem};
use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_harmonic::{Consistency, Dongles, Field, Harmonic, HarmonicError, Smoothing};
use gaussfield_labels::{ClassPrior, Islands, Labels, Scores};
use gaussfield_laplacian::{Preconditioner, Solver, SolverOptions, Workbench};
use ndarray::{Array1, Array2, Axis};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-9;

/// Every way to a field that takes nothing but labels.
#[derive(Debug, Clone)]
enum Method {
    Harmonic,
    Smoothed,
    Consistent,
    Doubted,
}

const ALL: [Method; 4] = [Method::Harmonic, Method::Smoothed, Method::Consistent, Method::Doubted];

impl Method {
    fn fit(
        &self,
        graph: &Graph,
        labels: &Labels,
        islands: &Islands,
    ) -> Result<Field, HarmonicError> {
        let islands = islands.clone();
        match self {
            Self::Harmonic => Harmonic { islands, ..Harmonic::default() }.fit(graph, labels),
            Self::Smoothed => {
                let method =
                    Smoothing { epsilon: 0.2, self_loop: 0.3, islands, ..Smoothing::default() };
                method.fit(graph, labels)
            }
            Self::Consistent => {
                Consistency { alpha: 0.9, islands, ..Consistency::default() }.fit(graph, labels)
            }
            Self::Doubted => {
                let dongles = Dongles::default().and_doubt(0.6)?;
                let method = Harmonic { islands, ..Harmonic::default() };
                method.fit_with_dongles(graph, labels, &dongles)
            }
        }
    }

    fn changes(&self) -> bool {
        !matches!(self, Self::Doubted)
    }
}

/// The same weights, stored sparse and dense.
fn both(graph: &Graph) -> [Graph; 2] {
    let dense = graph.to_dense(Budget::default()).unwrap();
    [graph.clone(), Graph::from_dense(dense).unwrap()]
}

fn toggled(field: &Field, node: usize, class: usize) -> Result<Field, HarmonicError> {
    if field.labels().get(node).is_some() {
        field.without_label(node)
    } else {
        field.with_label(node, class)
    }
}

fn same(a: &Field, b: &Field) -> bool {
    close(&a.values().to_owned(), &b.values().to_owned(), TOLERANCE)
        && a.interior() == b.interior()
        && a.islands() == b.islands()
}

/// Two problems side by side, without an edge between them.
fn beside(left: &(Graph, Labels), right: &(Graph, Labels)) -> (Graph, Labels) {
    let shift = left.0.nodes();
    let mut edges = Vec::new();
    for (graph, by) in [(&left.0, 0), (&right.0, shift)] {
        for i in 0..graph.nodes() {
            graph.for_each_neighbour(i, |j, w| {
                if i < j {
                    edges.push((i + by, j + by, w))
                }
            });
        }
    }
    let graph = Graph::from_edges(shift + right.0.nodes(), edges).unwrap();
    let classes = left.1.as_slice().iter().chain(right.1.as_slice()).copied().collect();
    let names = if left.1.classes() > right.1.classes() { left.1.names() } else { right.1.names() };
    (graph, Labels::new(classes, names.to_vec()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn labels_come_and_go(
        (graph, labels) in problem(),
        steps in prop::collection::vec((0.0..1.0_f64, 0..2_usize), 1..8),
    ) {
        for graph in both(&graph) {
            for method in ALL.iter().filter(|method| method.changes()) {
                let mut field = method.fit(&graph, &labels, &Islands::Error).unwrap();
                for &(at, class) in &steps {
                    let node = (at * graph.nodes() as f64) as usize;
                    if field.labels().labelled() == [node] || field.interior() == [node] {
                        continue;
                    }
                    field = toggled(&field, node, class).unwrap();
                    let fresh = method.fit(&graph, field.labels(), &Islands::Error).unwrap();
                    prop_assert!(same(&field, &fresh), "{method:?} {node}");
                }
                let others: Vec<_> = field.labels().as_slice().iter().enumerate()
                    .map(|(i, class)| class.map(|class| (class + i) % 2)).collect();
                let others = Labels::new(others, vec!["x".into(), "y".into()]).unwrap();
                let fresh = method.fit(&graph, &others, &Islands::Error).unwrap();
                prop_assert!(same(&field.relabelled(&others).unwrap(), &fresh));
            }
        }
    }

    /// Parts of the graph may lose their last label; those that never had one say so.
    #[test]
    fn islands_come_and_go(
        left in problem(),
        right in problem(),
        steps in prop::collection::vec((0.0..1.0_f64, 0..2_usize), 1..12),
    ) {
        let (graph, labels) = beside(&left, &right);
        let prior = ClassPrior::uniform(labels.classes()).unwrap();
        let islands = Islands::Prior(prior);
        for method in ALL.iter().filter(|method| method.changes()) {
            let mut field = method.fit(&graph, &labels, &islands).unwrap();
            // The left part loses its labels first.
            for node in left.1.labelled() {
                field = field.without_label(node).unwrap();
            }
            let fresh = method.fit(&graph, field.labels(), &islands).unwrap();
            prop_assert!(same(&field, &fresh), "{method:?}");
            for &(at, class) in &steps {
                let node = (at * graph.nodes() as f64) as usize;
                if field.labels().labelled() == [node] || field.interior() == [node] {
                    continue;
                }
                field = toggled(&field, node, class).unwrap();
                let fresh = method.fit(&graph, field.labels(), &islands).unwrap();
                prop_assert!(same(&field, &fresh), "{method:?} {node}");
            }
        }
    }

    #[test]
    fn outside_predictions_stay_where_labels_come(
        (graph, labels) in problem(),
        shares in prop::collection::vec(0.05..1.0_f64, 14 * 4),
        at in 0.0..1.0_f64,
    ) {
        let outside = |labels: &Labels| {
            let all = Array2::from_shape_fn((graph.nodes(), labels.classes()), |(i, c)| shares[4 * i + c]);
            let rows = Scores::normalised(all.select(Axis(0), &labels.unlabelled())).unwrap();
            Dongles::on_unlabelled(rows, 0.3).unwrap()
        };
        let fit = |labels: &Labels| {
            Harmonic::default().fit_with_dongles(&graph, labels, &outside(labels)).unwrap()
        };
        let field = fit(&labels);
        let node = field.interior()[(at * field.interior().len() as f64) as usize];
        let told = field.with_label(node, 1).unwrap();
        prop_assert!(same(&told, &fit(told.labels())));
        let left_out = told.leave_one_out().unwrap();
        let place = left_out.nodes.binary_search(&node).unwrap();
        let gap = &left_out.scores.values().row(place) - &field.values().row(node);
        prop_assert!(gap.iter().all(|gap| gap.abs() < TOLERANCE));
        let influence = field.influence(node).unwrap();
        let sum: f64 = influence.labels.iter().map(|(_, share)| share).sum();
        prop_assert!((sum + influence.outside - 1.0).abs() < TOLERANCE && influence.outside > 0.0);
    }

    #[test]
    fn leaving_one_out_is_a_fit_without_it((graph, labels) in problem(), at in 0.0..1.0_f64) {
        for graph in both(&graph) {
            for method in &ALL {
                let mut field = method.fit(&graph, &labels, &Islands::Error).unwrap();
                for round in 0..2 {
                    if round == 1 && method.changes() {
                        // Once more with a label that came and one that went.
                        let node = field.interior()[(at * field.interior().len() as f64) as usize];
                        field = field.with_label(node, 0).unwrap().without_label(0).unwrap();
                    }
                    let left_out = field.leave_one_out().unwrap();
                    prop_assert_eq!(&left_out.nodes, &field.labels().labelled());
                    prop_assert!(left_out.islands.is_empty());
                    for (row, &node) in left_out.scores.values().rows().into_iter().zip(&left_out.nodes) {
                        let fewer = field.labels().with(node, None).unwrap();
                        let fresh = method.fit(&graph, &fewer, &Islands::Error).unwrap();
                        let gap = &row - &fresh.values().row(node);
                        prop_assert!(gap.iter().all(|gap| gap.abs() < TOLERANCE), "{method:?} {gap}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_if_is_a_fit_with_the_label((graph, labels) in problem()) {
        let everywhere: Vec<usize> = (0..graph.nodes()).collect();
        for graph in both(&graph) {
            for method in ALL.iter().filter(|method| method.changes()) {
                let field = method.fit(&graph, &labels, &Islands::Error).unwrap();
                let field = if labels.labelled().len() > 2 { field.without_label(0).unwrap() } else { field };
                let what_if = field.what_if(field.interior()).unwrap();
                let expected = what_if.expected_errors().unwrap();
                for (at, &node) in what_if.candidates().iter().enumerate() {
                    let mut errors = 0.0;
                    for class in 0..labels.classes() {
                        let told = field.labels().with(node, Some(class)).unwrap();
                        let fresh = method.fit(&graph, &told, &Islands::Error);
                        let Ok(fresh) = fresh else { continue };
                        let scores = what_if.scores(at, class, &everywhere).unwrap();
                        prop_assert!(close(&scores.values().to_owned(), &fresh.values().to_owned(), TOLERANCE));
                        let unsure: Array1<f64> = fresh.interior().iter()
                            .map(|&i| 1.0 - scores.confidence()[i]).collect();
                        errors += field.class(class)[node] * unsure.sum();
                    }
                    if field.interior().len() > 1 {
                        prop_assert!((errors - expected[at]).abs() < 1e-8);
                    }
                }
            }
        }
    }

    #[test]
    fn shares_of_the_labels_add_up_to_the_scores((graph, labels) in problem(), at in 0.0..1.0_f64) {
        for graph in both(&graph) {
            for method in &ALL {
                let mut field = method.fit(&graph, &labels, &Islands::Error).unwrap();
                if method.changes() {
                    let node = field.interior()[(at * field.interior().len() as f64) as usize];
                    field = field.with_label(node, 1).unwrap().without_label(0).unwrap();
                }
                for node in 0..graph.nodes() {
                    let influence = field.influence(node).unwrap();
                    let mut row = Array1::<f64>::zeros(labels.classes());
                    for &(label, share) in &influence.labels {
                        row[field.labels().get(label).unwrap()] += share;
                    }
                    let gap = row - field.values().row(node);
                    prop_assert!(gap.iter().all(|gap| gap.abs() < TOLERANCE), "{method:?} {node}");
                    prop_assert!(influence.outside.abs() < TOLERANCE);
                }
            }
        }
    }

    #[test]
    fn certainty_and_gradients_follow_the_labels((graph, labels) in problem(), at in 0.0..1.0_f64) {
        for graph in both(&graph) {
            for method in [Method::Harmonic, Method::Smoothed] {
                let field = method.fit(&graph, &labels, &Islands::Error).unwrap();
                let node = field.interior()[(at * field.interior().len() as f64) as usize];
                let field = field.with_label(node, 1).unwrap().without_label(0).unwrap();
                let fresh = method.fit(&graph, field.labels(), &Islands::Error).unwrap();
                if matches!(method, Method::Harmonic) {
                    let kept = field.covariance(field.interior(), 0.5).unwrap();
                    let want = fresh.covariance(field.interior(), 0.5).unwrap();
                    let largest = want.iter().fold(1.0, |most: f64, x| most.max(*x));
                    prop_assert!(close(&kept, &want, TOLERANCE * largest));
                }
                let sensitivity = Array2::from_shape_fn((field.interior().len(), labels.classes()), |(i, c)| {
                    ((i * 7 + c * 3) % 5) as f64 - 2.0
                });
                let kept = field.edge_gradient(sensitivity.view()).unwrap();
                let want = fresh.edge_gradient(sensitivity.view()).unwrap();
                let largest = want.potentials.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
                prop_assert!(close(&kept.potentials, &want.potentials, TOLERANCE * largest));
                prop_assert!((&kept.node_terms - &want.node_terms).iter().all(|gap| gap.abs() < TOLERANCE * largest));
            }
        }
    }
}

/// A label alone in its part of the graph: nobody else speaks about it.
#[test]
fn a_label_that_stands_alone_is_an_island_when_left_out() {
    let graph = Graph::from_edges(5, [(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)]).unwrap();
    let labels = Labels::from_names([Some("a"), None, Some("b"), Some("b"), None]);
    let prior = Islands::Prior(ClassPrior::given(vec![0.3, 0.7]).unwrap());
    for method in &ALL {
        let left_out = method.fit(&graph, &labels, &prior).unwrap().leave_one_out().unwrap();
        if matches!(method, Method::Smoothed) {
            assert!(left_out.islands.is_empty(), "a jump reaches it");
            continue;
        }
        assert_eq!(left_out.islands, [3], "{method:?}");
        let row = left_out.scores.values().row(2).to_vec();
        assert!((row[0] - 0.3).abs() < 1e-15 && (row[1] - 0.7).abs() < 1e-15);
        let strict = method.fit(&graph, &labels, &Islands::Error).unwrap();
        let nodes = vec![3];
        assert_eq!(
            strict.leave_one_out().unwrap_err(),
            HarmonicError::ComponentWithoutLabel { nodes }
        );
    }
}

/// Two triangles that hang on opposite labels by links far below rounding: the label that is taken
/// away leaves its triangle to the weak link alone.
#[test]
fn a_freed_node_keeps_its_weak_links() {
    let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0), (2, 3, 1e-17), (1, 5, 3e-17)];
    let graph = Graph::from_edges(6, edges).unwrap();
    let labels = Labels::from_names([Some("a"), None, None, None, Some("b"), Some("a")]);
    let field = Harmonic::default().fit(&graph, &labels).unwrap().without_label(0).unwrap();
    for node in [0, 1, 2] {
        assert!((field.class(1)[node] - 0.25).abs() < 1e-9, "{}", field.class(1)[node]);
    }
}

/// A search walks over graphs of one pattern: the workbench gives what fresh fits give, from one
/// structure.
#[test]
fn a_workbench_remembers_and_changes_nothing() {
    let n = 400;
    let graph = |sigma: f64| {
        let edges = (0..n).flat_map(|i| {
            [1, 7, 31].map(|step| (i, (i + step) % n, (-((i * step % 13) as f64) / sigma).exp()))
        });
        Graph::from_edges(n, edges).unwrap()
    };
    let labels = Labels::from_names((0..n).map(|i| match i {
        5 | 77 => Some("a"),
        200 | 390 => Some("b"),
        _ => None,
    }));
    let iterative = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
    for solver in [Solver::SparseCholesky, iterative] {
        let solver = SolverOptions { solver, ..SolverOptions::default() };
        let method = Smoothing { epsilon: 0.01, solver, ..Smoothing::default() };
        let mut bench = Workbench::new();
        for sigma in [20.0, 19.0, 18.5] {
            let graph = graph(sigma);
            let fresh = method.fit(&graph, &labels).unwrap();
            let kept = method.fit_on(&mut bench, &graph, &labels).unwrap();
            assert!(close(&kept.values().to_owned(), &fresh.values().to_owned(), 1e-8));
            let sensitivity = Array2::from_shape_fn((n - 4, 2), |(i, c)| ((i + c) % 3) as f64);
            let want = fresh.edge_gradient(sensitivity.view()).unwrap();
            let got = kept.edge_gradient_on(&mut bench, sensitivity.view()).unwrap();
            let largest = want.potentials.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
            assert!(close(&got.potentials, &want.potentials, 1e-8 * largest));
        }
        assert_eq!((bench.work().structures, bench.work().preparations), (1, 3));
        assert_eq!(bench.work().solves, 6, "field and adjoint of each step");
    }
}

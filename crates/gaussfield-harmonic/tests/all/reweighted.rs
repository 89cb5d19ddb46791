//! Laws of weights that grow towards the labels.

use crate::support::problem;
use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_harmonic::{Harmonic, HarmonicError, PoissonReweighted, ProperlyWeighted};
use gaussfield_labels::{ClassPrior, Islands, Labels, NodeScores, Transductive};
use gaussfield_laplacian::SolverOptions;
use gaussfield_points::Points;
use ndarray::{Array1, Array2, array};
use proptest::prelude::*;

/// How far an unlabelled node is at most from the mean of its neighbours by the weights given.
fn unbalanced(
    graph: &Graph,
    labels: &Labels,
    found: &NodeScores,
    factor: impl Fn(usize, usize) -> f64,
) -> f64 {
    let mut most = 0.0_f64;
    for i in labels.unlabelled() {
        for c in 0..labels.classes() {
            let f = found.scores().class(c);
            let (mut sum, mut weight) = (0.0, 0.0);
            graph.for_each_neighbour(i, |j, w| {
                sum += factor(i, j) * w * f[j];
                weight += factor(i, j) * w;
            });
            most = most.max((sum / weight - f[i]).abs());
        }
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// What flows out of a node is one share for all that are labelled, and one for all others.
    #[test]
    fn the_factors_are_the_potential_of_the_labels((graph, labels) in problem()) {
        let factors = PoissonReweighted::default().factors(&graph, &labels).unwrap();
        let share = labels.labelled().len() as f64 / graph.nodes() as f64;
        let flow = |i: usize| {
            let mut flow = 0.0;
            graph.for_each_neighbour(i, |j, w| flow += w * (factors[i] - factors[j]));
            flow / if labels.get(i).is_some() { 1.0 - share } else { -share }
        };
        let flows: Vec<f64> = (0..graph.nodes()).map(flow).collect();
        prop_assert!(flows[0] > 0.0);
        prop_assert!(flows.iter().all(|f| (f / flows[0] - 1.0).abs() < 1e-8), "{flows:?}");
        let lowest = factors.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = factors.iter().copied().fold(0.0, f64::max);
        prop_assert!((lowest - 1e-5).abs() < 1e-15 && (highest - 1.0).abs() < 1e-15);
    }

    /// Nodes are means of their neighbours by the new weights, however all weights are scaled.
    #[test]
    fn nodes_are_means_by_the_new_weights((graph, labels) in problem(), scale in -200.0..200.0) {
        let method = PoissonReweighted::default();
        let factors = method.factors(&graph, &labels).unwrap();
        let found = method.fit(&graph, &labels).unwrap();
        prop_assert!(unbalanced(&graph, &labels, &found, |i, j| factors[i] * factors[j]) < 1e-9);
        let scale = 10_f64.powf(scale);
        let mut edges = Vec::new();
        for i in 0..graph.nodes() {
            graph.for_each_neighbour(i, |j, w| if i < j { edges.push((i, j, scale * w)) });
        }
        let scaled = Graph::from_edges(graph.nodes(), edges).unwrap();
        let other = method.fit(&scaled, &labels).unwrap();
        let (a, b) = (found.scores().values(), other.scores().values());
        prop_assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn nearness_in_space_is_weight((graph, labels) in problem(), radius in 0.01..10.0, power in 0.5..4.0) {
        let n = graph.nodes();
        let points = Array2::from_shape_fn((n, 2), |(i, k)| ((7 * i + 3 * k) % 11) as f64);
        let points = Points::dense(points).unwrap();
        let method = ProperlyWeighted { radius, power, most: 1e4, ..ProperlyWeighted::default() };
        let factors = method.factors(&points, &labels).unwrap();
        for i in 0..n {
            let near = labels.labelled().into_iter().map(|l| points.squared_distance(i, l).sqrt());
            let expected = near.map(|d| (1.0 + (radius / d).powf(power)).min(1e4)).fold(0.0, f64::max);
            prop_assert!((factors[i] - expected).abs() <= 1e-12 * expected);
        }
        prop_assert!(labels.labelled().into_iter().all(|l| (factors[l] - 1e4).abs() < 1e-9));
        let found = method.fit(&graph, &points, &labels).unwrap();
        prop_assert!(unbalanced(&graph, &labels, &found, |i, j| factors[i] + factors[j]) < 1e-9);
    }
}

/// A grid of 40 × 40 with a label of each class: both hold more of the grid at their labels.
#[test]
fn labels_hold_their_surroundings() {
    let side = 40;
    let right = (0..side * side).filter(|i| i % side + 1 < side).map(|i| (i, i + 1, 1.0));
    let down = (0..side * (side - 1)).map(|i| (i, i + side, 1.0));
    let graph = Graph::from_edges(side * side, right.chain(down)).unwrap();
    let mut of = vec![None; side * side];
    (of[10 * side + 10], of[30 * side + 30]) = (Some("a"), Some("b"));
    let labels = Labels::from_names(of);
    let place = |(i, k): (usize, usize)| [i % side, i / side][k] as f64 / side as f64;
    let points = Points::dense(Array2::from_shape_fn((side * side, 2), place)).unwrap();
    let spread = |found: &dyn Transductive| {
        let f: Array1<f64> = found.scores().class(0).to_owned();
        f.std(0.0)
    };
    let plain = spread(&Harmonic::default().fit(&graph, &labels).unwrap());
    let poisson = spread(&PoissonReweighted::default().fit(&graph, &labels).unwrap());
    let properly = ProperlyWeighted { radius: 1.0, ..ProperlyWeighted::default() };
    let properly = spread(&properly.fit(&graph, &points, &labels).unwrap());
    assert!(poisson > 1.5 * plain && properly > 1.5 * plain, "{plain} {poisson} {properly}");
}

#[test]
fn parts_are_problems_of_their_own() {
    // Labels of two classes, nothing but labels, no label.
    let edges = [(0, 1, 1.0), (1, 2, 0.5), (3, 4, 1.0), (5, 6, 1.0)];
    let graph = Graph::from_edges(8, edges).unwrap();
    let mut of = [None; 8];
    (of[0], of[2], of[3], of[4]) = (Some("a"), Some("b"), Some("b"), Some("b"));
    let labels = Labels::from_names(of);
    let method = PoissonReweighted::default();
    let error = method.fit(&graph, &labels).unwrap_err();
    assert_eq!(error, HarmonicError::ComponentWithoutLabel { nodes: vec![5, 6, 7] });
    assert_eq!(method.factors(&graph, &labels).unwrap().to_vec()[3..], [1.0; 5]);
    let islands = Islands::Prior(ClassPrior::given(vec![0.25, 0.75]).unwrap());
    let found = PoissonReweighted { islands, ..method }.fit(&graph, &labels).unwrap();
    assert_eq!(found.islands(), [5, 6, 7]);
    assert_eq!(found.scores().values().row(6), array![0.25, 0.75]);
}

#[test]
fn each_mistake_is_an_error_that_names_it() {
    let graph = Graph::from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let labels = Labels::from_names([Some("a"), None, Some("b")]);
    let points = Points::dense(array![[0.0], [1.0], [2.0]]).unwrap();
    let two = Points::dense(array![[0.0], [1.0]]).unwrap();
    let none = Labels::new(vec![None; 3], vec!["a".into()]).unwrap();
    let told = |method: ProperlyWeighted| method.fit(&graph, &points, &labels).unwrap_err();
    let plain = ProperlyWeighted::default;
    let solver = SolverOptions { budget: Budget { bytes: 50 }, ..SolverOptions::default() };
    for (words, error) in [
        ("radius r is 0", told(ProperlyWeighted { radius: 0.0, ..plain() })),
        ("power α is -1", told(ProperlyWeighted { power: -1.0, ..plain() })),
        ("most weight ζ is 1", told(ProperlyWeighted { most: 1.0, ..plain() })),
        ("most weight ζ is inf", told(ProperlyWeighted { most: f64::INFINITY, ..plain() })),
        ("weights of the graph once more", told(ProperlyWeighted { solver, ..plain() })),
        ("2 given where 3", plain().fit(&graph, &two, &labels).unwrap_err()),
        ("no node is labelled", plain().fit(&graph, &points, &none).unwrap_err()),
        ("no node is labelled", PoissonReweighted::default().fit(&graph, &none).unwrap_err()),
    ] {
        assert!(error.to_string().contains(words), "{error} should contain {words:?}");
    }
}

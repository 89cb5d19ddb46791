//! Laws of threshold dynamics.

use crate::support::problem;
use gaussfield_core::FactValue;
use gaussfield_graph::Graph;
use gaussfield_harmonic::{Balance, Dynamics, Harmonic, Partition};
use gaussfield_labels::{
    ClassPrior, Decision, Islands, Labels, Transductive, class_counts, class_mass_normalise,
};
use ndarray::{Array2, array};
use proptest::prelude::*;

/// P^steps times the one-hot classes of all nodes, by hand.
fn walked(graph: &Graph, classes: &[usize], count: usize, steps: usize) -> Array2<f64> {
    let degrees = graph.degrees();
    let mut values = Array2::from_shape_fn((classes.len(), count), |(i, c)| {
        f64::from(u8::from(classes[i] == c))
    });
    for _ in 0..steps {
        let mut next = Array2::zeros(values.raw_dim());
        for i in 0..classes.len() {
            graph.for_each_neighbour(i, |j, w| {
                next.row_mut(i).scaled_add(w / degrees[i], &values.row(j));
            });
        }
        values = next;
    }
    values
}

/// The class of every node, labels included.
fn classes(found: &Partition) -> Vec<usize> {
    found.scores().argmax()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// With an even number of steps there is an end, and there walking and deciding changes nothing.
    #[test]
    fn free_dynamics_end_where_a_walk_changes_nothing(
        (graph, labels) in problem(),
        steps in 1_usize..3,
        once in any::<bool>(),
    ) {
        let balance = if once { Balance::UniformOnce } else { Balance::Free };
        let method = Dynamics { balance, steps: 2 * steps, max_rounds: 1000, ..Dynamics::default() };
        let found = method.fit(&graph, &labels).unwrap();
        prop_assert!(found.settled());
        let decided = classes(&found);
        let walked = walked(&graph, &decided, labels.classes(), 2 * steps);
        for i in 0..labels.len() {
            match labels.get(i) {
                Some(class) => prop_assert_eq!(decided[i], class),
                None => for c in 0..labels.classes() {
                    prop_assert!((found.scores().values()[[i, c]] - walked[[i, c]]).abs() < 1e-12);
                }
            }
        }
    }

    /// One round by hand: normalise once, decide, walk, decide.
    #[test]
    fn one_round_is_a_decision_and_a_walk((graph, labels) in problem()) {
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        let uniform = ClassPrior::uniform(labels.classes()).unwrap();
        let start = class_mass_normalise(&field.interior_scores().unwrap(), &uniform).unwrap();
        let mut decided: Vec<usize> = labels.as_slice().iter().map(|c| c.unwrap_or(0)).collect();
        for (&node, class) in field.interior().iter().zip(start.scores.argmax()) {
            decided[node] = class;
        }
        let walked = walked(&graph, &decided, labels.classes(), 3);
        let method = Dynamics { steps: 3, max_rounds: 1, ..Dynamics::default() };
        let found = method.fit(&graph, &labels).unwrap();
        prop_assert_eq!(found.rounds(), 1);
        for &i in found.interior() {
            for c in 0..labels.classes() {
                prop_assert!((found.scores().values()[[i, c]] - walked[[i, c]]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn balanced_classes_have_their_counts((graph, labels) in problem(), share in 0.1..0.8_f64) {
        let rest = (1.0 - share) / (labels.classes() - 1) as f64;
        let shares = (0..labels.classes()).map(|c| if c == 0 { share } else { rest }).collect();
        let prior = ClassPrior::given(shares).unwrap();
        let balance = Balance::Counts(prior.clone());
        let found = Dynamics { balance, ..Dynamics::default() }.fit(&graph, &labels).unwrap();
        let told = found.predictions(&Decision::Argmax).unwrap();
        for (class, &want) in class_counts(&prior, told.len()).iter().enumerate() {
            prop_assert_eq!(told.classes().iter().filter(|&&c| c == class).count(), want);
        }
    }
}

#[test]
fn any_answer_can_be_the_start_and_facts_say_how_it_went() {
    let edges = (0..9).map(|i| (i, i + 1, if i == 4 { 0.1 } else { 1.0 }));
    let graph = Graph::from_edges(10, edges).unwrap();
    let labels = Labels::from_names((0..10).map(|i| match i {
        1 => Some("a"),
        9 => Some("b"),
        _ => None,
    }));
    let method = Dynamics::default();
    let field = Harmonic::default().fit(&graph, &labels).unwrap();
    let (own, given) =
        (method.fit(&graph, &labels).unwrap(), method.fit_from(&graph, &labels, &field).unwrap());
    assert_eq!(own.scores(), given.scores());
    assert_eq!(classes(&own), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    let facts = own.facts();
    for (name, want) in [
        ("method", "threshold dynamics"),
        ("start", "the harmonic function"),
        ("settled", "yes"),
        ("class prior of the dynamics", "uniform, once by mass"),
    ] {
        assert_eq!(facts.get(name), Some(&FactValue::Text(want.into())), "{name}");
    }
    assert_eq!(facts.get("rounds"), Some(&FactValue::Count(own.rounds() as u64)));
}

#[test]
fn islands_hold_the_prior_and_are_not_counted() {
    let graph = Graph::from_edges(7, [(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)]).unwrap();
    let of = [Some(0), None, None, None, None, Some(1), None];
    let labels = Labels::new(of.to_vec(), vec!["a".into(), "b".into()]).unwrap();
    let islands = Islands::Prior(ClassPrior::given(vec![0.25, 0.75]).unwrap());
    let balance = Balance::Counts(ClassPrior::uniform(2).unwrap());
    for balance in [Balance::UniformOnce, Balance::Free, balance] {
        let method = Dynamics { islands: islands.clone(), balance, ..Dynamics::default() };
        let found = method.fit(&graph, &labels).unwrap();
        assert_eq!(found.islands(), [3, 4, 6]);
        assert_eq!(found.scores().values().row(4), array![0.25, 0.75]);
        assert_eq!(found.scores().values().row(5), array![0.0, 1.0]);
        assert_eq!(found.interior(), [1, 2, 3, 4, 6]);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let n = 3000;
    let edges = (0..n).flat_map(|i| [1, 11, 57].map(|step| (i, (i + step) % n)));
    let edges = edges.map(|(i, j)| (i, j, 1.0 / (1 + (i * 7 + j * 3) % 11) as f64));
    let graph = Graph::from_edges(n, edges).unwrap();
    let labels = Labels::from_names((0..n).map(|i| (i % 500 == 3).then(|| ["a", "b", "c"][i % 3])));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Dynamics::default().fit(&graph, &labels).unwrap())
    };
    assert_eq!(run(1).scores(), run(3).scores());
}

//! Laws of numbers and of soft labels at the boundary.

use crate::support::problem;
use gaussfield_graph::Graph;
use gaussfield_harmonic::{Harmonic, HarmonicError};
use gaussfield_labels::{ClassPrior, Islands, Labels, SoftLabels, Transductive};
use ndarray::{Array2, array};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn numbers_between_are_means_of_their_neighbours((graph, labels) in problem(), scale in -9.0..9.0_f64) {
        let nodes = labels.labelled();
        let given = Array2::from_shape_fn((nodes.len(), 2), |(i, c)| scale * (i as f64) - c as f64);
        let all = Harmonic::default().interpolate(&graph, &nodes, given.view()).unwrap();
        let degrees = graph.degrees();
        for &i in all.interior() {
            for c in 0..2 {
                let mut mean = 0.0;
                graph.for_each_neighbour(i, |j, w| mean += w * all.values()[[j, c]] / degrees[i]);
                prop_assert!((all.values()[[i, c]] - mean).abs() < 1e-9 * (1.0 + scale.abs() * 14.0));
            }
        }
        for (row, &node) in given.outer_iter().zip(&nodes) {
            prop_assert_eq!(all.values().row(node).to_owned(), row.to_owned());
        }
    }

    /// Certain labels give the harmonic function, and what is linear in labels stays so.
    #[test]
    fn soft_labels_are_a_mixture_of_certain_ones((graph, labels) in problem(), share in 0.0..1.0_f64) {
        let certain = Harmonic::default().fit(&graph, &labels).unwrap();
        let soft = Harmonic::default().fit_soft(&graph, &SoftLabels::from(&labels)).unwrap();
        let gap = &certain.values() - &soft.scores().values();
        prop_assert!(gap.iter().all(|gap| gap.abs() < 1e-10));

        let other = Harmonic::default().fit(&graph, &labels.with(0, Some(1)).unwrap()).unwrap();
        let mut row = vec![0.0; labels.classes()];
        (row[0], row[1]) = (1.0 - share, share);
        let between = SoftLabels::from(&labels).shares(0, &row).unwrap();
        let between = Harmonic::default().fit_soft(&graph, &between).unwrap();
        let want = &certain.values() * (1.0 - share) + &(&other.values() * share);
        prop_assert!((&want - &between.scores().values()).iter().all(|gap| gap.abs() < 1e-9));
        prop_assert_eq!(between.interior(), certain.interior());
    }
}

#[test]
fn islands_and_mistakes() {
    let graph = Graph::from_edges(5, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let plain = Harmonic::default();
    let prior = Islands::Prior(ClassPrior::given(vec![0.25, 0.75]).unwrap());
    let filling = Harmonic { islands: prior, ..Harmonic::default() };
    let labels = Labels::new(vec![None; 5], vec!["a".into(), "b".into()]).unwrap();
    let known = SoftLabels::from(&labels).shares(0, &[0.5, 0.5]).unwrap();
    let found = filling.fit_soft(&graph, &known).unwrap();
    assert_eq!(found.islands(), [2, 3, 4]);
    assert_eq!(found.scores().values().row(3), array![0.25, 0.75]);
    assert_eq!(found.scores().values().row(1), array![0.5, 0.5]);

    let one = array![[1.0]];
    let short = SoftLabels::from(&Labels::from_names([Some("a")]));
    let table: Vec<(&str, HarmonicError)> = vec![
        ("3 nodes cannot reach", plain.fit_soft(&graph, &known).unwrap_err()),
        ("no node is labelled", plain.fit_soft(&graph, &SoftLabels::from(&labels)).unwrap_err()),
        ("1 given where 5", plain.fit_soft(&graph, &short).unwrap_err()),
        ("2 given where 1", filling.interpolate(&graph, &[0], one.view()).unwrap_err()),
        ("node 7", plain.interpolate(&graph, &[7], one.view()).unwrap_err()),
        ("1 given where 2", plain.interpolate(&graph, &[0, 2], one.view()).unwrap_err()),
        (
            "node 0 is named twice",
            plain.interpolate(&graph, &[0, 0], array![[1.0], [2.0]].view()).unwrap_err(),
        ),
        ("node 2 is NaN", plain.interpolate(&graph, &[2], array![[f64::NAN]].view()).unwrap_err()),
    ];
    for (words, error) in table {
        assert!(error.to_string().contains(words), "{error} should contain {words:?}");
    }
}

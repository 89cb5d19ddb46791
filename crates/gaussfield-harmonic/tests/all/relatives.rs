//! Laws of the methods that the harmonic function is compared with.

use crate::support::{close, problem};
use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_harmonic::relatives::{
    Eigenvectors, MarkovWalk, MinimumCut, NearestGrowth, NormalisedCut,
};
use gaussfield_harmonic::{Harmonic, HarmonicError};
use gaussfield_labels::{ClassPrior, Islands, Labels, Transductive};
use ndarray::{Array1, Array2};
use proptest::prelude::*;

/// The same problem with classes 0 and 1 only.
fn between_two(labels: &Labels) -> Labels {
    let of = labels.as_slice().iter().map(|class| class.filter(|&class| class < 2)).collect();
    Labels::new(of, vec!["a".into(), "b".into()]).unwrap()
}

/// ½ Σ w |fᵢ − fⱼ|.
fn cut(graph: &Graph, f: &[f64]) -> f64 {
    let mut twice = 0.0;
    for i in 0..graph.nodes() {
        graph.for_each_neighbour(i, |j, w| twice += w * (f[i] - f[j]).abs());
    }
    twice / 2.0
}

/// Every labelling of the unlabelled nodes by 0 and 1.
fn labellings(labels: &Labels) -> Vec<Vec<f64>> {
    let free = labels.unlabelled();
    let one = |bits: usize| {
        let mut f: Vec<f64> = labels.as_slice().iter().map(|c| c.unwrap_or(0) as f64).collect();
        for (at, &node) in free.iter().enumerate() {
            f[node] = f64::from(u8::from(bits >> at & 1 == 1));
        }
        f
    };
    (0..1 << free.len()).map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Weights e^(−rank·s) of distinct ranks: as s grows the harmonic function becomes the growth.
    #[test]
    fn growth_is_the_limit_of_short_length_scales(
        (graph, labels) in problem(),
        order in Just(()).prop_perturb(|(), mut random| random.random::<u64>()),
    ) {
        let n = graph.nodes();
        let mut edges = Vec::new();
        for i in 0..n {
            graph.for_each_neighbour(i, |j, _| if i < j { edges.push((i, j)) });
        }
        edges.sort_by_key(|&(i, j)| (order ^ ((i * 31 + j) as u64)).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let steep = |s: f64| {
            let edges = edges.iter().enumerate().map(|(rank, &(i, j))| (i, j, (-s * rank as f64).exp()));
            Graph::from_edges(n, edges).unwrap()
        };
        let grown = NearestGrowth::default().fit(&steep(1.0), &labels).unwrap();
        let again = NearestGrowth::default().fit(&steep(0.1), &labels).unwrap();
        prop_assert_eq!(grown.order(), again.order());
        prop_assert_eq!(grown.order().len(), labels.unlabelled().len());
        let field = Harmonic::default().fit(&steep(9.0), &labels).unwrap();
        let all = grown.scores().values().to_owned();
        prop_assert!(close(&field.values().to_owned(), &all, 0.02));
    }

    #[test]
    fn no_labelling_cuts_less_than_the_minimum_cut((graph, labels) in problem()) {
        let labels = between_two(&labels);
        prop_assume!(labels.unlabelled().len() <= 10);
        let found = MinimumCut::default().fit(&graph, &labels).unwrap();
        let f: Vec<f64> = found.scores().class(1).to_vec();
        let all: Vec<f64> = labellings(&labels).iter().map(|f| cut(&graph, f)).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        prop_assert!((found.weight() - least).abs() < 1e-9, "{} {least}", found.weight());
        // ½ on undecided nodes costs as little: the objective is linear between two minima.
        prop_assert!((cut(&graph, &f) - least).abs() < 1e-9);
        let minima = all.iter().filter(|&&weight| weight < least + 1e-9).count();
        prop_assert_eq!(minima > 1, !found.undecided().is_empty());
        // The harmonic function minimises the squares, and can have no smaller absolute values.
        let field = Harmonic::default().fit(&graph, &labels).unwrap();
        prop_assert!(cut(&graph, &field.class(1).to_vec()) >= least - 1e-9);
    }

    /// Among functions that are equal on the labels of a class none has a smaller quotient.
    #[test]
    fn the_normalised_cut_has_the_least_quotient(
        (graph, labels) in problem(),
        by in prop::collection::vec(-1.0..1.0_f64, 14),
    ) {
        let labels = between_two(&labels);
        let found = NormalisedCut::default().fit(&graph, &labels).unwrap();
        let degrees = graph.degrees();
        let quotient = |f: &Array1<f64>| {
            let mean = f.dot(&degrees) / degrees.sum();
            let f = f - mean;
            gaussfield_harmonic::energy(&graph, f.view()) / (&f * &f).dot(&degrees)
        };
        prop_assert!((quotient(found.values()) - found.quotient()).abs() < 1e-9);
        prop_assert!(found.values().dot(&degrees).abs() < 1e-9 * degrees.sum());
        let other = Array1::from_shape_fn(graph.nodes(), |node| match labels.get(node) {
            Some(class) => found.values()[labels.labelled().into_iter().find(|&l| labels.get(l) == Some(class)).unwrap()],
            None => found.values()[node] + by[node],
        });
        prop_assert!(quotient(&other) >= found.quotient() - 1e-9);
        // Labels keep their side, and the cost told is that of the sides.
        let sides = found.scores().argmax();
        for node in labels.labelled() {
            prop_assert_eq!(Some(sides[node]), labels.get(node));
        }
        let f: Vec<f64> = sides.iter().map(|&side| side as f64).collect();
        let volume = |side: usize| -> f64 {
            (0..graph.nodes()).filter(|&i| sides[i] == side).map(|i| degrees[i]).sum()
        };
        let cost = cut(&graph, &f) / volume(0) + cut(&graph, &f) / volume(1);
        prop_assert!((cost - found.cost()).abs() < 1e-9);
    }

    /// With an eigenvector for every label the labels are fitted, if these tell the labels apart.
    #[test]
    fn fewer_eigenvectors_fit_worse((graph, labels) in problem()) {
        let most = labels.labelled().len();
        let residual = |count: usize| {
            let fit = Eigenvectors { count, ..Eigenvectors::default() }.fit(&graph, &labels).unwrap();
            let values = fit.values().to_owned();
            let gaps: f64 = labels.labelled().iter().map(|&node| {
                (0..labels.classes())
                    .map(|c| (values[[node, c]] - f64::from(u8::from(labels.get(node) == Some(c)))).powi(2))
                    .sum::<f64>()
            }).sum();
            // The constant is among them, so that every row sums to one.
            assert!(values.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-6));
            gaps
        };
        let all: Vec<f64> = (1..=most).map(residual).collect();
        prop_assert!(all.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{all:?}");
        prop_assert!(all[0] > 1e-3);
    }
}

/// Where the labelled nodes do not tell the eigenvectors apart, or hardly do, the rows sum to one all
/// the same: two leaves of one node have the same value in the second eigenvector, and in the other graph,
/// which was drawn, eleven eigenvectors are told by eleven nodes up to a millionth.
#[test]
fn eigenvectors_that_no_label_tells_apart_leave_rows_that_sum_to_one() {
    let graph = Graph::from_edges(5, [(0, 2, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)]).unwrap();
    let labels = Labels::from_names([Some("a"), Some("b"), None, None, None]);
    let fit = Eigenvectors { count: 2, ..Eigenvectors::default() }.fit(&graph, &labels).unwrap();
    assert!(fit.values().iter().all(|value| (value - 0.5).abs() < 1e-9), "{}", fit.values());

    let light = [(0, 1), (0, 2), (0, 3), (0, 7), (1, 4), (3, 4), (3, 9)].map(|(i, j)| (i, j, 0.05));
    let edges = [
        (0, 5, 4.786350210055126),
        (0, 6, 2.750825074252048),
        (0, 8, 1.4988476150541754),
        (0, 10, 2.912744882052513),
        (0, 11, 4.742736129016498),
        (9, 12, 4.457742941564909),
    ];
    let graph = Graph::from_edges(13, light.into_iter().chain(edges)).unwrap();
    let mut of = [Some("a"); 13];
    (of[1], of[11], of[12]) = (None, None, Some("b"));
    let labels = Labels::from_names(of);
    for count in 1..=11 {
        let fit = Eigenvectors { count, ..Eigenvectors::default() }.fit(&graph, &labels).unwrap();
        for row in fit.values().rows() {
            assert!((row.sum() - 1.0).abs() < 1e-9, "{count}: {row}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Rows are probabilities; with very many steps all nodes of a part say the same.
    #[test]
    fn a_long_walk_forgets_where_it_began((graph, labels) in problem()) {
        let walk = |steps| MarkovWalk { steps, ..MarkovWalk::default() }.fit(&graph, &labels).unwrap();
        let short = walk(1);
        for row in short.scores().values().rows() {
            prop_assert!((row.sum() - 1.0).abs() < 1e-9);
        }
        let long = walk(8000);
        let first = long.scores().values().row(0).to_owned();
        for row in long.scores().values().rows() {
            prop_assert!((&row - &first).iter().all(|gap| gap.abs() < 0.02));
        }
    }
}

/// One step by hand: P(i|k) over beginnings, fitted by one label of each class.
#[test]
fn a_walk_of_one_step_is_bayes_rule() {
    // A path 0 – 1 – 2 with staying weight 1: node 1 is reached from all, ends from two.
    let graph = Graph::from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let labels = Labels::from_names([Some("a"), None, Some("b")]);
    let walk = MarkovWalk { steps: 1, ..MarkovWalk::default() };
    let found = walk.fit(&graph, &labels).unwrap();
    // Beginnings 0 and 2 become sure of their classes; 1 is as near to both and stays even.
    let expected = Array2::from_shape_vec((3, 2), vec![0.8, 0.2, 0.5, 0.5, 0.2, 0.8]).unwrap();
    assert!(close(&found.scores().values().to_owned(), &expected, 1e-3), "{:?}", found.scores());
}

#[test]
fn each_mistake_is_an_error_that_names_it() {
    let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
    let cut = Graph::from_edges(4, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let ends = Labels::from_names([Some("a"), None, None, Some("b")]);
    let three = Labels::from_names([Some("a"), Some("c"), None, Some("b")]);
    let one = Labels::new(vec![Some(0), None, None, None], vec!["a".into(), "b".into()]).unwrap();
    let short = Labels::from_names([Some("a"), None]);
    let none = Labels::new(vec![None; 4], vec!["a".into(), "b".into()]).unwrap();
    let (min, norm) = (MinimumCut::default(), NormalisedCut::default());
    let tight = NormalisedCut { budget: Budget { bytes: 10 }, ..NormalisedCut::default() };
    let walk = |walk: MarkovWalk| walk.fit(&graph, &ends).unwrap_err();
    let count = |count| Eigenvectors { count, ..Eigenvectors::default() }.fit(&graph, &ends);
    let table: Vec<(&str, HarmonicError)> = vec![
        (
            "the minimum cut parts two classes, but there are 3",
            min.fit(&graph, &three).unwrap_err(),
        ),
        ("the normalised cut parts two classes", norm.fit(&graph, &three).unwrap_err()),
        ("\"b\" has none", min.fit(&graph, &one).unwrap_err()),
        ("2 given where 4 are needed", min.fit(&graph, &short).unwrap_err()),
        ("no node is labelled", NearestGrowth::default().fit(&graph, &none).unwrap_err()),
        ("2 nodes cannot reach", NearestGrowth::default().fit(&cut, &one).unwrap_err()),
        ("the joined graph", tight.fit(&graph, &ends).unwrap_err()),
        ("number of steps is 0", walk(MarkovWalk { steps: 0, ..MarkovWalk::default() })),
        (
            "weight of staying is -1",
            walk(MarkovWalk { self_weight: -1.0, ..MarkovWalk::default() }),
        ),
        ("iterations is 0", walk(MarkovWalk { max_iterations: 0, ..MarkovWalk::default() })),
        ("tolerance is NaN", walk(MarkovWalk { tolerance: f64::NAN, ..MarkovWalk::default() })),
        ("eigenvectors is 3", count(3).unwrap_err()),
        ("eigenvectors is 0", count(0).unwrap_err()),
    ];
    for (expected, error) in table {
        assert!(error.to_string().contains(expected), "{expected}: {error}");
    }
}

/// A part without a label holds the prior, and the rest is as it would be without that part.
#[test]
fn islands_hold_the_prior() {
    let graph = Graph::from_edges(6, [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 3.0), (4, 5, 1.0)]).unwrap();
    let whole = Graph::from_edges(4, [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 3.0)]).unwrap();
    let labels = Labels::from_names([Some("a"), None, None, Some("b"), None, None]);
    let part = Labels::from_names([Some("a"), None, None, Some("b")]);
    let islands = Islands::Prior(ClassPrior::given(vec![0.3, 0.7]).unwrap());
    type Answer = Box<dyn Transductive>;
    let answers = |graph: &Graph, labels: &Labels, islands: Islands| -> [Answer; 5] {
        let growth = NearestGrowth { islands: islands.clone() };
        let min = MinimumCut { islands: islands.clone() };
        let norm = NormalisedCut { islands: islands.clone(), ..NormalisedCut::default() };
        let walk = MarkovWalk { islands: islands.clone(), ..MarkovWalk::default() };
        let eigen = Eigenvectors { islands, ..Eigenvectors::default() };
        [
            Box::new(growth.fit(graph, labels).unwrap()),
            Box::new(min.fit(graph, labels).unwrap()),
            Box::new(norm.fit(graph, labels).unwrap()),
            Box::new(walk.fit(graph, labels).unwrap()),
            Box::new(eigen.fit(graph, labels).unwrap()),
        ]
    };
    let alone = answers(&whole, &part, Islands::Error);
    for (found, alone) in answers(&graph, &labels, islands).iter().zip(alone) {
        assert!(found.facts().to_string().contains("nodes on islands: 2"), "{}", found.facts());
        let (values, own) = (found.scores().values(), alone.scores().values());
        assert!((values[[4, 1]] - 0.7).abs() < 1e-12 && (values[[5, 0]] - 0.3).abs() < 1e-12);
        for node in 0..4 {
            assert!((values[[node, 0]] - own[[node, 0]]).abs() < 1e-6, "{}", found.facts());
        }
    }
}

/// A column of ids taken for classes has as many scores as pairs of nodes.
#[test]
fn scores_of_too_many_classes_are_refused_before() {
    let n = 20_000;
    let chain = Graph::from_edges(n, (1..n).map(|i| (i - 1, i, 1.0))).unwrap();
    let names = (0..n).map(|id| id.to_string()).collect();
    let labels = Labels::new((0..n).map(Some).collect(), names).unwrap();
    let eigenvectors = Eigenvectors { count: 3, ..Eigenvectors::default() };
    for refused in [
        NearestGrowth::default().fit(&chain, &labels).map(drop),
        eigenvectors.fit(&chain, &labels).map(drop),
    ] {
        let told = refused.unwrap_err().to_string();
        assert!(told.starts_with("the scores of all classes take 9.60 GB"), "{told}");
    }
}

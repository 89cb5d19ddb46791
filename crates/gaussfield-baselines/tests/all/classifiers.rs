//! The classifiers on data whose answer is known.

use gaussfield_baselines::{Kernel, NearestNeighbours, VotedPerceptron};
use gaussfield_graph::Metric;
use gaussfield_labels::{Inductive as _, Labels};
use gaussfield_points::Points;
use ndarray::{Array2, array};
use proptest::prelude::*;
use sprs::CsMat;

const QUADRATIC: Kernel = Kernel::Polynomial { degree: 2, scale: 1.0, offset: 1.0 };

fn dense(rows: &Array2<f64>) -> Points {
    Points::dense(rows.clone()).unwrap()
}

fn sparse(rows: &Array2<f64>) -> Points {
    Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap()
}

/// Rows of small integers, so that products and squared distances are exact in any order.
fn integer_rows(rows: usize, columns: usize) -> impl Strategy<Value = Array2<f64>> {
    prop::collection::vec(-4_i32..=4, rows * columns).prop_map(move |entries| {
        let entries = entries.into_iter().map(f64::from).collect();
        Array2::from_shape_vec((rows, columns), entries).unwrap()
    })
}

/// Three well-separated groups of five points around a circle; the first of each is labelled.
fn three_groups() -> (Points, Labels, Vec<usize>) {
    let truth: Vec<usize> = (0..15).map(|i| i / 5).collect();
    let rows = Array2::from_shape_fn((15, 2), |(i, d)| {
        let angle = 2.0 * std::f64::consts::PI * (truth[i] as f64 + 0.04 * (i % 5) as f64) / 3.0;
        3.0 * if d == 0 { angle.cos() } else { angle.sin() }
    });
    let labels = Labels::numbered(&truth, 3).unwrap().keep(&[0, 5, 10]).unwrap();
    (dense(&rows), labels, truth)
}

#[test]
fn three_classes_are_told_apart() {
    let (points, labels, truth) = three_groups();
    let nearest = NearestNeighbours::one(Metric::Euclidean).fit(&points, &labels).unwrap();
    assert_eq!(nearest.predict(&points).unwrap().argmax(), truth);
    let cosine = NearestNeighbours::one(Metric::Cosine).fit(&points, &labels).unwrap();
    assert_eq!(cosine.predict(&points).unwrap().argmax(), truth);
    for kernel in [Kernel::Linear, QUADRATIC] {
        let model = VotedPerceptron::new(kernel).fit(&points, &labels).unwrap();
        assert_eq!(model.predict(&points).unwrap().argmax(), truth, "{kernel:?}");
    }
}

#[test]
fn a_class_without_labels_is_never_predicted() {
    let (points, labels, truth) = three_groups();
    let two = labels.keep(&[5, 10]).unwrap();
    let model = VotedPerceptron::new(Kernel::Linear).fit(&points, &two).unwrap();
    let prediction = model.predict(&points).unwrap();
    assert_eq!(prediction.argmax()[5..], truth[5..]);
    assert!(prediction.class(0).iter().zip(&prediction.argmax()).all(|(&score, &class)| {
        // Only where every class is voted down are the scores uniform and the lowest class named.
        score <= 0.0 || (class == 0 && (score - 1.0 / 3.0).abs() < 1e-12)
    }));
    assert!(model.votes(&points).unwrap().column(0).iter().all(|&vote| vote <= -1.0));
}

#[test]
fn exclusive_or_needs_the_polynomial() {
    let rows = array![[1., 1.], [-1., -1.], [1., -1.], [-1., 1.]];
    let truth = [0, 0, 1, 1];
    let points = dense(&rows);
    let labels = Labels::numbered(&truth, 2).unwrap();
    for seed in 0..5 {
        let perceptron = |kernel| {
            let model = VotedPerceptron { seed, ..VotedPerceptron::new(kernel) }
                .fit(&points, &labels)
                .unwrap();
            model.predict(&points).unwrap().argmax()
        };
        assert_eq!(perceptron(QUADRATIC), truth);
        assert_eq!(perceptron(Kernel::Polynomial { degree: 2, scale: 1.0, offset: 0.0 }), truth);
        assert_ne!(perceptron(Kernel::Linear), truth);
    }
}

#[test]
fn majority_of_k_and_its_ties() {
    let points = dense(&array![[0.0], [2.0], [3.0], [10.0], [1.2], [6.4]]);
    let labels = Labels::from_names([Some("a"), Some("b"), Some("b"), Some("a"), None, None]);
    let classes = |k: usize| {
        let model =
            NearestNeighbours { k, metric: Metric::Euclidean }.fit(&points, &labels).unwrap();
        model.predict(&points.select(&[4, 5]).unwrap()).unwrap()
    };
    assert_eq!(classes(1).argmax(), [1, 1]);
    // From 1.2: b, a — one each, b is nearer. From 6.4: b (3.4), a (3.6).
    assert_eq!(classes(2).argmax(), [1, 1]);
    assert_eq!(classes(3).argmax(), [1, 1]);
    // All four: two each, and the nearest is a b.
    assert_eq!(classes(4).argmax(), [1, 1]);
    assert!(classes(4).values().iter().all(|share| (share - 0.5).abs() < 1e-9));
}

#[test]
fn equal_distances_go_to_the_lower_row() {
    let points = dense(&array![[1.0], [-1.0], [0.0]]);
    let labels = Labels::from_names([Some("a"), Some("b"), None]);
    let model = NearestNeighbours::one(Metric::Euclidean).fit(&points, &labels).unwrap();
    assert_eq!(model.predict(&dense(&array![[0.0]])).unwrap().argmax(), [0]);
}

#[test]
fn the_seed_orders_the_points() {
    // Overlapping classes, so that the order matters.
    let rows = Array2::from_shape_fn((40, 3), |(i, d)| ((i * 7 + d * 5) % 11) as f64 - 5.0);
    let points = dense(&rows);
    let truth: Vec<usize> = (0..40).map(|i| (i * i) % 3 % 2).collect();
    let labels = Labels::numbered(&truth, 2).unwrap();
    let votes = |seed| {
        let model = VotedPerceptron { seed, ..VotedPerceptron::new(QUADRATIC) }
            .fit(&points, &labels)
            .unwrap();
        model.votes(&points).unwrap()
    };
    assert_eq!(votes(3), votes(3));
    assert_ne!(votes(3), votes(4));
    let in_pool = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| votes(3))
    };
    assert_eq!(in_pool(1), in_pool(3));
}

#[test]
fn more_queries_than_a_block() {
    let rows = Array2::from_shape_fn((1200, 2), |(i, d)| {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        side * (1.0 + ((i * 13 + d * 7) % 17) as f64)
    });
    let truth: Vec<usize> = (0..1200).map(|i| i % 2).collect();
    let points = dense(&rows);
    let labels = Labels::numbered(&truth, 2).unwrap().keep(&[0, 1, 2, 3]).unwrap();
    let model = VotedPerceptron::new(Kernel::Linear).fit(&points, &labels).unwrap();
    assert_eq!(model.predict(&points).unwrap().argmax(), truth);
}

proptest! {
    #[test]
    fn dense_and_sparse_rows_give_the_same(
        rows in integer_rows(14, 4),
        classes in prop::collection::vec(0_usize..3, 8),
        seed in 0_u64..100,
    ) {
        prop_assume!(classes.iter().any(|&c| c != classes[0]));
        let mut all: Vec<Option<usize>> = classes.into_iter().map(Some).collect();
        all.resize(14, None);
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let labels = Labels::new(all, names).unwrap();
        let (dense, sparse) = (dense(&rows), sparse(&rows));
        for kernel in [Kernel::Linear, QUADRATIC] {
            let perceptron = VotedPerceptron { seed, ..VotedPerceptron::new(kernel) };
            let first = perceptron.fit(&dense, &labels).unwrap();
            let second = perceptron.fit(&sparse, &labels).unwrap();
            prop_assert_eq!(first.mistakes(), second.mistakes());
            prop_assert_eq!(first.votes(&dense).unwrap(), second.votes(&sparse).unwrap());
            // A model of dense rows predicts sparse ones.
            prop_assert_eq!(first.predict(&sparse).unwrap(), second.predict(&dense).unwrap());
        }
        for k in [1, 3] {
            let nearest = NearestNeighbours { k, metric: Metric::Euclidean };
            let first = nearest.fit(&dense, &labels).unwrap().predict(&dense).unwrap();
            let second = nearest.fit(&sparse, &labels).unwrap().predict(&sparse).unwrap();
            prop_assert_eq!(first, second);
        }
    }

    /// The definition, by looking at every labelled point.
    #[test]
    fn nearest_is_nearest(rows in integer_rows(12, 3), classes in prop::collection::vec(0_usize..3, 6)) {
        let mut all: Vec<Option<usize>> = classes.iter().copied().map(Some).collect();
        all.resize(12, None);
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let points = dense(&rows);
        let model = NearestNeighbours::one(Metric::Euclidean)
            .fit(&points, &Labels::new(all, names).unwrap())
            .unwrap();
        let got = model.predict(&points).unwrap();
        for i in 0..12 {
            let distance = |j: &usize| points.squared_distance(i, *j);
            let nearest = (0..6).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
            prop_assert_eq!(got.argmax()[i], classes[nearest]);
        }
    }

    /// A separable set is learnt: after enough epochs the last vector makes no mistake, and as it
    /// lasts longest its vote decides.
    #[test]
    fn a_separable_set_is_learnt(rows in integer_rows(10, 2), seed in 0_u64..100) {
        let truth: Vec<usize> =
            rows.outer_iter().map(|row| usize::from(row[0] + 2.0 * row[1] > 0.5)).collect();
        prop_assume!(truth.iter().any(|&c| c != truth[0]));
        // A constant feature makes the plane free of the origin.
        let rows = ndarray::concatenate![ndarray::Axis(1), rows, Array2::ones((10, 1))];
        let points = dense(&rows);
        let labels = Labels::numbered(&truth, 2).unwrap();
        let model = VotedPerceptron { kernel: Kernel::Linear, epochs: 4000, seed };
        let prediction = model.fit(&points, &labels).unwrap().predict(&points).unwrap();
        prop_assert_eq!(prediction.argmax(), truth);
    }

    #[test]
    fn soft_scores_agree_with_the_class(
        rows in integer_rows(14, 3),
        classes in prop::collection::vec(0_usize..4, 14),
    ) {
        prop_assume!(classes.iter().any(|&c| c != classes[0]));
        let points = dense(&rows);
        let labels = Labels::numbered(&classes, 4).unwrap();
        let model = VotedPerceptron { epochs: 3, ..VotedPerceptron::new(QUADRATIC) }.fit(&points, &labels).unwrap();
        let votes = model.votes(&points).unwrap();
        prop_assert!(votes.iter().all(|vote| (-1.0..=1.0).contains(vote)));
        let prediction = model.predict(&points).unwrap();
        for (i, &class) in prediction.argmax().iter().enumerate() {
            prop_assert!(votes.row(i).iter().all(|&vote| vote <= votes[[i, class]]));
            let row = prediction.values().row(i).to_owned();
            prop_assert!(row.iter().all(|&score| score <= row[class]));
        }
    }
}

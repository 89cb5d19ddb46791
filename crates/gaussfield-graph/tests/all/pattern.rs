//! Patterns: symmetry rules, cutting of lists, mean distances, local scales.

use gaussfield_core::Budget;
use gaussfield_graph::{
    Distances, Graph, GraphError, Metric, Neighbours, Pattern, Search, SelfTuning, Symmetry,
    Unweighted, WeightFamily,
};
use gaussfield_points::Points;
use ndarray::{Array2, array};
use proptest::prelude::*;
use sprs::CsMat;

const BUDGET: Budget = Budget { bytes: 1 << 30 };

fn edges(pattern: &Pattern) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for (_, (i, j)) in pattern.sparse_distances().unwrap() {
        if i < j {
            edges.push((i as usize, j as usize));
        }
    }
    edges
}

#[test]
fn either_and_both_on_a_line() {
    // Nearest: 0 → 1, 1 → 0, 2 → 1, 3 → 2.
    let points = Points::dense(array![[0.0], [1.0], [2.5], [10.0]]).unwrap();
    let make = |symmetry| Pattern::knn(&points, Metric::Euclidean, 1, symmetry).unwrap();
    assert_eq!(edges(&make(Symmetry::Either)), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(edges(&make(Symmetry::Both)), [(0, 1)]);
    let mean = make(Symmetry::Either).mean_distance();
    assert!((mean - (1.0 + 1.5 + 7.5) / 3.0).abs() < 1e-15);
    assert_eq!(make(Symmetry::Either).edges(), 3);
}

#[test]
fn few_points_have_complete_and_ball_patterns() {
    for n in [0_usize, 1, 2] {
        let points = Points::dense(Array2::zeros((n, 2))).unwrap();
        let complete = Pattern::complete(&points, Metric::Euclidean).unwrap();
        let ball = Pattern::ball(&points, Metric::Euclidean, 1.0).unwrap();
        for pattern in [complete, ball] {
            assert_eq!((pattern.nodes(), pattern.edges()), (n, n.saturating_sub(1)));
            assert!(pattern.mean_distance().abs() < 1e-300);
            let graph = Unweighted.graph(&pattern, BUDGET).unwrap();
            assert_eq!(graph.edges(), n.saturating_sub(1));
        }
    }
}

#[test]
fn local_scales_are_the_same_from_every_pattern() {
    let rows = Array2::from_shape_fn((40, 2), |(i, j)| f64::sin((7 * i + 3 * j) as f64));
    let points = Points::dense(rows).unwrap();
    let all = Neighbours::search(&points, Metric::Euclidean, 9, Search::Auto).unwrap();
    let knn = |k, symmetry| all.pattern(k, symmetry).unwrap();
    let patterns = [
        knn(9, Symmetry::Either),
        knn(5, Symmetry::Either),
        knn(3, Symmetry::Either),
        knn(9, Symmetry::Both),
        Pattern::ball(&points, Metric::Euclidean, 0.7).unwrap(),
        Pattern::complete(&points, Metric::Euclidean).unwrap(),
    ];
    for pattern in patterns {
        let scales = pattern.local_scales(5, BUDGET).unwrap();
        for i in 0..40 {
            assert_eq!(scales[i].to_bits(), all.distances(i)[4].to_bits());
        }
    }
}

#[test]
fn duplicates_without_a_local_scale_borrow_the_smallest() {
    // Points 0, 1 and 2 coincide: their second neighbour is at distance 0.
    let points = Points::dense(array![[0.0], [0.0], [0.0], [1.0], [3.0]]).unwrap();
    let pattern = Pattern::complete(&points, Metric::Euclidean).unwrap();
    let family = SelfTuning { factor: 2.0, neighbour: 2 };
    // s₃ = 1 (a tie of copies of 0), s₄ = 3.
    let graph = family.graph(&pattern, BUDGET).unwrap();
    let near = |i, j, want: f64| assert!((graph.weight(i, j) - want).abs() < 1e-15);
    near(0, 1, 1.0);
    near(0, 3, f64::exp(-1.0 / 4.0));
    near(0, 4, f64::exp(-9.0 / (4.0 * 3.0)));
    near(3, 4, f64::exp(-4.0 / (4.0 * 3.0)));
    let same = Points::dense(Array2::zeros((4, 1))).unwrap();
    let pattern = Pattern::complete(&same, Metric::Euclidean).unwrap();
    assert_eq!(
        family.graph(&pattern, BUDGET).unwrap(),
        Unweighted.graph(&pattern, BUDGET).unwrap()
    );
}

#[test]
fn new_points_join_a_pattern_without_touching_the_old_edges() {
    let rows = Array2::from_shape_fn((60, 3), |(i, j)| f64::sin((11 * i + 5 * j * j) as f64));
    let all = Points::dense(rows).unwrap();
    let rows: Vec<usize> = (0..60).collect();
    let (old, new) = (all.select(&rows[..45]).unwrap(), all.select(&rows[45..]).unwrap());
    let pattern = Pattern::knn(&old, Metric::Euclidean, 4, Symmetry::Either).unwrap();
    let scales = pattern.local_scales(3, BUDGET).unwrap();
    let more = pattern.extend(&new, 4, Search::Auto).unwrap();
    assert_eq!(more.points(), &all);
    // The invariant of a graph holds for the distances.
    Graph::from_sparse(more.sparse_distances().unwrap().clone()).unwrap();
    let fresh = Neighbours::search(&all, Metric::Euclidean, 4, Search::KdTree).unwrap();
    let (mut want, own) =
        (edges(&pattern), |i: usize| fresh.indices(i).iter().map(move |&j| (i, j as usize)));
    want.extend((45..60).flat_map(own).map(|(i, j)| (i.min(j), i.max(j))));
    want.sort_unstable();
    want.dedup();
    assert_eq!(edges(&more), want);
    // Known local scales stay, those of new points are measured among all.
    let grown = more.local_scales(3, BUDGET).unwrap();
    assert_eq!(grown[..45], scales[..]);
    let third: Vec<f64> = (45..60).map(|i| fresh.distances(i)[2]).collect();
    assert_eq!(grown[45..], third[..]);
    let complete = Pattern::complete(&old, Metric::Euclidean).unwrap();
    let complete = complete.extend(&new, 4, Search::Auto).unwrap();
    assert_eq!((complete.nodes(), complete.is_complete()), (60, true));
    let sparse = Points::sparse(CsMat::csr_from_dense(new.as_dense().unwrap(), 0.0)).unwrap();
    let same = pattern.extend(&sparse, 4, Search::Auto).unwrap();
    assert_eq!(same.sparse_distances(), more.sparse_distances());
    let says = |result: Result<Pattern, GraphError>, words: &str| {
        let message = result.expect_err(words).to_string();
        assert!(message.contains(words), "{message:?} should say {words:?}");
    };
    says(pattern.extend(&new, 0, Search::Auto), "k = 0");
    says(pattern.extend(&new, 60, Search::Auto), "at most 59");
    let flat = Points::dense(Array2::zeros((2, 2))).unwrap();
    says(pattern.extend(&flat, 1, Search::Auto), "dimensions of the points");
    says(pattern.extend(&new, 4, Budget { bytes: 100 }), "old and new points together");
}

proptest! {
    #[test]
    fn lists_cut_to_k_make_the_pattern_of_a_search_for_k(
        n in 3_usize..40,
        numbers in prop::collection::vec(-2_i32..3, 80),
        k in any::<prop::sample::Index>(),
    ) {
        let rows = Array2::from_shape_fn((n, 2), |(i, j)| f64::from(numbers[2 * i + j]));
        let points = Points::dense(rows).unwrap();
        let k = 1 + k.index(n - 1);
        let most = Neighbours::search(&points, Metric::Euclidean, n - 1, Search::Auto).unwrap();
        let lists: Vec<&[u32]> = (0..n).map(|i| &most.indices(i)[..k]).collect();
        for symmetry in [Symmetry::Either, Symmetry::Both] {
            let cut = most.pattern(k, symmetry).unwrap();
            let fresh = Pattern::knn(&points, Metric::Euclidean, k, symmetry).unwrap();
            prop_assert_eq!(cut.sparse_distances(), fresh.sparse_distances());
            let has = |i: usize, j: usize| lists[i].contains(&(j as u32));
            let mut want = Vec::new();
            for i in 0..n {
                for j in i + 1..n {
                    let edge = match symmetry {
                        Symmetry::Either => has(i, j) || has(j, i),
                        Symmetry::Both => has(i, j) && has(j, i),
                    };
                    if edge {
                        want.push((i, j));
                    }
                }
            }
            prop_assert_eq!(edges(&cut), want);
            // The invariant of a graph holds for the distances: the checking constructor agrees.
            Graph::from_sparse(cut.sparse_distances().unwrap().clone()).unwrap();
        }
    }

    /// Complete distances come from another formula; they must be those of the search.
    #[test]
    fn complete_distances_agree_with_the_search(
        n in 2_usize..40,
        d in 1_usize..30,
        spread in -9_i32..3,
        cosine in any::<bool>(),
        numbers in prop::collection::vec(-1.0_f64..1.0, 40 * 30),
    ) {
        let rows = Array2::from_shape_fn((n, d), |(i, j)| {
            5.0 + ((i % 2) as f64) + numbers[i * d + j] * 10_f64.powi(spread)
        });
        let metric = if cosine { Metric::Cosine } else { Metric::Euclidean };
        let sparse = Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
        let dense = Points::dense(rows).unwrap();
        let found = Neighbours::search(&dense, metric, n - 1, Search::KdTree).unwrap();
        for points in [sparse, dense] {
            let pattern = Pattern::complete(&points, metric).unwrap();
            let Distances::Complete(all) = pattern.distances(BUDGET).unwrap() else { panic!() };
            let mut sum = 0.0;
            for i in 0..n {
                for (&j, &want) in found.indices(i).iter().zip(found.distances(i)) {
                    sum += want;
                    let got = all[[i, j as usize]];
                    prop_assert_eq!(got.to_bits(), all[[j as usize, i]].to_bits());
                    prop_assert!((got - want).abs() <= 1e-12 * want, "{} {}", got, want);
                }
            }
            let mean = sum / (n * (n - 1)) as f64;
            prop_assert!((pattern.mean_distance() - mean).abs() <= 1e-12 * mean);
        }
    }
}

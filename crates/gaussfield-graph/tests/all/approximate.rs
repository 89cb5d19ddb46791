//! Approximate search: what it tells of itself is true, and nothing else about it is approximate.

use gaussfield_core::{Budget, Progress};
use gaussfield_graph::{
    Cells, Distances, GraphError, Metric, Neighbours, Pattern, PatternChoice, Search, SelfTuning,
    Symmetry, WeightFamily,
};
use gaussfield_points::Points;
use ndarray::Array2;
use proptest::prelude::*;
use sprs::CsMat;

const EUCLIDEAN: Metric = Metric::Euclidean;

fn cells(probes: usize, cells: usize) -> Search {
    Search::Cells(Cells { probes, cells: Some(cells) })
}

/// Points that fill a few dimensions of many, so that neighbours lie on both sides of borders.
fn cloud(n: usize, d: usize) -> Points {
    let wave = |i: usize, j: usize| f64::sin((i * i % 10_007 + 13 * i * j) as f64);
    let rows = Array2::from_shape_fn((n, d), |(i, j)| {
        (0..5).map(|c| wave(i, c) * f64::cos((c * j + j) as f64)).sum::<f64>() + 0.1 * wave(j, i)
    });
    Points::dense(rows).unwrap()
}

/// The share of exact lists that is found.
fn true_recall(found: &Neighbours, exact: &Neighbours) -> f64 {
    let of_list =
        |i: usize| exact.indices(i).iter().filter(|&j| found.indices(i).contains(j)).count();
    (0..exact.len()).map(of_list).sum::<usize>() as f64 / (exact.len() * exact.k()) as f64
}

#[test]
fn the_recall_told_is_the_recall_there_is() {
    let points = cloud(4_000, 14);
    let exact = Neighbours::search(&points, EUCLIDEAN, 10, Search::BlockedGemm).unwrap();
    assert_eq!(exact.recall(), None);
    let mut last = 0.0;
    for probes in [1, 2, 4, 8] {
        let found = Neighbours::search(&points, EUCLIDEAN, 10, cells(probes, 60)).unwrap();
        let (told, truth) = (found.recall().unwrap(), true_recall(&found, &exact));
        // 1000 lists of ten: four standard errors of a share, were all entries independent of the
        // rest of their list, and some more since they are not.
        assert_eq!(told.sample, 1_000);
        assert!((told.share - truth).abs() < 0.03, "{told:?} {truth}");
        assert!(truth >= last, "more probes find more: {truth} after {last}");
        last = truth;
        for i in (0..4_000).step_by(97) {
            // Distances are exact, whatever is missing.
            let by_hand = |&j: &u32| points.squared_distance(i, j as usize).sqrt();
            let distances: Vec<f64> = found.indices(i).iter().map(by_hand).collect();
            assert_eq!(found.distances(i), &distances[..]);
            assert!(distances.is_sorted() && !found.indices(i).contains(&(i as u32)));
        }
    }
    assert!(last > 0.95, "{last}");
}

#[test]
fn patterns_carry_the_recall_and_local_scales_follow_the_search() {
    let points = cloud(1_500, 14);
    let choice = r#"{"knn": {"k": 6, "search": {"cells": {"probes": 3, "cells": 12}}}}"#;
    let choice: PatternChoice = serde_json::from_str(choice).unwrap();
    let pattern = choice.pattern(&points, Budget::default()).unwrap();
    assert!(pattern.recall().unwrap().share > 0.5);
    assert_eq!(Pattern::knn(&points, EUCLIDEAN, 6, Symmetry::Either).unwrap().recall(), None);
    let unknown = r#"{"knn": {"k": 6, "search": {"cells": {"probe": 3}}}}"#;
    assert!(serde_json::from_str::<PatternChoice>(unknown).is_err());
    let default: Search = serde_json::from_str(r#"{"cells": {}}"#).unwrap();
    assert_eq!(default, Search::Cells(Cells::default()));
    // Read off the pattern, and searched for where the pattern has too few.
    for neighbour in [4, 9] {
        let found = Neighbours::search(&points, EUCLIDEAN, neighbour, cells(3, 12)).unwrap();
        let graph =
            SelfTuning { factor: 1.0, neighbour }.graph(&pattern, Budget::default()).unwrap();
        let scales = pattern.local_scales(neighbour, Budget::default()).unwrap();
        if neighbour == 9 {
            let ninth: Vec<f64> = (0..1_500).map(|i| found.distances(i)[8]).collect();
            assert_eq!(scales[..], ninth[..]);
        }
        let Distances::Sparse(distances) = pattern.distances(Budget::default()).unwrap() else {
            panic!("a pattern of nearest neighbours is sparse");
        };
        let (&d, (i, j)) = distances.iter().next().unwrap();
        let (i, j) = (i as usize, j as usize);
        assert!((graph.weight(i, j) - (-d * d / (scales[i] * scales[j])).exp()).abs() < 1e-14);
    }
}

#[test]
fn no_result_depends_on_the_number_of_threads() {
    let (points, queries) = (cloud(3_000, 20), cloud(50, 20));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let search = Search::Cells(Cells { probes: 3, cells: None });
            let own = Neighbours::search(&points, EUCLIDEAN, 7, search).unwrap();
            (own, Neighbours::query(&points, &queries, Metric::Cosine, 4, search).unwrap())
        })
    };
    let (one, four) = (run(1), run(4));
    assert!(one == four && one == run(3));
}

#[test]
fn what_cannot_be_searched_this_way_is_told() {
    let says = |result: Result<Neighbours, GraphError>, words: &str| {
        let message = result.expect_err(words).to_string();
        assert!(message.contains(words), "{message:?} should say {words:?}");
    };
    let points = cloud(100, 12);
    let search = |probes, count| Neighbours::search(&points, EUCLIDEAN, 3, cells(probes, count));
    says(search(0, 5), "the probes of an approximate search is 0");
    says(search(1, 0), "the cells of an approximate search is 0");
    let sparse = Points::sparse(CsMat::eye(40)).unwrap();
    says(Neighbours::search(&sparse, EUCLIDEAN, 3, cells(1, 4)), "needs dense rows");
    let ball = Pattern::ball_by(&points, EUCLIDEAN, 1.0, cells(1, 4)).unwrap_err();
    assert!(ball.to_string().contains("nearest neighbours only"));
    let progress = Progress::new(|_| {});
    progress.cancel();
    let stopped = progress.during(|| search(1, 5));
    assert!(matches!(stopped, Err(GraphError::Cancelled(_))));
}

proptest! {
    /// Who looks into every cell misses nothing; ties and copies go to the lower index there too.
    #[test]
    fn looking_everywhere_is_exact(
        n in 3_usize..150,
        d in 0_usize..9,
        count in 1_usize..200,
        numbers in prop::collection::vec(-2_i32..3, 150 * 9),
        k in any::<prop::sample::Index>(),
    ) {
        let k = 1 + k.index(n - 1);
        let rows = Array2::from_shape_fn((n, d), |(i, j)| f64::from(numbers[i * d + j]));
        let points = Points::dense(rows).unwrap();
        let exact = Neighbours::search(&points, EUCLIDEAN, k, Search::BlockedGemm).unwrap();
        let found = Neighbours::search(&points, EUCLIDEAN, k, cells(1_000, count)).unwrap();
        let recall = found.recall().unwrap();
        prop_assert!(recall.share > 1.0 - 1e-12 && recall.sample == n);
        // Lists are full even where a cell holds fewer than k points.
        let few = Neighbours::search(&points, EUCLIDEAN, k, cells(1, count)).unwrap();
        let queries = points.select(&[n / 2, 0]).unwrap();
        let query = |method| Neighbours::query(&points, &queries, EUCLIDEAN, k, method).unwrap();
        let (asked, wanted) = (query(cells(1_000, count)), query(Search::BlockedGemm));
        for i in 0..n {
            prop_assert_eq!(found.indices(i), exact.indices(i));
            prop_assert_eq!(found.distances(i), exact.distances(i));
            let mut all: Vec<u32> = few.indices(i).to_vec();
            all.sort_unstable();
            all.dedup();
            prop_assert!(all.len() == k && !all.contains(&(i as u32)));
        }
        for i in 0..2 {
            prop_assert_eq!(asked.indices(i), wanted.indices(i));
        }
    }
}

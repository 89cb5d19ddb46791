//! Every search finds what brute force finds.

use gaussfield_graph::{Metric, Neighbours, Pattern, Search};
use gaussfield_points::Points;
use ndarray::{Array2, array};
use proptest::prelude::*;
use sprs::CsMat;

fn dense(rows: &Array2<f64>) -> Points {
    Points::dense(rows.clone()).unwrap()
}

fn sparse(rows: &Array2<f64>) -> Points {
    Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap()
}

/// Distances by definition, sorted by (distance, index).
fn brute(points: &Array2<f64>, query: &[f64], skip: Option<usize>) -> Vec<(f64, u32)> {
    let mut all: Vec<(f64, u32)> = (0..points.nrows())
        .filter(|&j| skip != Some(j))
        .map(|j| {
            let sum: f64 = points.row(j).iter().zip(query).map(|(x, z)| (x - z) * (x - z)).sum();
            (sum.sqrt(), j as u32)
        })
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

fn every_search(rows: &Array2<f64>, metric: Metric, k: usize) -> Vec<Neighbours> {
    let methods = [Search::Auto, Search::KdTree, Search::BlockedGemm];
    let mut found: Vec<_> = methods
        .iter()
        .map(|&method| Neighbours::search(&dense(rows), metric, k, method).unwrap())
        .collect();
    for method in [Search::Auto, Search::InvertedIndex] {
        found.push(Neighbours::search(&sparse(rows), metric, k, method).unwrap());
    }
    found
}

/// Integer grids: exact distances, many ties and duplicates.
fn grid() -> impl Strategy<Value = (Array2<f64>, usize)> {
    (2_usize..120, 1_usize..14, 1_i32..4, any::<prop::sample::Index>()).prop_flat_map(
        |(n, d, side, k)| {
            let numbers = prop::collection::vec(-side..=side, n * d);
            let k = 1 + k.index((n - 1).min(40));
            numbers.prop_map(move |numbers| {
                let numbers = numbers.into_iter().map(f64::from).collect();
                (Array2::from_shape_vec((n, d), numbers).unwrap(), k)
            })
        },
    )
}

proptest! {
    #[test]
    fn ties_and_duplicates_on_grids_go_to_the_lower_index((rows, k) in grid()) {
        for found in every_search(&rows, Metric::Euclidean, k) {
            for i in 0..rows.nrows() {
                let want = &brute(&rows, rows.row(i).as_slice().unwrap(), Some(i))[..k];
                let indices: Vec<u32> = want.iter().map(|w| w.1).collect();
                let distances: Vec<f64> = want.iter().map(|w| w.0).collect();
                prop_assert_eq!(found.indices(i), &indices[..]);
                prop_assert_eq!(found.distances(i), &distances[..]);
            }
        }
    }

    /// Clusters far apart and very tight: f32 keys cannot tell neighbours from one another.
    #[test]
    fn single_precision_hides_no_neighbour(
        n in 3_usize..150,
        d in 1_usize..30,
        tightness in -14_i32..1,
        size in prop::sample::select(vec![1e-200, 1.0, 1e200]),
        numbers in prop::collection::vec((0_u8..3, -1.0_f64..1.0), 150 * 30),
        k in any::<prop::sample::Index>(),
    ) {
        let k = 1 + k.index(n - 1);
        let rows = Array2::from_shape_fn((n, d), |(i, at)| {
            let (_, x) = numbers[i * d + at];
            f64::from(numbers[i].0) + x * 10_f64.powi(tightness)
        });
        let scaled = rows.mapv(|x| x * size);
        let searches = every_search(&scaled, Metric::Euclidean, k);
        for i in 0..n {
            // Brute force at the ordinary size: the squares of the others would vanish.
            let want = &brute(&rows, rows.row(i).as_slice().unwrap(), Some(i))[..k];
            for found in &searches {
                for (&got, want) in found.distances(i).iter().zip(want) {
                    let want = want.0 * size;
                    // Scaling rounds each coordinate: absolute error of an ulp of the size.
                    prop_assert!((got - want).abs() <= 1e-9 * want + 1e-15 * size * 10.0);
                }
            }
            // The dense searches use one formula: they agree to the last bit.
            prop_assert_eq!(searches[1].indices(i), searches[2].indices(i));
            prop_assert_eq!(searches[1].distances(i), searches[2].distances(i));
        }
    }

    #[test]
    fn cosine_searches_agree_with_the_definition(
        n in 2_usize..60,
        d in 1_usize..14,
        numbers in prop::collection::vec(-3_i32..4, 60 * 14),
        k in any::<prop::sample::Index>(),
    ) {
        let k = 1 + k.index(n - 1);
        let mut rows = Array2::from_shape_fn((n, d), |(i, at)| f64::from(numbers[i * d + at]));
        for mut row in rows.rows_mut() {
            if row.iter().all(|x| x.abs() < 0.5) {
                row[0] = 1.0;
            }
        }
        let cosine = |i: usize, j: usize| {
            let (x, z) = (rows.row(i), rows.row(j));
            let (xz, xx, zz): (f64, f64, f64) = x.iter().zip(&z).fold(
                (0.0, 0.0, 0.0),
                |(xz, xx, zz), (x, z)| (xz + x * z, xx + x * x, zz + z * z),
            );
            1.0 - xz / (xx * zz).sqrt()
        };
        for found in every_search(&rows, Metric::Cosine, k) {
            for i in 0..n {
                let mut want: Vec<f64> = (0..n).filter(|&j| j != i).map(|j| cosine(i, j)).collect();
                want.sort_by(f64::total_cmp);
                let mut seen = std::collections::BTreeSet::from([i]);
                for (at, (&j, &distance)) in found.indices(i).iter().zip(found.distances(i)).enumerate() {
                    prop_assert!(seen.insert(j as usize));
                    prop_assert!((distance - want[at]).abs() < 1e-14);
                    prop_assert!((distance - cosine(i, j as usize)).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn queries_find_the_nearest_of_other_points((rows, k) in grid(), at in any::<prop::sample::Index>()) {
        let middle = 1 + at.index(rows.nrows() - 1);
        let (points, queries) = rows.view().split_at(ndarray::Axis(0), middle);
        let (points, queries) = (points.to_owned(), queries.to_owned());
        let k = 1 + k % points.nrows();
        let metric = Metric::Euclidean;
        let searches = [
            (dense(&points), dense(&queries), Search::KdTree),
            (dense(&points), sparse(&queries), Search::BlockedGemm),
            (sparse(&points), dense(&queries), Search::Auto),
            (sparse(&points), sparse(&queries), Search::InvertedIndex),
        ];
        for (p, q, method) in searches {
            let found = Neighbours::query(&p, &q, metric, k, method).unwrap();
            prop_assert_eq!(found.len(), queries.nrows());
            for i in 0..queries.nrows() {
                let want = &brute(&points, queries.row(i).as_slice().unwrap(), None)[..k];
                let got = found.distances(i).iter().copied().zip(found.indices(i).iter().copied());
                prop_assert_eq!(got.collect::<Vec<_>>(), want);
            }
        }
    }

    #[test]
    fn balls_hold_exactly_the_pairs_within_the_radius((rows, k) in grid()) {
        let eps = (k as f64).sqrt(); // a distance that occurs: the border belongs to the ball
        for points in [dense(&rows), sparse(&rows)] {
            let pattern = Pattern::ball(&points, Metric::Euclidean, eps).unwrap();
            let distances = pattern.sparse_distances().unwrap();
            for i in 0..rows.nrows() {
                let mut want: Vec<(f64, u32)> = brute(&rows, rows.row(i).as_slice().unwrap(), Some(i))
                    .into_iter()
                    .filter(|w| w.0 <= eps)
                    .collect();
                want.sort_by_key(|w| w.1);
                let row = distances.outer_view(i).unwrap();
                let got: Vec<(f64, u32)> = row.data().iter().copied().zip(row.indices().iter().copied()).collect();
                prop_assert_eq!(got, want);
            }
        }
    }
}

#[test]
fn rows_without_a_common_word_are_at_distance_one_and_the_lowest_come_first() {
    let rows = array![[1.0, 0.0, 0.0], [0.0, 0.3, 0.1], [0.0, 0.7, 0.0], [0.0, 0.0, 2.0]];
    for found in every_search(&rows, Metric::Cosine, 3) {
        assert_eq!(found.indices(0), [1, 2, 3]);
        assert_eq!(found.distances(0), [1.0, 1.0, 1.0]);
    }
}

/// Enough points and features that directions stand for features: what they leave out, an offset
/// and copies of points hide no neighbour.
#[test]
fn few_directions_stand_for_many_features() {
    let (n, d) = (1_300, 90);
    let wave = |i: usize, j: usize| f64::sin((i * i % 1_009 + 7 * j) as f64);
    for (offset, size, noise) in [(0.0, 1.0, 0.05), (1e8, 1.0, 0.05), (-3.0, 1e-150, 0.01)] {
        let mut rows = Array2::from_shape_fn((n, d), |(i, j)| {
            let smooth: f64 = (0..6).map(|c| wave(i, c) * f64::cos((c * j) as f64)).sum();
            (smooth + noise * wave(j, i) + offset) * size
        });
        for copy in 0..40 {
            let original = rows.row(copy % 3).to_owned();
            rows.row_mut(n - 1 - 5 * copy).assign(&original);
        }
        let points = dense(&rows);
        let search = |method| Neighbours::search(&points, Metric::Euclidean, 12, method).unwrap();
        let (tree, products) = (search(Search::KdTree), search(Search::BlockedGemm));
        assert!(tree == products, "offset {offset}, size {size}");
        let cosine = |method| Neighbours::search(&points, Metric::Cosine, 3, method).unwrap();
        assert!(cosine(Search::KdTree) == cosine(Search::BlockedGemm));
        let queries = points.select(&[5, 77, n - 1]).unwrap();
        let query =
            |method| Neighbours::query(&points, &queries, Metric::Euclidean, 30, method).unwrap();
        assert!(query(Search::KdTree) == query(Search::BlockedGemm));
    }
}

/// All points equal, and points that differ only in their last digits.
#[test]
fn copies_and_points_that_single_precision_cannot_tell_apart() {
    let same = dense(&Array2::from_elem((700, 20), 0.3));
    let found = Neighbours::search(&same, Metric::Euclidean, 3, Search::BlockedGemm).unwrap();
    assert_eq!(
        [found.indices(0), found.indices(1), found.indices(699)],
        [[1, 2, 3], [0, 2, 3], [0, 1, 2]]
    );
    let rows = Array2::from_shape_fn((600, 12), |(i, j)| {
        if j == 0 { (i % 2) as f64 } else { 1e-11 * f64::sin((i * 31 + j) as f64) }
    });
    let search = |method| Neighbours::search(&dense(&rows), Metric::Euclidean, 5, method).unwrap();
    assert!(search(Search::KdTree) == search(Search::BlockedGemm));
}

#[test]
fn no_result_depends_on_the_number_of_threads() {
    let rows = Array2::from_shape_fn((700, 20), |(i, j)| f64::sin((i * 31 + j * 17) as f64));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| every_search(&rows, Metric::Euclidean, 7))
    };
    assert_eq!(run(1), run(4));
}

/// A feature with the largest number that a file can name costs no more than any other.
#[test]
fn features_of_any_number_are_searched() {
    let far = (1 << 31) - 1;
    let rows = CsMat::new((3, 1 << 31), vec![0, 1, 2, 3], vec![0, far, far], vec![1.0, 2.0, 2.5]);
    let points = Points::sparse(rows).unwrap();
    let found = Neighbours::search(&points, Metric::Euclidean, 1, Search::Auto).unwrap();
    assert_eq!([found.indices(0), found.indices(1), found.indices(2)], [[1], [2], [1]]);
}

//! The length scale that is learned is that of one machine.

use crate::support::{labels, own};
use gaussfield_core::Budget;
use gaussfield_distributed::{LearnScale, LearnedScale, Search, SolveOptions, together};
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_points::Points;
use gaussfield_tune::{Entropy, Objective, learn};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ROWS: usize = 400;
const K: usize = 10;
/// Not far from the minimum, so that both searches find the same one.
const START: f64 = 0.15;

/// Of two classes.
const LABELS: [(u64, u32); 6] = [(0, 0), (1, 1), (2, 0), (3, 1), (100, 0), (101, 1)];

/// Two squares side by side, every other row in the same. The entropy is least where σ is about the root
/// mean square of the lengths: wider, and labels seep through the gap; narrower, and rows part.
fn squares(rows: usize) -> Array2<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    Array2::from_shape_fn((rows, 2), |(i, d)| {
        let corner = if d == 0 { 1.05 * (i % 2) as f64 } else { 0.0 };
        corner + random.random::<f64>()
    })
}

fn pattern(rows: &Array2<f64>) -> Pattern {
    let points = Points::dense(rows.clone()).unwrap();
    Pattern::knn(&points, Metric::Euclidean, K, Symmetry::Either).unwrap()
}

fn shared(rows: &Array2<f64>, members: usize, start: f64, how: &LearnScale) -> LearnedScale {
    let search = Search { k: K, probes: 10_000, ..Search::default() };
    let options = SolveOptions { tolerance: 1e-12, ..SolveOptions::default() };
    let mut found = together(members, |world| {
        let mut part = search.graph(world, own(world, rows)).unwrap().part;
        let before = part.to_bytes();
        let learned = how.run(world, &mut part, &LABELS, 2, start, &options).unwrap();
        assert_eq!(part.to_bytes(), before, "the lengths are there again");
        learned
    });
    assert!(found.iter().all(|own| own == &found[0]), "members learn different scales");
    found.remove(0)
}

#[test]
fn the_scale_is_that_of_one_machine() {
    let rows = squares(ROWS);
    let (pattern, given) = (pattern(&rows), labels(ROWS as u64, &LABELS));
    for smoothing in [0.01, 0.02] {
        let entropy = Entropy::new(given.clone()).smoothed(smoothing).unwrap();
        let how = LearnScale { smoothing, ..LearnScale::default() };
        let one = learn(&pattern, &Exponential { sigma: START }, &entropy, &how.search).unwrap();
        for members in [1, 2, 4] {
            let found = shared(&rows, members, START, &how);
            let (sigma, off) = (one.family.sigma, (found.scale - one.family.sigma).abs());
            // Where values that differ by 1e-12 end the search, σ is known to about its root.
            assert!(off <= 1e-5 * sigma, "{members} members: {} for {sigma}", found.scale);
            assert!(
                (found.entropy - one.value).abs() <= 1e-9,
                "{} for {}",
                found.entropy,
                one.value
            );
            assert!(found.evaluations > 3, "it moved");
        }
    }
}

#[test]
fn without_smoothing_the_entropy_at_the_start_is_that_of_one_machine() {
    let rows = squares(ROWS);
    let (pattern, given) = (pattern(&rows), labels(ROWS as u64, &LABELS));
    let sigma = START;
    let graph = Exponential { sigma }.graph(&pattern, Budget::default()).unwrap();
    let wanted = Entropy::new(given).value(&graph).unwrap();
    // A gradient that is small enough everywhere: the search ends where it begins.
    let mut how = LearnScale { smoothing: 0.0, ..LearnScale::default() };
    how.search.gradient_tolerance = 1e6;
    let found = shared(&rows, 3, sigma, &how);
    assert!((found.scale - sigma).abs() < 1e-15, "it moved to {}", found.scale);
    assert!((found.entropy - wanted).abs() <= 1e-9, "{} for {wanted}", found.entropy);
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let rows = squares(40);
    let said = |how: LearnScale, labels: &[(u64, u32)], start: f64| {
        let mut all = together(2, |world| {
            let search = Search { k: 4, ..Search::default() };
            let mut part = search.graph(world, own(world, &rows)).unwrap().part;
            let options = SolveOptions::default();
            how.run(world, &mut part, labels, 2, start, &options).unwrap_err().to_string()
        });
        assert_eq!(all[0], all[1]);
        all.remove(0)
    };
    let sound = LearnScale::default;
    let labels = [(0, 0), (1, 1)];
    let whole = LearnScale { smoothing: 1.0, ..sound() };
    assert!(said(whole, &labels, 1.0).contains("smoothing"));
    assert!(said(sound(), &labels, 0.0).contains("length scale"));
    assert!(said(sound(), &[], 1.0).contains("no labelled row"));
    let all: Vec<(u64, u32)> = (0..40).map(|row| (row, (row % 2) as u32)).collect();
    assert!(said(sound(), &all, 1.0).contains("every row is labelled"));
    // So small that weights lie more than 10⁴⁸ apart.
    assert!(said(sound(), &labels, 1e-3).contains("widen the length scale"));
}

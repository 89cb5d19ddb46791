//! The generators: shapes, counts, determinism, and that the figures show what they should.

use gaussfield_data::DataError;
use gaussfield_data::Dataset;
use gaussfield_data::generate::{
    ClusterManifolds, Demonstration, SwissRoll, ThreeBands, TwoGrids, TwoMoons, TwoSpirals,
};
use gaussfield_points::Points;
use ndarray::{Array2, s};
use proptest::prelude::*;

/// The harmonic function on the complete graph with w = exp(−d²/σ²), by plain elimination:
/// the scores of the unlabelled nodes, in increasing order [zhu2003 (5)].
fn harmonic(points: &Points, labels: &[usize], labelled: &[usize], sigma: f64) -> Array2<f64> {
    let n = points.len();
    let classes = 1 + labels.iter().max().unwrap();
    let weight = |i, j| (-points.squared_distance(i, j) / (sigma * sigma)).exp();
    let interior: Vec<usize> = (0..n).filter(|i| !labelled.contains(i)).collect();
    let u = interior.len();
    let mut system = Array2::<f64>::zeros((u, u + classes));
    for (row, &i) in interior.iter().enumerate() {
        system[[row, row]] = (0..n).filter(|&j| j != i).map(|j| weight(i, j)).sum();
        for (column, &j) in interior.iter().enumerate().filter(|&(column, _)| column != row) {
            system[[row, column]] = -weight(i, j);
        }
        for &j in labelled {
            system[[row, u + labels[j]]] += weight(i, j);
        }
    }
    for pivot in 0..u {
        let (done, mut below) = system.view_mut().split_at(ndarray::Axis(0), pivot + 1);
        let top = done.slice(s![pivot, pivot..]);
        for mut row in below.rows_mut() {
            let factor = row[pivot] / top[0];
            row.slice_mut(s![pivot..]).scaled_add(-factor, &top);
        }
    }
    for pivot in (0..u).rev() {
        for class in u..u + classes {
            let known: f64 = (pivot + 1..u).map(|j| system[[pivot, j]] * system[[j, class]]).sum();
            system[[pivot, class]] = (system[[pivot, class]] - known) / system[[pivot, pivot]];
        }
    }
    system.slice(s![.., u..]).to_owned()
}

fn classes(data: &Dataset) -> Vec<usize> {
    data.labels.as_slice().iter().map(|class| class.unwrap()).collect()
}

/// The share of unlabelled nodes that the harmonic function, and the nearest label, get right.
fn accuracies(figure: &Demonstration, sigma: f64) -> (f64, f64) {
    let truth = classes(&figure.data);
    let points = &figure.data.points;
    let scores = harmonic(points, &truth, &figure.labelled, sigma);
    let interior = figure.partial().unwrap().unlabelled();
    let (mut field, mut nearest) = (0, 0);
    for (row, &node) in interior.iter().enumerate() {
        let best = |a: &usize, b: &usize| scores[[row, *a]].total_cmp(&scores[[row, *b]]);
        field += usize::from((0..scores.ncols()).max_by(best) == Some(truth[node]));
        let distance = |label: &&usize| points.squared_distance(node, **label);
        let closest = figure.labelled.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest += usize::from(truth[*closest.unwrap()] == truth[node]);
    }
    (field as f64 / interior.len() as f64, nearest as f64 / interior.len() as f64)
}

#[test]
fn harmonic_follows_the_bands_and_the_nearest_label_does_not() {
    for seed in 0..5 {
        let figure = ThreeBands::default().generate(seed).unwrap();
        assert_eq!((figure.data.len(), figure.labelled.len()), (181, 3));
        let (field, nearest) = accuracies(&figure, 0.22);
        assert!(field > 0.9999 && nearest < 0.7, "seed {seed}: {field} {nearest}");
    }
}

#[test]
fn harmonic_follows_the_spirals_and_the_nearest_label_does_not() {
    for seed in 0..5 {
        let figure = TwoSpirals::default().generate(seed).unwrap();
        assert_eq!((figure.data.len(), figure.labelled.len()), (186, 2));
        let (field, nearest) = accuracies(&figure, 0.43);
        assert!(field > 0.9999 && nearest < 0.7, "seed {seed}: {field} {nearest}");
    }
}

#[test]
fn harmonic_at_its_median_follows_the_roll() {
    let roll = SwissRoll::default().generate(4).unwrap();
    let (seen, truth) = (&roll.seen, classes(&roll.seen.data));
    assert_eq!((seen.data.len(), seen.data.dim(), roll.unseen.len()), (768, 2, 384));
    assert_eq!(seen.data.labels.counts(), [384, 384]);
    assert_eq!(roll.unseen.labels.counts(), [192, 192]);
    let scores = harmonic(&seen.data.points, &truth, &seen.labelled, 0.1);
    let mut sorted = scores.column(1).to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let interior = seen.partial().unwrap().unlabelled();
    let right =
        |&(row, &node): &(usize, &usize)| (scores[[row, 1]] >= median) == (truth[node] == 1);
    let accuracy = interior.iter().enumerate().filter(right).count() as f64 / 766.0;
    assert!(accuracy > 0.98, "{accuracy}");
    let (_, nearest) = accuracies(seen, 0.1);
    assert!(nearest < 0.7, "{nearest}");
}

#[test]
fn the_two_grids_are_the_ones_of_the_figure() {
    let figure = TwoGrids::default().generate(0).unwrap();
    assert_eq!((figure.data.len(), &figure.labelled), (59, &vec![7, 41]));
    let rows = figure.data.points.to_dense();
    for (node, x, y, class) in [
        (0, -1.35, 0.6, 1),
        (7, -1.35, 1.05, 1),
        (27, 1.35, 1.95, 1),
        (28, -1.5, -0.6, 0),
        (41, 1.5, -1.1, 0),
        (55, 1.5, -2.1, 0),
        (56, 1.4, -0.3, 0),
        (57, 1.4, 0.0, 0),
        (58, 1.4, 0.3, 1),
    ] {
        let off = (rows[[node, 0]] - x).abs() + (rows[[node, 1]] - y).abs();
        assert!(off < 1e-12, "node {node}: {}", rows.row(node));
        assert_eq!(figure.data.labels.get(node), Some(class), "node {node}");
    }
    assert_eq!(TwoGrids::default().generate(1).unwrap(), figure, "no noise, no seed");
    let noisy = TwoGrids { noise: 0.01, ..Default::default() };
    assert_ne!(noisy.generate(1).unwrap(), noisy.generate(2).unwrap());
}

#[test]
fn moons_lie_on_their_circles() {
    let moons = TwoMoons { n: 101, noise: 0.0 }.generate(9).unwrap();
    assert_eq!(moons.labels.counts(), [51, 50]);
    for (row, class) in moons.points.to_dense().rows().into_iter().zip(classes(&moons)) {
        let (x, y) = if class == 0 { (row[0], row[1]) } else { (1.0 - row[0], 0.5 - row[1]) };
        assert!((x.hypot(y) - 1.0).abs() < 1e-12 && y >= 0.0);
    }
}

#[test]
fn manifolds_do_not_depend_on_the_number_of_threads() {
    let sheets = ClusterManifolds { n: 5000, dim: 7, classes: 3, ..Default::default() };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sheets.generate(11)).unwrap()
    };
    let alone = with(1);
    assert_eq!(alone, with(2));
    assert_eq!(alone, with(5));
    assert_ne!(alone, sheets.generate(12).unwrap());
    // Blocks are filled from streams of their own: no two rows repeat.
    let rows = alone.points.to_dense();
    let mut keys: Vec<u64> = rows.column(0).iter().map(|x| x.to_bits()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 5000);
}

#[test]
fn manifolds_have_the_shape_asked_for() {
    let sheets = ClusterManifolds {
        n: 900,
        dim: 20,
        classes: 3,
        intrinsic: 2,
        separation: 10.0,
        noise: 0.01,
    };
    let data = sheets.generate(3).unwrap();
    assert_eq!(data.labels.counts(), [300, 300, 300]);
    let rows = data.points.to_dense();
    let mean = |class: usize| {
        let mut sum = ndarray::Array1::<f64>::zeros(20);
        (class..900).step_by(3).for_each(|node| sum += &rows.row(node));
        sum / 300.0
    };
    // Off its two directions a sheet is as thin as the noise: of the total variance about 2 lie
    // in the sheet and 20 · 0.01² off it.
    let centre = mean(0);
    let variance: f64 = (0..900)
        .step_by(3)
        .map(|node| (&rows.row(node) - &centre).iter().map(|x| x * x).sum::<f64>() / 300.0)
        .sum();
    assert!((1.5..2.5).contains(&variance), "{variance}");
    let apart = (&mean(0) - &mean(1)).iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((5.0..15.0).contains(&apart), "{apart}");
}

#[test]
fn parameters_outside_their_range_are_named() {
    let moons = |n, noise| TwoMoons { n, noise }.generate(0).map(drop);
    let bands = |change: fn(&mut ThreeBands)| {
        let mut bands = ThreeBands::default();
        change(&mut bands);
        bands.generate(0).map(drop)
    };
    let spirals = |change: fn(&mut TwoSpirals)| {
        let mut spirals = TwoSpirals::default();
        change(&mut spirals);
        spirals.generate(0).map(drop)
    };
    let grids = |change: fn(&mut TwoGrids)| {
        let mut grids = TwoGrids::default();
        change(&mut grids);
        grids.generate(0).map(drop)
    };
    let roll = |change: fn(&mut SwissRoll)| {
        let mut roll = SwissRoll::default();
        change(&mut roll);
        roll.generate(0).map(drop)
    };
    let sheets = |change: fn(&mut ClusterManifolds)| {
        let mut sheets = ClusterManifolds::default();
        change(&mut sheets);
        sheets.generate(0).map(drop)
    };
    for (name, result) in [
        ("n", moons(1, 0.1)),
        ("n", moons(usize::MAX, 0.1)),
        ("noise", moons(10, -0.1)),
        ("noise", moons(10, f64::NAN)),
        ("n", bands(|b| b.n = 5)),
        ("length", bands(|b| b.length = 0.0)),
        ("gap", bands(|b| b.gap = f64::INFINITY)),
        ("width", bands(|b| b.width = -1.0)),
        ("arch", bands(|b| b.arch = f64::NAN)),
        ("n", spirals(|s| s.n = 3)),
        ("turns", spirals(|s| s.turns = 0.0)),
        ("gap", spirals(|s| s.gap = -1.0)),
        ("inner", spirals(|s| s.inner = 0.0)),
        ("height", spirals(|s| s.height = -1.0)),
        ("noise", spirals(|s| s.noise = f64::INFINITY)),
        ("columns", grids(|g| g.columns = 1)),
        ("rows", grids(|g| g.rows = 0)),
        ("columns × rows", grids(|g| (g.columns, g.rows) = (1 << 20, 1 << 20))),
        ("bridge", grids(|g| g.bridge = usize::MAX)),
        ("upper_spacing", grids(|g| g.upper_spacing = 0.0)),
        ("lower_spacing", grids(|g| g.lower_spacing = -0.5)),
        ("gap", grids(|g| g.gap = 0.0)),
        ("bridge_at", grids(|g| g.bridge_at = f64::NAN)),
        ("noise", grids(|g| g.noise = -1.0)),
        ("n", roll(|r| r.n = 3)),
        ("unseen", roll(|r| r.unseen = usize::MAX)),
        ("turns", roll(|r| r.turns = f64::NAN)),
        ("inner", roll(|r| r.inner = 0.0)),
        ("outer − inner", roll(|r| r.outer = 0.05)),
        ("width", roll(|r| r.width = -1.0)),
        ("noise", roll(|r| r.noise = -1.0)),
        ("dim", sheets(|c| c.dim = 0)),
        ("classes", sheets(|c| c.classes = 0)),
        ("n", sheets(|c| c.n = 9)),
        ("n × dim", sheets(|c| c.n = usize::MAX)),
        ("intrinsic", sheets(|c| c.intrinsic = 0)),
        ("intrinsic", sheets(|c| c.intrinsic = 17)),
        ("separation", sheets(|c| c.separation = -1.0)),
        ("noise", sheets(|c| c.noise = f64::NAN)),
    ] {
        match result {
            Err(DataError::Argument { name: named, .. }) => assert_eq!(named, name),
            other => panic!("{name}: {other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn every_generator_gives_n_labelled_points_and_repeats_itself(seed: u64, n in 6_usize..80) {
        let figures = |n| {
            let roll = SwissRoll { n, unseen: 5, width: 0.5, ..Default::default() };
            [
                ThreeBands { n, ..Default::default() }.generate(seed).unwrap(),
                ThreeBands { n, arch: 0.0, ..Default::default() }.generate(seed).unwrap(),
                TwoSpirals { n, ..Default::default() }.generate(seed).unwrap(),
                TwoSpirals { n, height: 0.0, ..Default::default() }.generate(seed).unwrap(),
                roll.generate(seed).unwrap().seen,
            ]
        };
        prop_assert_eq!(figures(n), figures(n));
        let dims = figures(n).map(|figure| figure.data.dim());
        prop_assert_eq!(dims, [3, 2, 3, 2, 3]);
        for figure in figures(n) {
            prop_assert_eq!((figure.data.points.len(), figure.data.labels.len()), (n, n));
            prop_assert!(figure.data.labels.unlabelled().is_empty());
            let counts = figure.data.labels.counts();
            prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
            // One labelled node of each class.
            prop_assert!(figure.partial().unwrap().counts().iter().all(|&count| count == 1));
        }
    }
}

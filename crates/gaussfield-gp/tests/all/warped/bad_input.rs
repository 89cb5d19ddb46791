//! Every wrong input is refused with its value and a way out.

use super::{N, graph, observed, points, spiral};
use gaussfield_core::{Budget, NoSuchNode, SizeMismatch};
use gaussfield_gp::{
    Ambient, GaussianProcess, Geometry, GpError, Kernel, LandmarkKernel, Observed, Prior, Probit,
    Warp,
};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::array;

const GOOD: Warp = Warp { gamma_a: 1.0, gamma_i: 1.0, power: 1 };
const KERNEL: Kernel = Kernel::Rbf { width: 0.5 };

fn assert_says(error: &GpError, words: &[&str]) {
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "{message:?} lacks {word:?}");
    }
}

#[test]
fn warps_out_of_range() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let budget = Budget::default();
    let which = Laplacian::Combinatorial;
    let geometry = Geometry::new(&graph, which, budget).unwrap();
    let ambient = Ambient::new(&geometry, &points, KERNEL, budget).unwrap();
    let positive = "must be positive and finite";
    let cases: [(Warp, &[&str]); 10] = [
        (Warp { gamma_a: 0.0, ..GOOD }, &["gamma_a is 0:", positive]),
        (Warp { gamma_a: -2.5, ..GOOD }, &["gamma_a is -2.5:", positive]),
        (Warp { gamma_a: f64::NAN, ..GOOD }, &["gamma_a is NaN:", positive]),
        (Warp { gamma_i: -1.5, ..GOOD }, &["gamma_i is -1.5:", "must be finite and not negative"]),
        (Warp { gamma_i: f64::INFINITY, ..GOOD }, &["gamma_i is inf:", "finite and not negative"]),
        (Warp { power: 0, ..GOOD }, &["power p", "is 0:", "from 1 to 64"]),
        (Warp { power: 65, ..GOOD }, &["power p", "is 65:", "from 1 to 64"]),
        (Warp { power: u32::MAX, ..GOOD }, &["power p", "is 4294967295:", "from 1 to 64"]),
        (Warp { gamma_i: 1e300, power: 64, ..GOOD }, &["p = 64", "lower p", "normalised"]),
        (Warp { gamma_i: 1e300, gamma_a: 1e-300, power: 1 }, &["= inf", "lower p or γ_I"]),
    ];
    for (warp, words) in cases {
        assert_says(&ambient.warp(warp).unwrap_err(), words);
        let landmarks = LandmarkKernel::new(&points, &graph, which, KERNEL, warp, &[0, 3], budget);
        assert_says(&landmarks.unwrap_err(), words);
    }
}

#[test]
fn landmarks_and_sizes_that_do_not_fit() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let budget = Budget::default();
    let landmarks = |which, nodes: &[usize], bytes| {
        let budget = Budget { bytes };
        LandmarkKernel::new(&points, &graph, which, KERNEL, GOOD, nodes, budget).unwrap_err()
    };
    let (plain, all) = (Laplacian::Combinatorial, u64::MAX);
    assert_says(&landmarks(plain, &[], all), &["number of landmarks is 0", "at least 1"]);
    let past = GpError::from(NoSuchNode { node: N, nodes: N });
    assert_eq!(landmarks(plain, &[N], all), past);
    assert!(matches!(landmarks(Laplacian::RandomWalk, &[0], all), GpError::Laplacian(_)));
    // Three 14 × 2 matrices are 672 bytes.
    let words = ["three n × m matrices", "take 1.0 kB", "700 bytes", "fewer landmarks"];
    assert_says(&landmarks(plain, &[0, 1, 2], 700), &words);

    // Five 14 × 14 matrices are 7840 bytes.
    assert!(Geometry::new(&graph, Laplacian::RandomWalk, budget).is_err());
    let tight = Budget { bytes: 7839 };
    let words = ["five n × n matrices", "take 7.8 kB", "a LandmarkKernel keeps n × m"];
    assert_says(&Geometry::new(&graph, Laplacian::Symmetric, tight).unwrap_err(), &words);
    let geometry = Geometry::new(&graph, plain, Budget { bytes: 7840 }).unwrap();
    assert_says(&Ambient::new(&geometry, &points, KERNEL, tight).unwrap_err(), &words);

    let bad = Kernel::Rbf { width: 0.0 };
    let error = Ambient::new(&geometry, &points, bad, budget).unwrap_err();
    assert_says(&error, &["width", "0", "positive"]);
    let fewer = points.select(&[0, 1]).unwrap();
    let error = Ambient::new(&geometry, &fewer, KERNEL, budget).unwrap_err();
    assert!(matches!(error, GpError::SizeMismatch(SizeMismatch { expected: N, got: 2, .. })));
}

#[test]
fn queries_of_another_dimension() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let budget = Budget::default();
    let which = Laplacian::Combinatorial;
    let geometry = Geometry::new(&graph, which, budget).unwrap();
    let ambient = Ambient::new(&geometry, &points, KERNEL, budget).unwrap();
    let landmarks = LandmarkKernel::new(&points, &graph, which, KERNEL, GOOD, &[0, 3, 9], budget);
    let other = Points::dense(array![[1.0, 2.0, 3.0]]).unwrap();
    let words = ["dimensions of the points: 3 given where 2 are needed"];
    assert_says(&ambient.queries(&other).unwrap_err(), &words);
    let process = GaussianProcess::ep(Probit { noise: 0.1 });
    let warped = ambient.warp(GOOD).unwrap();
    assert_says(&warped.covariance(&other, &other).unwrap_err(), &words);
    let exact = process.fit(warped, observed()).unwrap();
    assert_says(&exact.marginals(&other).unwrap_err(), &words);
    let nystroem = process.fit(landmarks.unwrap(), observed()).unwrap();
    assert_says(&nystroem.marginals(&other).unwrap_err(), &words);
}

/// Two labels that contradict each other on one place: K is singular there, and the answer is a
/// coin toss, not a failure.
#[test]
fn duplicate_points_with_opposite_labels() {
    let mut coordinates: Vec<f64> = spiral().to_dense().into_iter().collect();
    let twin = [coordinates[4], coordinates[5]];
    coordinates.extend(twin);
    let points = points(&coordinates);
    let (_, graph) = graph(&points, 0.7);
    let budget = Budget::default();
    let which = Laplacian::Combinatorial;
    let geometry = Geometry::new(&graph, which, budget).unwrap();
    let ambient = Ambient::new(&geometry, &points, KERNEL, budget).unwrap();
    let observed = Observed::new(&[2, N, 12], &[1.0, -1.0, 1.0]).unwrap();
    for gamma_i in [0.0, 5.0] {
        let warp = Warp { gamma_i, ..GOOD };
        let exact = ambient.warp(warp).unwrap();
        let all: Vec<usize> = (0..=N).collect();
        let landmarks =
            LandmarkKernel::new(&points, &graph, which, KERNEL, warp, &all, budget).unwrap();
        let check = |prior: &dyn Prior| {
            let process = GaussianProcess::ep(Probit { noise: 0.1 });
            let posterior = process.fit(prior, &observed).unwrap();
            assert!(posterior.log_evidence().is_finite());
            assert!(posterior.gradient().unwrap().prior.iter().all(|slope| slope.is_finite()));
            let probability = posterior.probabilities(&[2, N]).unwrap();
            assert!((probability[0] - probability[1]).abs() < 1e-3, "{probability}");
            assert!((probability[0] - 0.5).abs() < 0.2, "{probability}");
        };
        check(&exact);
        check(&landmarks);
    }
}

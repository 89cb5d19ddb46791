//! The Laplacian methods on kernels that cover all of space: what they say of new points.

use crate::bad_matrices::{assert_says, done};
use gaussfield_baselines::{Kernel, LaplacianLeastSquares, LaplacianSvm};
use gaussfield_core::Budget;
use gaussfield_gp::{LandmarkKernel, PriorFamily, Warp, WarpedKernel, WarpedPrior};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, Symmetry, WeightFamily as _};
use gaussfield_labels::{Decision, Inductive as _, Labels, Transductive as _};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::{Array2, array};

const N: usize = 60;
const KERNEL: Kernel = Kernel::Rbf { width: 0.5 };
const WARP: Warp = Warp { gamma_a: 1.0, gamma_i: 50.0, power: 1 };

/// Two arcs, one inside the other; `shift` moves the points along them.
fn arcs(shift: f64) -> Points {
    Points::dense(Array2::from_shape_fn((N, 2), |(i, d)| {
        let angle = 4.5 * ((i / 2) as f64 + shift) / (N / 2) as f64;
        let radius = if i % 2 == 0 { 1.0 } else { 1.6 };
        radius * if d == 0 { angle.cos() } else { angle.sin() }
    }))
    .unwrap()
}

fn graph(points: &Points) -> Graph {
    let pattern = Pattern::knn(points, Metric::Euclidean, 4, Symmetry::Either).unwrap();
    let family = Exponential::gaussian(0.5 * pattern.mean_distance());
    family.graph(&pattern, Budget::default()).unwrap()
}

fn warped(warp: Warp) -> WarpedKernel {
    WarpedPrior::new(&arcs(0.0), KERNEL, warp).on(&graph(&arcs(0.0))).unwrap()
}

/// Each arc labelled at one end, not the same.
fn labels() -> Labels {
    let classes: Vec<usize> = (0..N).map(|i| i % 2).collect();
    Labels::numbered(&classes, 2).unwrap().keep(&[0, N - 1]).unwrap()
}

fn assert_close(a: &Array2<f64>, b: &Array2<f64>, within: f64) {
    assert!((a - b).iter().all(|gap| gap.abs() < within), "{a} against {b}");
}

#[test]
fn a_prior_and_its_whole_matrix_give_the_same_machine() {
    let (prior, labels) = (warped(WARP), labels());
    let gram = prior.gram();
    let machine = LaplacianSvm { tolerance: 1e-10, ..LaplacianSvm::new(0.01) };
    let whole =
        machine.fit_gram(gram.view(), &labels).unwrap().decision_values(gram.view()).unwrap();
    let on_prior = machine.fit_on(&prior, &labels).unwrap();
    // New points that lie on the nodes are the nodes.
    assert_close(&on_prior.decision_values(&arcs(0.0)).unwrap(), &whole, 1e-7);

    let squares = LaplacianLeastSquares { ambient: 0.01 };
    let whole =
        squares.fit_gram(gram.view(), &labels).unwrap().decision_values(gram.view()).unwrap();
    let on_prior = squares.fit_on(&prior, &labels).unwrap();
    assert_close(&on_prior.decision_values(&arcs(0.0)).unwrap(), &whole, 1e-7);

    // All nodes as landmarks.
    let (points, all): (Points, Vec<usize>) = (arcs(0.0), (0..N).collect());
    let (which, budget) = (Laplacian::Combinatorial, Budget::default());
    let (graph, kernel) = (graph(&points), KERNEL);
    let landmarks = LandmarkKernel::new(&points, &graph, which, kernel, WARP, &all, budget);
    let on_landmarks = squares.fit_on(landmarks.unwrap(), &labels).unwrap();
    assert_close(
        &on_landmarks.decision_values(&arcs(0.3)).unwrap(),
        &on_prior.decision_values(&arcs(0.3)).unwrap(),
        1e-5,
    );
}

#[test]
fn the_graph_carries_two_labels_to_points_it_never_saw() {
    let (new, labels) = (arcs(0.4), labels());
    let wrong =
        |classes: &[usize]| classes.iter().enumerate().filter(|(i, c)| i % 2 != **c).count();
    let machine = LaplacianSvm::new(1e-3);
    let strong = || warped(Warp { gamma_i: 1e4, ..WARP });
    let bent = machine.fit_on(strong(), &labels).unwrap().predict(&new).unwrap();
    let squares = LaplacianLeastSquares { ambient: 1e-3 };
    let by_squares = squares.fit_on(strong(), &labels).unwrap().predict(&new).unwrap();
    let straight = warped(Warp { gamma_i: 0.0, ..WARP });
    let straight = machine.fit_on(straight, &labels).unwrap().predict(&new).unwrap();
    let (bent, by_squares) = (wrong(&bent.argmax()), wrong(&by_squares.argmax()));
    assert!(bent <= N / 20 && by_squares <= N / 20, "{bent}, {by_squares} of {N}");
    assert!(wrong(&straight.argmax()) > N / 4);
    let none = new.select(&[]).unwrap();
    let model = machine.fit_on(strong(), &labels).unwrap();
    assert!(model.predict(&none).unwrap().argmax().is_empty());
    // On its own nodes it answers as a method on a graph.
    let told = model.predictions(&Decision::Argmax).unwrap();
    assert_eq!(told.rows(), labels.unlabelled());
    assert!(told.iter().filter(|told| told.row % 2 != told.number).count() <= N / 20);
}

#[test]
fn wrong_input_is_named() {
    let (prior, labels) = (warped(WARP), labels());
    let machine = LaplacianSvm::new(0.01);
    let model = machine.fit_on(&prior, &labels).unwrap();
    let wide = Points::dense(array![[1.0, 2.0, 3.0]]).unwrap();
    let short = labels.select(&[0, 1, N - 1]).unwrap();
    let none = labels.keep(&[]).unwrap();
    let one = labels.keep(&[0]).unwrap();
    assert_says(vec![
        (
            "dimension",
            done(model.predict(&wide)),
            &["dimensions of the points: 3 given where 2 are needed"],
        ),
        ("length", done(machine.fit_on(&prior, &short)), &["3 given where 60"]),
        ("no label", done(machine.fit_on(&prior, &none)), &["no node is labelled"]),
        ("one class", done(machine.fit_on(&prior, &one)), &["nothing to separate"]),
        ("γ_A", done(LaplacianSvm::new(0.0).fit_on(&prior, &labels)), &["γ_A", "is 0", "positive"]),
        (
            "γ_A",
            done(LaplacianLeastSquares { ambient: -1.0 }.fit_on(&prior, &labels)),
            &["γ_A", "is -1", "positive"],
        ),
    ]);
}

//! Weights are those of the formulas, and every pullback is the derivative of its weights.

use gaussfield_core::Budget;
use gaussfield_graph::*;
use gaussfield_points::Points;
use ndarray::{Array1, Array2};
use proptest::prelude::*;
use sprs::CsMat;

const BUDGET: Budget = Budget { bytes: 1 << 30 };

/// J(w) = Σ over edges of gᵢⱼwᵢⱼ for fixed g, whose gradient on the edges is g.
fn objective(graph: &Graph, gradient: &EdgeGradient) -> f64 {
    let mut sum = 0.0;
    for i in 0..graph.nodes() {
        graph.for_each_neighbour(i, |j, w| {
            if j < i {
                sum += gradient.at(i, j) * w;
            }
        });
    }
    sum
}

fn check_pullback(family: &dyn WeightFamily, pattern: &Pattern, gradient: &EdgeGradient) {
    let graph = family.graph(pattern, BUDGET).unwrap();
    let got = family.pullback(pattern, &graph, gradient).unwrap();
    let start = family.values();
    assert_eq!(got.len(), start.len());
    for (at, &slope) in got.iter().enumerate() {
        let value = |shift: f64| {
            let mut moved = start.clone();
            moved[at] += shift;
            let mut family = family.boxed();
            family.set_parameters(&moved).unwrap();
            objective(&family.graph(pattern, BUDGET).unwrap(), gradient)
        };
        // Richardson's rule: the error is of fourth order in h.
        let h = 1e-3 * start[at].abs().max(0.1);
        let coarse = (value(h) - value(-h)) / (2.0 * h);
        let fine = (value(h / 2.0) - value(-h / 2.0)) / h;
        let want = (4.0 * fine - coarse) / 3.0;
        let scale = 1.0 + slope.abs() + objective_scale(&graph, gradient);
        assert!((slope - want).abs() < 1e-7 * scale, "parameter {at}: {slope} but slope {want}");
    }
}

fn objective_scale(graph: &Graph, gradient: &EdgeGradient) -> f64 {
    let largest = gradient.node_terms.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
    largest * graph.nodes() as f64
}

#[derive(Debug)]
struct Case {
    rows: Array2<f64>,
    gradient: EdgeGradient,
    theta: Vec<f64>,
    k: usize,
    eps: f64,
}

fn case() -> impl Strategy<Value = Case> {
    (2_usize..14, 1_usize..6, 0_usize..4).prop_flat_map(|(n, d, potentials)| {
        let number = || -1.5_f64..1.5;
        (
            prop::collection::vec(number(), n * d),
            prop::collection::vec(number(), n * (2 * potentials + 1)),
            prop::collection::vec(0.5_f64..2.0, d.max(2)),
            1..n,
            0.3_f64..2.5,
        )
            .prop_map(move |(rows, numbers, theta, k, eps)| {
                let (a, rest) = numbers.split_at(n * potentials);
                let (b, s) = rest.split_at(n * potentials);
                let table =
                    |x: &[f64]| Array2::from_shape_vec((n, potentials), x.to_vec()).unwrap();
                let gradient = EdgeGradient {
                    potentials: table(a),
                    adjoints: table(b),
                    node_terms: Array1::from(s.to_vec()),
                };
                Case {
                    rows: Array2::from_shape_vec((n, d), rows).unwrap(),
                    gradient,
                    theta,
                    k,
                    eps,
                }
            })
    })
}

fn patterns(case: &Case, metric: Metric) -> Vec<Pattern> {
    let dense = Points::dense(case.rows.clone()).unwrap();
    let sparse = Points::sparse(CsMat::csr_from_dense(case.rows.view(), 0.3)).unwrap();
    let mut patterns = Vec::new();
    for points in [dense, sparse] {
        let zero_row = points.squared_norms().iter().any(|&norm| norm < 1e-9);
        if metric == Metric::Cosine && zero_row {
            continue;
        }
        for symmetry in [Symmetry::Either, Symmetry::Both] {
            patterns.push(Pattern::knn(&points, metric, case.k, symmetry).unwrap());
        }
        patterns.push(Pattern::ball(&points, metric, case.eps).unwrap());
        patterns.push(Pattern::complete(&points, metric).unwrap());
    }
    patterns
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_pullback_is_the_derivative(case in case()) {
        let theta = &case.theta;
        let sigmas = theta[..case.rows.ncols()].to_vec();
        for metric in [Metric::Euclidean, Metric::Cosine] {
            for pattern in patterns(&case, metric) {
                let check_all = |gradient: &EdgeGradient| {
                    check_pullback(&Exponential { sigma: theta[0] }, &pattern, gradient);
                    check_pullback(&ExponentialPerDimension { sigmas: sigmas.clone() }, &pattern, gradient);
                    check_pullback(&Tanh { a1: -theta[0], a2: theta[1] }, &pattern, gradient);
                    check_pullback(&Unweighted, &pattern, gradient);
                    check_pullback(&SelfTuning { factor: theta[0], neighbour: case.k }, &pattern, gradient);
                    if metric == Metric::Cosine {
                        check_pullback(&CosineExponential { scale: theta[0] }, &pattern, gradient);
                    }
                };
                check_all(&case.gradient);
            }
        }
    }

    #[test]
    fn weights_are_those_of_the_formulas(case in case()) {
        let theta = &case.theta;
        let sigmas = theta[..case.rows.ncols()].to_vec();
        for pattern in patterns(&case, Metric::Euclidean) {
            let points = pattern.points();
            let rows = points.to_dense();
            let d = |i: usize, j: usize| points.squared_distance(i, j).sqrt();
            let is_edge = |i: usize, j: usize| match pattern.sparse_distances() {
                Some(distances) => distances.get(i, j).is_some(),
                None => i != j,
            };
            let check = |graph: Graph, want: &dyn Fn(usize, usize) -> f64| {
                // The checking constructor accepts what the families made: the invariant holds.
                match graph.weights() {
                    Weights::Dense(w) => assert_eq!(Graph::from_dense(w.clone()).unwrap(), graph),
                    Weights::Sparse(w) => assert_eq!(Graph::from_sparse(w.clone()).unwrap(), graph),
                }
                for i in 0..points.len() {
                    for j in 0..points.len() {
                        let want = if is_edge(i, j) { want(i, j) } else { 0.0 };
                        let got = graph.weight(i, j);
                        assert!((got - want).abs() <= 1e-13 + 1e-11 * want, "{got} {want}");
                    }
                }
            };
            let exponential = Exponential { sigma: theta[0] }.graph(&pattern, BUDGET).unwrap();
            check(exponential, &|i, j| (-(d(i, j) / theta[0]).powi(2)).exp());
            let gaussian = Exponential::gaussian(theta[0]).graph(&pattern, BUDGET).unwrap();
            check(gaussian, &|i, j| (-0.5 * (d(i, j) / theta[0]).powi(2)).exp());
            let family = ExponentialPerDimension { sigmas: sigmas.clone() };
            check(family.graph(&pattern, BUDGET).unwrap(), &|i, j| {
                let terms = (0..sigmas.len()).map(|e| ((rows[[i, e]] - rows[[j, e]]) / sigmas[e]).powi(2));
                (-terms.sum::<f64>()).exp()
            });
            let tanh = Tanh { a1: -theta[0], a2: theta[1] }.graph(&pattern, BUDGET).unwrap();
            check(tanh, &|i, j| ((-theta[0] * (d(i, j) - theta[1])).tanh() + 1.0) / 2.0);
            check(Unweighted.graph(&pattern, BUDGET).unwrap(), &|_, _| 1.0);
        }
        for pattern in patterns(&case, Metric::Cosine) {
            let graph = CosineExponential { scale: 0.3 }.graph(&pattern, BUDGET).unwrap();
            let (points, norms) = (pattern.points(), pattern.points().squared_norms());
            for i in 0..points.len() {
                graph.for_each_neighbour(i, |j, w| {
                    let cosine = points.dot(i, j) / (norms[i] * norms[j]).sqrt();
                    assert!((w - (-(1.0 - cosine) / 0.3).exp()).abs() < 1e-12);
                });
            }
        }
    }
}

/// Large enough for the matrix products. `offset` moves half of the points away so far that the
/// products cancel between close points.
fn large(offset: f64) -> (Points, EdgeGradient, Vec<f64>) {
    let wave = |i: usize, j: usize| f64::sin((i * 37 + j * 91 + i * j) as f64);
    let (n, d) = (300, 24);
    let rows =
        Array2::from_shape_fn((n, d), |(i, j)| wave(i, j) + if i % 2 == 0 { offset } else { 0.0 });
    let gradient = EdgeGradient {
        potentials: Array2::from_shape_fn((n, 2), |(i, k)| wave(i, k + 50)),
        adjoints: Array2::from_shape_fn((n, 2), |(i, k)| wave(i, k + 60)),
        node_terms: Array1::from_shape_fn(n, |i| wave(i, 70)),
    };
    let sigmas = (0..d).map(|j| 2.0 + wave(j, 80)).collect();
    (Points::dense(rows).unwrap(), gradient, sigmas)
}

#[test]
fn matrix_products_keep_the_digits_of_weights_and_gradients() {
    for offset in [0.0, 30.0, 1e4, 1e8, 1e12] {
        let (points, gradient, sigmas) = large(offset);
        let rows = points.to_dense();
        let (n, d) = rows.dim();
        let pattern = Pattern::complete(&points, Metric::Euclidean).unwrap();
        let family = ExponentialPerDimension { sigmas: sigmas.clone() };
        let graph = family.graph(&pattern, BUDGET).unwrap();
        let (mut want, mut size) = (vec![0.0; d], vec![0.0; d]);
        for i in 0..n {
            for j in 0..i {
                let terms: Vec<f64> =
                    (0..d).map(|e| ((rows[[i, e]] - rows[[j, e]]) / sigmas[e]).powi(2)).collect();
                let w = (-terms.iter().sum::<f64>()).exp();
                let got = graph.weight(i, j);
                assert!((got - w).abs() <= 1e-11 * w, "offset {offset}: {got} {w}");
                for e in 0..d {
                    let part = w * gradient.at(i, j) * 2.0 * terms[e] / sigmas[e];
                    want[e] += part;
                    size[e] += part.abs();
                }
            }
        }
        let got = family.pullback(&pattern, &graph, &gradient).unwrap();
        for e in 0..d {
            assert!((got[e] - want[e]).abs() <= 1e-11 * size[e], "offset {offset}");
        }
    }
}

#[test]
fn no_result_depends_on_the_number_of_threads() {
    let (points, gradient, sigmas) = large(0.5);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let complete = Pattern::complete(&points, Metric::Euclidean).unwrap();
            let knn = Pattern::knn(&points, Metric::Euclidean, 10, Symmetry::Either).unwrap();
            let mut bits = Vec::new();
            for pattern in [complete, knn] {
                let family = ExponentialPerDimension { sigmas: sigmas.clone() };
                let graph = family.graph(&pattern, BUDGET).unwrap();
                bits.extend(family.pullback(&pattern, &graph, &gradient).unwrap());
                bits.extend(graph.degrees());
                let family = Tanh { a1: -1.0, a2: 3.0 };
                let graph = family.graph(&pattern, BUDGET).unwrap();
                bits.extend(family.pullback(&pattern, &graph, &gradient).unwrap());
                bits.push(pattern.mean_distance());
            }
            bits.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn underflowed_weights_keep_their_place_and_have_no_slope() {
    let points = Points::dense(ndarray::array![[0.0], [1.0], [1e200]]).unwrap();
    let gradient = EdgeGradient {
        potentials: Array2::zeros((3, 0)),
        adjoints: Array2::zeros((3, 0)),
        node_terms: Array1::ones(3),
    };
    let knn = Pattern::knn(&points, Metric::Euclidean, 2, Symmetry::Either).unwrap();
    let complete = Pattern::complete(&points, Metric::Euclidean).unwrap();
    for pattern in [knn, complete] {
        // The exponent overflows for 0.1 and for 1e-200 alike: no NaN may come of it.
        let one = Exponential { sigma: 0.1 };
        let each = ExponentialPerDimension { sigmas: vec![1e-200] };
        let graph = one.graph(&pattern, BUDGET).unwrap();
        assert_eq!(graph.edges(), 1);
        if let Weights::Sparse(weights) = graph.weights() {
            assert_eq!(weights.nnz(), 6);
        }
        let slope = one.pullback(&pattern, &graph, &gradient).unwrap()[0];
        assert!((slope / (2.0 * 2.0 * f64::exp(-100.0) / 1e-3) - 1.0).abs() < 1e-12);
        let graph = each.graph(&pattern, BUDGET).unwrap();
        assert_eq!(graph.edges(), 0);
        assert!(each.pullback(&pattern, &graph, &gradient).unwrap()[0].abs() < 1e-300);
    }
}

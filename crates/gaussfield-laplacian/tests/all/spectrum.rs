//! The smallest eigenpairs against full decompositions and closed forms.

use crate::support::*;
use gaussfield_core::Budget;
use gaussfield_graph::{Graph, GraphError};
use gaussfield_laplacian::{
    LanczosOptions, Laplacian, LaplacianError, Preconditioner, Solver, Spectrum, components,
};
use ndarray::{Array2, Axis};
use proptest::prelude::*;
use std::f64::consts::PI;

const BOTH: [Laplacian; 2] = [Laplacian::Combinatorial, Laplacian::Symmetric];

fn smallest(laplacian: Laplacian, graph: &Graph, count: usize) -> Spectrum {
    laplacian.smallest(graph, count, &LanczosOptions::default()).unwrap()
}

/// Values as given, vectors orthonormal and belonging to them, zeros exact.
fn check(laplacian: Laplacian, graph: &Graph, spectrum: &Spectrum, expected: &[f64]) {
    let size = match laplacian {
        Laplacian::Combinatorial => 2.0 * graph.degrees().iter().copied().fold(0.0, f64::max),
        _ => 2.0,
    };
    let size = if size > 0.0 { size } else { 1.0 };
    assert_eq!(spectrum.values.len(), expected.len());
    for (got, expected) in spectrum.values.iter().zip(expected) {
        assert!((got - expected).abs() <= 1e-11 * size, "{laplacian:?}: {got} {expected}");
    }
    assert!(spectrum.values.windows(2).into_iter().all(|w| w[0] <= w[1]));
    let zeros = spectrum.values.iter().filter(|&&v| v <= 0.0).count();
    assert_eq!(zeros, components(graph).count.min(expected.len()));
    let gram = spectrum.vectors.t().dot(&spectrum.vectors);
    assert!(distance(&gram, &Array2::eye(expected.len())) < 1e-12);
    let image = laplacian.apply(graph, spectrum.vectors.view()).unwrap();
    let residual = image - &spectrum.vectors * &spectrum.values;
    for (column, reported) in residual.axis_iter(Axis(1)).zip(&spectrum.residuals) {
        let norm = column.iter().map(|r| r * r).sum::<f64>().sqrt() / size;
        assert!((norm - reported).abs() < 1e-14 && norm <= 1e-10, "{norm} {reported}");
    }
}

fn check_against_full(graph: &Graph, count: usize, by_lanczos: bool) {
    for laplacian in BOTH {
        let expected = laplacian.eigenvalues(graph, Budget::default()).unwrap();
        let spectrum = smallest(laplacian, graph, count);
        assert_eq!(spectrum.solves > 0, by_lanczos, "{laplacian:?}");
        let expected: Vec<f64> = expected.iter().take(count).copied().collect();
        check(laplacian, graph, &spectrum, &expected);
    }
}

/// Several graphs side by side.
fn side_by_side(parts: &[Graph]) -> Graph {
    let mut edges = Vec::new();
    let mut first = 0;
    for part in parts {
        for i in 0..part.nodes() {
            part.for_each_neighbour(i, |j, w| {
                if i < j {
                    edges.push((first + i, first + j, w));
                }
            });
        }
        first += part.nodes();
    }
    Graph::from_edges(first, edges).unwrap()
}

fn cycle(n: usize) -> Graph {
    Graph::from_edges(n, (0..n).map(|i| (i, (i + 1) % n, 1.0))).unwrap()
}

/// A graph of 401 to 520 nodes: trees with extra edges, in some number of parts.
fn scattered() -> impl Strategy<Value = Graph> {
    (401_usize..520, 1_usize..30).prop_flat_map(|(n, parts)| {
        let parents = proptest::collection::vec(0.0..1.0_f64, n);
        let extra = proptest::collection::vec((0..n, 0..n), 0..2 * n);
        let exponents = proptest::collection::vec(-1.0..1.0_f64, 3 * n);
        (Just(n), Just(parts), parents, extra, exponents).prop_map(
            |(n, parts, parents, extra, exponents)| {
                let mut pairs = std::collections::BTreeSet::new();
                for i in parts..n {
                    // A random earlier node of the same part (by remainder).
                    let rank = (parents[i] * (i / parts) as f64) as usize;
                    pairs.insert((rank * parts + i % parts, i));
                }
                for (i, j) in extra {
                    if i != j && i % parts == j % parts {
                        pairs.insert((i.min(j), i.max(j)));
                    }
                }
                let edges =
                    pairs.into_iter().zip(exponents).map(|((i, j), e)| (i, j, 10f64.powf(e)));
                Graph::from_edges(n, edges).unwrap()
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn lanczos_agrees_with_the_full_matrix(graph in scattered(), count in 31_usize..80) {
        check_against_full(&graph, count, true);
    }

    #[test]
    fn another_seed_gives_the_same_values(graph in scattered(), seed in 1_u64..1000) {
        let options = LanczosOptions { seed, ..LanczosOptions::default() };
        let expected = smallest(Laplacian::Symmetric, &graph, 40).values;
        let spectrum = Laplacian::Symmetric.smallest(&graph, 40, &options).unwrap();
        check(Laplacian::Symmetric, &graph, &spectrum, expected.as_slice().unwrap());
    }
}

proptest! {
    #[test]
    fn small_graphs_agree_with_the_full_matrix(
        (graph, _) in connected(),
        (other, _) in connected(),
        share in 0.0..1.0_f64,
    ) {
        let graph = side_by_side(&[graph, other]);
        let count = 3 + ((graph.nodes() - 3) as f64 * share) as usize;
        check_against_full(&graph, count, false);
        check_against_full(&densified(&graph), count, false);
    }
}

/// A square grid, by a direct solver: sums of the eigenvalues of two paths.
#[test]
fn two_thousand_nodes_by_a_direct_solver() {
    let side = 45;
    let right = (0..side * side).filter(|i| i % side + 1 < side).map(|i| (i, i + 1, 1.0));
    let down = (0..side * (side - 1)).map(|i| (i, i + side, 1.0));
    let graph = Graph::from_edges(side * side, right.chain(down)).unwrap();
    let path = |j: usize| 2.0 - 2.0 * (PI * j as f64 / side as f64).cos();
    let mut expected: Vec<f64> =
        (0..side).flat_map(|i| (0..side).map(move |j| path(i) + path(j))).collect();
    expected.sort_by(f64::total_cmp);
    let spectrum = smallest(Laplacian::Combinatorial, &graph, 20);
    assert!(spectrum.solves > 0);
    check(Laplacian::Combinatorial, &graph, &spectrum, &expected[..20]);
}

/// A ring with far hops, by both iterative solvers: its eigenvectors are waves.
#[test]
fn two_thousand_nodes_by_iterative_solvers() {
    let (n, hops) = (2000, [1, 44, 301, 702]);
    let edges = (0..n).flat_map(|i| hops.map(|hop| (i, (i + hop) % n, 1.0)));
    let graph = Graph::from_edges(n, edges).unwrap();
    let wave = |k: usize, hop: usize| 2.0 - 2.0 * (2.0 * PI * (k * hop) as f64 / n as f64).cos();
    let mut expected: Vec<f64> =
        (0..n).map(|k| hops.iter().map(|&hop| wave(k, hop)).sum()).collect();
    expected.sort_by(f64::total_cmp);
    let solvers = [Preconditioner::Jacobi, Preconditioner::ApproximateCholesky];
    for (laplacian, preconditioner) in BOTH.into_iter().zip(solvers) {
        let solver = with(Solver::ConjugateGradient(preconditioner));
        let options = LanczosOptions { solver, ..LanczosOptions::default() };
        let spectrum = laplacian.smallest(&graph, 20, &options).unwrap();
        let degree = if laplacian == Laplacian::Symmetric { 8.0 } else { 1.0 };
        let expected: Vec<f64> = expected.iter().take(20).map(|value| value / degree).collect();
        check(laplacian, &graph, &spectrum, &expected);
    }
}

#[test]
fn eigenvalues_of_high_multiplicity_are_found_with_all_their_copies() {
    // 40 cycles of 30 nodes: every eigenvalue but 0 comes 80 times.
    let cycles = side_by_side(&vec![cycle(30); 40]);
    let mut expected: Vec<f64> =
        (0..30).flat_map(|k| [2.0 - 2.0 * (2.0 * PI * k as f64 / 30.0).cos(); 40]).collect();
    expected.sort_by(f64::total_cmp);
    for count in [1, 40, 41, 150, 240] {
        let spectrum = smallest(Laplacian::Combinatorial, &cycles, count);
        check(Laplacian::Combinatorial, &cycles, &spectrum, &expected[..count]);
    }
    // A star: 0, then 1 for all but two.
    let star = Graph::from_edges(900, (1..900).map(|i| (0, i, 1.0))).unwrap();
    for laplacian in BOTH {
        let count = 60;
        let mut expected = vec![1.0; count];
        expected[0] = 0.0;
        check(laplacian, &star, &smallest(laplacian, &star, count), &expected);
    }
    // A hypercube of 9 dimensions: 2j comes (9 over j) times.
    let flips = |i: usize| (0..9).map(move |bit| i ^ (1 << bit)).filter(move |&j| i < j);
    let edges = (0..512).flat_map(|i| flips(i).map(move |j| (i, j, 1.0)));
    let cube = Graph::from_edges(512, edges).unwrap();
    let expected: Vec<f64> = (0..60)
        .map(|at| {
            if at == 0 {
                0.0
            } else if at < 10 {
                2.0
            } else if at < 46 {
                4.0
            } else {
                6.0
            }
        })
        .collect();
    check(
        Laplacian::Combinatorial,
        &cube,
        &smallest(Laplacian::Combinatorial, &cube, 60),
        &expected,
    );
}

#[test]
fn nodes_without_edges_and_only_such() {
    let mut parts = vec![grid(21)];
    parts.extend(vec![Graph::from_edges(1, []).unwrap(); 5]);
    check_against_full(&side_by_side(&parts), 12, true);
    let empty = Graph::from_edges(500, []).unwrap();
    for laplacian in BOTH {
        for count in [1, 3, 500] {
            let spectrum = smallest(laplacian, &empty, count);
            assert_eq!(spectrum.solves, 0);
            check(laplacian, &empty, &spectrum, &vec![0.0; count]);
        }
    }
}

/// Two grids that hang together by one weak link: λ₂ = w·(1/n₁ + 1/n₂) to first order in w.
#[test]
fn a_weak_link_keeps_its_tiny_eigenvalue() {
    for (side, weight) in [(21, 1e-9), (21, 1e-13), (10, 1e-13)] {
        let nodes = side * side;
        let pair = side_by_side(&[grid(side), grid(side)]);
        let mut edges = vec![(3, nodes + 7, weight)];
        for i in 0..2 * nodes {
            pair.for_each_neighbour(i, |j, w| {
                if i < j {
                    edges.push((i, j, w));
                }
            });
        }
        let graph = Graph::from_edges(2 * nodes, edges).unwrap();
        let spectrum = smallest(Laplacian::Combinatorial, &graph, 5);
        let expected = weight * 2.0 / nodes as f64;
        let error = (spectrum.values[1] - expected).abs() / expected;
        assert!(error < 1e-3, "{side} {weight}: {error}");
    }
}

#[test]
fn the_scale_of_the_weights_does_not_matter() {
    for side in [6, 25] {
        let graph = grid(side);
        let expected = smallest(Laplacian::Combinatorial, &graph, 6);
        for factor in [2f64.powi(-900), 2f64.powi(900)] {
            let mut edges = Vec::new();
            for i in 0..graph.nodes() {
                graph.for_each_neighbour(i, |j, w| {
                    if i < j {
                        edges.push((i, j, w * factor));
                    }
                });
            }
            let scaled = Graph::from_edges(graph.nodes(), edges).unwrap();
            let spectrum = smallest(Laplacian::Combinatorial, &scaled, 6);
            for (got, expected) in spectrum.values.iter().zip(&expected.values) {
                assert!((got / factor - expected).abs() <= 1e-10 * expected, "{got} {expected}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let graph = side_by_side(&[grid(40), expander(900)]);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| smallest(Laplacian::Symmetric, &graph, 30))
    };
    let one = run(1);
    assert!(one.solves > 0);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn what_is_refused() {
    use LaplacianError::{Eigenpairs, NotConverged, NotSymmetric, OutOfRange};
    let graph = grid(30);
    let plain = LanczosOptions::default();
    let empty = Graph::from_edges(0, []).unwrap();
    let ask = |graph: &Graph, count, options: LanczosOptions| {
        Laplacian::Combinatorial.smallest(graph, count, &options).unwrap_err()
    };
    assert_eq!(ask(&graph, 0, plain), Eigenpairs { count: 0, nodes: 900 });
    assert_eq!(ask(&graph, 901, plain), Eigenpairs { count: 901, nodes: 900 });
    assert_eq!(ask(&empty, 1, plain), Eigenpairs { count: 1, nodes: 0 });
    let walk = Laplacian::RandomWalk.smallest(&graph, 3, &plain).unwrap_err();
    assert_eq!(walk, NotSymmetric);
    for bad in [0.0, 1.0, -1e-3, f64::NAN, f64::INFINITY] {
        for options in [
            LanczosOptions { tolerance: bad, ..plain },
            LanczosOptions { shift: bad, ..plain },
            LanczosOptions {
                solver: gaussfield_laplacian::SolverOptions { tolerance: bad, ..plain.solver },
                ..plain
            },
        ] {
            assert!(matches!(ask(&graph, 3, options), OutOfRange(_)), "{options:?}");
        }
    }
    let budget = Budget { bytes: 1000 };
    let solver = gaussfield_laplacian::SolverOptions { budget, ..plain.solver };
    let refused = ask(&graph, 400, LanczosOptions { solver, ..plain });
    assert!(matches!(refused, LaplacianError::Graph(GraphError::OverBudget(_))), "{refused:?}");
    let impatient = ask(&expander(900), 60, LanczosOptions { max_restarts: 0, ..plain });
    match impatient {
        NotConverged(error) => {
            assert!(error.reached > error.tolerance && error.iterations > 0);
        }
        other => panic!("{other:?}"),
    }
    let exact = ask(&graph, 3, LanczosOptions { tolerance: 1e-30, max_restarts: 3, ..plain });
    assert!(matches!(exact, NotConverged(_)), "{exact:?}");
}

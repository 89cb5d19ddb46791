//! Nearly disconnected graphs: an accurate answer or an explicit error, never a wrong number.

use crate::support::*;
use gaussfield_graph::Graph;
use gaussfield_laplacian::{Boundary, Grounded, LaplacianError, Solver, SolverOptions};
use ndarray::{Array2, array};

/// Two complete graphs of `size` nodes with unit weights, and links between them.
fn two_clusters(size: usize, links: &[(usize, usize, f64)]) -> Graph {
    let clique =
        |from: usize| (from..from + size).flat_map(move |i| (from..i).map(move |j| (i, j, 1.0)));
    let edges = clique(0).chain(clique(size)).chain(links.iter().copied());
    Graph::from_edges(2 * size, edges).unwrap()
}

/// Two grids of side × side nodes, the last node of the one linked to the first of the other.
pub(crate) fn two_grids(side: usize, weight: f64) -> Graph {
    let nodes = side * side;
    let one = grid(side);
    let mut edges = vec![(nodes - 1, nodes, weight)];
    for i in 0..nodes {
        one.for_each_neighbour(i, |j, w| {
            if i < j {
                edges.push((i, j, w));
                edges.push((nodes + i, nodes + j, w));
            }
        });
    }
    Graph::from_edges(2 * nodes, edges).unwrap()
}

/// Solves with every solver and both storages and compares with `expected` on every node.
fn check(
    graph: &Graph,
    boundary: &Boundary,
    values: &Array2<f64>,
    expected: impl Fn(usize) -> f64,
) {
    for graph in [graph, &densified(graph)] {
        let system = Grounded::dirichlet(graph, boundary).unwrap();
        let inflow = boundary.product(graph, values.view()).unwrap();
        for solver in NAMED.into_iter().chain([Solver::Auto]) {
            let solved = system.prepare(&with(solver)).and_then(|p| p.solve(inflow.view()));
            let accurate = matches!(solver, Solver::Auto | Solver::Elimination);
            match solved {
                Ok(solution) => {
                    let allowed = if accurate { 1e-13 } else { 1e-5 };
                    for (row, &node) in solution.values.rows().into_iter().zip(system.nodes()) {
                        let (got, expected) = (row[0], expected(node));
                        assert!(
                            (got - expected).abs() <= allowed * expected.abs(),
                            "{solver}, node {node}: {got} instead of {expected}"
                        );
                    }
                }
                Err(LaplacianError::IllConditioned { .. } | LaplacianError::NotConverged(_))
                    if !accurate => {}
                Err(error) => panic!("{solver}: {error}"),
            }
        }
    }
}

/// Three labels, two of them 1, in the first cluster: every free node there is 2/3 by symmetry,
/// and no current flows into the second cluster, so all of it is 2/3 too.
#[test]
fn a_cluster_behind_one_weak_link_has_the_value_at_the_link() {
    for weight in [1e-3, 1e-9, 1e-12, 1e-15, 1e-17, 1e-30, 1e-200, 1e-300] {
        for size in [5, 20] {
            let graph = two_clusters(size, &[(size - 1, size, weight)]);
            let boundary = Boundary::new(2 * size, &[0, 1, 2]).unwrap();
            check(&graph, &boundary, &array![[1.0], [1.0], [0.0]], |_| 2.0 / 3.0);
        }
    }
}

/// The second cluster hangs between a 1 and a 0 by two weak links a and b: its value is
/// a / (a + b), up to a relative change of the size of the links.
#[test]
fn a_cluster_between_two_weak_links_divides_the_voltage() {
    for scale in [1e-14, 1e-17, 1e-40, 1e-290] {
        let (a, b) = (0.762 * scale, 0.238 * scale);
        let graph = two_clusters(6, &[(0, 6, a), (1, 9, b)]);
        let boundary = Boundary::new(12, &[0, 1]).unwrap();
        let expected = |node: usize| if node < 6 { 0.5 } else { a / (a + b) };
        check(&graph, &boundary, &array![[1.0], [0.0]], expected);
    }
}

/// Uneven weights and values, links from harmless to hopeless. A stop at a small residual alone
/// leaves the second grid at 0 here while other right-hand sides come out right.
#[test]
fn every_solve_is_certified_not_only_the_preparation() {
    let (side, nodes) = (12, 144);
    for exponent in 3..20 {
        let graph = two_grids(side, 10f64.powi(-exponent));
        let boundary = Boundary::new(2 * nodes, &[0, side]).unwrap();
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let inflow = boundary.product(&graph, array![[1.0], [0.0]].view()).unwrap();
        let exact = system.prepare(&with(Solver::Elimination)).unwrap();
        let exact = exact.solve(inflow.view()).unwrap().values;
        let mut accurate = 0;
        for solver in NAMED {
            match system.prepare(&with(solver)).and_then(|p| p.solve(inflow.view())) {
                Ok(solution) => {
                    let error = distance(&solution.values, &exact);
                    assert!(error < 1e-5, "{solver}, 1e-{exponent}: {error:.1e}");
                    accurate += 1;
                }
                Err(LaplacianError::IllConditioned { .. } | LaplacianError::NotConverged(_)) => {}
                Err(error) => panic!("{solver}: {error}"),
            }
        }
        assert!(accurate >= if exponent < 8 { 5 } else { 2 }, "1e-{exponent}: {accurate}");
    }
}

/// Above the size where elimination is the first choice: the certificate must notice.
#[test]
fn the_automatic_choice_falls_back_on_large_systems() {
    let size = 300;
    let graph = two_clusters(size, &[(size - 1, size, 1e-17)]);
    let boundary = Boundary::new(2 * size, &[0, 1, 2]).unwrap();
    for graph in [densified(&graph), graph] {
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let inflow = boundary.product(&graph, array![[1.0], [1.0], [0.0]].view()).unwrap();
        let prepared = system.prepare(&with(Solver::Auto)).unwrap();
        assert_eq!(prepared.solver(), Solver::Elimination);
        let solution = prepared.solve(inflow.view()).unwrap();
        assert!(solution.values.iter().all(|x| (x - 2.0 / 3.0).abs() < 1e-12));
        assert!(solution.facts.partition_error < 1e-11);
    }
    // Two grids, a sparse graph whose factor stays sparse.
    let side = 18;
    let nodes = side * side;
    let graph = two_grids(side, 1e-17);
    let boundary = Boundary::new(2 * nodes, &[0, side]).unwrap();
    let system = Grounded::dirichlet(&graph, &boundary).unwrap();
    let inflow = boundary.product(&graph, array![[1.0], [0.0]].view()).unwrap();
    let prepared = system.prepare(&with(Solver::Auto)).unwrap();
    assert_eq!(prepared.solver(), Solver::Elimination);
    let x = prepared.solve(inflow.view()).unwrap().values;
    let link = x[[boundary.interior_position(nodes - 1).unwrap(), 0]];
    assert!(link > 0.01 && link < 0.99);
    for node in nodes..2 * nodes {
        let value = x[[boundary.interior_position(node).unwrap(), 0]];
        assert!((value - link).abs() < 1e-13, "{node}: {value} {link}");
    }
}

/// A factor that refinement makes good enough to solve with is not good enough for a determinant.
#[test]
fn a_determinant_is_accurate_or_refused() {
    for weight in [1e-6, 1e-9, 1e-12, 1e-13] {
        let graph = two_clusters(10, &[(9, 10, weight)]);
        let boundary = Boundary::new(20, &[0, 1, 2]).unwrap();
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let exact = system.prepare(&with(Solver::Elimination)).unwrap().log_det().unwrap();
        for solver in [Solver::DenseCholesky, Solver::SparseCholesky] {
            match system.prepare(&with(solver)).and_then(|prepared| prepared.log_det()) {
                Ok(log_det) => assert!((log_det - exact).abs() < 1e-5, "{solver} {weight}"),
                Err(LaplacianError::IllConditioned { .. }) => assert!(weight < 1e-8),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Weights of any size, all alike: only ratios matter.
#[test]
fn the_common_scale_of_the_weights_does_not_matter() {
    for scale in [1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300] {
        let graph = two_clusters(6, &[(5, 6, 1.0)]);
        let edges = (0..12).flat_map(|i| {
            let mut row = Vec::new();
            graph.for_each_neighbour(i, |j, w| {
                if i < j {
                    row.push((i, j, w * scale));
                }
            });
            row
        });
        let graph = Graph::from_edges(12, edges).unwrap();
        let boundary = Boundary::new(12, &[0, 1, 2]).unwrap();
        check(&graph, &boundary, &array![[1.0], [1.0], [0.0]], |_| 2.0 / 3.0);
    }
}

/// A path of 400 nodes with weights over 500 orders of magnitude, long enough for the sparse
/// elimination: resistances in series, exact in every entry. Auto must get there too.
#[test]
fn a_long_path_with_any_weights_is_exact_in_every_entry() {
    let weights: Vec<f64> = (0..399).map(|i| 10f64.powi((i * 37) % 500 - 250)).collect();
    let graph = Graph::from_edges(400, (0..399).map(|i| (i, i + 1, weights[i]))).unwrap();
    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
    let resistance: Vec<f64> = weights.iter().map(|w| least / w).collect();
    let total: f64 = resistance.iter().sum();
    let boundary = Boundary::new(400, &[0, 399]).unwrap();
    for graph in [&graph, &densified(&graph)] {
        let system = Grounded::dirichlet(graph, &boundary).unwrap();
        let inflow = boundary.product(graph, array![[1.0], [0.0]].view()).unwrap();
        for solver in [Solver::Elimination, Solver::Auto] {
            let prepared = system.prepare(&with(solver)).unwrap();
            assert_eq!(prepared.solver(), Solver::Elimination);
            let x = prepared.solve(inflow.view()).unwrap().values;
            for (row, &node) in x.rows().into_iter().zip(system.nodes()) {
                let expected = resistance[node..].iter().sum::<f64>() / total;
                let error = (row[0] - expected).abs();
                assert!(error <= 1e-12 * expected, "node {node}: {} {expected}", row[0]);
            }
        }
    }
}

/// Barely grounded: the solution is 10¹⁶ times the right-hand side, far from what overflows.
#[test]
fn large_solutions_do_not_overflow() {
    let n = 40;
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j, 1.0)));
    let graph = Graph::from_edges(n, pairs).unwrap();
    for sigma in [1e3, 1e5, 1e8] {
        let system = regularised(&graph, 0.1, sigma).unwrap();
        let options = SolverOptions { solver: Solver::Elimination, ..SolverOptions::default() };
        let mut unit = Array2::zeros((n, 1));
        unit[[0, 0]] = 1.0;
        let solved = system.prepare(&options).unwrap().solve(unit.view()).unwrap().values;
        // (β(nI − 11ᵀ + I/σ²))⁻¹ e₀ sums to σ²/β; its entries differ by 1/(β(n + 1/σ²)).
        let sum = sigma * sigma / 0.1;
        assert!((solved.sum() / sum - 1.0).abs() < 1e-12, "{sigma}");
        let gap = solved[[0, 0]] - solved[[1, 0]];
        let rounding = 1e-15 * sum;
        assert!((gap - 1.0 / (0.1 * (n as f64 + sigma.powi(-2)))).abs() < 1e-12 + rounding);
    }
}

//! What is refused, and how.

use crate::support::*;
use gaussfield_core::{Budget, NoSuchNode};
use gaussfield_graph::Graph;
use gaussfield_laplacian::{
    Boundary, Grounded, InverseDiagonal, LanczosOptions, Laplacian, LaplacianError, Solver,
    SolverOptions, Workbench, components, unreachable,
};
use ndarray::Array2;

#[test]
fn boundaries_that_are_refused() {
    use LaplacianError::{DuplicateNode, NoBoundary};
    let cases = [
        (3, vec![], NoBoundary),
        (0, vec![], NoBoundary),
        (3, vec![0, 3], NoSuchNode { node: 3, nodes: 3 }.into()),
        (3, vec![1, 2, 1], DuplicateNode { node: 1 }),
    ];
    for (nodes, boundary, expected) in cases {
        assert_eq!(Boundary::new(nodes, &boundary).unwrap_err(), expected);
    }
}

#[test]
fn parameters_that_are_refused() {
    let graph = grid(3);
    let mut refused = Vec::new();
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        refused.push(("the scale of the weights", Grounded::new(&graph, &[0], bad, vec![1.0])));
    }
    for (expected, got) in refused {
        match got {
            Err(LaplacianError::OutOfRange(error)) => assert_eq!(error.name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let got = Grounded::new(&graph, &[4, 7], 1.0, vec![1.0, bad]);
        assert!(matches!(got, Err(LaplacianError::Excess { node: 7, .. })), "{got:?}");
    }
    let huge = Graph::from_edges(3, [(0, 1, 1.5e308), (0, 2, 1.5e308)]).unwrap();
    let got = shifted(&huge, 1.0).unwrap_err();
    assert_eq!(got, LaplacianError::DegreeOverflow { node: 0 });
}

#[test]
fn sizes_that_do_not_match_are_refused() {
    let graph = grid(3);
    let other = Boundary::new(8, &[0]).unwrap();
    let boundary = Boundary::new(9, &[0, 1]).unwrap();
    let system = Grounded::dirichlet(&graph, &boundary).unwrap();
    let prepared = system.prepare(&SolverOptions::default()).unwrap();
    let results = [
        (
            9,
            8,
            Grounded::new(&graph, &[0; 0], 1.0, vec![]).map(|_| ()).and(
                Grounded::new(&graph, &(0..9).collect::<Vec<_>>(), 1.0, vec![1.0; 8]).map(|_| ()),
            ),
        ),
        (8, 9, Grounded::dirichlet(&graph, &other).map(|_| ())),
        (8, 9, other.product(&graph, Array2::zeros((1, 1)).view()).map(|_| ())),
        (2, 3, boundary.product(&graph, Array2::zeros((3, 1)).view()).map(|_| ())),
        (7, 6, prepared.solve(Array2::zeros((6, 1)).view()).map(|_| ())),
    ];
    for (at, (expected, got, result)) in results.into_iter().enumerate() {
        match result {
            Err(LaplacianError::SizeMismatch(error)) => {
                assert_eq!((error.expected, error.got), (expected, got), "case {at}");
            }
            other => panic!("case {at}: {other:?}"),
        }
    }
    assert_eq!(
        Grounded::new(&graph, &[0, 9], 1.0, vec![1.0; 2]).unwrap_err(),
        NoSuchNode { node: 9, nodes: 9 }.into()
    );
    assert_eq!(
        Grounded::new(&graph, &[4, 4], 1.0, vec![1.0; 2]).unwrap_err(),
        LaplacianError::DuplicateNode { node: 4 }
    );
}

#[test]
fn right_hand_sides_that_are_not_finite_are_refused() {
    let system = shifted(&grid(3), 1.0).unwrap();
    for solver in NAMED {
        let prepared = system.prepare(&with(solver)).unwrap();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut rhs = Array2::zeros((9, 3));
            rhs[[4, 2]] = bad;
            let got = prepared.solve(rhs.view());
            assert!(matches!(got, Err(LaplacianError::NotFinite { row: 4, column: 2, .. })));
        }
        let huge = system.prepare(&with(solver)).unwrap();
        let fine = huge.solve(Array2::from_elem((9, 1), 1e300).view()).unwrap();
        assert!(fine.values.iter().all(|x| (x / 1e300 - 1.0).abs() < 1e-8), "{solver}");
        assert!(fine.facts.relative_residual < 1e-8);
    }
    let weak = shifted(&grid(3), 1e-200).unwrap();
    let prepared = weak.prepare(&with(Solver::Elimination)).unwrap();
    let got = prepared.solve(Array2::from_elem((9, 1), 1e200).view());
    assert!(matches!(got, Err(LaplacianError::SolutionOverflow { row: 0, column: 0 })), "{got:?}");
}

#[test]
fn options_out_of_range_are_refused() {
    let system = shifted(&grid(3), 1.0).unwrap();
    let good = SolverOptions::default();
    for bad in [0.0, -1.0, 1.0, f64::NAN] {
        for options in [
            SolverOptions { tolerance: bad, ..good },
            SolverOptions { partition_tolerance: bad, ..good },
        ] {
            let got = system.prepare(&options);
            assert!(matches!(got, Err(LaplacianError::OutOfRange(_))));
        }
    }
    let got = system.prepare(&SolverOptions { max_iterations: 0, ..good });
    assert!(matches!(got, Err(LaplacianError::OutOfRange(_))));
}

#[test]
fn parts_without_ground_are_named() {
    // 0 – 1 labelled; 2 – 3 – 4 apart; 5 tied to the boundary by an underflowed weight.
    let edges = [(0, 1, 1.0), (2, 3, 1.0), (3, 4, 1.0), (0, 5, 0.0)];
    let graph = Graph::from_edges(6, edges).unwrap();
    let boundary = Boundary::new(6, &[0]).unwrap();
    assert_eq!(unreachable(&graph, &boundary), [2, 3, 4, 5]);
    assert_eq!(components(&graph).of, [0, 0, 1, 1, 1, 2]);
    for graph in [&graph, &densified(&graph)] {
        let system = Grounded::dirichlet(graph, &boundary).unwrap();
        for solver in NAMED.into_iter().chain([Solver::Auto]) {
            let got = system.prepare(&with(solver)).unwrap_err();
            assert_eq!(got, LaplacianError::Singular { nodes: 4, example: 2 });
        }
        // The same nodes are fine once they have an excess of their own.
        let held = Grounded::new(graph, boundary.interior(), 1.0, vec![0.1; 5]).unwrap();
        assert!(held.prepare(&with(Solver::Auto)).is_ok());
    }
}

/// The weights, the factor and the vectors come out of one budget.
#[test]
fn memory_over_the_budget_is_refused() {
    let boundary = Boundary::new(1200, &[0]).unwrap();
    let sparse = expander(1200);
    // Enough for the weights, not for a factor beside them.
    for (bytes, graph) in [(13_000_000, densified(&sparse)), (1_200_000, sparse)] {
        let options = |bytes, solver| SolverOptions { budget: Budget { bytes }, ..with(solver) };
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let mut workbench = Workbench::new();
        for solver in [Solver::DenseCholesky, Solver::SparseCholesky, Solver::Elimination] {
            let got = system.prepare(&options(bytes, solver)).unwrap_err();
            assert!(matches!(got, LaplacianError::OverBudget(_)), "{solver}: {got:?}");
            let excess = system.excess().to_vec();
            let nodes = boundary.interior();
            let got = workbench.prepare(&graph, nodes, 1.0, excess, &options(bytes, solver));
            assert!(matches!(got, Err(LaplacianError::OverBudget(_))), "{solver}: {got:?}");
        }
        // Auto stays within the budget by choosing conjugate gradients.
        let prepared = system.prepare(&options(bytes, Solver::Auto)).unwrap();
        assert!(matches!(prepared.solver(), Solver::ConjugateGradient(_)));
        match prepared.solve(right_hand_sides(1199, 100).view()) {
            Err(LaplacianError::OverBudget(error)) => {
                assert_eq!(error.what, "the vectors of conjugate gradients");
            }
            other => panic!("{other:?}"),
        }
        // The diagonal of the inverse takes fewer columns at a time instead.
        let probes = InverseDiagonal::Stochastic { probes: 20, seed: 0 };
        assert!(prepared.inverse_diagonal(probes).is_ok());
        match workbench.prepare(
            &graph,
            boundary.interior(),
            1.0,
            system.excess().to_vec(),
            &options(1000, Solver::Auto),
        ) {
            Err(LaplacianError::OverBudget(error)) => {
                assert_eq!(error.what, "the weights of the system");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn too_few_iterations_are_an_error_with_the_residual_reached() {
    let boundary = Boundary::new(400, &[0, 187, 311]).unwrap();
    let system = Grounded::dirichlet(&grid(20), &boundary).unwrap();
    for solver in &NAMED[2..4] {
        let options = SolverOptions { max_iterations: 3, ..with(*solver) };
        // A workbench finds out when it prepares, a single preparation when it solves.
        let rhs = right_hand_sides(397, 2);
        let once = system.prepare(&options).and_then(|prepared| prepared.solve(rhs.view()));
        let excess = system.excess().to_vec();
        let mut workbench = Workbench::new();
        let kept = workbench.prepare(&grid(20), boundary.interior(), 1.0, excess, &options);
        for got in [once.map(|_| ()), kept.map(|_| ())] {
            match got {
                Err(LaplacianError::NotConverged(error)) => {
                    assert_eq!(error.iterations, 3);
                    assert!(error.reached > error.tolerance && error.reached.is_finite());
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_system_without_unknowns_is_solved() {
    let graph = grid(2);
    let boundary = Boundary::new(4, &[3, 1, 0, 2]).unwrap();
    assert!(boundary.interior().is_empty());
    assert!(unreachable(&graph, &boundary).is_empty());
    assert_eq!(boundary.product(&graph, Array2::zeros((4, 3)).view()).unwrap().dim(), (0, 3));
    for graph in [&graph, &densified(&graph)] {
        let system = Grounded::dirichlet(graph, &boundary).unwrap();
        assert!(system.is_empty() && system.diagonal().is_empty());
        assert_eq!(system.apply(Array2::zeros((0, 3)).view()).dim(), (0, 3));
        for solver in NAMED.into_iter().chain([Solver::Auto]) {
            let prepared = system.prepare(&with(solver)).unwrap();
            let solution = prepared.solve(Array2::zeros((0, 3)).view()).unwrap();
            assert_eq!(solution.values.dim(), (0, 3));
            assert_eq!((solution.facts.unknowns, solution.facts.columns), (0, 3));
            assert!(prepared.log_det().unwrap().abs() < f64::MIN_POSITIVE);
        }
    }
    // No right-hand side at all is fine too.
    let system = shifted(&graph, 1.0).unwrap();
    for solver in NAMED {
        let prepared = system.prepare(&with(solver)).unwrap();
        assert_eq!(prepared.solve(Array2::zeros((4, 0)).view()).unwrap().values.dim(), (4, 0));
    }
}

#[test]
fn eigenpairs_over_the_budget_are_refused() {
    let n = 500;
    let path = Graph::from_edges(n, (1..n).map(|i| (i - 1, i, 1.0))).unwrap();
    let within = |bytes| {
        let solver = SolverOptions { budget: Budget { bytes }, ..SolverOptions::default() };
        let options = LanczosOptions { solver, ..LanczosOptions::default() };
        Laplacian::Combinatorial.smallest(&path, 3, &options)
    };
    let told = within(500_000).unwrap_err().to_string();
    assert!(told.starts_with("the vectors of the search for eigenpairs take"), "{told}");
    assert!(within(5_000_000).is_ok());
}

//! Weights raised to high powers: links that differ by forty orders of magnitude and more. A solver
//! is right or says that it is not.

use crate::support::*;
use gaussfield_laplacian::{Boundary, Grounded, LaplacianError, Preconditioner, Solver};
use ndarray::Array2;

const JACOBI: Solver = Solver::ConjugateGradient(Preconditioner::Jacobi);
const APPROXIMATE: Solver = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);

/// Every solver on `graph` with all weights to the power p, beside elimination, whose every digit is
/// right; gives how many solved it.
fn solved(graph: &gaussfield_graph::Graph, power: f64, boundary: &Boundary) -> Vec<Solver> {
    let graph = reweighted(graph, |_, _, w| w.powf(power));
    let system = Grounded::dirichlet(&graph, boundary).unwrap();
    let labels = boundary.boundary().len();
    let one_hot = Array2::from_shape_fn((labels, 3), |(i, c)| f64::from(i % 3 == c));
    let inflow = boundary.product(&graph, one_hot.view()).unwrap();
    let exact = system.prepare(&with(Solver::Elimination)).unwrap();
    let exact = exact.solve(inflow.view()).unwrap().values;
    let mut solved = Vec::new();
    for solver in NAMED.into_iter().chain([Solver::Auto]) {
        match system.prepare(&with(solver)).and_then(|p| p.solve(inflow.view())) {
            Ok(solution) => {
                let error = distance(&solution.values, &exact);
                assert!(error < 1e-6, "{solver}, power {power}: off by {error:.1e}");
                solved.push(solver);
            }
            Err(LaplacianError::IllConditioned { .. } | LaplacianError::NotConverged(_)) => {}
            Err(error) => panic!("{solver}, power {power}: {error}"),
        }
    }
    solved
}

#[test]
fn a_high_power_is_solved_or_refused_never_wrong() {
    for (graph, boundary) in [
        (grid(30), Boundary::new(900, &[0, 31, 450, 610, 777, 899]).unwrap()),
        (expander(900), Boundary::new(900, &[1, 22, 333, 450, 600, 899]).unwrap()),
    ] {
        for power in [1.0, 4.0, 16.0, 40.0] {
            let solved = solved(&graph, power, &boundary);
            assert!(solved.contains(&Solver::Auto), "power {power}: {solved:?}");
            if power <= 4.0 {
                assert!(solved.contains(&APPROXIMATE), "power {power}: {solved:?}");
            }
        }
    }
}

/// The same at a size at which conjugate gradients work for their answer. On a grid elimination is cheap,
/// so that every digit is known.
#[test]
fn ten_thousand_nodes_are_solved_or_refused_by_iteration() {
    let grid = grid(100);
    let boundary = Boundary::new(10_000, &[0, 1234, 4321, 5678, 8765, 9999]).unwrap();
    let mut right = Vec::new();
    for power in [4.0, 16.0, 40.0] {
        let graph = reweighted(&grid, |_, _, w| w.powf(power));
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let one_hot = Array2::from_shape_fn((6, 3), |(i, c)| f64::from(i % 3 == c));
        let inflow = boundary.product(&graph, one_hot.view()).unwrap();
        let exact = system.prepare(&with(Solver::Elimination)).unwrap();
        let exact = exact.solve(inflow.view()).unwrap().values;
        for solver in [JACOBI, APPROXIMATE, Solver::Auto] {
            match system.prepare(&with(solver)).and_then(|p| p.solve(inflow.view())) {
                Ok(solution) => {
                    let error = distance(&solution.values, &exact);
                    assert!(error < 1e-6, "{solver}, power {power}: off by {error:.1e}");
                    assert!(solver == Solver::Auto || solution.facts.iterations > 0);
                    right.push((solver, power));
                }
                Err(LaplacianError::IllConditioned { .. } | LaplacianError::NotConverged(_)) => {}
                Err(error) => panic!("{solver}, power {power}: {error}"),
            }
        }
        assert!(right.contains(&(Solver::Auto, power)), "{right:?}");
    }
    assert!(right.contains(&(APPROXIMATE, 4.0)), "{right:?}");
}

/// Where nothing but iteration is left, two preconditioners that both answer say the same.
#[test]
fn graphs_without_separators_are_solved_or_refused_by_iteration() {
    let boundary = Boundary::new(10_000, &[1, 2222, 3333, 4500, 6000, 9999]).unwrap();
    let mut solved = Vec::new();
    for power in [1.0, 16.0, 40.0] {
        let graph = reweighted(&expander(10_000), |_, _, w| w.powf(power));
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let one_hot = Array2::from_shape_fn((6, 3), |(i, c)| f64::from(i % 3 == c));
        let inflow = boundary.product(&graph, one_hot.view()).unwrap();
        let mut answers = Vec::new();
        for solver in [JACOBI, APPROXIMATE] {
            match system.prepare(&with(solver)).and_then(|p| p.solve(inflow.view())) {
                Ok(solution) => {
                    assert!(
                        solution.facts.iterations > 0 && solution.facts.relative_residual < 1e-8
                    );
                    answers.push(solution.values);
                    solved.push((solver, power));
                }
                Err(LaplacianError::IllConditioned { .. } | LaplacianError::NotConverged(_)) => {}
                Err(error) => panic!("{solver}, power {power}: {error}"),
            }
        }
        for values in &answers {
            let rows = values.rows().into_iter().map(|row| (row.sum() - 1.0).abs());
            assert!(rows.fold(0.0, f64::max) < 1e-6 && values.iter().all(|&f| f > -1e-6));
            assert!(distance(values, &answers[0]) < 1e-6, "power {power}");
        }
    }
    assert!(solved.contains(&(APPROXIMATE, 1.0)) && solved.contains(&(JACOBI, 1.0)), "{solved:?}");
}

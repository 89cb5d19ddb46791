//! Weights raised to high powers: links that differ by forty orders of magnitude and more. A solver
//! is right or says that it is not.

use crate::support::*;
use gaussfield_laplacian::{Boundary, Grounded, LaplacianError, Preconditioner, Solver};
use ndarray::Array2;

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

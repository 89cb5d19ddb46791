//! Estimates by probes, beside exact numbers.

use crate::support::*;
use gaussfield_laplacian::{
    Boundary, Grounded, InverseDiagonal, LaplacianError, Preconditioner, Solver, components,
};
use proptest::prelude::*;

const ITERATIVE: [Solver; 2] = [
    Solver::ConjugateGradient(Preconditioner::Jacobi),
    Solver::ConjugateGradient(Preconditioner::ApproximateCholesky),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_log_determinant_is_within_its_error_bar(
        nodes in 20_usize..400,
        power in 0.5..4.0,
        scale in -6.0..6.0,
        seed in 0_u64..1000,
    ) {
        let scale = 10_f64.powf(scale);
        let graph = reweighted(&expander(nodes), |_, _, w| scale * w.powf(power));
        let boundary = Boundary::new(nodes, &[0, nodes / 2]).unwrap();
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let exact = system.prepare(&with(Solver::Elimination)).unwrap().log_det().unwrap();
        for solver in ITERATIVE {
            let prepared = system.prepare(&with(solver)).unwrap();
            let found = prepared.estimate_log_det(40, seed).unwrap();
            let allowed = 5.0 * found.standard_error + 1e-5 * nodes as f64;
            prop_assert!((found.value - exact).abs() <= allowed, "{solver}: {found:?}, {exact}");
            prop_assert_eq!(found.probes, 40);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two parts, one of them tied to the ground by links of any strength.
    #[test]
    fn a_trace_is_within_its_error_bar(
        nodes in 20_usize..300,
        power in 0.5..4.0,
        scale in -6.0..6.0,
        link in -3.0..1.0,
        seed in 0_u64..1000,
    ) {
        let scale = 10_f64.powf(scale);
        let cut = nodes / 2;
        let graph = reweighted(&expander(nodes), |i, j, w| {
            if (i < cut) == (j < cut) { scale * w.powf(power) } else { 0.0 }
        });
        let mut excess = vec![0.0; nodes];
        (excess[0], excess[cut / 2], excess[nodes - 1]) = (scale, scale * 10_f64.powf(link), scale);
        let all: Vec<usize> = (0..nodes).collect();
        // What no tie holds has no inverse: the parts are found, and the rest is tied.
        let parts = components(&graph);
        for part in 0..parts.count {
            let own = || (0..nodes).filter(|&node| parts.of[node] == part);
            if own().all(|node| excess[node] <= 0.0) {
                excess[own().next().unwrap()] = scale;
            }
        }
        let system = Grounded::new(&graph, &all, 1.0, excess).unwrap();
        let dense = system.prepare(&with(Solver::DenseCholesky)).unwrap();
        let exact = dense.inverse_diagonal(InverseDiagonal::Exact).unwrap().values.sum();
        for solver in ITERATIVE {
            let found = system.prepare(&with(solver)).unwrap().estimate_trace(40, seed).unwrap();
            let allowed = 5.0 * found.standard_error + 1e-6 * exact;
            prop_assert!((found.value - exact).abs() <= allowed, "{solver}: {found:?}, {exact}");
            prop_assert_eq!(found.probes, 40);
        }
    }
}

#[test]
fn the_error_bar_of_a_trace_is_as_long_as_the_errors() {
    let boundary = Boundary::new(900, &[0, 400]).unwrap();
    let system = Grounded::dirichlet(&grid(30), &boundary).unwrap();
    let exact =
        system.prepare(&with(Solver::SparseCholesky)).unwrap().estimate_trace(2, 0).unwrap();
    assert_eq!((exact.standard_error.to_bits(), exact.probes), (0, 0));
    let prepared = system.prepare(&with(ITERATIVE[1])).unwrap();
    let runs = (0..80).map(|seed| prepared.estimate_trace(20, seed).unwrap());
    let ratios: Vec<f64> =
        runs.map(|found| (found.value - exact.value) / found.standard_error).collect();
    let mean_square = ratios.iter().map(|ratio| ratio * ratio).sum::<f64>() / 80.0;
    // Student's t with nineteen degrees of freedom has variance 19/17; few eigenvalues carry the trace.
    assert!((0.5..2.5).contains(&mean_square), "{mean_square}");
    assert!(matches!(prepared.estimate_trace(1, 0), Err(LaplacianError::OutOfRange(_))));
    assert_eq!(prepared.estimate_trace(4, 3), prepared.estimate_trace(4, 3));
}

/// An error bar that is too long would pass the test above.
#[test]
fn the_error_bar_of_a_log_determinant_is_as_long_as_the_errors() {
    let boundary = Boundary::new(900, &[0, 400]).unwrap();
    let system = Grounded::dirichlet(&grid(30), &boundary).unwrap();
    let exact = system.prepare(&with(Solver::Elimination)).unwrap().log_det().unwrap();
    for solver in ITERATIVE {
        let prepared = system.prepare(&with(solver)).unwrap();
        let runs = (0..60).map(|seed| prepared.estimate_log_det(10, seed).unwrap());
        let ratios: Vec<f64> =
            runs.map(|found| (found.value - exact) / found.standard_error).collect();
        let mean_square = ratios.iter().map(|ratio| ratio * ratio).sum::<f64>() / 60.0;
        // Student's t with nine degrees of freedom has variance 9/7.
        assert!((0.6..2.4).contains(&mean_square), "{solver}: {mean_square}");
    }
}

#[test]
fn a_factor_gives_the_number_itself_and_bad_requests_are_refused() {
    let boundary = Boundary::new(400, &[0]).unwrap();
    let system = Grounded::dirichlet(&grid(20), &boundary).unwrap();
    let exact = system.prepare(&with(Solver::SparseCholesky)).unwrap();
    let found = exact.estimate_log_det(2, 0).unwrap();
    assert_eq!(found.value.to_bits(), exact.log_det().unwrap().to_bits());
    assert_eq!((found.standard_error.to_bits(), found.probes), (0, 0));
    let iterative = system.prepare(&with(ITERATIVE[1])).unwrap();
    assert!(matches!(iterative.estimate_log_det(1, 0), Err(LaplacianError::OutOfRange(_))));
    assert_eq!(iterative.estimate_log_det(4, 3), iterative.estimate_log_det(4, 3));
}

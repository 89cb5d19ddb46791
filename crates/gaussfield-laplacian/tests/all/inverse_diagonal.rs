//! Diagonals of inverses against full inverses.

use crate::support::*;
use gaussfield_core::dense::Spd;
use gaussfield_laplacian::{
    Boundary, Grounded, InverseDiagonal, LaplacianError, Preconditioner, Solver, SolverOptions,
};
use ndarray::{Array1, Array2};
use proptest::prelude::*;

fn full_inverse_diagonal(system: &Grounded) -> Array1<f64> {
    let full = system.apply(Array2::eye(system.len()).view());
    Spd::factorise(full).unwrap().inverse().diag().to_owned()
}

fn worst_relative(got: &Array1<f64>, expected: &Array1<f64>) -> f64 {
    assert_eq!(got.len(), expected.len());
    got.iter().zip(expected).fold(0.0, |worst: f64, (g, e)| worst.max((g - e).abs() / e))
}

fn stochastic(probes: usize, seed: u64) -> InverseDiagonal {
    InverseDiagonal::Stochastic { probes, seed }
}

proptest! {
    #[test]
    fn exact_diagonals_are_those_of_the_full_inverse((graph, labelled) in connected()) {
        let boundary = Boundary::new(graph.nodes(), &labelled).unwrap();
        for graph in [&graph, &densified(&graph)] {
            let system = Grounded::dirichlet(graph, &boundary).unwrap();
            let expected = full_inverse_diagonal(&system);
            for solver in NAMED {
                let prepared = system.prepare(&with(solver)).unwrap();
                let got = prepared.inverse_diagonal(InverseDiagonal::Exact).unwrap();
                prop_assert_eq!(got.solver, solver);
                prop_assert!(got.standard_errors.is_none());
                prop_assert!(worst_relative(&got.values, &expected) < 1e-7, "{}", solver);
            }
        }
    }

    #[test]
    fn random_estimates_are_as_far_off_as_they_say(
        (graph, labelled) in connected(),
        seed in 0_u64..1 << 60,
    ) {
        let boundary = Boundary::new(graph.nodes(), &labelled).unwrap();
        let system = Grounded::dirichlet(&graph, &boundary).unwrap();
        let prepared = system.prepare(&SolverOptions::default()).unwrap();
        let exact = prepared.inverse_diagonal(InverseDiagonal::Exact).unwrap().values;
        let got = prepared.inverse_diagonal(stochastic(300, seed)).unwrap();
        let errors = got.standard_errors.unwrap();
        prop_assert_eq!(got.solves, 300);
        for i in 0..exact.len() {
            let allowed = 7.0 * errors[i] + 1e-12 * exact[i];
            prop_assert!((got.values[i] - exact[i]).abs() <= allowed, "{}", i);
        }
    }
}

#[test]
fn every_route_at_a_size_where_it_really_runs() {
    // Grids and expanders make small and large supernodes.
    let direct = [Solver::DenseCholesky, Solver::SparseCholesky, Solver::Elimination];
    for graph in [grid(25), grid(32), expander(500)] {
        let systems = [
            regularised(&graph, 0.7, 1.5).unwrap(),
            Grounded::dirichlet(&graph, &Boundary::new(graph.nodes(), &[0, 5, 17]).unwrap())
                .unwrap(),
        ];
        for system in systems {
            let expected = full_inverse_diagonal(&system);
            for solver in direct {
                let prepared = system.prepare(&with(solver)).unwrap();
                let got = prepared.inverse_diagonal(InverseDiagonal::Exact).unwrap();
                assert!(worst_relative(&got.values, &expected) < 1e-11, "{solver}");
            }
        }
    }
    let system = regularised(&grid(20), 0.7, 1.5).unwrap();
    let expected = full_inverse_diagonal(&system);
    let iterative = with(Solver::ConjugateGradient(Preconditioner::ApproximateCholesky));
    let got = system.prepare(&iterative).unwrap().inverse_diagonal(InverseDiagonal::Exact).unwrap();
    assert_eq!(got.solves, 400);
    assert!(worst_relative(&got.values, &expected) < 1e-8);
}

/// The estimate minus the truth, in standard errors, is spread as it must be: 0 ± 1.
#[test]
fn random_estimates_are_unbiased() {
    let system = regularised(&grid(20), 1.0, 3.0).unwrap();
    let prepared = system.prepare(&SolverOptions::default()).unwrap();
    let exact = prepared.inverse_diagonal(InverseDiagonal::Exact).unwrap().values;
    let mut scores = Vec::new();
    for seed in 0..20 {
        let got = prepared.inverse_diagonal(stochastic(200, seed)).unwrap();
        let errors = got.standard_errors.unwrap();
        scores.extend((0..exact.len()).map(|i| (got.values[i] - exact[i]) / errors[i]));
    }
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let square = scores.iter().map(|s| s * s).sum::<f64>() / count;
    // Neighbours are correlated, so the mean of 8000 scores is as sure as that of some hundreds.
    assert!(mean.abs() < 0.15, "{mean}");
    assert!((square - 1.0).abs() < 0.15, "{square}");
}

/// With a ground of 1e-8 the constant part of the inverse is a million times the rest.
#[test]
fn a_weak_ground_does_not_drown_the_estimate() {
    let system = shifted(&grid(20), 1e-8).unwrap();
    let prepared = system.prepare(&SolverOptions::default()).unwrap();
    let exact = prepared.inverse_diagonal(InverseDiagonal::Exact).unwrap().values;
    let got = prepared.inverse_diagonal(stochastic(100, 1)).unwrap();
    let errors = got.standard_errors.unwrap();
    for i in 0..400 {
        assert!(errors[i] < 1e-5 * exact[i], "{} {}", errors[i], exact[i]);
        assert!((got.values[i] - exact[i]).abs() < 6.0 * errors[i] + 1e-3);
    }
}

/// A factor that only refinement makes accurate is not used by itself.
#[test]
fn an_inaccurate_factor_is_not_trusted() {
    let system = shifted(&grid(18), 1e-12).unwrap();
    let expected = system.prepare(&with(Solver::Elimination)).unwrap();
    let expected = expected.inverse_diagonal(InverseDiagonal::Exact).unwrap();
    assert_eq!(expected.solves, 0);
    let refined = system.prepare(&with(Solver::DenseCholesky)).unwrap();
    assert!(refined.log_det().is_err(), "needs refinement");
    let got = refined.inverse_diagonal(InverseDiagonal::Exact).unwrap();
    assert_eq!(got.solves, system.len());
    assert!(worst_relative(&got.values, &expected.values) < 1e-6);
}

#[test]
fn the_number_of_threads_does_not_matter_and_the_seed_does() {
    let system = regularised(&grid(40), 1.0, 3.0).unwrap();
    let run = |threads, solver, how| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let prepared = system.prepare(&with(solver)).unwrap();
        pool.install(|| prepared.inverse_diagonal(how).unwrap())
    };
    for how in [InverseDiagonal::Exact, stochastic(140, 3)] {
        for solver in [Solver::DenseCholesky, Solver::SparseCholesky] {
            assert_eq!(run(1, solver, how), run(4, solver, how));
        }
    }
    let other = run(1, Solver::SparseCholesky, stochastic(140, 4));
    assert_ne!(other, run(1, Solver::SparseCholesky, stochastic(140, 3)));
}

#[test]
fn what_is_refused() {
    let system = shifted(&grid(3), 1.0).unwrap();
    let prepared = system.prepare(&SolverOptions::default()).unwrap();
    for probes in [0, 1] {
        let refused = prepared.inverse_diagonal(stochastic(probes, 0)).unwrap_err();
        assert!(matches!(refused, LaplacianError::OutOfRange(_)), "{refused:?}");
    }
    let tiny = shifted(&grid(3), 1e-310).unwrap();
    let prepared = tiny.prepare(&SolverOptions::default()).unwrap();
    for how in [InverseDiagonal::Exact, stochastic(4, 0)] {
        let refused = prepared.inverse_diagonal(how).unwrap_err();
        assert!(matches!(refused, LaplacianError::SolutionOverflow { .. }), "{refused:?}");
    }
    let nothing = Grounded::new(&grid(3), &[], 1.0, vec![]).unwrap();
    let prepared = nothing.prepare(&SolverOptions::default()).unwrap();
    for how in [InverseDiagonal::Exact, stochastic(4, 0)] {
        assert_eq!(prepared.inverse_diagonal(how).unwrap().values.len(), 0);
    }
}

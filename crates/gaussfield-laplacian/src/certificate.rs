//! The partition-of-unity certificate.
//!
//! A·1 = e holds exactly, so the solution of A z = e must be 1 everywhere. Where weak links were
//! lost in rounding it is not, however small the residual: a cluster that hangs on by a weight of
//! 10⁻¹⁷ has a tiny residual whatever its values.

use crate::engine::Engine;
use crate::prepared::refined_solve;
use crate::{Grounded, LaplacianError, Solver, SolverOptions};
use ndarray::{Array2, ArrayView2, Axis};

/// Below this a factorisation needs no refinement.
const GOOD: f64 = 1e-11;
/// Most steps of refinement.
const MOST_REFINEMENTS: usize = 5;
/// A tighter tolerance conjugate gradients are given when the certificate fails, and how often.
const TIGHTEN: f64 = 1e-2;
const TIGHTENINGS: usize = 2;

/// How well a prepared system solves A z = e.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Certificate {
    /// max |z − 1| as solved.
    pub(crate) partition_error: f64,
    /// The same without refinement.
    unrefined: f64,
    /// Where it is worst, by its index in the graph.
    node: Option<usize>,
    /// Steps of refinement that every solve takes.
    pub(crate) refinements: usize,
}

impl Certificate {
    pub(crate) const EXACT: Self =
        Self { partition_error: 0.0, unrefined: 0.0, node: None, refinements: 0 };

    fn new(system: &Grounded, z: ArrayView2<f64>) -> Self {
        let mut worst = Self::EXACT;
        for (&z, &node) in z.iter().zip(system.nodes()) {
            let error = if z.is_finite() { (z - 1.0).abs() } else { f64::INFINITY };
            if error > worst.partition_error {
                worst.partition_error = error;
                worst.node = Some(node);
            }
        }
        worst.unrefined = worst.partition_error;
        worst
    }

    fn check(self, solver: Solver, options: &SolverOptions) -> Result<Self, LaplacianError> {
        if self.partition_error <= options.partition_tolerance {
            return Ok(self);
        }
        Err(LaplacianError::IllConditioned {
            solver,
            partition_error: self.partition_error,
            tolerance: options.partition_tolerance,
            node: self.node,
        })
    }

    /// Whether the factorisation itself, without refinement, is within the tolerance.
    pub(crate) fn check_unrefined(
        self,
        solver: Solver,
        options: &SolverOptions,
    ) -> Result<(), LaplacianError> {
        Self { partition_error: self.unrefined, ..self }.check(solver, options).map(|_| ())
    }
}

/// Solves A z = e and compares with 1. Direct solvers gain steps of refinement where they need
/// them; conjugate gradients a tighter tolerance, continuing where they stood.
pub(crate) fn certify(
    engine: &mut Engine,
    system: &Grounded,
    options: &SolverOptions,
) -> Result<Certificate, LaplacianError> {
    let solver = engine.solver();
    let excess = ArrayView2::from_shape((system.len(), 1), system.excess())
        .map_err(|e| LaplacianError::Library { routine: "certificate", reason: e.to_string() })?;
    if let Engine::ConjugateGradient(engine) = engine {
        let mut z = engine.solve(system, excess, None)?.values;
        let mut certificate = Certificate::new(system, z.view());
        for _ in 0..TIGHTENINGS {
            if certificate.partition_error <= options.partition_tolerance {
                break;
            }
            engine.tolerance *= TIGHTEN;
            z = engine.solve(system, excess, Some(z.view()))?.values;
            certificate = Certificate::new(system, z.view());
        }
        return certificate.check(solver, options);
    }
    let plain = Certificate::new(system, refined_solve(engine, system, excess, 0)?.0.view());
    let error = plain.partition_error;
    if error <= GOOD || solver == Solver::Elimination || error >= 0.5 {
        return plain.check(solver, options);
    }
    // Every step multiplies the error by about itself.
    let steps = (f64::EPSILON.ln() / error.ln()).ceil() as usize;
    let refinements = steps.clamp(1, MOST_REFINEMENTS);
    let z = refined_solve(engine, system, excess, refinements)?.0;
    let refined = Certificate::new(system, z.view());
    Certificate { unrefined: error, refinements, ..refined }.check(solver, options)
}

/// max over columns of ‖b − A x‖ / ‖b‖, the product in difference form; 0 for b = 0.
pub(crate) fn worst_relative_residual(
    system: &Grounded,
    rhs: ArrayView2<f64>,
    x: &Array2<f64>,
) -> f64 {
    let residual = &rhs - &system.apply(x.view());
    let mut worst = 0.0_f64;
    for (b, r) in rhs.axis_iter(Axis(1)).zip(residual.axis_iter(Axis(1))) {
        // Divided by the largest entry first, so that no square leaves the range.
        let size = b.iter().fold(0.0, |size: f64, b| size.max(b.abs()));
        if size > 0.0 {
            let norm = |v: ndarray::ArrayView1<f64>| v.mapv(|v| (v / size).powi(2)).sum().sqrt();
            worst = worst.max(norm(r) / norm(b));
        }
    }
    worst
}

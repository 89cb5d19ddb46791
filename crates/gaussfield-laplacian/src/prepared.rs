//! A system made ready for many right-hand sides.

use crate::certificate::{Certificate, certified_solve, refined_solve, worst_relative_residual};
use crate::components::Components;
use crate::engine::Engine;
use crate::structure::Structure;
use crate::{Grounded, LaplacianError, Solution, SolveFacts, Solver, SolverOptions};
use gaussfield_core::SizeMismatch;
use gaussfield_graph::Graph;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use std::sync::Arc;

/// A system made ready by [`Grounded::prepare`] or on a [`Workbench`](crate::Workbench): solves
/// any number of right-hand sides. It never changes, and can be shared between threads.
///
/// Invariant: what it solves with has passed the certificate of
/// [`SolveFacts::partition_error`], a factor when it was made, conjugate gradients in every solve.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) system: Grounded,
    /// The connected parts of the system.
    pub(crate) parts: Arc<Components>,
    pub(crate) options: SolverOptions,
    pub(crate) solver: Solver,
    /// None for a system without unknowns.
    pub(crate) engine: Option<Engine>,
    pub(crate) certificate: Certificate,
}

impl Prepared {
    /// Assembles the system of [`Grounded::new`] and makes it ready, within one budget: weights that
    /// do not fit are refused before they are copied.
    ///
    /// # Errors
    /// As [`Grounded::new`] and [`Grounded::prepare`].
    pub fn new(
        graph: &Graph,
        nodes: &[usize],
        scale: f64,
        excess: Vec<f64>,
        options: &SolverOptions,
    ) -> Result<Self, LaplacianError> {
        Structure::check_room(graph, nodes, options.budget)?;
        Grounded::new(graph, nodes, scale, excess)?.prepare(options)
    }

    /// Solves A X = B for every column of `rhs`. Cost: see [`Solver`].
    ///
    /// # Errors
    /// A wrong number of rows, a right-hand side that is not finite, conjugate gradients that do
    /// not converge, a solution that overflows.
    pub fn solve(&self, rhs: ArrayView2<f64>) -> Result<Solution, LaplacianError> {
        self.solve_from(rhs, None).map(|(solution, _)| solution)
    }

    /// As [`solve`](Self::solve), conjugate gradients from a guess of the solution; and how many
    /// iterations all columns took together.
    pub(crate) fn solve_from(
        &self,
        rhs: ArrayView2<f64>,
        start: Option<ArrayView2<f64>>,
    ) -> Result<(Solution, usize), LaplacianError> {
        SizeMismatch::check("rows of the right-hand side", self.system.len(), rhs.nrows())?;
        if let Some((row, column, value)) = not_finite(rhs) {
            return Err(LaplacianError::NotFinite { row, column, value });
        }
        let Certificate { mut partition_error, refinements, .. } = self.certificate;
        let (mut iterations, mut work, mut residual) = (0, 0, None);
        let values = match &self.engine {
            None => Array2::zeros(rhs.dim()),
            Some(Engine::Direct(factor)) => {
                refined_solve(&**factor, &self.system, rhs, refinements)?
            }
            Some(Engine::Iterative(engine)) => {
                let done = certified_solve(
                    engine,
                    &self.system,
                    rhs,
                    start,
                    partition_error,
                    &self.options,
                )?;
                (iterations, work) = (done.certificate.iterations, done.work);
                partition_error = done.certificate.partition_error;
                residual = Some(done.relative_residual);
                done.values
            }
        };
        if let Some((row, column, _)) = not_finite(values.view()) {
            return Err(LaplacianError::SolutionOverflow { row, column });
        }
        let facts = SolveFacts {
            solver: self.solver,
            unknowns: self.system.len(),
            stored_entries: self.system.coupling().stored(),
            columns: rhs.ncols(),
            iterations,
            relative_residual: residual
                .unwrap_or_else(|| worst_relative_residual(&self.system, rhs, &values)),
            partition_error,
        };
        Ok((Solution { values, facts }, work))
    }

    /// ln det A; 0 for a system without unknowns. O(n).
    ///
    /// # Errors
    /// Conjugate gradients have no determinant; a factor that only refinement makes accurate
    /// enough has not either.
    pub fn log_det(&self) -> Result<f64, LaplacianError> {
        match &self.engine {
            None => Ok(0.0),
            Some(Engine::Iterative(_)) => {
                Err(LaplacianError::NoDeterminant { solver: self.solver })
            }
            Some(Engine::Direct(factor)) => {
                self.certificate.check_unrefined(self.solver, &self.options)?;
                Ok(factor.log_det())
            }
        }
    }

    /// The diagonal of A⁻¹ from the factor: None where there is none, or where it is accurate
    /// enough only with refinement.
    pub(crate) fn factor_diagonal(&self) -> Option<Vec<f64>> {
        match &self.engine {
            None => Some(Vec::new()),
            Some(Engine::Iterative(_)) => None,
            Some(Engine::Direct(factor)) => {
                self.certificate.check_unrefined(self.solver, &self.options).ok()?;
                factor.inverse_diagonal()
            }
        }
    }

    /// The solver that runs; never [`Solver::Auto`].
    pub fn solver(&self) -> Solver {
        self.solver
    }

    /// Most right-hand sides up to `most` that can be solved together within the budget.
    pub(crate) fn columns_together(&self, most: usize) -> usize {
        let Some(Engine::Iterative(engine)) = &self.engine else { return most };
        let fits = |columns: &usize| engine.check_columns(self.system.len(), *columns).is_ok();
        std::iter::successors(Some(most), |columns| Some(columns / 2).filter(|&half| half > 0))
            .find(fits)
            .unwrap_or(1)
    }

    pub(crate) fn is_iterative(&self) -> bool {
        matches!(self.engine, Some(Engine::Iterative(_)))
    }

    /// The system being solved.
    pub fn system(&self) -> &Grounded {
        &self.system
    }
}

/// The first number that is NaN or infinite, with its row and column.
fn not_finite(numbers: ArrayView2<f64>) -> Option<(usize, usize, f64)> {
    let sound = |row: ArrayView1<f64>| row.iter().all(|x| x.is_finite());
    if numbers.axis_iter(Axis(0)).into_par_iter().with_min_len(1024).all(sound) {
        return None;
    }
    let mut all = numbers.indexed_iter();
    all.find(|(_, x)| !x.is_finite()).map(|((row, column), &x)| (row, column, x))
}

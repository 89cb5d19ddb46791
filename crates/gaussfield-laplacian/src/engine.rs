//! The solvers behind [`Prepared`](crate::Prepared), and what they keep between updates.

pub(crate) mod block;
pub(crate) mod conjugate_gradient;
pub(crate) mod dense_cholesky;
pub(crate) mod dense_elimination;
pub(crate) mod order;
pub(crate) mod preconditioner;
pub(crate) mod scaling;
pub(crate) mod selected_inverse;
pub(crate) mod sparse_cholesky;
pub(crate) mod sparse_elimination;

use crate::coupling::{Coupling, SparseRows};
use crate::{Grounded, LaplacianError, Preconditioner, Solver, SolverOptions};
use conjugate_gradient::ConjugateGradient;
use dense_elimination::DenseElimination;
use gaussfield_core::dense::Spd;
use ndarray::{Array2, ArrayView2};
use order::{LowerPattern, Order};
use sparse_cholesky::{SparseAnalysis, SparseCholesky};
use sparse_elimination::{EliminationPattern, SparseElimination};
use std::sync::Arc;

/// Up to this many unknowns elimination is dense without looking at the pattern.
pub(crate) const SMALL: usize = 256;

/// One prepared solver.
#[derive(Debug)]
pub(crate) enum Engine {
    DenseCholesky(Spd),
    SparseCholesky(SparseCholesky),
    ConjugateGradient(ConjugateGradient),
    DenseElimination(DenseElimination),
    SparseElimination(SparseElimination),
}

/// What depends on the pattern alone, made when first needed and kept for the next update; and
/// memory to factorise into.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    order: Option<Arc<Order>>,
    analysis: Option<Arc<SparseAnalysis>>,
    elimination: Option<Arc<EliminationPattern>>,
    buffer: Vec<f64>,
}

impl Workspace {
    pub(crate) fn order(&mut self, rows: &SparseRows) -> Result<Arc<Order>, LaplacianError> {
        remember(&mut self.order, || Order::new(&LowerPattern::new(rows)))
    }

    /// Takes back the memory of an engine that is no longer needed.
    pub(crate) fn recycle(&mut self, engine: Engine) {
        self.buffer = match engine {
            Engine::DenseCholesky(engine) => engine.into_buffer(),
            Engine::SparseCholesky(engine) => engine.into_buffer(),
            Engine::DenseElimination(engine) => engine.into_buffer(),
            Engine::SparseElimination(engine) => engine.into_buffer(),
            Engine::ConjugateGradient(_) => Vec::new(),
        };
    }
}

impl Engine {
    /// Factorises, or sets up. `None` where a pivot is not positive after rounding.
    pub(crate) fn new(
        solver: Solver,
        system: &Grounded,
        options: &SolverOptions,
        workspace: &mut Workspace,
    ) -> Result<Option<Self>, LaplacianError> {
        let buffer = std::mem::take(&mut workspace.buffer);
        match solver {
            Solver::DenseCholesky => {
                let engine = dense_cholesky::factorise(system, options.budget, buffer)?;
                Ok(engine.map(Self::DenseCholesky))
            }
            Solver::SparseCholesky => {
                check_copy(system, options)?;
                let rows = system.coupling().sparse();
                let order = workspace.order(&rows)?;
                check_fill(&order, options)?;
                let analyse = || SparseAnalysis::new(&rows, order);
                let analysis = remember(&mut workspace.analysis, analyse)?;
                let engine = SparseCholesky::factorise(system, &rows, analysis, buffer)?;
                Ok(engine.map(Self::SparseCholesky))
            }
            Solver::ConjugateGradient(kind) => {
                if kind == Preconditioner::ApproximateCholesky {
                    check_copy(system, options)?;
                }
                let (tolerance, most) = (options.tolerance, options.max_iterations);
                let engine = ConjugateGradient::new(system, kind, tolerance, most)?;
                Ok(Some(Self::ConjugateGradient(engine)))
            }
            // What Auto stands for is decided before; elimination serves every system.
            Solver::Elimination | Solver::Auto => {
                if let Coupling::Sparse(rows) = system.coupling()
                    && system.len() > SMALL
                {
                    let order = workspace.order(rows)?;
                    let all_pairs = (system.len() as f64).powi(2);
                    if order.entries < all_pairs / 8.0 {
                        check_fill(&order, options)?;
                        let make = || Ok(EliminationPattern::new(rows, order));
                        let pattern = remember(&mut workspace.elimination, make)?;
                        let engine = SparseElimination::factorise(system, rows, pattern, buffer);
                        return Ok(engine.map(Self::SparseElimination));
                    }
                }
                let engine = DenseElimination::factorise(system, options.budget, buffer)?;
                Ok(engine.map(Self::DenseElimination))
            }
        }
    }

    pub(crate) fn solver(&self) -> Solver {
        match self {
            Self::DenseCholesky(_) => Solver::DenseCholesky,
            Self::SparseCholesky(_) => Solver::SparseCholesky,
            Self::ConjugateGradient(engine) => Solver::ConjugateGradient(engine.kind),
            Self::DenseElimination(_) | Self::SparseElimination(_) => Solver::Elimination,
        }
    }

    /// One solve without refinement or certificate.
    pub(crate) fn solve(
        &self,
        system: &Grounded,
        rhs: ArrayView2<f64>,
    ) -> Result<Array2<f64>, LaplacianError> {
        match self {
            Self::DenseCholesky(engine) => Ok(engine.solve(rhs)),
            Self::SparseCholesky(engine) => engine.solve(rhs),
            Self::DenseElimination(engine) => Ok(engine.solve(rhs)),
            Self::SparseElimination(engine) => Ok(engine.solve(rhs)),
            Self::ConjugateGradient(engine) => {
                let start = Array2::zeros(rhs.dim());
                Ok(engine.solve(system, rhs, start.view(), engine.tolerance)?.values)
            }
        }
    }

    /// The diagonal of A⁻¹, where the factor gives it faster than solving for it.
    pub(crate) fn inverse_diagonal(&self) -> Option<Vec<f64>> {
        match self {
            Self::DenseCholesky(engine) => Some(engine.inverse_diagonal()),
            Self::SparseCholesky(engine) => Some(engine.inverse_diagonal()),
            Self::SparseElimination(engine) => Some(engine.inverse_diagonal()),
            Self::DenseElimination(_) | Self::ConjugateGradient(_) => None,
        }
    }

    /// ln det A, where there is a factor.
    pub(crate) fn log_det(&self) -> Option<f64> {
        match self {
            Self::DenseCholesky(engine) => Some(engine.log_det()),
            Self::SparseCholesky(engine) => Some(engine.log_det()),
            Self::DenseElimination(engine) => Some(engine.log_det()),
            Self::SparseElimination(engine) => Some(engine.log_det()),
            Self::ConjugateGradient(_) => None,
        }
    }
}

/// A list of the edges of a dense matrix takes about as much memory as the matrix: within budget?
fn check_copy(system: &Grounded, options: &SolverOptions) -> Result<(), LaplacianError> {
    if let Coupling::Dense(_) = system.coupling() {
        options.budget.matrix("the edges of a dense system", system.len(), system.len())?;
    }
    Ok(())
}

/// Whether a sparse factor (a number and an index for each entry) fits the budget.
pub(crate) fn fill_fits(order: &Order, options: &SolverOptions) -> bool {
    order.entries * 16.0 <= options.budget.bytes as f64
}

fn check_fill(order: &Order, options: &SolverOptions) -> Result<(), LaplacianError> {
    if fill_fits(order, options) {
        Ok(())
    } else {
        let budget = options.budget.bytes;
        Err(LaplacianError::Fill { entries: order.entries, budget })
    }
}

fn remember<T>(
    slot: &mut Option<Arc<T>>,
    make: impl FnOnce() -> Result<T, LaplacianError>,
) -> Result<Arc<T>, LaplacianError> {
    if let Some(value) = slot {
        return Ok(Arc::clone(value));
    }
    let value = Arc::new(make()?);
    *slot = Some(Arc::clone(&value));
    Ok(value)
}

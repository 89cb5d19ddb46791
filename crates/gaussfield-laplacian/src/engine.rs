//! The solvers behind [`Prepared`](crate::Prepared).

pub(crate) mod approximate;
pub(crate) mod arrangement;
pub(crate) mod block;
pub(crate) mod conjugate_gradient;
pub(crate) mod dense_cholesky;
pub(crate) mod dense_elimination;
pub(crate) mod iteration;
pub(crate) mod order;
pub(crate) mod preconditioner;
pub(crate) mod scaling;
pub(crate) mod selected_inverse;
mod simplicial_solve;
pub(crate) mod sparse_cholesky;
pub(crate) mod sparse_elimination;
pub(crate) mod team;

use crate::coupling::Coupling;
use crate::workspace::Workspace;
use crate::{Grounded, LaplacianError, Solver};
use conjugate_gradient::ConjugateGradient;
use dense_elimination::DenseElimination;
use gaussfield_core::{Budget, OverBudget};
use ndarray::{Array2, ArrayView2};
use order::Order;
use sparse_cholesky::SparseCholesky;
use sparse_elimination::SparseElimination;
use std::fmt;

/// Up to this many unknowns elimination is dense without looking at the pattern.
pub(crate) const SMALL: usize = 256;

/// What a system is solved with.
#[derive(Debug)]
pub(crate) enum Engine {
    Direct(Box<dyn Factor>),
    Iterative(ConjugateGradient),
}

/// A factor of the whole matrix: all that a direct solver has to offer.
pub(crate) trait Factor: fmt::Debug + Send + Sync {
    /// A⁻¹ B, without refinement.
    fn solve(&self, rhs: ArrayView2<f64>) -> Result<Array2<f64>, LaplacianError>;

    /// ln det A.
    fn log_det(&self) -> f64;

    /// The diagonal of A⁻¹, where the factor gives it faster than solving for it.
    fn inverse_diagonal(&self) -> Option<Vec<f64>> {
        None
    }

    /// Gives the memory back for the next factorisation.
    fn into_buffer(self: Box<Self>) -> Vec<f64>;
}

/// Factorises with a direct solver. `None` where a pivot is not positive after rounding.
pub(crate) fn factorise(
    solver: Solver,
    system: &Grounded,
    budget: Budget,
    workspace: &mut Workspace,
) -> Result<Option<Box<dyn Factor>>, LaplacianError> {
    match solver {
        Solver::DenseCholesky => {
            boxed(dense_cholesky::factorise(system, budget, workspace.buffer())?)
        }
        Solver::SparseCholesky => {
            if let Coupling::Dense(_) = system.coupling() {
                budget.matrix("the edges of a dense system", system.len(), system.len())?;
            }
            let rows = system.coupling().sparse();
            let order = workspace.order(&rows.pattern)?;
            beside_fill(&order, budget)?;
            let analysis = workspace.analysis(&rows.pattern)?;
            boxed(SparseCholesky::factorise(system, &rows, analysis, workspace.buffer())?)
        }
        // Elimination serves every system.
        Solver::Elimination | Solver::ConjugateGradient(_) | Solver::Auto => {
            if let Coupling::Sparse(rows) = system.coupling()
                && system.len() > SMALL
            {
                let order = workspace.order(&rows.pattern)?;
                let all_pairs = (system.len() as f64).powi(2);
                if order.entries < all_pairs / 8.0 {
                    beside_fill(&order, budget)?;
                    let places = workspace.elimination(&rows.pattern)?;
                    let memory = workspace.buffer();
                    return boxed(SparseElimination::factorise(system, rows, places, memory));
                }
            }
            boxed(DenseElimination::factorise(system, budget, workspace.buffer())?)
        }
    }
}

fn boxed<F: Factor + 'static>(
    factor: Option<F>,
) -> Result<Option<Box<dyn Factor>>, LaplacianError> {
    Ok(factor.map(|factor| Box::new(factor) as Box<dyn Factor>))
}

/// What is left of the budget with a sparse factor: a number and an index for each entry.
pub(crate) fn beside_fill(order: &Order, budget: Budget) -> Result<Budget, OverBudget> {
    budget.take("the numbers of the sparse factor", (order.entries * 16.0) as u64)
}

//! The rule behind [`Solver::Auto`]; documented there.

use crate::coupling::Coupling;
use crate::engine::{SMALL, beside_fill};
use crate::workspace::Workspace;
use crate::{Grounded, LaplacianError, Preconditioner, Solver};
use gaussfield_core::Budget;

/// Share of linked pairs above which a sparse matrix is treated as full.
const FULL: f64 = 0.2;
/// Multiplications per stored weight up to which a sparse factorisation is taken.
const WORK_PER_WEIGHT: f64 = 5000.0;
/// Unknowns up to which dense elimination may take over, and a full matrix is factorised at once.
const ELIMINATION: usize = 4000;

/// The solvers to try, in order; the next one only if the certificate of one fails. The list
/// depends on sizes and the pattern, not on the numbers.
pub(crate) fn candidates(
    system: &Grounded,
    budget: Budget,
    workspace: &mut Workspace,
) -> Result<Vec<Solver>, LaplacianError> {
    let n = system.len();
    if n <= SMALL {
        return Ok(vec![Solver::Elimination]);
    }
    let fits = budget.matrix("the system", n, n).is_ok();
    let takes_over = (n <= ELIMINATION && fits).then_some(Solver::Elimination);
    let full = system.coupling().stored() as f64 > FULL * (n as f64).powi(2);
    let first = match system.coupling() {
        Coupling::Sparse(rows) if !full => {
            let iterative = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
            if !workspace.hopeless(&rows.pattern, WORK_PER_WEIGHT)? {
                let order = workspace.order(&rows.pattern)?;
                let cheap = order.work_per_weight() <= WORK_PER_WEIGHT;
                if cheap && beside_fill(&order, budget).is_ok() {
                    return Ok(vec![Solver::SparseCholesky, Solver::Elimination, iterative]);
                }
            }
            iterative
        }
        _ if fits && n <= ELIMINATION => Solver::DenseCholesky,
        _ => {
            let stands_by = fits.then_some(Solver::DenseCholesky);
            let first = Solver::ConjugateGradient(Preconditioner::Jacobi);
            return Ok(std::iter::once(first).chain(stands_by).collect());
        }
    };
    Ok(std::iter::once(first).chain(takes_over).collect())
}

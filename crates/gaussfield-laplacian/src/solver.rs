//! The choice of solver, its options, and what a solve reports.

use crate::LaplacianError;
use gaussfield_core::{Budget, Facts, check};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How conjugate gradients are preconditioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Preconditioner {
    /// The diagonal. No set-up; best on expander-like graphs, where iterations are few anyway.
    Jacobi,
    /// A randomised approximate Cholesky factor (Gao, Kyng, Spielman 2023) with a fixed seed: a
    /// few tens of iterations on any graph.
    ApproximateCholesky,
}

/// How a grounded Laplacian system is solved. n unknowns, m stored weights, C right-hand sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Solver {
    /// Chosen from the size, the storage and the predicted fill; the facts of a solution say which
    /// one ran.
    ///
    /// 1. n ≤ 256: [`Elimination`](Self::Elimination).
    /// 2. Dense storage, or more than a fifth of all pairs linked: up to n = 4000
    ///    [`DenseCholesky`](Self::DenseCholesky) if the matrix fits the memory budget; above, or
    ///    where it does not, conjugate gradients with the diagonal, which such graphs hardly need
    ///    more than a few iterations of. If n/100 are not enough, `DenseCholesky` if it fits.
    /// 3. Sparse: an approximate minimum-degree order predicts the fill and the work of a
    ///    factorisation. Up to 5000 multiplications per stored weight, and within the memory
    ///    budget: [`SparseCholesky`](Self::SparseCholesky). From 8192 unknowns on, parts of them are
    ///    looked at first: where work grows with their size so that the whole takes twice as much,
    ///    it is not ordered at all.
    /// 4. Else conjugate gradients with
    ///    [`ApproximateCholesky`](Preconditioner::ApproximateCholesky).
    ///
    /// If the certificate ([`SolveFacts::partition_error`]) then shows that weak links were lost, `Elimination` takes over: in sparse form after a sparse Cholesky, in dense form
    /// where n ≤ 4000 and the matrix fits the budget. Where that is not possible, after a sparse
    /// Cholesky conjugate gradients are tried, and the last error is returned.
    #[default]
    Auto,
    /// Cholesky of the full matrix: O(n³/3) once, O(n²C) a solve.
    DenseCholesky,
    /// Sparse supernodal Cholesky in approximate minimum-degree order. Very fast where the graph
    /// has low intrinsic dimension, hopeless fill where it has not.
    SparseCholesky,
    /// Conjugate gradients on all columns at once, one pass over the matrix an iteration:
    /// O(mC) each.
    ConjugateGradient(Preconditioner),
    /// Gaussian elimination without a single subtraction: off-diagonal weights and the excess
    /// stay non-negative sums. Solutions are accurate in every entry for non-negative right-hand
    /// sides whatever the weights. Sparse, in minimum-degree order, if that fills less than a
    /// quarter of the matrix; else dense and blocked, O(n³/3).
    Elimination,
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "the automatic choice",
            Self::DenseCholesky => "dense Cholesky",
            Self::SparseCholesky => "sparse Cholesky",
            Self::ConjugateGradient(Preconditioner::Jacobi) => "conjugate gradients (Jacobi)",
            Self::ConjugateGradient(Preconditioner::ApproximateCholesky) => {
                "conjugate gradients (approximate Cholesky)"
            }
            Self::Elimination => "elimination without subtraction",
        })
    }
}

/// Which solver, how exact, how much memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SolverOptions {
    /// Default: [`Solver::Auto`].
    pub solver: Solver,
    /// Relative residual ‖b − A x‖ / ‖b‖ at which conjugate gradients stop, in (0, 1).
    /// Default 1e-10.
    pub tolerance: f64,
    /// Most iterations of conjugate gradients a column may take, at least 1. Default 10,000.
    pub max_iterations: usize,
    /// Memory for the weights of the system, the factor or preconditioner, and the vectors of
    /// conjugate gradients, all together. Default 4 GiB.
    pub budget: Budget,
    /// Largest [`SolveFacts::partition_error`] allowed, in (0, 1). Default 1e-6.
    pub partition_tolerance: f64,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            solver: Solver::Auto,
            tolerance: 1e-10,
            max_iterations: 10_000,
            budget: Budget::default(),
            partition_tolerance: 1e-6,
        }
    }
}

impl SolverOptions {
    pub(crate) fn check(&self) -> Result<(), LaplacianError> {
        check::fraction("the tolerance", self.tolerance)?;
        check::fraction("the partition tolerance", self.partition_tolerance)?;
        Ok(check::at_least("the number of iterations allowed", self.max_iterations, 1)?)
    }
}

/// What a solve did and how far it got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolveFacts {
    /// The solver that ran; never [`Solver::Auto`].
    pub solver: Solver,
    /// Unknowns, n.
    pub unknowns: usize,
    /// Stored off-diagonal weights, both directions.
    pub stored_entries: usize,
    /// Right-hand sides, C.
    pub columns: usize,
    /// Iterations of the slowest column; 0 for a direct solver.
    pub iterations: usize,
    /// ‖b − A x‖ / ‖b‖ of the worst column, the product in difference form. Where the excess is
    /// tiny beside the weights, rounding x to an f64 alone leaves a residual of about
    /// ε‖D x‖ / ‖b‖: there [`partition_error`](Self::partition_error) is the number to look at.
    pub relative_residual: f64,
    /// How well the system is resolved. A·1 = e holds exactly, so a direct solver is asked once
    /// for A z = e, and this is max |z − 1|. Conjugate gradients are asked in every solve for one
    /// more column, γe − Σ_c b_c, and this is how far the solutions are from adding up to γ,
    /// beside the largest of them.
    pub partition_error: f64,
}

impl SolveFacts {
    /// The same as a list that every method shares.
    pub fn facts(&self) -> Facts {
        Facts::default()
            .with("solver", self.solver.to_string())
            .with("unknowns", self.unknowns)
            .with("stored weights", self.stored_entries)
            .with("right-hand sides", self.columns)
            .with("iterations", self.iterations)
            .with("relative residual", self.relative_residual)
            .with("partition error", self.partition_error)
    }
}

/// The solution of A X = B, and how it was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// X: a row per unknown, a column per right-hand side.
    pub values: Array2<f64>,
    /// What ran.
    pub facts: SolveFacts,
}

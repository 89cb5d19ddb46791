//! M ≈ A with M⁻¹ cheap.

use super::approximate::ApproximateFactor;
use super::block::Block;
use crate::{Grounded, Preconditioner};
use gaussfield_core::{Budget, OverBudget};
use std::sync::Arc;

/// Seed of its sampling: fixed, so that results are reproducible.
const SEED: u64 = 0x6761_7573_7366;

#[derive(Debug)]
pub(crate) enum Preparation {
    Jacobi(Vec<f64>),
    Approximate {
        factor: Arc<ApproximateFactor>,
        /// M is the factor times this.
        scale: f64,
    },
}

impl Preparation {
    pub(crate) fn new(system: &Grounded, kind: Preconditioner) -> Self {
        match kind {
            Preconditioner::Jacobi => {
                Self::Jacobi(system.diagonal_slice().iter().map(|d| 1.0 / d).collect())
            }
            Preconditioner::ApproximateCholesky => {
                let factor = Arc::new(ApproximateFactor::new(system, SEED));
                Self::Approximate { factor, scale: 1.0 }
            }
        }
    }

    /// What is left of the budget beside it.
    pub(crate) fn beside(
        system: &Grounded,
        kind: Preconditioner,
        budget: Budget,
    ) -> Result<Budget, OverBudget> {
        let stored = system.coupling().stored() as u64;
        match kind {
            Preconditioner::Jacobi => Ok(budget),
            // The edges in lists, both ways, and a factor with about as many entries.
            Preconditioner::ApproximateCholesky => {
                budget.take("the numbers of the preconditioner", 28 * stored)
            }
        }
    }

    pub(crate) fn kind(&self) -> Preconditioner {
        match self {
            Self::Jacobi(_) => Preconditioner::Jacobi,
            Self::Approximate { .. } => Preconditioner::ApproximateCholesky,
        }
    }

    /// M times a factor. An approximate factor is shared, not copied.
    pub(crate) fn scaled(&self, by: f64) -> Self {
        match self {
            Self::Jacobi(inverse) => Self::Jacobi(inverse.iter().map(|d| d / by).collect()),
            Self::Approximate { factor, scale } => {
                Self::Approximate { factor: Arc::clone(factor), scale: scale * by }
            }
        }
    }

    /// z = M⁻¹ r.
    pub(crate) fn apply(&self, r: &Block, z: &mut Block) {
        let columns = r.columns;
        match self {
            Self::Jacobi(inverse) => z.update_rows(|i, row| {
                let r = &r.data[i * columns..(i + 1) * columns];
                for (z, r) in row.iter_mut().zip(r) {
                    *z = inverse[i] * r;
                }
            }),
            Self::Approximate { factor, scale } => factor.solve(r, *scale, z),
        }
    }
}

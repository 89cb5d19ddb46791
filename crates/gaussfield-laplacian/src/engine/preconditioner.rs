//! M ≈ A with M⁻¹ cheap.

use super::approximate::{ApproximateFactor, Scratch};
use super::arrangement::Arranged;
use super::block::Block;
use super::team::{Operator, Precondition};
use crate::{Grounded, Preconditioner};
use gaussfield_core::{Budget, OverBudget, Progress, Stage};
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
    /// The stage in which it is made, by nodes.
    pub(crate) fn stage(nodes: usize) -> Stage {
        Progress::stage("preconditioner", Some(nodes as u64))
    }

    pub(crate) fn new(system: &Arranged, kind: Preconditioner, stage: &Stage) -> Self {
        match kind {
            Preconditioner::Jacobi => {
                Self::Jacobi(system.diagonal().iter().map(|d| 1.0 / d).collect())
            }
            Preconditioner::ApproximateCholesky => {
                let factor = Arc::new(ApproximateFactor::new(system, SEED, stage));
                Self::Approximate { factor, scale: 1.0 }
            }
        }
    }

    /// What is left of the budget beside it, and beside a copy of the system in another order.
    pub(crate) fn beside(
        system: &Grounded,
        kind: Preconditioner,
        budget: Budget,
    ) -> Result<Budget, OverBudget> {
        let stored = system.coupling().stored() as u64;
        let budget = budget.take("the system in another order", Arranged::bytes(system))?;
        match kind {
            Preconditioner::Jacobi => Ok(budget),
            // A factor with about as many entries, and the edges that are joined on the way.
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
}

impl Preparation {
    /// ln det M.
    pub(crate) fn log_det(&self) -> f64 {
        match self {
            Self::Jacobi(inverse) => -inverse.iter().map(|d| d.ln()).sum::<f64>(),
            Self::Approximate { factor, scale } => factor.log_det(*scale),
        }
    }

    /// r = M^½ y, for a root M^½ (M^½)ᵀ = M.
    pub(crate) fn root(&self, y: &Block, r: &mut Block) {
        match self {
            Self::Jacobi(inverse) => {
                let (y, width) = (y.data(), y.width());
                r.update_rows(|i, row| {
                    let root = inverse[i].sqrt().recip();
                    row.iter_mut().zip(&y[i * width..]).for_each(|(r, y)| *r = root * y);
                });
            }
            Self::Approximate { factor, scale } => factor.root(y, *scale, r),
        }
    }
}

impl Precondition for Preparation {
    type Scratch = Option<Scratch>;

    fn scratch(&self, width: usize) -> Self::Scratch {
        match self {
            Self::Jacobi(_) => None,
            Self::Approximate { factor, .. } => Some(factor.scratch(width)),
        }
    }

    fn apply(&self, r: &Block, z: &mut Block, scratch: &mut Self::Scratch) {
        match self {
            Self::Jacobi(inverse) => {
                let (r, width) = (r.data(), r.width());
                z.update_rows(|i, row| {
                    for (z, r) in row.iter_mut().zip(&r[i * width..]) {
                        *z = inverse[i] * r;
                    }
                });
            }
            Self::Approximate { factor, scale } => {
                let scratch = scratch.get_or_insert_with(|| factor.scratch(r.width()));
                factor.solve(r, *scale, z, scratch);
            }
        }
    }
}

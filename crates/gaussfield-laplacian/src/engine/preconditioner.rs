//! M ≈ A with M⁻¹ cheap.

use super::block::Block;
use crate::{Grounded, LaplacianError, Preconditioner};
use approx_chol::input::{Laplacian, Sddm};
use approx_chol::{Config, Factor, ScalingPolicy, factorize_with};
use gaussfield_core::{Budget, OverBudget};
use rayon::prelude::*;
use std::sync::Arc;

/// The approximate factor takes no number between 0 and this, after scaling.
const SMALLEST: f64 = 1e-290;
/// Seed of its sampling: fixed, so that results are reproducible.
const SEED: u64 = 0x6761_7573_7366;

#[derive(Debug)]
pub(crate) enum Preparation {
    Jacobi(Vec<f64>),
    Approximate {
        factor: Arc<Factor<f64>>,
        /// The factor is of A/scale.
        scale: f64,
    },
}

impl Preparation {
    pub(crate) fn new(system: &Grounded, kind: Preconditioner) -> Result<Self, LaplacianError> {
        match kind {
            Preconditioner::Jacobi => {
                let inverse = system.diagonal_slice().iter().map(|d| 1.0 / d).collect();
                Ok(Self::Jacobi(inverse))
            }
            Preconditioner::ApproximateCholesky => approximate(system),
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
            // A list of the edges, two indices and a number each, and a factor of about that size.
            Preconditioner::ApproximateCholesky => {
                budget.take("the numbers of the preconditioner", 16 * stored)
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

    /// M⁻¹ r, columns in parallel.
    pub(crate) fn apply(&self, r: &Block) -> Block {
        let mut z = Block::zeros(r.data.len() / r.columns.max(1), r.columns);
        let columns = r.columns;
        match self {
            Self::Jacobi(inverse) => z.update_rows(|i, row| {
                let r = &r.data[i * columns..(i + 1) * columns];
                for (z, r) in row.iter_mut().zip(r) {
                    *z = inverse[i] * r;
                }
            }),
            Self::Approximate { factor, scale } => {
                let solved: Vec<Vec<f64>> = (0..columns)
                    .into_par_iter()
                    .map(|c| {
                        let mut x: Vec<f64> =
                            r.data.iter().skip(c).step_by(columns).map(|r| r / scale).collect();
                        let mut scratch = vec![0.0; factor.scratch_len()];
                        // Lengths agree by construction; were they not to, the residual is a
                        // valid (if slow) preconditioned vector.
                        let _ = factor.solve_in_place(&mut x, &mut scratch);
                        x
                    })
                    .collect();
                z.update_rows(|i, row| {
                    for (z, x) in row.iter_mut().zip(&solved) {
                        *z = x[i];
                    }
                });
            }
        }
        z
    }
}

/// An approximate factor of L + diag(excess), from the edges and the excess themselves: the
/// diagonal is never formed.
fn approximate(system: &Grounded) -> Result<Preparation, LaplacianError> {
    let refused = |reason: String| LaplacianError::Preconditioner { reason };
    let scale = system.diagonal_slice().iter().copied().fold(0.0, f64::max);
    // Numbers this small beside the largest would only be refused; M need not hold them.
    let scaled = |x: f64| if x / scale < SMALLEST { 0.0 } else { x / scale };
    let (mut from, mut to, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..system.len() {
        system.coupling().for_each(i, |j, weight| {
            let weight = scaled(weight);
            if j > i && weight > 0.0 {
                from.push(i as u32);
                to.push(j as u32);
                weights.push(weight);
            }
        });
    }
    let surplus: Vec<f64> = system.excess().iter().map(|&e| scaled(e)).collect();
    let laplacian = Laplacian::weighted(system.len(), &from, &to, &weights)
        .map_err(|e| refused(e.to_string()))?;
    let matrix = Sddm::new(laplacian, &surplus).map_err(|e| refused(e.to_string()))?;
    let config = Config { seed: SEED, ..Config::default() };
    let factor = factorize_with(matrix, config, ScalingPolicy::default())
        .map_err(|e| refused(e.to_string()))?;
    Ok(Preparation::Approximate { factor: Arc::new(factor), scale })
}

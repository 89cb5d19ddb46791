//! Cholesky of the full matrix.

use super::Factor;
use crate::coupling::Coupling;
use crate::{Grounded, LaplacianError};
use gaussfield_core::Budget;
use gaussfield_core::dense::Spd;
use ndarray::{Array2, ArrayView2};

/// Weights below this, beside the smallest diagonal entry, are left out. They are far below the
/// rounding of any pivot, and products of them that are smaller than the smallest normal number are
/// slow on many processors.
const UNSEEN: f64 = 1e-30;

/// Factorises into `buffer` (of any length; its memory is reused). `None` where a pivot is not
/// positive: the rounded matrix is not positive definite.
pub(crate) fn factorise(
    system: &Grounded,
    budget: Budget,
    mut buffer: Vec<f64>,
) -> Result<Option<Spd>, LaplacianError> {
    let n = system.len();
    budget.matrix("the dense system", n, n)?;
    buffer.clear();
    buffer.resize(n * n, 0.0);
    let diagonal = system.diagonal_slice();
    let unseen = UNSEEN * diagonal.iter().copied().fold(f64::INFINITY, f64::min);
    let seen = |weight: f64| if weight >= unseen { -weight } else { 0.0 };
    // The matrix is symmetric: row j of the weights is column j of the lower triangle.
    for (j, column) in buffer.chunks_exact_mut(n.max(1)).enumerate() {
        match system.coupling() {
            Coupling::Dense(a) => {
                let row = a.row(j);
                for i in j..n {
                    column[i] = seen(row[i]);
                }
            }
            Coupling::Sparse(a) => {
                let (rows, weights) = a.row(j);
                for (&i, &weight) in rows.iter().zip(weights) {
                    column[i as usize] = seen(weight);
                }
            }
        }
        column[j] = diagonal[j];
    }
    Ok(Spd::from_column_major(n, buffer).ok())
}

impl Factor for Spd {
    fn solve(&self, rhs: ArrayView2<f64>) -> Result<Array2<f64>, LaplacianError> {
        Ok(Spd::solve(self, rhs))
    }

    fn log_det(&self) -> f64 {
        Spd::log_det(self)
    }

    fn inverse_diagonal(&self) -> Option<Vec<f64>> {
        Some(Spd::inverse_diagonal(self))
    }

    fn into_buffer(self: Box<Self>) -> Vec<f64> {
        Spd::into_buffer(*self)
    }
}

//! Cholesky of the full matrix.

use super::Factor;
use crate::coupling::Coupling;
use crate::{Grounded, LaplacianError};
use gaussfield_core::Budget;
use gaussfield_core::dense::Spd;
use ndarray::{Array2, ArrayView2};

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
    // The matrix is symmetric: row j of the weights is column j of the lower triangle.
    for (j, column) in buffer.chunks_exact_mut(n.max(1)).enumerate() {
        match system.coupling() {
            Coupling::Dense(a) => {
                let row = a.row(j);
                for i in j..n {
                    column[i] = -row[i];
                }
            }
            Coupling::Sparse(a) => {
                let (rows, weights) = a.row(j);
                for (&i, &weight) in rows.iter().zip(weights) {
                    column[i as usize] = -weight;
                }
            }
        }
        column[j] = system.diagonal_slice()[j];
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

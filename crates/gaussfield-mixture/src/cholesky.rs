//! The factor of a small covariance matrix, and its inverse.

use ndarray::{Array2, ArrayView2, s};

/// Σ = L Lᵀ with L⁻¹ at hand.
#[derive(Debug, Clone)]
pub(crate) struct Factor {
    pub(crate) lower: Array2<f64>,
    /// L⁻¹, lower triangular.
    pub(crate) inverse: Array2<f64>,
    pub(crate) log_det: f64,
}

impl Factor {
    /// O(d³).
    ///
    /// # Errors
    /// The first pivot that is not positive.
    pub(crate) fn new(matrix: ArrayView2<'_, f64>) -> Result<Self, f64> {
        let size = matrix.nrows();
        let mut lower = Array2::<f64>::zeros((size, size));
        for i in 0..size {
            for j in 0..i {
                let inner = lower.slice(s![i, ..j]).dot(&lower.slice(s![j, ..j]));
                lower[[i, j]] = (matrix[[i, j]] - inner) / lower[[j, j]];
            }
            let row = lower.slice(s![i, ..i]);
            let pivot = matrix[[i, i]] - row.dot(&row);
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(pivot);
            }
            lower[[i, i]] = pivot.sqrt();
        }
        let mut inverse = Array2::<f64>::zeros((size, size));
        for i in 0..size {
            // Row i of L⁻¹: (eᵢ − Σ_j<i L_ij · row j) / L_ii.
            let (done, mut rest) = inverse.view_mut().split_at(ndarray::Axis(0), i);
            let mut row = rest.row_mut(0);
            for j in 0..i {
                row.scaled_add(-lower[[i, j]], &done.row(j));
            }
            row[i] += 1.0;
            row /= lower[[i, i]];
        }
        let log_det = lower.diag().iter().map(|pivot| 2.0 * pivot.ln()).sum();
        Ok(Self { lower, inverse, log_det })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn factor_inverse_and_determinant() {
        let matrix = array![[4.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 3.0]];
        let factor = Factor::new(matrix.view()).unwrap();
        assert!((factor.log_det - 44_f64.ln()).abs() < 1e-14);
        let back = factor.lower.dot(&factor.lower.t());
        assert!((&back - &matrix).iter().all(|gap| gap.abs() < 1e-14));
        let one = factor.lower.dot(&factor.inverse);
        assert!((&one - &Array2::<f64>::eye(3)).iter().all(|gap| gap.abs() < 1e-14));
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_names_its_pivot() {
        let pivot = Factor::new(array![[1.0, 2.0], [2.0, 1.0]].view()).unwrap_err();
        assert!((pivot + 3.0).abs() < 1e-15);
        assert!(Factor::new(array![[f64::NAN]].view()).unwrap_err().is_nan());
    }
}

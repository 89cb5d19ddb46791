use super::Sites;
use crate::inference::Factor;
use ndarray::{Array1, Array2, ArrayView2, s};

/// The posterior of the block under given sites, N(Σν, Σ) with Σ = (K⁻¹ + T)⁻¹.
#[derive(Debug, Clone)]
pub(super) struct BlockGaussian {
    covariance: Array2<f64>,
    mean: Array1<f64>,
    log_det: f64,
}

impl BlockGaussian {
    /// Σ = C (I + CᵀTC)⁻¹ Cᵀ with K = CCᵀ: no inverse of K, no root of T, no subtraction.
    /// `None` where I + CᵀTC is not positive definite, that is, where the sites describe no
    /// Gaussian.
    pub(super) fn new(root: ArrayView2<'_, f64>, sites: &Sites) -> Option<Self> {
        let weighted = &root * &sites.precision.view().insert_axis(ndarray::Axis(1));
        let mut matrix = root.t().dot(&weighted);
        matrix.diag_mut().mapv_inplace(|entry| entry + 1.0);
        let factor = Factor::new(&matrix)?;
        let half = factor.forward(root.t().as_standard_layout().into_owned());
        let covariance = half.t().dot(&half);
        let mean = covariance.dot(&sites.shift);
        Some(Self { covariance, mean, log_det: factor.log_det() })
    }

    pub(super) fn covariance(&self) -> &Array2<f64> {
        &self.covariance
    }

    pub(super) fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// ln |I + TK|.
    pub(super) fn log_det(&self) -> f64 {
        self.log_det
    }

    /// Changes one site by (Δτ, Δν), if that leaves a Gaussian. O(l²).
    pub(super) fn change_site(&mut self, i: usize, by_precision: f64, by_shift: f64) -> bool {
        let variance = self.covariance[[i, i]];
        let denominator = 1.0 + by_precision * variance;
        if !(denominator > 1e-10 && denominator.is_finite()) {
            return false;
        }
        let column = self.covariance.column(i).to_owned();
        let along = (by_shift - by_precision * self.mean[i]) / denominator;
        self.mean.scaled_add(along, &column);
        let share = by_precision / denominator;
        for (mut row, &entry) in self.covariance.rows_mut().into_iter().zip(&column) {
            row.scaled_add(-share * entry, &column);
        }
        true
    }
}

/// C with K = CCᵀ, lower triangular. A direction in which K has no variance beyond rounding (a
/// point that occurs twice) gets a column of zeros. O(l³/3).
pub(super) fn lower_root(matrix: &Array2<f64>) -> Array2<f64> {
    let size = matrix.nrows();
    let mut root = Array2::<f64>::zeros((size, size));
    for j in 0..size {
        let row = root.slice(s![j, ..j]);
        let pivot = matrix[[j, j]] - row.dot(&row);
        if pivot <= 4.0 * f64::EPSILON * size as f64 * matrix[[j, j]] {
            continue;
        }
        let pivot = pivot.sqrt();
        root[[j, j]] = pivot;
        for i in j + 1..size {
            let inner = root.slice(s![i, ..j]).dot(&root.slice(s![j, ..j]));
            root[[i, j]] = (matrix[[i, j]] - inner) / pivot;
        }
    }
    root
}

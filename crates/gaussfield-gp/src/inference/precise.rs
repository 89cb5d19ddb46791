//! The posterior covariance of a block without a subtraction.

use super::lower_root;
use gaussfield_core::dense::Spd;
use ndarray::{Array1, Array2, Axis};

/// Σ = (K⁻¹ + W)⁻¹ = C (I + CᵀWC)⁻¹ Cᵀ with K = CCᵀ. Under a wide prior K and what labels explain of
/// it agree in all but their last digits: their difference has none left.
#[derive(Debug)]
pub(super) struct Precise {
    /// Λ⁻¹Cᵀ with I + CᵀWC = ΛΛᵀ.
    half: Array2<f64>,
    factor: Spd,
    /// K's own factor, where K has an inverse.
    root: Option<Spd>,
    precision: Array1<f64>,
}

impl Precise {
    /// For precisions W that are not negative; `None` where K is no covariance. O(l³).
    pub(super) fn new(gram: &Array2<f64>, precision: &Array1<f64>) -> Option<Self> {
        let lower = lower_root(gram)?;
        let is_full = lower.diag().iter().all(|&pivot| pivot > 0.0);
        let root = if is_full { Spd::factorise(gram.clone()).ok() } else { None };
        let weighted = &lower * &precision.view().insert_axis(Axis(1));
        let mut matrix = lower.t().dot(&weighted);
        matrix.diag_mut().mapv_inplace(|entry| entry + 1.0);
        let factor = Spd::factorise(matrix).ok()?;
        let half = factor.half_solve(lower.reversed_axes());
        Some(Self { half, factor, root, precision: precision.clone() })
    }

    /// The diagonal of Σ.
    pub(super) fn variances(&self) -> Array1<f64> {
        self.half.map_axis(Axis(0), |column| column.dot(&column))
    }

    /// Σ x.
    pub(super) fn times(&self, x: &Array1<f64>) -> Array1<f64> {
        self.half.t().dot(&self.half.dot(x))
    }

    /// (I + WK)⁻¹ x = K⁻¹Σ x = C⁻ᵀ (I + CᵀWC)⁻¹ Cᵀ x; by x − WΣx where K has no inverse.
    pub(super) fn pulled(&self, x: &Array1<f64>) -> Array1<f64> {
        match &self.root {
            Some(root) => {
                let half = self.half.dot(x).insert_axis(Axis(1));
                let whole = self.factor.half_solve_transposed(half);
                root.half_solve_transposed(whole).remove_axis(Axis(1))
            }
            None => x - &(&self.precision * &self.times(x)),
        }
    }
}

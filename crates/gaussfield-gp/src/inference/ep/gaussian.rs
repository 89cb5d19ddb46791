//! The posterior of a block under Gaussian sites.

use super::Sites;
use gaussfield_core::dense::{Spd, symmetric_eigenvalues};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// Sites, and the posterior of the block under them: N(Σν, Σ) with Σ = (K⁻¹ + T)⁻¹.
#[derive(Debug, Clone)]
pub(super) struct BlockGaussian {
    sites: Sites,
    covariance: Array2<f64>,
    mean: Array1<f64>,
    log_det: f64,
}

impl BlockGaussian {
    /// Σ = C (I + CᵀTC)⁻¹ Cᵀ with K = CCᵀ: no inverse of K, no root of T, no subtraction.
    /// `None` where I + CᵀTC is not positive definite, that is, where the sites describe no
    /// Gaussian.
    pub(super) fn new(root: ArrayView2<'_, f64>, sites: Sites) -> Option<Self> {
        let weighted = &root * &sites.precision.view().insert_axis(Axis(1));
        let mut matrix = root.t().dot(&weighted);
        matrix.diag_mut().mapv_inplace(|entry| entry + 1.0);
        let factor = Spd::factorise(matrix).ok()?;
        let half = factor.half_solve(root.t().to_owned());
        let covariance = half.t().dot(&half);
        let mean = covariance.dot(&sites.shift);
        Some(Self { sites, covariance, mean, log_det: factor.log_det() })
    }

    /// As [`Self::new`], and `None` also where a node has no cavity.
    pub(super) fn with_cavities(root: ArrayView2<'_, f64>, sites: Sites) -> Option<Self> {
        Self::new(root, sites).filter(Self::has_cavities)
    }

    /// Whether every node has a Gaussian left when its own site is taken away: a negative precision
    /// widens the others, and could leave one of them nothing but its own site.
    pub(super) fn has_cavities(&self) -> bool {
        let mut pairs = self.sites.precision.iter().zip(self.covariance.diag());
        pairs.all(|(&tau, &variance)| has_cavity(tau, variance))
    }

    pub(super) fn sites(&self) -> &Sites {
        &self.sites
    }

    pub(super) fn into_parts(self) -> (Sites, Array2<f64>, Array1<f64>, f64) {
        (self.sites, self.covariance, self.mean, self.log_det)
    }

    pub(super) fn covariance(&self) -> &Array2<f64> {
        &self.covariance
    }

    pub(super) fn variance(&self, i: usize) -> f64 {
        self.covariance[[i, i]]
    }

    pub(super) fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// ln ∫ N(z; 0, K) Π exp(νz − τz²/2) dz.
    pub(super) fn log_normaliser(&self) -> f64 {
        0.5 * (self.sites.shift.dot(&self.mean) - self.log_det)
    }
}

/// Whether a posterior variance is more than the node's own site alone would give. Above rounding,
/// so that the cavity's variance is a number that can be trusted.
pub(super) fn has_cavity(precision: f64, variance: f64) -> bool {
    variance > 0.0 && 1.0 - precision * variance > 1e-12
}

/// What a direction may have of negative variance, as a share of the largest variance: a covariance
/// found by iterative solves is not exact.
const NEGATIVE: f64 = 1e-6;

/// C with K = CCᵀ, lower triangular. A direction in which K has no variance beyond rounding (a
/// point that occurs twice) gets a column of zeros. `None` where K has a direction of negative
/// variance, that is, where it is no covariance. O(l³/3), and eigenvalues where a pivot vanishes.
pub(crate) fn lower_root(matrix: &Array2<f64>) -> Option<Array2<f64>> {
    let size = matrix.nrows();
    let slack = NEGATIVE * matrix.diag().iter().fold(0.0_f64, |most, &entry| most.max(entry));
    let least = |j: usize| 4.0 * f64::EPSILON * size as f64 * matrix[[j, j]];
    if let Ok(factor) = Spd::factorise(matrix.clone())
        && factor.pivots().iter().enumerate().all(|(j, &pivot)| pivot > least(j))
    {
        return Some(factor.lower().to_owned());
    }
    // Pivots without an order say nothing of the sign once one of them was rounding; eigenvalues do.
    let smallest = symmetric_eigenvalues(matrix.clone()).ok()?.iter().copied().fold(0.0, f64::min);
    if smallest < -slack {
        return None;
    }
    let mut root = Array2::<f64>::zeros((size, size));
    for j in 0..size {
        let row = root.slice(s![j, ..j]);
        let pivot = matrix[[j, j]] - row.dot(&row);
        if pivot <= least(j) {
            continue;
        }
        let pivot = pivot.sqrt();
        root[[j, j]] = pivot;
        for i in j + 1..size {
            let inner = root.slice(s![i, ..j]).dot(&root.slice(s![j, ..j]));
            root[[i, j]] = (matrix[[i, j]] - inner) / pivot;
        }
    }
    Some(root)
}

//! The curvature of the softmax posterior at its mode.

use crate::GpError;
use crate::inference::shifted_identity;
use gaussfield_core::dense::Spd;
use ndarray::{Array1, Array2, ArrayView1, Axis};

/// R = (W⁻¹ + K)⁻¹ for the softmax's W = diag(π) − ΠΠᵀ, on all C·l latent values, without ever
/// forming it (Rasmussen and Williams 2006, section 3.5):
/// R_cc′ = δ_cc′ E_c − E_c S⁻¹ E_c′, with E_c = D½(I + D½KD½)⁻¹D½ for D = diag(π_c), S = Σ E_c.
#[derive(Debug)]
pub(crate) struct Curvature {
    /// E_c.
    shrinkages: Vec<Array2<f64>>,
    /// Of S.
    sum: Spd,
    /// ln |I + W½KW½|.
    log_det: f64,
}

impl Curvature {
    pub(super) fn new(gram: &Array2<f64>, shares: &Array2<f64>) -> Result<Self, GpError> {
        let size = gram.nrows();
        let wrong = || GpError::Factorisation { size };
        let mut shrinkages = Vec::with_capacity(shares.ncols());
        let mut sum = Array2::zeros(gram.dim());
        let mut log_det = 0.0;
        for column in shares.columns() {
            let root = column.mapv(|share| share.max(f64::MIN_POSITIVE).sqrt());
            let scaled = shifted_identity(gram.view(), root.view());
            let factor = Spd::factorise(scaled).map_err(|_| wrong())?;
            let half = factor.half_solve(Array2::from_diag(&root));
            let shrinkage = half.t().dot(&half);
            log_det += factor.log_det();
            sum += &shrinkage;
            shrinkages.push(shrinkage);
        }
        let sum = Spd::factorise(sum).map_err(|_| wrong())?;
        log_det += sum.log_det();
        Ok(Self { shrinkages, sum, log_det })
    }

    pub(super) fn log_det(&self) -> f64 {
        self.log_det
    }

    /// R v for v of l × C.
    pub(super) fn apply(&self, v: &Array2<f64>) -> Array2<f64> {
        let mut shrunk = Array2::zeros(v.dim());
        for (c, shrinkage) in self.shrinkages.iter().enumerate() {
            shrunk.column_mut(c).assign(&shrinkage.dot(&v.column(c)));
        }
        let common = self.sum.solve_vector(&shrunk.sum_axis(Axis(1)));
        for (c, shrinkage) in self.shrinkages.iter().enumerate() {
            let less = shrinkage.dot(&common);
            shrunk.column_mut(c).scaled_add(-1.0, &less);
        }
        shrunk
    }

    /// Σ_c R_cc, l × l: what −½ log|B| has as its derivative in the shared K, times −2.
    pub(super) fn trace(&self) -> Array2<f64> {
        let size = self.shrinkages.first().map_or(0, Array2::nrows);
        let mut trace = Array2::zeros((size, size));
        for shrinkage in &self.shrinkages {
            let half = self.sum.half_solve(shrinkage.clone());
            trace += shrinkage;
            trace -= &half.t().dot(&half);
        }
        trace
    }

    /// The C × C posterior covariance of the latent values of one node, from its prior variance
    /// and its row K\[node, L\].
    pub(super) fn covariance(&self, variance: f64, row: ArrayView1<'_, f64>) -> Array2<f64> {
        let classes = self.shrinkages.len();
        let mut halves = Vec::with_capacity(classes);
        let mut covariance = Array2::zeros((classes, classes));
        for (c, shrinkage) in self.shrinkages.iter().enumerate() {
            let pulled: Array1<f64> = shrinkage.dot(&row);
            covariance[[c, c]] = (variance - row.dot(&pulled)).max(0.0);
            halves.push(self.sum.half_solve(pulled.insert_axis(Axis(1))).remove_axis(Axis(1)));
        }
        for c in 0..classes {
            for other in 0..classes {
                covariance[[c, other]] += halves[c].dot(&halves[other]);
            }
        }
        covariance
    }
}

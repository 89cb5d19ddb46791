//! Full covariances: everything is measured from each component's own mean, so that narrow
//! components far from the origin keep their digits.

use super::{Covariances, Gaussian, factor};
use crate::MixtureError;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis};

/// M Gaussians with a triangular factor each.
#[derive(Debug)]
pub(crate) struct Full {
    means: Array2<f64>,
    /// L⁻¹ of Σ = L Lᵀ.
    inverses: Vec<Array2<f64>>,
    /// log γ − ½ d ln 2π − ½ ln |Σ|.
    constants: Array1<f64>,
}

/// Sums over rows, about the present means.
#[derive(Debug)]
pub(crate) struct FullSums {
    pub(super) masses: Array1<f64>,
    /// Σ r (x − μ), M × d.
    first: Array2<f64>,
    /// Σ r (x − μ)(x − μ)ᵀ.
    second: Vec<Array2<f64>>,
}

impl Full {
    pub(super) fn new(
        means: ArrayView2<'_, f64>,
        matrices: &[Array2<f64>],
        mut constants: Array1<f64>,
    ) -> Result<Self, MixtureError> {
        let mut inverses = Vec::with_capacity(matrices.len());
        for (component, matrix) in matrices.iter().enumerate() {
            let factor = factor(component, matrix)?;
            constants[component] -= 0.5 * factor.log_det();
            inverses.push(factor.half_solve(Array2::eye(factor.size())));
        }
        Ok(Self { means: means.to_owned(), inverses, constants })
    }

    pub(super) fn sums(&self) -> FullSums {
        let (count, d) = self.means.dim();
        FullSums {
            masses: Array1::zeros(count),
            first: Array2::zeros((count, d)),
            second: vec![Array2::zeros((d, d)); count],
        }
    }

    pub(super) fn sums_bytes(&self) -> usize {
        let (count, d) = self.means.dim();
        8 * count * (1 + d + d * d)
    }

    /// O(rows · M d²).
    pub(super) fn log_joint(&self, x: ArrayView2<'_, f64>, mut out: ArrayViewMut2<'_, f64>) {
        for (m, inverse) in self.inverses.iter().enumerate() {
            let white = (&x - &self.means.row(m)).dot(&inverse.t());
            for (row, z) in white.rows().into_iter().enumerate() {
                out[[row, m]] = self.constants[m] - 0.5 * z.dot(&z);
            }
        }
    }

    pub(super) fn accumulate(
        &self,
        x: ArrayView2<'_, f64>,
        resp: ArrayView2<'_, f64>,
        sums: &mut FullSums,
    ) {
        for (m, second) in sums.second.iter_mut().enumerate() {
            let gaps = &x - &self.means.row(m);
            let weights = resp.column(m).insert_axis(Axis(1));
            let weighted = &gaps * &weights;
            sums.masses[m] += weights.sum();
            sums.first.row_mut(m).scaled_add(1.0, &weighted.sum_axis(Axis(0)));
            general_mat_mul(1.0, &gaps.t(), &weighted, 1.0, second);
        }
    }
}

impl FullSums {
    pub(super) fn merge(&mut self, other: &Self) {
        self.masses += &other.masses;
        self.first += &other.first;
        for (sum, other) in self.second.iter_mut().zip(&other.second) {
            *sum += other;
        }
    }

    /// Σ = S₂/N − δδᵀ + reg·I, where δ is the step of the mean.
    pub(super) fn estimate(&self, old: &Gaussian, reg: f64) -> Result<Gaussian, MixtureError> {
        let Covariances::Full(old_matrices) = old.covariances() else { return Ok(old.clone()) };
        let mut means = old.means().to_owned();
        let mut matrices = old_matrices.clone();
        for (m, &mass) in self.masses.iter().enumerate() {
            if mass <= 0.0 {
                continue;
            }
            let step = &self.first.row(m) / mass;
            let column = step.view().insert_axis(Axis(1));
            let mut matrix = (&self.second[m] + &self.second[m].t()) * (0.5 / mass);
            general_mat_mul(-1.0, &column, &column.t(), 1.0, &mut matrix);
            matrix.diag_mut().mapv_inplace(|v| v.max(0.0) + reg);
            matrices[m] = matrix;
            means.row_mut(m).scaled_add(1.0, &step);
        }
        Gaussian::new(means, Covariances::Full(matrices))
    }
}

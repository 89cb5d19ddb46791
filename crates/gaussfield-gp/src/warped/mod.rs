//! Kernels on all of space, warped by the graph of unlabelled points (Sindhwani, Chu, Keerthi
//! 2007).

mod ambient;
mod edges;
mod kernel;
mod landmarks;
mod polynomial;
mod prior;
mod queries;

pub use ambient::{Ambient, Geometry};
pub use kernel::WarpedKernel;
pub use landmarks::LandmarkKernel;
pub use polynomial::WarpTerm;
pub use prior::{LandmarkPrior, WarpedPrior};
pub use queries::AmbientQueries;

use crate::GpError;
use gaussfield_core::{OutOfRange, check};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// The largest power p. Past it λᵖ is 0 or past the largest number for most eigenvalues.
const LARGEST_POWER: u32 = 64;

/// Which powers there are.
const POWERS: &str = "a whole number from 1 to 64";

/// How much the graph bends a kernel: M = (γ_I/γ_A)·Lᵖ, and the covariance is divided by γ_A.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Warp {
    /// γ_A, positive: what the base kernel's norm counts.
    pub gamma_a: f64,
    /// γ_I, at least 0: what smoothness on the graph counts. 0 is the base kernel alone.
    pub gamma_i: f64,
    /// p, from 1 to 64.
    pub power: u32,
}

impl Warp {
    fn check(&self) -> Result<(), OutOfRange> {
        check::positive("gamma_a", self.gamma_a)?;
        check::not_negative("gamma_i", self.gamma_i)?;
        let (power, inside) = (f64::from(self.power), (1..=LARGEST_POWER).contains(&self.power));
        check::range("the power p of the Laplacian", power, inside, POWERS)
    }

    fn ratio(&self) -> f64 {
        self.gamma_i / self.gamma_a
    }

    /// The matrix, if M left it with numbers only.
    fn checked(&self, matrix: Array2<f64>) -> Result<Array2<f64>, GpError> {
        if matrix.iter().all(|entry| entry.is_finite()) {
            return Ok(matrix);
        }
        Err(GpError::WarpOverflow { ratio: self.ratio(), power: self.power })
    }
}

/// How J changes with M = ratio·Lᵖ: what both forms of the kernel share. `z` is γ_A·K̃\[:, L\] and
/// `by_gram` is ∂J/∂K̃_LL; then dJ = −tr(M_L Zᵀ dM Z)/γ_A.
struct ByWarp {
    gamma_a: f64,
    gamma_i: f64,
}

impl ByWarp {
    /// From Lᵖ Z. `gram` is K̃_LL.
    fn new(
        warp: &Warp,
        z: &Array2<f64>,
        powered: &Array2<f64>,
        by_gram: &Array2<f64>,
        gram: &Array2<f64>,
    ) -> Self {
        let Warp { gamma_a, gamma_i, .. } = *warp;
        let by_term = by_term(gamma_a, &z.dot(by_gram), powered);
        let scaling: f64 = (by_gram * gram).sum();
        Self { gamma_a: -(scaling + gamma_i * by_term) / gamma_a, gamma_i: by_term }
    }
}

/// ∂J by the factor of a term Lᵖ of γ_A·M, from Z M_L and Lᵖ Z.
fn by_term(gamma_a: f64, weighted: &Array2<f64>, powered: &Array2<f64>) -> f64 {
    -(weighted * powered).sum() / (gamma_a * gamma_a)
}

/// (X + Xᵀ)/2 in its own place.
fn symmetrise(matrix: &mut Array2<f64>) {
    for i in 0..matrix.nrows() {
        for j in 0..i {
            let mean = 0.5 * (matrix[[i, j]] + matrix[[j, i]]);
            matrix[[i, j]] = mean;
            matrix[[j, i]] = mean;
        }
    }
}

/// ‖column‖² of every column.
fn squared_columns(matrix: &Array2<f64>) -> Array1<f64> {
    matrix.map_axis(Axis(0), |column| column.dot(&column))
}

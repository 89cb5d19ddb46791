//! Kernels on all of space, warped by the graph of unlabelled points (Sindhwani, Chu, Keerthi
//! 2007).

mod ambient;
mod kernel;
mod landmarks;
mod predict;
mod prior;

pub use ambient::{Ambient, Geometry};
pub use kernel::WarpedKernel;
pub use landmarks::LandmarkKernel;
pub use predict::{Inductive, Predictions};
pub use prior::WarpedPrior;

use crate::GpError;
use crate::error::check_positive;
use gaussfield_kernel::Kernel;
use ndarray::{Array1, Array2, Axis};

/// How much the graph bends a kernel: M = (γ_I/γ_A)·Lᵖ, and the covariance is divided by γ_A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warp {
    /// γ_A, positive: what the base kernel's norm counts.
    pub gamma_a: f64,
    /// γ_I, at least 0: what smoothness on the graph counts. 0 is the base kernel alone.
    pub gamma_i: f64,
    /// p, at least 1.
    pub power: u32,
}

impl Warp {
    fn check(&self) -> Result<(), GpError> {
        check_positive("γ_A", self.gamma_a)?;
        let bad = |name, value, range| Err(GpError::BadParameter { name, value, range });
        if !(self.gamma_i >= 0.0 && self.gamma_i.is_finite()) {
            return bad("γ_I", self.gamma_i, "at least 0 and finite");
        }
        if self.power == 0 {
            return bad("the power p of the Laplacian", 0.0, "at least 1");
        }
        Ok(())
    }

    fn ratio(&self) -> f64 {
        self.gamma_i / self.gamma_a
    }
}

/// The names of a kernel's parameters, then γ_A and γ_I.
fn parameter_names(kernel: Kernel) -> Vec<&'static str> {
    let mut names = match kernel {
        Kernel::Rbf { .. } => vec!["width"],
        Kernel::Polynomial { .. } => vec!["scale", "offset"],
        _ => Vec::new(),
    };
    names.extend(["gamma_a", "gamma_i"]);
    names
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
        let bending: f64 = (&z.dot(by_gram) * powered).sum();
        let scaling: f64 = (by_gram * gram).sum();
        Self {
            gamma_a: (-scaling + gamma_i * bending / (gamma_a * gamma_a)) / gamma_a,
            gamma_i: -bending / (gamma_a * gamma_a),
        }
    }
}

/// One matrix beside the other.
fn beside(parts: &[Array2<f64>]) -> Array2<f64> {
    let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
    ndarray::concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((0, 0)))
}

/// ‖column‖² of every column.
fn squared_columns(matrix: &Array2<f64>) -> Array1<f64> {
    matrix.map_axis(Axis(0), |column| column.dot(&column))
}

/// LAPACK's complaint in words.
fn lapack(routine: &'static str, error: &ndarray_linalg::error::LinalgError) -> GpError {
    GpError::Lapack { routine, reason: error.to_string() }
}

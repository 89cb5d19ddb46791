//! Kernels on all of space, warped by the graph of unlabelled points (Sindhwani, Chu, Keerthi
//! 2007).

mod ambient;
mod edges;
mod kernel;
mod landmarks;
mod predict;
mod prior;
mod queries;

pub use ambient::{Ambient, Geometry};
pub use kernel::WarpedKernel;
pub use landmarks::LandmarkKernel;
pub use predict::{Inductive, Predictions};
pub use prior::WarpedPrior;
pub use queries::{AmbientQueries, Queries};

use crate::GpError;
use crate::error::check_positive;
use gaussfield_kernel::Kernel;
use ndarray::{Array1, Array2, Axis};
use ndarray_linalg::cholesky::CholeskyInto;
use ndarray_linalg::triangular::SolveTriangularInto;
use ndarray_linalg::{Diag, UPLO};

/// The largest power p. Past it λᵖ is 0 or past the largest number for most eigenvalues.
const LARGEST_POWER: u32 = 64;

/// How much the graph bends a kernel: M = (γ_I/γ_A)·Lᵖ, and the covariance is divided by γ_A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warp {
    /// γ_A, positive: what the base kernel's norm counts.
    pub gamma_a: f64,
    /// γ_I, at least 0: what smoothness on the graph counts. 0 is the base kernel alone.
    pub gamma_i: f64,
    /// p, from 1 to 64.
    pub power: u32,
}

impl Warp {
    fn check(&self) -> Result<(), GpError> {
        check_positive("γ_A", self.gamma_a)?;
        let bad = |name, value, range| Err(GpError::BadParameter { name, value, range });
        if !(self.gamma_i >= 0.0 && self.gamma_i.is_finite()) {
            return bad("γ_I", self.gamma_i, "at least 0 and finite");
        }
        if !(1..=LARGEST_POWER).contains(&self.power) {
            let power = f64::from(self.power);
            return bad("the power p of the Laplacian", power, "a whole number from 1 to 64");
        }
        Ok(())
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

/// The names of a kernel's parameters, then γ_A and γ_I.
fn parameter_names(kernel: Kernel) -> Vec<&'static str> {
    let mut names = kernel.parameter_names().to_vec();
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

/// The lower triangle Λ of a positive definite matrix ΛΛᵀ.
fn cholesky(matrix: Array2<f64>) -> Result<Array2<f64>, GpError> {
    if matrix.is_empty() {
        return Ok(matrix);
    }
    matrix.cholesky_into(UPLO::Lower).map_err(|error| lapack("Cholesky", &error))
}

/// Λ⁻¹ X for a lower triangle.
fn solve_lower(lower: &Array2<f64>, x: Array2<f64>) -> Result<Array2<f64>, GpError> {
    solve(lower, UPLO::Lower, x)
}

/// Λ⁻ᵀ X for a lower triangle.
fn solve_lower_transposed(lower: &Array2<f64>, x: Array2<f64>) -> Result<Array2<f64>, GpError> {
    solve(&lower.t().as_standard_layout().into_owned(), UPLO::Upper, x)
}

fn solve(triangle: &Array2<f64>, part: UPLO, x: Array2<f64>) -> Result<Array2<f64>, GpError> {
    if x.is_empty() {
        return Ok(x);
    }
    let x = x.as_standard_layout().into_owned();
    let solved = triangle.solve_triangular_into(part, Diag::NonUnit, x);
    solved.map_err(|error| lapack("triangular solve", &error))
}

/// LAPACK's complaint in words.
fn lapack(routine: &'static str, error: &ndarray_linalg::error::LinalgError) -> GpError {
    GpError::Lapack { routine, reason: error.to_string() }
}

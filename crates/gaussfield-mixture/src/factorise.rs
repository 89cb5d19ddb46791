//! LAPACK's Cholesky factor of a backbone matrix.

use crate::MixtureError;
use ndarray::{Array1, Array2, ArrayView2, OwnedRepr};
use ndarray_linalg::UPLO;
use ndarray_linalg::cholesky::{CholeskyFactorized, FactorizeCInto, SolveC};

/// A factorised symmetric positive definite matrix.
pub(crate) struct Spd(CholeskyFactorized<OwnedRepr<f64>>);

impl Spd {
    /// The smallest squared pivot: a rough look at how near to singular the matrix is.
    pub(crate) fn smallest_pivot(&self) -> f64 {
        self.0.factor.diag().iter().fold(f64::INFINITY, |least, p| least.min(p * p))
    }

    /// O(M²).
    pub(crate) fn solve(&self, rhs: Array1<f64>) -> Result<Array1<f64>, MixtureError> {
        self.0.solvec_into(rhs).map_err(|e| MixtureError::Library {
            routine: "a triangular solve",
            reason: e.to_string(),
        })
    }
}

/// O(M³/3); `None` for a matrix that is not positive definite.
pub(crate) fn factorise(matrix: Array2<f64>) -> Option<Spd> {
    let sound = |matrix: ArrayView2<'_, f64>| matrix.diag().iter().all(|x| x.is_finite());
    if !sound(matrix.view()) {
        return None;
    }
    matrix.factorizec_into(UPLO::Lower).ok().filter(|f| sound(f.factor.view())).map(Spd)
}

/// The factor of a matrix of unit diagonal that may be singular: with the least multiple of the
/// identity added, from `ridge` on, that makes it positive definite.
pub(crate) fn factorise_with_ridge(
    matrix: &Array2<f64>,
    mut ridge: f64,
) -> Result<Spd, MixtureError> {
    while ridge < 1e3 {
        let mut raised = matrix.clone();
        raised.diag_mut().mapv_inplace(|x| x + ridge);
        if let Some(factor) = factorise(raised)
            && factor.smallest_pivot() > 0.0
        {
            return Ok(factor);
        }
        ridge *= 100.0;
    }
    let reason = "the matrix has entries that are not finite".to_owned();
    Err(MixtureError::Library { routine: "Cholesky", reason })
}

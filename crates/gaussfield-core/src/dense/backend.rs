//! Who factorises: `faer`, or LAPACK behind the feature `openblas`.

#[cfg(not(feature = "openblas"))]
pub(super) use pure::{cholesky, symmetric_eigen, symmetric_eigenvalues};

#[cfg(feature = "openblas")]
pub(super) use lapack::{cholesky, symmetric_eigen, symmetric_eigenvalues};

use faer::Mat;
use faer::linalg::solvers::Solve as _;
use ndarray::{Array1, Array2};

/// By `faer` always: OpenBLAS eliminates on several threads with tables of some megabytes on the stack of
/// the caller, where a thread of Rust has two, and the process ends.
pub(super) fn solve(matrix: &Array2<f64>, rhs: &Array1<f64>) -> Array1<f64> {
    let n = matrix.nrows();
    let a = Mat::from_fn(n, n, |i, j| matrix[[i, j]]);
    let b = Mat::from_fn(n, 1, |i, _| rhs[i]);
    let x = a.partial_piv_lu().solve(&b);
    Array1::from_shape_fn(n, |i| x[(i, 0)])
}

#[cfg(not(feature = "openblas"))]
mod pure {
    use faer::dyn_stack::{MemBuffer, MemStack};
    use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
    use faer::{Mat, MatMut, Par, Side};
    use ndarray::{Array1, Array2};

    /// Of the lower triangle of a column-major matrix; what is left above it may be anything.
    pub(in crate::dense) fn cholesky(size: usize, mut matrix: Vec<f64>) -> Option<Vec<f64>> {
        let need = cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(need).ok()?;
        let done = cholesky_in_place(
            MatMut::from_column_major_slice_mut(&mut matrix, size, size),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        done.ok()?;
        Some(matrix)
    }

    /// The lower triangle, mirrored: what is above it may be anything.
    fn symmetric(matrix: &Array2<f64>) -> Option<Mat<f64>> {
        let n = matrix.nrows();
        let lower = Mat::from_fn(n, n, |i, j| matrix[[i.max(j), i.min(j)]]);
        (0..n).all(|j| (0..n).all(|i| lower[(i, j)].is_finite())).then_some(lower)
    }

    pub(in crate::dense) fn symmetric_eigen(
        matrix: Array2<f64>,
    ) -> Option<(Array1<f64>, Array2<f64>)> {
        let n = matrix.nrows();
        let found = symmetric(&matrix)?.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (found.S().column_vector(), found.U());
        Some((
            Array1::from_shape_fn(n, |i| values[i]),
            Array2::from_shape_fn((n, n), |(i, j)| vectors[(i, j)]),
        ))
    }

    pub(in crate::dense) fn symmetric_eigenvalues(matrix: Array2<f64>) -> Option<Array1<f64>> {
        symmetric(&matrix)?.self_adjoint_eigenvalues(Side::Lower).ok().map(Array1::from)
    }
}

#[cfg(feature = "openblas")]
mod lapack {
    use ndarray::{Array1, Array2, ShapeBuilder};
    use ndarray_linalg::UPLO;
    use ndarray_linalg::cholesky::CholeskyInplace;
    use ndarray_linalg::eigh::{EigValshInto, EighInto};
    // Named so that it is linked.
    use openblas_src as _;

    /// Of the lower triangle of a column-major matrix; what is left above it may be anything.
    pub(in crate::dense) fn cholesky(size: usize, matrix: Vec<f64>) -> Option<Vec<f64>> {
        let mut matrix = Array2::from_shape_vec((size, size).f(), matrix).ok()?;
        matrix.cholesky_inplace(UPLO::Lower).ok()?;
        Some(matrix.into_raw_vec_and_offset().0)
    }

    pub(in crate::dense) fn symmetric_eigen(
        matrix: Array2<f64>,
    ) -> Option<(Array1<f64>, Array2<f64>)> {
        let matrix = finite(matrix)?;
        matrix.eigh_into(UPLO::Lower).ok()
    }

    pub(in crate::dense) fn symmetric_eigenvalues(matrix: Array2<f64>) -> Option<Array1<f64>> {
        finite(matrix)?.eigvalsh_into(UPLO::Lower).ok()
    }

    /// LAPACK loops or crashes on NaN. Only the lower triangle counts; the rest becomes its mirror.
    fn finite(mut matrix: Array2<f64>) -> Option<Array2<f64>> {
        for i in 0..matrix.nrows() {
            for j in 0..=i {
                if !matrix[[i, j]].is_finite() {
                    return None;
                }
                matrix[[j, i]] = matrix[[i, j]];
            }
        }
        Some(matrix)
    }
}

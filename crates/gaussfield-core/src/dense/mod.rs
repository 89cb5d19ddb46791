//! Dense factorisations: one door, two backends.
//!
//! Pure Rust (`faer`) by default; with the feature `openblas` the factorisations are LAPACK's and the
//! matrix products of `ndarray` are OpenBLAS's. Which one ran is [`BACKEND`]. Both are deterministic
//! and both pass the same tests.

mod backend;
mod columns;
mod spd;

pub use columns::solve_by_columns;
pub use spd::Spd;

use ndarray::{Array1, Array2};

/// The backend that factorises.
pub const BACKEND: &str = if cfg!(feature = "openblas") { "OpenBLAS" } else { "faer" };

/// What a dense factorisation cannot do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DenseError {
    /// A pivot is not positive: the matrix is not positive definite after rounding, or holds a
    /// number that is not finite.
    #[error("the {size} × {size} matrix is not positive definite in double precision")]
    NotPositiveDefinite {
        /// Rows of the matrix.
        size: usize,
    },
    /// The eigenvalue iteration did not end, or the matrix holds a number that is not finite.
    #[error("the eigenvalues of a {size} × {size} matrix were not found: is every entry finite?")]
    NoEigenvalues {
        /// Rows of the matrix.
        size: usize,
    },
    /// A system without a unique solution.
    #[error("the {size} × {size} system is singular in double precision")]
    Singular {
        /// Rows of the matrix.
        size: usize,
    },
}

/// Eigenvalues, in increasing order, and eigenvectors, as columns, of a symmetric matrix; only its
/// lower triangle is read. O(n³).
///
/// # Errors
/// [`DenseError::NoEigenvalues`].
///
/// # Panics
/// If the matrix is not square.
pub fn symmetric_eigen(matrix: Array2<f64>) -> Result<(Array1<f64>, Array2<f64>), DenseError> {
    let size = square(&matrix);
    if size == 0 {
        return Ok((Array1::zeros(0), matrix));
    }
    backend::symmetric_eigen(matrix).ok_or(DenseError::NoEigenvalues { size })
}

/// The eigenvalues alone, in increasing order. O(n³), about a fifth of [`symmetric_eigen`].
///
/// # Errors
/// [`DenseError::NoEigenvalues`].
///
/// # Panics
/// If the matrix is not square.
pub fn symmetric_eigenvalues(matrix: Array2<f64>) -> Result<Array1<f64>, DenseError> {
    let size = square(&matrix);
    if size == 0 {
        return Ok(Array1::zeros(0));
    }
    backend::symmetric_eigenvalues(matrix).ok_or(DenseError::NoEigenvalues { size })
}

/// x with A x = b for any square A, by elimination with row pivots, with either backend by `faer`.
/// O(n³).
///
/// # Errors
/// [`DenseError::Singular`] where the solution is not finite.
///
/// # Panics
/// If the sizes do not fit.
pub fn solve(matrix: &Array2<f64>, rhs: &Array1<f64>) -> Result<Array1<f64>, DenseError> {
    let size = square(matrix);
    assert_eq!(rhs.len(), size, "one number per row");
    if size == 0 {
        return Ok(Array1::zeros(0));
    }
    let solution = backend::solve(matrix, rhs);
    if solution.iter().all(|x| x.is_finite()) {
        return Ok(solution);
    }
    Err(DenseError::Singular { size })
}

fn square(matrix: &Array2<f64>) -> usize {
    let (rows, columns) = matrix.dim();
    assert_eq!(rows, columns, "a square matrix");
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    /// XᵀX + shift·I from numbers, well away from singular.
    fn definite(size: usize, numbers: &[f64], shift: f64) -> Array2<f64> {
        let x =
            Array2::from_shape_fn((size, size), |(i, j)| numbers[(i * size + j) % numbers.len()]);
        x.t().dot(&x) + Array2::<f64>::eye(size) * shift
    }

    fn close(a: &Array2<f64>, b: &Array2<f64>, tolerance: f64) -> bool {
        a.dim() == b.dim() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance)
    }

    proptest! {
        #[test]
        fn a_factor_solves_inverts_and_knows_its_determinant(
            size in 1_usize..12,
            numbers in prop::collection::vec(-1.0..1.0_f64, 7..40),
        ) {
            let matrix = definite(size, &numbers, 0.5);
            let factor = Spd::factorise(matrix.clone()).unwrap();
            let eye = Array2::<f64>::eye(size);
            let inverse = factor.inverse();
            prop_assert!(close(&matrix.dot(&inverse), &eye, 1e-9));
            prop_assert!(close(&factor.solve(eye.view()), &inverse, 1e-12));
            let lower = factor.lower().to_owned();
            prop_assert!(close(&lower.dot(&lower.t()), &matrix, 1e-12));
            prop_assert!(close(&lower.dot(&factor.half_solve(eye.clone())), &eye, 1e-10));
            prop_assert!(close(&lower.t().dot(&factor.half_solve_transposed(eye)), &Array2::eye(size), 1e-10));
            let (values, vectors) = symmetric_eigen(matrix.clone()).unwrap();
            let log_det: f64 = values.iter().map(|v| v.ln()).sum();
            prop_assert!((factor.log_det() - log_det).abs() < 1e-9);
            prop_assert!(close(&(&vectors * &values).dot(&vectors.t()), &matrix, 1e-11));
            let alone = symmetric_eigenvalues(matrix.clone()).unwrap();
            prop_assert!(alone.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-11));
            let x = Array1::linspace(-1.0, 2.0, size);
            let solved = solve(&matrix, &matrix.dot(&x)).unwrap();
            prop_assert!(solved.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn only_the_lower_triangle_is_read() {
        let matrix = array![[4.0, f64::NAN, f64::NAN], [2.0, 5.0, f64::NAN], [0.0, 1.0, 3.0]];
        for matrix in [matrix.clone(), matrix.t().as_standard_layout().into_owned().reversed_axes()]
        {
            let factor = Spd::factorise(matrix.clone()).unwrap();
            // Expanding by the first row: 4·14 − 2·6.
            assert!((factor.log_det() - 44_f64.ln()).abs() < 1e-14);
            assert!(factor.lower().indexed_iter().all(|((i, j), &x)| j <= i || x.abs() < 1e-300));
            assert!(symmetric_eigen(matrix).unwrap().0.iter().all(|v| v.is_finite()));
        }
    }

    #[test]
    fn what_cannot_be_factorised_is_an_error() {
        for bad in [array![[1.0, 2.0], [2.0, 1.0]], array![[1.0, 0.0], [f64::NAN, 1.0]]] {
            let error = DenseError::NotPositiveDefinite { size: 2 };
            assert_eq!(Spd::factorise(bad).unwrap_err(), error);
        }
        assert!(Spd::factorise(array![[f64::INFINITY]]).is_err());
        assert!(Spd::factorise(array![[0.0]]).is_err());
        let flat = array![[1.0, 2.0], [2.0, 4.0]];
        assert_eq!(solve(&flat, &array![1.0, 0.0]), Err(DenseError::Singular { size: 2 }));
        assert!(symmetric_eigen(array![[f64::NAN]]).is_err());
        assert!(Spd::factorise(Array2::zeros((0, 0))).unwrap().log_det().abs() < 1e-300);
    }

    /// Set for the process that a test starts of itself.
    const AGAIN: &str = "GAUSSFIELD_TEST_AGAIN";

    /// Threads of the least stack, and a BLAS that may take as many threads as it wants: the process
    /// must live, so that it is another one.
    #[test]
    fn small_stacks_are_enough_however_many_threads_blas_takes() {
        if std::env::var_os(AGAIN).is_none() {
            let name = "dense::tests::small_stacks_are_enough_however_many_threads_blas_takes";
            let mut again = std::process::Command::new(std::env::current_exe().unwrap());
            again.args(["--exact", name]).env(AGAIN, "").env_remove("OPENBLAS_NUM_THREADS");
            let output = again.output().unwrap();
            let told = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && told.contains("1 passed"), "{output:?}");
            return;
        }
        let matrix = Array2::from_shape_fn((600, 600), |(i, j)| {
            ((i * j) % 101) as f64 / 1e4 + if i == j { 600.0 } else { 0.0 }
        });
        let work = || {
            let ones = Array1::ones(600);
            let solved = solve(&matrix, &matrix.dot(&ones)).unwrap();
            assert!(solved.iter().all(|x| (x - 1.0).abs() < 1e-10));
            assert!(Spd::factorise(matrix.clone()).is_ok());
            assert!(symmetric_eigenvalues(matrix.clone()).is_ok());
        };
        std::thread::scope(|scope| {
            for _ in 0..2 {
                std::thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, work).unwrap();
            }
        });
    }

    #[test]
    fn many_columns_are_solved_alike_in_blocks() {
        let matrix = definite(40, &[0.3, -0.2, 0.9, 0.1, -0.7, 0.4, 0.8], 1.0);
        let factor = Spd::factorise(matrix.clone()).unwrap();
        let x = Array2::from_shape_fn((40, 77), |(i, j)| ((i * 7 + j * 3) % 11) as f64 - 5.0);
        assert!(close(&factor.solve(matrix.dot(&x).view()), &x, 1e-10));
        let diagonal = factor.inverse().diag().to_owned();
        assert!(
            factor.inverse_diagonal().iter().zip(&diagonal).all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }
}

//! The one Cholesky factor of the house.

use super::{DenseError, backend, solve_by_columns, square};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{MatMut, MatRef, Par};
use ndarray::{Array1, Array2, ArrayView2, Axis, ShapeBuilder};
use rayon::prelude::*;

/// Columns solved together.
const WIDTH: usize = 32;

/// A = L Lᵀ of a symmetric positive definite matrix.
///
/// ```
/// use gaussfield_core::dense::Spd;
/// use ndarray::array;
///
/// let factor = Spd::factorise(array![[4.0, 2.0], [2.0, 5.0]])?;
/// assert!((factor.log_det() - 16_f64.ln()).abs() < 1e-15);
/// let x = factor.solve_vector(&array![8.0, 9.0]);
/// assert!((x[0] - 1.375).abs() < 1e-14 && (x[1] - 1.25).abs() < 1e-14);
/// # Ok::<(), gaussfield_core::dense::DenseError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Spd {
    size: usize,
    /// L, column-major; zero above the diagonal.
    lower: Vec<f64>,
}

impl Spd {
    /// Factorises in the memory of the matrix; only its lower triangle is read. O(n³/3).
    ///
    /// # Errors
    /// [`DenseError::NotPositiveDefinite`].
    ///
    /// # Panics
    /// If the matrix is not square.
    pub fn factorise(matrix: Array2<f64>) -> Result<Self, DenseError> {
        let size = square(&matrix);
        let lower = if matrix.t().is_standard_layout() {
            let (lower, offset) = matrix.into_raw_vec_and_offset();
            debug_assert!(offset.unwrap_or(0) == 0 || lower.is_empty());
            lower
        } else {
            matrix.t().iter().copied().collect()
        };
        Self::from_column_major(size, lower)
    }

    /// Factorises a column-major matrix in its own memory; only its lower triangle is read.
    ///
    /// # Errors
    /// As [`Spd::factorise`].
    ///
    /// # Panics
    /// If there are not `size`² numbers.
    pub fn from_column_major(size: usize, matrix: Vec<f64>) -> Result<Self, DenseError> {
        assert_eq!(matrix.len(), size * size, "a square matrix");
        if size == 0 {
            return Ok(Self { size, lower: matrix });
        }
        let factor = backend::cholesky(size, matrix);
        let sound =
            |lower: &Vec<f64>| lower.iter().step_by(size + 1).all(|p| p.is_finite() && *p > 0.0);
        match factor.filter(sound) {
            Some(mut lower) => {
                for (j, column) in lower.chunks_exact_mut(size).enumerate() {
                    column[..j].fill(0.0);
                }
                Ok(Self { size, lower })
            }
            None => Err(DenseError::NotPositiveDefinite { size }),
        }
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// L.
    pub fn lower(&self) -> ArrayView2<'_, f64> {
        // The length is size², so the shape always fits.
        ArrayView2::from_shape((self.size, self.size).f(), &self.lower)
            .unwrap_or_else(|_| ArrayView2::from(&[[]; 0] as &[[f64; 0]]))
    }

    /// ln |A|.
    pub fn log_det(&self) -> f64 {
        self.lower.iter().step_by(self.size + 1).map(|pivot| 2.0 * pivot.ln()).sum()
    }

    /// The squared diagonal of L: what of each row the rows before it do not explain.
    pub fn pivots(&self) -> Vec<f64> {
        self.lower.iter().step_by(self.size + 1).map(|pivot| pivot * pivot).collect()
    }

    /// A⁻¹ B. O(n²) a column, blocks of columns in parallel.
    ///
    /// # Panics
    /// If B does not have one row per row of A.
    pub fn solve(&self, rhs: ArrayView2<'_, f64>) -> Array2<f64> {
        self.by_columns(rhs, |lower, mut block| {
            solve_lower_triangular_in_place(lower, block.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(lower.transpose(), block, Par::Seq);
        })
    }

    /// A⁻¹ b.
    ///
    /// # Panics
    /// As [`Spd::solve`].
    pub fn solve_vector(&self, rhs: &Array1<f64>) -> Array1<f64> {
        self.solve(rhs.view().insert_axis(Axis(1))).remove_axis(Axis(1))
    }

    /// L⁻¹ B.
    ///
    /// # Panics
    /// As [`Spd::solve`].
    pub fn half_solve(&self, rhs: Array2<f64>) -> Array2<f64> {
        self.by_columns(rhs.view(), |lower, block| {
            solve_lower_triangular_in_place(lower, block, Par::Seq);
        })
    }

    /// L⁻ᵀ B.
    ///
    /// # Panics
    /// As [`Spd::solve`].
    pub fn half_solve_transposed(&self, rhs: Array2<f64>) -> Array2<f64> {
        self.by_columns(rhs.view(), |lower, block| {
            solve_upper_triangular_in_place(lower.transpose(), block, Par::Seq);
        })
    }

    /// A⁻¹, exactly symmetric. O(n³).
    pub fn inverse(&self) -> Array2<f64> {
        let half = self.half_solve(Array2::eye(self.size));
        half.t().dot(&half)
    }

    /// The diagonal of A⁻¹ = L⁻ᵀL⁻¹: sums of squares of the columns of L⁻¹, found in blocks from
    /// the diagonal down, which are never stored together. O(n³/3).
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.size;
        let lower = MatRef::from_column_major_slice(&self.lower, n, n);
        let starts: Vec<usize> = (0..n).step_by(WIDTH).collect();
        let squares = |&start: &usize| -> Vec<f64> {
            let (height, width) = (n - start, WIDTH.min(n - start));
            let mut block = vec![0.0; height * width];
            block.iter_mut().step_by(height + 1).for_each(|one| *one = 1.0);
            solve_lower_triangular_in_place(
                lower.submatrix(start, start, height, height),
                MatMut::from_column_major_slice_mut(&mut block, height, width),
                Par::Seq,
            );
            block.chunks_exact(height).map(|column| column.iter().map(|x| x * x).sum()).collect()
        };
        starts.par_iter().flat_map_iter(squares).collect()
    }

    /// Gives the memory back for the next factorisation.
    pub fn into_buffer(self) -> Vec<f64> {
        self.lower
    }

    fn by_columns(
        &self,
        rhs: ArrayView2<'_, f64>,
        solve: impl Fn(MatRef<'_, f64>, MatMut<'_, f64>) + Sync,
    ) -> Array2<f64> {
        let n = self.size;
        assert_eq!(rhs.nrows(), n, "one row per row of the matrix");
        let lower = MatRef::from_column_major_slice(&self.lower, n, n);
        solve_by_columns(rhs, WIDTH, |block, columns| {
            solve(lower, MatMut::from_column_major_slice_mut(block, n, columns));
        })
    }
}

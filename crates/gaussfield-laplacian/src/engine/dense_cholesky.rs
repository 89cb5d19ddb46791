//! LAPACK's Cholesky of the full matrix.

use super::columns::solve_by_columns;
use crate::coupling::Coupling;
use crate::{Grounded, LaplacianError};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{MatMut, MatRef, Par};
use gaussfield_graph::MemoryBudget;
use ndarray::{Array2, ArrayView2, ShapeBuilder};
use ndarray_linalg::UPLO;
use ndarray_linalg::cholesky::CholeskyInplace;
use rayon::prelude::*;

/// Columns solved together.
const WIDTH: usize = 32;

/// A = L Lᵀ, L in the lower triangle, column-major.
#[derive(Debug)]
pub(crate) struct DenseCholesky {
    n: usize,
    factor: Vec<f64>,
}

impl DenseCholesky {
    /// Factorises into `buffer` (of any length; its memory is reused). `None` where a pivot is not
    /// positive: the rounded matrix is not positive definite.
    pub(crate) fn factorise(
        system: &Grounded,
        budget: MemoryBudget,
        mut buffer: Vec<f64>,
    ) -> Result<Option<Self>, LaplacianError> {
        let n = system.len();
        budget.check(n, n)?;
        buffer.clear();
        buffer.resize(n * n, 0.0);
        // The matrix is symmetric: row j of the weights is column j of the lower triangle.
        for (j, column) in buffer.chunks_exact_mut(n.max(1)).enumerate() {
            match system.coupling() {
                Coupling::Dense(a) => {
                    let row = a.row(j);
                    for i in j..n {
                        column[i] = -row[i];
                    }
                }
                Coupling::Sparse(a) => {
                    let (rows, weights) = a.row(j);
                    for (&i, &weight) in rows.iter().zip(weights) {
                        column[i as usize] = -weight;
                    }
                }
            }
            column[j] = system.diagonal_slice()[j];
        }
        let mut matrix = Array2::from_shape_vec((n, n).f(), buffer).map_err(|e| {
            LaplacianError::Library { routine: "dense Cholesky", reason: e.to_string() }
        })?;
        if matrix.cholesky_inplace(UPLO::Lower).is_err() {
            return Ok(None);
        }
        let (factor, _) = matrix.into_raw_vec_and_offset();
        Ok(Some(Self { n, factor }))
    }

    pub(crate) fn solve(&self, rhs: ArrayView2<f64>) -> Array2<f64> {
        let lower = MatRef::from_column_major_slice(&self.factor, self.n, self.n);
        solve_by_columns(rhs, WIDTH, |block, columns| {
            let mut block = MatMut::from_column_major_slice_mut(block, self.n, columns);
            solve_lower_triangular_in_place(lower, block.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(lower.transpose(), block.as_mut(), Par::Seq);
        })
    }

    pub(crate) fn log_det(&self) -> f64 {
        self.factor.iter().step_by(self.n + 1).map(|l| 2.0 * l.ln()).sum()
    }

    /// The diagonal of A⁻¹ = L⁻ᵀL⁻¹: sums of squares of the columns of L⁻¹, found in blocks from
    /// the diagonal down, which are never stored together. O(n³/3).
    pub(crate) fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.n;
        let lower = MatRef::from_column_major_slice(&self.factor, n, n);
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
    pub(crate) fn into_buffer(self) -> Vec<f64> {
        self.factor
    }
}

//! Tall row-major matrices, n rows and few columns, and their products. Rows are cut into pieces
//! of fixed length whose sums are added in order: the same bits for any number of threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2, ShapeBuilder, ShapeError};
use rayon::prelude::*;

/// Rows in one piece.
const ROWS: usize = 1024;

/// n rows with room for `stride` columns, of which the first `columns` are in use.
#[derive(Debug, Clone)]
pub(crate) struct Tall {
    rows: usize,
    stride: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Tall {
    /// No column in use yet, room for `columns` of them, at least one.
    pub(crate) fn with_room(rows: usize, columns: usize) -> Self {
        let stride = columns.max(1);
        Self { rows, stride, columns: 0, data: vec![0.0; rows * stride] }
    }

    /// Entry (i, c) is `entry(i, c)`; called row by row.
    pub(crate) fn from_fn(
        rows: usize,
        columns: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let mut tall = Self { columns, ..Self::with_room(rows, columns) };
        for i in 0..rows {
            tall.row_mut(i).iter_mut().enumerate().for_each(|(c, value)| *value = entry(i, c));
        }
        tall
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.stride..i * self.stride + self.columns]
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.stride..i * self.stride + self.columns]
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Appends the columns of `block`, for which there must be room.
    pub(crate) fn append(&mut self, block: &Self) {
        let from = self.columns;
        self.columns += block.columns;
        for i in 0..self.rows {
            self.row_mut(i)[from..].copy_from_slice(block.row(i));
        }
    }

    /// A copy of the columns in use.
    pub(crate) fn to_array(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.rows, self.columns), |(i, c)| self.row(i)[c])
    }

    /// The columns in use, without copying.
    pub(crate) fn view(&self) -> Result<ArrayView2<'_, f64>, ShapeError> {
        ArrayView2::from_shape((self.rows, self.columns).strides((self.stride, 1)), &self.data)
    }

    /// selfᵀ · other.
    pub(crate) fn inner(&self, other: &Self) -> Array2<f64> {
        let (m, b) = (self.columns, other.columns);
        if m == 0 || b == 0 {
            return Array2::zeros((m, b));
        }
        let parts: Vec<Vec<f64>> = self
            .data
            .par_chunks(ROWS * self.stride)
            .zip(other.data.par_chunks(ROWS * other.stride))
            .map(|(left, right)| {
                let rows = left.len() / self.stride;
                let mut part = vec![0.0; m * b];
                matmul(
                    MatMut::from_column_major_slice_mut(&mut part, m, b),
                    Accum::Replace,
                    MatRef::from_row_major_slice_with_stride(left, rows, m, self.stride)
                        .transpose(),
                    MatRef::from_row_major_slice_with_stride(right, rows, b, other.stride),
                    1.0,
                    Par::Seq,
                );
                part
            })
            .collect();
        let mut product = Array2::zeros((m, b));
        for part in parts {
            for (at, value) in part.into_iter().enumerate() {
                product[[at % m, at / m]] += value;
            }
        }
        product
    }

    /// self −= basis · coefficients.
    pub(crate) fn subtract(&mut self, basis: &Self, coefficients: &Array2<f64>) {
        let (m, b) = (basis.columns, self.columns);
        if m == 0 || b == 0 {
            return;
        }
        let coefficients: Vec<f64> = coefficients.iter().copied().collect();
        let stride = self.stride;
        self.data
            .par_chunks_mut(ROWS * stride)
            .zip(basis.data.par_chunks(ROWS * basis.stride))
            .for_each(|(target, source)| {
                let rows = source.len() / basis.stride;
                matmul(
                    MatMut::from_column_major_slice_with_stride_mut(target, b, rows, stride)
                        .transpose_mut(),
                    Accum::Add,
                    MatRef::from_row_major_slice_with_stride(source, rows, m, basis.stride),
                    MatRef::from_row_major_slice(&coefficients, m, b),
                    -1.0,
                    Par::Seq,
                );
            });
    }

    /// self ← self · rotation, which has no more columns than rows.
    pub(crate) fn rotate(&mut self, rotation: ArrayView2<f64>) {
        let (m, p) = rotation.dim();
        let rotation: Vec<f64> = rotation.iter().copied().collect();
        let stride = self.stride;
        self.data.par_chunks_mut(ROWS * stride).for_each(|piece| {
            let rows = piece.len() / stride;
            let mut rotated = vec![0.0; rows * p];
            matmul(
                MatMut::from_column_major_slice_mut(&mut rotated, p, rows).transpose_mut(),
                Accum::Replace,
                MatRef::from_row_major_slice_with_stride(piece, rows, m, stride),
                MatRef::from_row_major_slice(&rotation, m, p),
                1.0,
                Par::Seq,
            );
            for (row, new) in piece.chunks_exact_mut(stride).zip(rotated.chunks_exact(p)) {
                row[..p].copy_from_slice(new);
            }
        });
        self.columns = p;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_plain_loops() {
        let entry = |i: usize, c: usize| ((i * 7 + c * 13) % 11) as f64 - 4.5;
        let n = 2 * ROWS + 17;
        let mut basis = Tall::with_room(n, 7);
        basis.append(&Tall::from_fn(n, 3, entry));
        basis.append(&Tall::from_fn(n, 2, |i, c| entry(i + 1, c + 5)));
        let mut block = Tall::from_fn(n, 2, |i, c| entry(3 * i, c + 1));
        let (dense_basis, dense_block) = (basis.to_array(), block.to_array());
        let close = |a: &Array2<f64>, b: &Array2<f64>| {
            a.dim() == b.dim() && (a - b).iter().all(|d| d.abs() < 1e-8)
        };
        let inner = basis.inner(&block);
        assert!(close(&inner, &dense_basis.t().dot(&dense_block)));
        block.subtract(&basis, &inner);
        assert!(close(&block.to_array(), &(&dense_block - &dense_basis.dot(&inner))));
        let rotation = Array2::from_shape_fn((5, 4), |(i, c)| entry(i, c));
        basis.rotate(rotation.view());
        assert!(close(&basis.to_array(), &dense_basis.dot(&rotation)));
        assert_eq!(block.view().unwrap().dim(), (n, 2));
    }
}

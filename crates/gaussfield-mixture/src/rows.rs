//! Dense rows of points, a block at a time, and their mean and spread.

use gaussfield_points::{Points, Rows};
use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use sprs::CsMat;
use std::ops::Range;

/// Rows of one block: a block times 500 components fits the second-level cache.
pub(crate) const BLOCK: usize = 256;

/// A dense copy of some rows, less a centre.
pub(crate) fn centred(
    points: &Points,
    range: Range<usize>,
    centre: ArrayView1<'_, f64>,
) -> Array2<f64> {
    match points.rows() {
        Rows::Dense(rows) => &rows.slice(s![range, ..]) - &centre,
        Rows::Sparse(rows) => {
            let mut dense = Array2::zeros((range.len(), points.dim()));
            for (at, mut out) in range.zip(dense.rows_mut()) {
                out -= &centre;
                for_each_entry(rows, at, |column, value| out[column] += value);
            }
            dense
        }
    }
}

/// Calls `visit(column, value)` for the stored entries of a sparse row.
pub(crate) fn for_each_entry(rows: &CsMat<f64>, row: usize, mut visit: impl FnMut(usize, f64)) {
    if let Some(entries) = rows.outer_view(row) {
        for (column, &value) in entries.iter() {
            visit(column, value);
        }
    }
}

/// One row as a dense vector.
pub(crate) fn dense_row(points: &Points, row: usize) -> Array1<f64> {
    centred(points, row..row + 1, Array1::zeros(points.dim()).view()).remove_axis(Axis(0))
}

/// The mean of all points. O(stored numbers).
pub(crate) fn mean(points: &Points) -> Array1<f64> {
    let count = points.len().max(1) as f64;
    let mut mean = Array1::zeros(points.dim());
    match points.rows() {
        Rows::Dense(rows) => rows.rows().into_iter().for_each(|row| mean += &row),
        Rows::Sparse(rows) => {
            for row in 0..points.len() {
                for_each_entry(rows, row, |column, value| mean[column] += value);
            }
        }
    }
    mean / count
}

/// The mean over features of their variance over points. O(stored numbers).
pub(crate) fn mean_variance(points: &Points) -> f64 {
    let centre = mean(points);
    let squares: f64 = match points.rows() {
        Rows::Dense(rows) => {
            let of_row = |row: ArrayView1<'_, f64>| -> f64 {
                row.iter().zip(&centre).map(|(x, c)| (x - c) * (x - c)).sum()
            };
            rows.rows().into_iter().map(of_row).sum()
        }
        // Zeros are at −c: all entries as if zero first, then those that are not.
        Rows::Sparse(rows) => {
            let mut sum = points.len() as f64 * centre.dot(&centre);
            for row in 0..points.len() {
                for_each_entry(rows, row, |column, x| sum += x * (x - 2.0 * centre[column]));
            }
            sum.max(0.0)
        }
    };
    squares / (points.len() * points.dim()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn sparse_and_dense_rows_are_the_same_block() {
        let rows = array![[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [0.5, -1.0, 0.0]];
        let dense = Points::dense(rows.clone()).unwrap();
        let sparse = Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
        let centre = mean(&dense);
        assert_eq!(centre, array![0.5, -1.0 / 3.0, 5.0 / 3.0]);
        assert_eq!(mean(&sparse), centre);
        let variance = rows.var_axis(Axis(0), 0.0).mean().unwrap();
        for points in [&dense, &sparse] {
            assert!((mean_variance(points) - variance).abs() < 1e-14);
        }
        let want = &rows.slice(s![1..3, ..]) - &centre;
        for points in [&dense, &sparse] {
            assert_eq!(centred(points, 1..3, centre.view()), want);
            assert_eq!(dense_row(points, 2), array![0.5, -1.0, 0.0]);
        }
    }
}

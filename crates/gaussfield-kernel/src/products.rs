//! Inner products of rows in any storage.

use gaussfield_points::Rows;
use ndarray::{ArrayViewMut2, linalg::general_mat_mul, s};
use std::ops::Range;

/// Writes xᵢᵀzⱼ for the left rows `range` and the first right rows: one matrix product where both
/// are dense, otherwise O(non-zeros of the sparse row) a pair.
pub(crate) fn products(
    left: &Rows,
    range: Range<usize>,
    right: &Rows,
    mut out: ArrayViewMut2<'_, f64>,
) {
    let columns = out.ncols();
    match (left, right) {
        (Rows::Dense(x), Rows::Dense(z)) => {
            let (x, z) = (x.slice(s![range, ..]), z.slice(s![..columns, ..]));
            general_mat_mul(1.0, &x, &z.t(), 0.0, &mut out);
        }
        (Rows::Dense(x), Rows::Sparse(z)) => {
            for (i, mut row) in range.zip(out.outer_iter_mut()) {
                let x = x.row(i);
                for (entry, z) in row.iter_mut().zip(z.outer_iterator()) {
                    *entry = sparse_dot(z.indices(), z.data(), |d| x[d]);
                }
            }
        }
        (Rows::Sparse(x), Rows::Dense(z)) => {
            for (i, mut row) in range.zip(out.outer_iter_mut()) {
                let Some(x) = x.outer_view(i) else { continue };
                for (entry, z) in row.iter_mut().zip(z.outer_iter()) {
                    *entry = sparse_dot(x.indices(), x.data(), |d| z[d]);
                }
            }
        }
        (Rows::Sparse(x), Rows::Sparse(z)) => {
            // The left row is spread out, so that a product is one pass over the right row.
            let mut spread = vec![0.0; x.cols()];
            for (i, mut row) in range.zip(out.outer_iter_mut()) {
                let Some(x) = x.outer_view(i) else { continue };
                x.iter().for_each(|(d, &value)| spread[d] = value);
                for (entry, z) in row.iter_mut().zip(z.outer_iterator()) {
                    *entry = sparse_dot(z.indices(), z.data(), |d| spread[d]);
                }
                x.iter().for_each(|(d, _)| spread[d] = 0.0);
            }
        }
    }
}

/// A sparse row times a row that can be read anywhere.
fn sparse_dot(features: &[usize], values: &[f64], other: impl Fn(usize) -> f64) -> f64 {
    features.iter().zip(values).map(|(&d, value)| value * other(d)).sum()
}

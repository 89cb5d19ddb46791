//! Symmetric n × n matrices of all pairs, by row blocks.

use crate::metric::squared_difference;
use crate::neighbours::blocks;
use ndarray::{
    Array2, ArrayView2, ArrayViewMut2, Axis, CowArray, Ix2, linalg::general_mat_mul,
    parallel::prelude::*, s,
};
use std::ops::Range;

/// Rows of one block, fixed so that results do not depend on the number of threads.
pub(crate) const BLOCK: usize = 128;

/// The matrix whose strict lower triangle `fill(rows, out)` writes block by block, where `out` is
/// the block's rows up to the column `rows.end`; the upper triangle is its mirror image, the
/// diagonal zero.
pub(crate) fn symmetric(
    n: usize,
    fill: impl Fn(Range<usize>, ArrayViewMut2<'_, f64>) + Sync,
) -> Array2<f64> {
    let mut matrix = Array2::zeros((n, n));
    let ranges = blocks(n, BLOCK);
    matrix
        .axis_chunks_iter_mut(Axis(0), BLOCK)
        .into_par_iter()
        .zip(ranges)
        .for_each(|(mut chunk, rows)| fill(rows.clone(), chunk.slice_mut(s![.., ..rows.end])));
    mirror(matrix.view_mut());
    matrix
}

/// Copies the strict lower triangle to the upper one and clears the diagonal.
fn mirror(matrix: ArrayViewMut2<'_, f64>) {
    const SMALL: usize = 64;
    let mut matrix = matrix;
    let n = matrix.nrows();
    if n <= SMALL {
        for i in 0..n {
            matrix[[i, i]] = 0.0;
            for j in 0..i {
                matrix[[j, i]] = matrix[[i, j]];
            }
        }
        return;
    }
    let middle = n / 2;
    let (top, bottom) = matrix.split_at(Axis(0), middle);
    let (top_left, mut corner) = top.split_at(Axis(1), middle);
    let (source, bottom_right) = bottom.split_at(Axis(1), middle);
    corner
        .axis_chunks_iter_mut(Axis(0), SMALL)
        .into_par_iter()
        .zip(blocks(middle, SMALL))
        .for_each(|(mut rows, range)| {
            for columns in blocks(n - middle, SMALL) {
                let tile = source.slice(s![columns.clone(), range.clone()]);
                rows.slice_mut(s![.., columns]).assign(&tile.t());
            }
        });
    rayon::join(|| mirror(top_left), || mirror(bottom_right));
}

/// Squared distances between dense rows, each coordinate times its own factor, from matrix
/// products about the mean with a correction where they cancel.
#[derive(Debug)]
pub(crate) struct Pairwise<'a> {
    rows: CowArray<'a, f64, Ix2>,
    factors: Option<&'a [f64]>,
    /// (x − mean) times the factors.
    pub(crate) centred: Array2<f64>,
    /// Squared norms of the centred rows.
    pub(crate) norms: Vec<f64>,
}

impl<'a> Pairwise<'a> {
    /// O(n·d).
    pub(crate) fn new(rows: ArrayView2<'a, f64>, factors: Option<&'a [f64]>) -> Self {
        let count = rows.nrows().max(1) as f64;
        let mean = rows.map_axis(Axis(0), |column| column.iter().map(|x| x / count).sum::<f64>());
        let mut centred = &rows - &mean;
        if let Some(factors) = factors {
            for mut row in centred.rows_mut() {
                row.iter_mut().zip(factors).for_each(|(x, factor)| *x *= factor);
            }
        }
        let norms = centred.rows().into_iter().map(|row| row.iter().map(|x| x * x).sum()).collect();
        Self { rows: standard(rows), factors, centred, norms }
    }

    /// Writes `finish(squared distance)` below the diagonal of a row block, or `again(i, j)` for
    /// the pairs where `doubtful(squared distance, sum of the squared norms)` holds.
    pub(crate) fn lower(
        &self,
        range: Range<usize>,
        mut out: ArrayViewMut2<'_, f64>,
        finish: impl Fn(f64) -> f64,
        doubtful: impl Fn(f64, f64) -> bool,
        again: impl Fn(usize, usize) -> f64,
    ) {
        let block = self.centred.slice(s![range.clone(), ..]);
        let others = self.centred.slice(s![..range.end, ..]);
        general_mat_mul(-2.0, &block, &others.t(), 0.0, &mut out);
        for (i, mut row) in range.zip(out.rows_mut()) {
            for (j, entry) in row.iter_mut().enumerate() {
                if j >= i {
                    *entry = 0.0;
                    continue;
                }
                let norms = self.norms[i] + self.norms[j];
                let squared = norms + *entry;
                *entry = if doubtful(squared, norms) { again(i, j) } else { finish(squared) };
            }
        }
    }

    /// The squared distance from differences.
    pub(crate) fn exact(&self, i: usize, j: usize) -> f64 {
        let row = |i: usize| self.rows.row(i).to_slice().unwrap_or_default();
        let (x, z) = (row(i), row(j));
        match self.factors {
            None => squared_difference(x, z),
            Some(factors) => scaled_squared_difference(x, z, factors),
        }
    }
}

/// Rows that are slices.
fn standard(rows: ArrayView2<'_, f64>) -> CowArray<'_, f64, Ix2> {
    if rows.is_standard_layout() {
        rows.into()
    } else {
        rows.as_standard_layout().into_owned().into()
    }
}

/// Σ ((x_d − z_d)·f_d)² in a fixed order that the compiler can vectorise.
pub(crate) fn scaled_squared_difference(x: &[f64], z: &[f64], factors: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let term = |x: f64, z: f64, f: f64| ((x - z) * f) * ((x - z) * f);
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (zs, z_rest) = z.as_chunks::<LANES>();
    let (fs, f_rest) = factors.as_chunks::<LANES>();
    for ((x, z), f) in xs.iter().zip(zs).zip(fs) {
        for lane in 0..LANES {
            sums[lane] += term(x[lane], z[lane], f[lane]);
        }
    }
    let rest = x_rest.iter().zip(z_rest).zip(f_rest);
    let rest: f64 = rest.map(|((&x, &z), &f)| term(x, z, f)).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_image_is_exact_for_every_size() {
        for n in [0, 1, 2, 63, 64, 65, 127, 128, 129, 300] {
            let value = |i: usize, j: usize| (i * 1000 + j) as f64;
            let matrix = symmetric(n, |rows, mut out| {
                for (i, mut row) in rows.zip(out.rows_mut()) {
                    for j in 0..i {
                        row[j] = value(i, j);
                    }
                }
            });
            for ((i, j), &entry) in matrix.indexed_iter() {
                let want = if i == j { 0.0 } else { value(i.max(j), i.min(j)) };
                assert!((entry - want).abs() < 0.5, "n = {n}, ({i}, {j})");
            }
        }
    }

    #[test]
    fn close_points_far_from_the_mean_do_not_cancel() {
        let mut rows = Array2::from_elem((4, 3), 1e8);
        rows[[0, 0]] += 1e-3;
        rows[[3, 1]] = -1e8;
        let pairs = Pairwise::new(rows.view(), None);
        let matrix = symmetric(4, |range, out| {
            let doubtful = |squared: f64, norms: f64| squared < 1e-2 * norms;
            pairs.lower(range, out, |squared| squared, doubtful, |i, j| pairs.exact(i, j));
        });
        let want = rows[[0, 0]] - 1e8;
        assert!((matrix[[0, 1]] / (want * want) - 1.0).abs() < 1e-14);
        assert!(matrix[[1, 2]].abs() < f64::MIN_POSITIVE);
    }
}

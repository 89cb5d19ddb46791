//! Inner products and squared distances of all pairs, by blocks of matrix products.
//!
//! ‖x − z‖² = ‖x‖² + ‖z‖² − 2xᵀz is fast for many pairs at once, and cancels for close ones. So the
//! products are taken about the mean, and where digits were lost all the same, the distance is
//! taken from differences again.

#[cfg(test)]
mod tests;

use crate::difference::lanes;
use crate::{Points, Rows};
use gaussfield_core::blocks::split;
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, linalg::general_mat_mul, s};
use std::ops::Range;
use std::sync::Arc;

/// Rows of one block, fixed so that results do not depend on the number of threads.
pub const BLOCK: usize = 128;

/// What coordinates are multiplied by before distances are taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Nothing.
    One,
    /// All by the same factor.
    All(f64),
    /// Each by its own.
    Each(Vec<f64>),
}

impl Scale {
    fn rows(&self, mut rows: Array2<f64>) -> Array2<f64> {
        match self {
            Self::One => {}
            Self::All(factor) => rows *= *factor,
            Self::Each(factors) => {
                let scale = |row: &mut [f64]| {
                    row.iter_mut().zip(factors).for_each(|(x, factor)| *x *= factor);
                };
                rows.rows_mut().into_iter().for_each(|mut row| {
                    scale(row.as_slice_mut().unwrap_or_default());
                });
            }
        }
        rows
    }

    fn at(&self, d: usize) -> f64 {
        match self {
            Self::One => 1.0,
            Self::All(factor) => *factor,
            Self::Each(factors) => factors[d],
        }
    }

    /// Σ_d ((x_d − z_d)·f_d)², exactly zero for equal points in any storage, and the same from x
    /// to z as from z to x.
    ///
    /// # Panics
    /// If an index is past the end or the dimensions differ.
    pub fn squared_distance(&self, (a, i): (&Points, usize), (b, j): (&Points, usize)) -> f64 {
        if let (Some(x), Some(z)) = (a.dense_row(i), b.dense_row(j)) {
            let square = |x: f64| x * x;
            return match self {
                Self::One => squared_difference(x, z),
                Self::All(factor) => lanes(x, z, |x, z| square((x - z) * factor)),
                Self::Each(factors) => scaled(x, z, factors),
            };
        }
        let mut sum = 0.0;
        a.for_each_difference(i, b, j, |d, difference| {
            let scaled = difference * self.at(d);
            sum += scaled * scaled;
        });
        sum
    }
}

/// Σ (x_d − z_d)² in a fixed order that the compiler can vectorise.
pub fn squared_difference(x: &[f64], z: &[f64]) -> f64 {
    lanes(x, z, |x, z| (x - z) * (x - z))
}

/// Σ ((x_d − z_d)·f_d)² in a fixed order that the compiler can vectorise.
fn scaled(x: &[f64], z: &[f64], factors: &[f64]) -> f64 {
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

/// Points made ready for the matrix of all pairs with others: its rows, or its columns.
#[derive(Debug, Clone)]
pub struct Side {
    points: Points,
    scale: Scale,
    /// What products are taken of; not checked for overflow.
    rows: Arc<Rows>,
    norms: Vec<f64>,
}

impl Side {
    /// For products of the points as they are.
    pub fn plain(points: &Points) -> Self {
        Self::new(points, Scale::One, Arc::clone(&points.rows))
    }

    /// For the distances of points from each other. O(stored numbers).
    pub fn alone(points: &Points, scale: Scale) -> Self {
        let centre = mean(points);
        Self::about(points, centre.as_ref(), scale)
    }

    /// For the distances of two sets of points in one space.
    pub fn pair(left: &Points, right: &Points, scale: Scale) -> (Self, Self) {
        let dense = left.as_dense().is_some();
        let centre = if dense { mean(right) } else { None };
        let first = Self::about(left, centre.as_ref(), scale.clone());
        (first, Self::about(right, centre.as_ref(), scale))
    }

    fn about(points: &Points, centre: Option<&Array1<f64>>, scale: Scale) -> Self {
        let rows = match (points.rows(), centre) {
            (Rows::Dense(rows), Some(centre)) => Rows::Dense(scale.rows(rows - centre).into()),
            (Rows::Dense(rows), None) => Rows::Dense(scale.rows(rows.to_owned()).into()),
            (Rows::Sparse(rows), _) => {
                let mut rows = rows.clone();
                let features = rows.indices().to_vec();
                let entries = rows.data_mut().iter_mut().zip(features);
                entries.for_each(|(x, d)| *x *= scale.at(d));
                Rows::Sparse(rows)
            }
        };
        Self::new(points, scale, Arc::new(rows))
    }

    fn new(points: &Points, scale: Scale, rows: Arc<Rows>) -> Self {
        let norms = rows.squared_norms().to_vec();
        Self { points: points.clone(), scale, rows, norms }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.norms.len()
    }

    /// Whether there is no point at all.
    pub fn is_empty(&self) -> bool {
        self.norms.is_empty()
    }

    /// The squared norms of the rows that products are taken of.
    pub fn norms(&self) -> &[f64] {
        &self.norms
    }

    /// The rows that products are taken of, if they are dense: scaled, and about the centre.
    pub fn as_dense(&self) -> Option<ArrayView2<'_, f64>> {
        match &*self.rows {
            Rows::Dense(rows) => Some(rows.view()),
            Rows::Sparse(_) => None,
        }
    }

    /// The scaled squared distance of point i to point j of another side, from differences.
    ///
    /// # Panics
    /// If an index is past the end or the dimensions differ.
    pub fn exact(&self, i: usize, other: &Self, j: usize) -> f64 {
        self.scale.squared_distance((&self.points, i), (&other.points, j))
    }

    /// Writes the products of some rows with the first rows of another side, as many as `out` has
    /// columns: one matrix product where both are dense, otherwise O(non-zeros) a pair.
    ///
    /// # Panics
    /// If a row is past the end or the dimensions differ.
    pub fn products(&self, rows: Range<usize>, other: &Self, mut out: ArrayViewMut2<'_, f64>) {
        products(&self.rows, rows, &other.rows, &mut out);
    }

    /// Writes the scaled squared distances of some rows to the first rows of another side. Where
    /// `doubtful(squared, sum of the squared norms)`, or where it is not a number, the distance is
    /// taken from differences.
    ///
    /// # Panics
    /// As [`Side::products`].
    pub fn squared(
        &self,
        rows: Range<usize>,
        other: &Self,
        mut out: ArrayViewMut2<'_, f64>,
        doubtful: impl Fn(f64, f64) -> bool,
    ) {
        products(&self.rows, rows.clone(), &other.rows, &mut out);
        for (i, mut row) in rows.zip(out.rows_mut()) {
            let own = self.norms[i];
            for (j, (entry, norm)) in row.iter_mut().zip(&other.norms).enumerate() {
                let norms = own + norm;
                let squared = norms - 2.0 * *entry;
                // Where a norm has overflowed the difference is NaN or infinite.
                let trusted = squared.is_finite() && !doubtful(squared, norms);
                *entry = if trusted { squared } else { self.exact(i, other, j) };
            }
        }
    }
}

/// Two digits or more have cancelled: the usual doubt.
pub fn cancelled(squared: f64, norms: f64) -> bool {
    squared < 1e-2 * norms
}

/// The mean of dense rows.
fn mean(points: &Points) -> Option<Array1<f64>> {
    let rows = points.as_dense()?;
    let count = rows.nrows().max(1) as f64;
    Some(rows.map_axis(Axis(0), |column| column.iter().map(|x| x / count).sum::<f64>()))
}

fn products(left: &Rows, range: Range<usize>, right: &Rows, out: &mut ArrayViewMut2<'_, f64>) {
    /// The longest row that is spread out; beyond, two sparse rows are merged.
    const SPREAD: usize = 1 << 22;
    let columns = out.ncols();
    match (left, right) {
        (Rows::Dense(x), Rows::Dense(z)) => {
            let (x, z) = (x.slice(s![range, ..]), z.slice(s![..columns, ..]));
            general_mat_mul(1.0, &x, &z.t(), 0.0, out);
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
            let mut spread = vec![0.0; if x.cols() <= SPREAD { x.cols() } else { 0 }];
            for (i, mut row) in range.zip(out.outer_iter_mut()) {
                let Some(x) = x.outer_view(i) else { continue };
                if x.dim() > SPREAD {
                    let others = row.iter_mut().zip(z.outer_iterator());
                    others.for_each(|(entry, z)| *entry = x.dot(&z));
                    continue;
                }
                // The left row is spread out, so that a product is one pass over the right row.
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

/// The `rows` × `columns` matrix that `fill` writes by blocks of rows, on all threads of rayon.
///
/// # Errors
/// Those of `fill`; of several, that of the first rows.
pub fn blockwise<E: Send>(
    (rows, columns): (usize, usize),
    fill: impl Fn(Range<usize>, ArrayViewMut2<'_, f64>) -> Result<(), E> + Sync,
) -> Result<Array2<f64>, E> {
    let mut matrix = Array2::zeros((rows, columns));
    let done: Vec<Result<(), E>> = matrix
        .axis_chunks_iter_mut(Axis(0), BLOCK)
        .into_par_iter()
        .zip(split(rows, BLOCK))
        .map(|(chunk, rows)| fill(rows, chunk))
        .collect();
    done.into_iter().collect::<Result<(), E>>()?;
    Ok(matrix)
}

/// The exactly symmetric n × n matrix of which `fill` writes what is on and below the diagonal, by
/// blocks of rows: it is given the columns up to the last row of the block.
///
/// # Errors
/// As [`blockwise`].
pub fn symmetric<E: Send>(
    n: usize,
    fill: impl Fn(Range<usize>, ArrayViewMut2<'_, f64>) -> Result<(), E> + Sync,
) -> Result<Array2<f64>, E> {
    let lower = |rows: Range<usize>, mut chunk: ArrayViewMut2<'_, f64>| {
        let end = rows.end;
        fill(rows, chunk.slice_mut(s![.., ..end]))
    };
    let mut matrix = blockwise((n, n), lower)?;
    mirror(matrix.view_mut());
    Ok(matrix)
}

/// Copies the strict lower triangle to the upper one.
fn mirror(matrix: ArrayViewMut2<'_, f64>) {
    const SMALL: usize = 64;
    let mut matrix = matrix;
    let n = matrix.nrows();
    if n <= SMALL {
        for i in 0..n {
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
    corner.axis_chunks_iter_mut(Axis(0), SMALL).into_par_iter().zip(split(middle, SMALL)).for_each(
        |(mut rows, range)| {
            for columns in split(n - middle, SMALL) {
                let tile = source.slice(s![columns.clone(), range.clone()]);
                rows.slice_mut(s![.., columns]).assign(&tile.t());
            }
        },
    );
    rayon::join(|| mirror(top_left), || mirror(bottom_right));
}

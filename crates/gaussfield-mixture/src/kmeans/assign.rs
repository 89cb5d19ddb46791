//! Distances to centres, and one round of assignments.

use crate::MixtureError;
use crate::rows::{BLOCK, centred, dense_row, for_each_entry};
use gaussfield_core::blocks::{blocks, parts};
use gaussfield_points::{Points, Rows};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayViewMut2, Axis};
use rayon::prelude::*;
use std::ops::Range;

/// Centres made ready for distances by matrix products about a common origin.
#[derive(Debug)]
pub(crate) struct Targets {
    /// The mean of the centres for dense points, zero for sparse ones.
    origin: Array1<f64>,
    /// Centres less the origin, one a column.
    columns: Array2<f64>,
    norms: Array1<f64>,
}

/// Centres to measure from.
pub(crate) fn distances(points: &Points, centres: &Array2<f64>) -> Targets {
    let origin = match points.rows() {
        Rows::Dense(_) => centres.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(points.dim())),
        Rows::Sparse(_) => Array1::zeros(points.dim()),
    };
    let columns = (centres - &origin).t().as_standard_layout().into_owned();
    let norms = columns.map_axis(Axis(0), |c| c.iter().map(|x| x * x).sum());
    Targets { origin, columns, norms }
}

impl Targets {
    /// ‖x − c_m‖² of a block of rows, never negative, and for each row how far rounding may have
    /// moved them. O(rows · Md).
    ///
    /// # Errors
    /// A distance that is not finite: features too large for their squares.
    pub(crate) fn squared(
        &self,
        points: &Points,
        range: Range<usize>,
        mut out: ArrayViewMut2<'_, f64>,
    ) -> Result<Vec<f64>, MixtureError> {
        let start = range.start;
        let row_norms: Vec<f64> = match points.rows() {
            Rows::Dense(_) => {
                let x = centred(points, range, self.origin.view());
                general_mat_mul(-2.0, &x, &self.columns, 0.0, &mut out);
                x.rows().into_iter().map(|row| row.iter().map(|x| x * x).sum()).collect()
            }
            Rows::Sparse(rows) => range
                .zip(out.rows_mut())
                .map(|(row, mut out)| {
                    let mut norm = 0.0;
                    out.fill(0.0);
                    for_each_entry(rows, row, |column, value| {
                        norm += value * value;
                        out.scaled_add(-2.0 * value, &self.columns.row(column));
                    });
                    norm
                })
                .collect(),
        };
        for (at, (mut row, norm)) in out.rows_mut().into_iter().zip(&row_norms).enumerate() {
            let mut total = 0.0;
            row.iter_mut().zip(&self.norms).for_each(|(out, c)| {
                let squared = *out + norm + c;
                // Not `max`, which would turn ∞ − ∞ into a distance of zero.
                *out = if squared < 0.0 { 0.0 } else { squared };
                total += *out;
            });
            if !total.is_finite() {
                return Err(MixtureError::NotFinite { row: start + at, value: total });
            }
        }
        let top = self.norms.fold(0.0_f64, |top, &norm| top.max(norm));
        let unit = 8.0 * (self.origin.len() as f64 + 8.0) * f64::EPSILON;
        Ok(row_norms.into_iter().map(|norm| unit * (norm + top)).collect())
    }
}

/// The nearest centre of a row and its squared distance. Where products leave a doubt, differences
/// decide, and of equal distances the lower index wins.
pub(crate) fn nearest(
    points: &Points,
    row: usize,
    centres: &Array2<f64>,
    squared: ArrayView1<'_, f64>,
    rounding: f64,
) -> (usize, f64) {
    let least = squared.fold(f64::INFINITY, |least, &value| least.min(value));
    let close = |m: usize| squared[m] <= least + rounding;
    let mut near = (0..squared.len()).filter(|&m| close(m));
    match (near.next(), near.next()) {
        (Some(only), None) => (only, squared[only]),
        _ => {
            let x = dense_row(points, row);
            let exact = |m: usize| -> f64 {
                x.iter().zip(centres.row(m)).map(|(x, c)| (x - c) * (x - c)).sum()
            };
            let candidates = (0..squared.len()).filter(|&m| close(m)).map(|m| (m, exact(m)));
            // The first of equals is kept.
            candidates
                .reduce(|best, next| if next.1 < best.1 { next } else { best })
                .unwrap_or((0, least))
        }
    }
}

/// One round: who belongs where, and what the clusters add up to.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) assignment: Vec<usize>,
    /// Squared distance to the own centre.
    pub(super) squared: Vec<f64>,
    pub(super) sums: Array2<f64>,
    pub(super) counts: Vec<usize>,
}

/// # Errors
/// Features too large for their squares.
pub(super) fn pass(points: &Points, centres: &Array2<f64>) -> Result<Pass, MixtureError> {
    let (count, d) = centres.dim();
    let targets = distances(points, centres);
    let of_part = |part: Range<usize>| -> Result<Pass, MixtureError> {
        let mut found = Pass {
            assignment: Vec::with_capacity(part.len()),
            squared: Vec::with_capacity(part.len()),
            sums: Array2::zeros((count, d)),
            counts: vec![0; count],
        };
        for block in blocks(part, BLOCK) {
            let mut squared = Array2::zeros((block.len(), count));
            let rounding = targets.squared(points, block.clone(), squared.view_mut())?;
            for ((row, squared), rounding) in block.zip(squared.rows()).zip(rounding) {
                let (best, distance) = nearest(points, row, centres, squared, rounding);
                found.assignment.push(best);
                found.squared.push(distance);
                found.counts[best] += 1;
                let mut sum = found.sums.row_mut(best);
                match points.rows() {
                    Rows::Dense(rows) => sum += &rows.row(row),
                    Rows::Sparse(rows) => {
                        for_each_entry(rows, row, |column, value| sum[column] += value);
                    }
                }
            }
        }
        Ok(found)
    };
    let found: Vec<Result<Pass, MixtureError>> =
        parts(points.len(), BLOCK, 8 * count * d).into_par_iter().map(of_part).collect();
    let mut all = Pass {
        assignment: Vec::with_capacity(points.len()),
        squared: Vec::with_capacity(points.len()),
        sums: Array2::zeros((count, d)),
        counts: vec![0; count],
    };
    for part in found {
        let part = part?;
        all.assignment.extend(part.assignment);
        all.squared.extend(part.squared);
        all.sums += &part.sums;
        all.counts.iter_mut().zip(part.counts).for_each(|(sum, count)| *sum += count);
    }
    Ok(all)
}

//! Row-major blocks of vectors and the few operations conjugate gradients need on them, each
//! column with its own scalars. Sums are cut into pieces of fixed length and added in order: the
//! same bits for any number of threads.

use rayon::prelude::*;

/// Rows in one piece.
const ROWS: usize = 2048;

/// n rows of `columns` numbers each.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) columns: usize,
    pub(crate) data: Vec<f64>,
}

impl Block {
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![0.0; rows * columns] }
    }

    fn rows(&self) -> usize {
        self.data.len() / self.columns.max(1)
    }

    /// Per column Σᵢ term(aᵢ, bᵢ) or whatever `fold` makes of it, starting from 0.
    fn reduce(&self, other: &Self, fold: impl Fn(f64, f64, f64) -> f64 + Sync) -> Vec<Vec<f64>> {
        let columns = self.columns;
        self.data
            .par_chunks(ROWS * columns)
            .zip(other.data.par_chunks(ROWS * columns))
            .map(|(a, b)| {
                let mut result = vec![0.0; columns];
                for (a, b) in a.chunks_exact(columns).zip(b.chunks_exact(columns)) {
                    for ((result, &a), &b) in result.iter_mut().zip(a).zip(b) {
                        *result = fold(*result, a, b);
                    }
                }
                result
            })
            .collect()
    }

    /// Per column aᵀb.
    pub(crate) fn dots(&self, other: &Self) -> Vec<f64> {
        combine(self.columns, self.reduce(other, |sum, a, b| sum + a * b), |x, y| x + y)
    }

    /// Per column ‖a‖₂.
    pub(crate) fn norms(&self) -> Vec<f64> {
        self.dots(self).into_iter().map(f64::sqrt).collect()
    }

    /// Per column maxᵢ |aᵢ|.
    pub(crate) fn largest(&self) -> Vec<f64> {
        let fold = |largest: f64, a: f64, _: f64| largest.max(a.abs());
        combine(self.columns, self.reduce(self, fold), f64::max)
    }

    /// Per column ‖diag(d) a‖₂.
    pub(crate) fn weighted_norms(&self, weights: &[f64]) -> Vec<f64> {
        let mut scaled = self.clone();
        scaled.update_rows(|i, row| row.iter_mut().for_each(|x| *x *= weights[i]));
        scaled.norms()
    }

    /// d += α·p and r −= α·q in one pass, a factor per column; gives ‖r‖₂ per column.
    pub(crate) fn advance(
        factors: &[f64],
        (d, p): (&mut Self, &Self),
        (r, q): (&mut Self, &Self),
    ) -> Vec<f64> {
        let columns = factors.len();
        let piece = ROWS * columns;
        let parts: Vec<Vec<f64>> = (d.data.par_chunks_mut(piece))
            .zip(p.data.par_chunks(piece))
            .zip(r.data.par_chunks_mut(piece).zip(q.data.par_chunks(piece)))
            .map(|((d, p), (r, q))| {
                let mut squares = vec![0.0; columns];
                let rows = d.chunks_exact_mut(columns).zip(p.chunks_exact(columns));
                let others = r.chunks_exact_mut(columns).zip(q.chunks_exact(columns));
                for ((d, p), (r, q)) in rows.zip(others) {
                    for c in 0..columns {
                        d[c] += factors[c] * p[c];
                        r[c] -= factors[c] * q[c];
                        squares[c] += r[c] * r[c];
                    }
                }
                squares
            })
            .collect();
        let squares = combine(columns, parts, |x, y| x + y);
        squares.into_iter().map(f64::sqrt).collect()
    }

    /// a = b + factor·a, a factor per column.
    pub(crate) fn scale_and_add(&mut self, factors: &[f64], other: &Self) {
        let columns = self.columns;
        self.update_rows(|i, row| {
            let other = &other.data[i * columns..(i + 1) * columns];
            for ((a, b), factor) in row.iter_mut().zip(other).zip(factors) {
                *a = b + factor * *a;
            }
        });
    }

    /// Calls `update(i, row)` for every row, in parallel.
    pub(crate) fn update_rows(&mut self, update: impl Fn(usize, &mut [f64]) + Sync) {
        let columns = self.columns;
        if columns == 0 {
            return;
        }
        self.data.par_chunks_mut(ROWS * columns).enumerate().for_each(|(piece, rows)| {
            for (at, row) in rows.chunks_exact_mut(columns).enumerate() {
                update(piece * ROWS + at, row);
            }
        });
    }

    /// The columns named, in this order.
    pub(crate) fn select(&self, keep: &[usize]) -> Self {
        let mut chosen = Self::zeros(self.rows(), keep.len());
        let columns = self.columns;
        chosen.update_rows(|i, row| {
            for (target, &c) in row.iter_mut().zip(keep) {
                *target = self.data[i * columns + c];
            }
        });
        chosen
    }

    /// Adds column `from` of `other` to column `to`.
    pub(crate) fn add_column(&mut self, to: usize, other: &Self, from: usize) {
        let columns = other.columns;
        self.update_rows(|i, row| row[to] += other.data[i * columns + from]);
    }
}

fn combine(columns: usize, parts: Vec<Vec<f64>>, join: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let mut total = vec![0.0; columns];
    for part in parts {
        for (total, part) in total.iter_mut().zip(part) {
            *total = join(*total, part);
        }
    }
    total
}

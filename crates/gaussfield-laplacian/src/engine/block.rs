//! Row-major blocks of vectors and the few operations conjugate gradients need on them, each
//! column with its own scalars. Sums are cut into pieces of fixed length and added in order: the
//! same bits for any number of threads.

use rayon::prelude::*;

/// Rows in one piece.
pub(crate) const ROWS: usize = 512;

/// Most columns of a block: more would not fit the caches.
pub const MOST: usize = 16;

/// Evaluates an expression with a constant that equals the width of a block: rows then are arrays
/// whose sums stay in registers.
macro_rules! with_width {
    ($width:expr, $constant:ident => $body:expr) => {
        match $width {
            1 => {
                const $constant: usize = 1;
                $body
            }
            2 => {
                const $constant: usize = 2;
                $body
            }
            3 => {
                const $constant: usize = 3;
                $body
            }
            4 => {
                const $constant: usize = 4;
                $body
            }
            5 => {
                const $constant: usize = 5;
                $body
            }
            6 => {
                const $constant: usize = 6;
                $body
            }
            8 => {
                const $constant: usize = 8;
                $body
            }
            10 => {
                const $constant: usize = 10;
                $body
            }
            12 => {
                const $constant: usize = 12;
                $body
            }
            _ => {
                const $constant: usize = 16;
                $body
            }
        }
    };
}
pub(crate) use with_width;

/// The smallest width that a block of so many columns can have.
pub(crate) fn width_for(columns: usize) -> usize {
    [1, 2, 3, 4, 5, 6, 8, 10, 12].into_iter().find(|&width| width >= columns).unwrap_or(MOST)
}

/// n rows of at most [`MOST`] columns. There may be more columns than were asked for: they hold
/// zeros.
#[derive(Debug, Clone)]
pub struct Block {
    width: usize,
    data: Vec<f64>,
}

impl Block {
    /// Zeros, in so many rows and at least so many columns; at most [`MOST`].
    pub fn zeros(rows: usize, columns: usize) -> Self {
        let width = width_for(columns);
        Self { width, data: vec![0.0; rows * width] }
    }

    /// Numbers a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The rows; W must be the width.
    pub(crate) fn rows<const W: usize>(&self) -> &[[f64; W]] {
        debug_assert_eq!(W, self.width);
        self.data.as_chunks().0
    }

    pub(crate) fn rows_mut<const W: usize>(&mut self) -> &mut [[f64; W]] {
        debug_assert_eq!(W, self.width);
        self.data.as_chunks_mut().0
    }

    /// The numbers, row by row.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// The same, to change.
    pub fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Calls `update(i, row)` for every row, in parallel.
    pub fn update_rows(&mut self, update: impl Fn(usize, &mut [f64]) + Sync) {
        let width = self.width;
        self.data.par_chunks_mut(ROWS * width).enumerate().for_each(|(piece, rows)| {
            for (at, row) in rows.chunks_exact_mut(width).enumerate() {
                update(piece * ROWS + at, row);
            }
        });
    }

    /// Per column aᵀb.
    pub(crate) fn dots(&self, other: &Self) -> Vec<f64> {
        with_width!(self.width, W => reduce::<W>(self, other, |sum, a, b| sum + a * b, |x, y| x + y))
    }

    /// Per column ‖a‖₂².
    pub(crate) fn squares(&self) -> Vec<f64> {
        self.dots(self)
    }

    /// Per column maxᵢ |aᵢ|; a NaN is passed over.
    pub(crate) fn largest(&self) -> Vec<f64> {
        let fold = |largest: f64, a: f64, _: f64| largest.max(a.abs());
        with_width!(self.width, W => reduce::<W>(self, self, fold, f64::max))
    }

    /// Per column ‖diag(d) a‖₂².
    pub(crate) fn weighted_squares(&self, weights: &[f64]) -> Vec<f64> {
        with_width!(self.width, W => {
            let parts = self.rows::<W>().par_chunks(ROWS).zip(weights.par_chunks(ROWS));
            let parts = parts.map(|(rows, weights)| {
                let mut sum = [0.0; W];
                for (row, weight) in rows.iter().zip(weights) {
                    for c in 0..W {
                        sum[c] += (weight * row[c]).powi(2);
                    }
                }
                sum
            });
            combine(parts.collect(), |x, y| x + y)
        })
    }

    /// d += α·p and r −= α·q in one pass, a factor per column; gives ‖r‖₂² per column.
    pub(crate) fn advance(
        factors: &[f64],
        (d, p): (&mut Self, &Self),
        (r, q): (&mut Self, &Self),
    ) -> Vec<f64> {
        with_width!(d.width, W => advance::<W>(factors, (d, p), (r, q)))
    }

    /// a = b + factor·a, a factor per column.
    pub(crate) fn scale_and_add(&mut self, factors: &[f64], other: &Self) {
        with_width!(self.width, W => {
            let factors = row::<W>(factors);
            let pieces = self.rows_mut::<W>().par_chunks_mut(ROWS);
            pieces.zip(other.rows::<W>().par_chunks(ROWS)).for_each(|(a, b)| {
                for (a, b) in a.iter_mut().zip(b) {
                    for c in 0..W {
                        a[c] = b[c] + factors[c] * a[c];
                    }
                }
            });
        });
    }

    /// The columns named, in this order.
    pub(crate) fn select(&self, keep: &[usize]) -> Self {
        let mut chosen = Self::zeros(self.data.len() / self.width, keep.len());
        let width = self.width;
        chosen.update_rows(|i, row| {
            for (target, &c) in row.iter_mut().zip(keep) {
                *target = self.data[i * width + c];
            }
        });
        chosen
    }

    /// Adds the first columns of another block to the columns named.
    pub(crate) fn add_columns(&mut self, to: &[usize], other: &Self) {
        let width = other.width;
        self.update_rows(|i, row| {
            for (at, &c) in to.iter().enumerate() {
                row[c] += other.data[i * width + at];
            }
        });
    }
}

/// The first W numbers, zeros where there are fewer.
fn row<const W: usize>(numbers: &[f64]) -> [f64; W] {
    std::array::from_fn(|c| numbers.get(c).copied().unwrap_or(0.0))
}

fn reduce<const W: usize>(
    a: &Block,
    b: &Block,
    fold: impl Fn(f64, f64, f64) -> f64 + Sync,
    join: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let pieces = a.rows::<W>().par_chunks(ROWS).zip(b.rows::<W>().par_chunks(ROWS));
    let parts = pieces.map(|(a, b)| {
        let mut result = [0.0; W];
        for (a, b) in a.iter().zip(b) {
            for c in 0..W {
                result[c] = fold(result[c], a[c], b[c]);
            }
        }
        result
    });
    combine(parts.collect(), join)
}

fn advance<const W: usize>(
    factors: &[f64],
    (d, p): (&mut Block, &Block),
    (r, q): (&mut Block, &Block),
) -> Vec<f64> {
    let factors = row::<W>(factors);
    let solutions = d.rows_mut::<W>().par_chunks_mut(ROWS).zip(p.rows::<W>().par_chunks(ROWS));
    let residuals = r.rows_mut::<W>().par_chunks_mut(ROWS).zip(q.rows::<W>().par_chunks(ROWS));
    let parts = solutions.zip(residuals).map(|((d, p), (r, q))| {
        let mut squares = [0.0; W];
        for ((d, p), (r, q)) in d.iter_mut().zip(p).zip(r.iter_mut().zip(q)) {
            for c in 0..W {
                d[c] += factors[c] * p[c];
                r[c] -= factors[c] * q[c];
                squares[c] += r[c] * r[c];
            }
        }
        squares
    });
    combine(parts.collect(), |x, y| x + y)
}

/// Joins the results of the pieces in their order.
pub(crate) fn combine<const W: usize>(
    parts: Vec<[f64; W]>,
    join: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let mut total = vec![0.0; W];
    for part in parts {
        for (total, part) in total.iter_mut().zip(part) {
            *total = join(*total, part);
        }
    }
    total
}

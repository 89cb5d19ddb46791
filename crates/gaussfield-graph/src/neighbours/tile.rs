//! The inner loop of the searches by matrix products: the products of two sets of rows, compared
//! with limits while they are still in registers, so that only close pairs are ever written.

use pulp::{Arch, Simd, WithSimd};

/// Rows that lie together, feature by feature.
pub(super) const PANEL: usize = 32;

/// A half squared distance above every one that occurs: no limit. Finite, so that no comparison
/// meets ∞ − ∞.
pub(super) const NO_LIMIT: f32 = 1e30;

/// One side of a tile: whole panels of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panels<'a> {
    /// Panel by panel, and in it feature by feature the numbers of 32 rows.
    pub(super) rows: &'a [f32],
    /// ½‖x‖² of each row; infinite for a row that only fills up a panel.
    pub(super) halves: &'a [f32],
    /// ½d² up to which a pair is of interest to each row.
    pub(super) limits: &'a [f32],
}

/// A pair that is of interest to one of its ends at least.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) row: u32,
    pub(super) column: u32,
    /// x·z − ½‖z‖² for the row x and the column z: ½d² is ½‖x‖² less this.
    pub(super) closeness: f32,
}

/// All pairs of a row and a column whose ½d² is within the limit of either, in place of those before.
pub(super) fn close_pairs(rows: Panels<'_>, columns: Panels<'_>, dims: usize, hits: &mut Vec<Hit>) {
    hits.clear();
    Arch::new().dispatch(Tile { rows, columns, dims, hits });
}

struct Tile<'a> {
    rows: Panels<'a>,
    columns: Panels<'a>,
    dims: usize,
    hits: &'a mut Vec<Hit>,
}

impl WithSimd for Tile<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Two vectors of columns for each row, in as many registers as there are.
        if S::F32_LANES == 16 {
            self.run::<S, 8>(simd);
        } else {
            self.run::<S, 4>(simd);
        }
    }
}

impl Tile<'_> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(mut self, simd: S) {
        if self.dims == 0 {
            // Points without a feature are all the same.
            return self.all_pairs();
        }
        let group = 2 * S::F32_LANES;
        let (of_rows, of_columns) = (self.rows, self.columns);
        for (panel, columns) in of_columns.rows.chunks_exact(PANEL * self.dims).enumerate() {
            for first in (0..PANEL).step_by(group) {
                let column = PANEL * panel + first;
                let halves = two(simd, &of_columns.halves[column..column + group]);
                let start = halves.map(|half| simd.neg_f32s(half));
                let limits = two(simd, &of_columns.limits[column..column + group]);
                for (panel, rows) in of_rows.rows.chunks_exact(PANEL * self.dims).enumerate() {
                    for row in (0..PANEL).step_by(ROWS) {
                        let sums = products::<S, ROWS>(simd, (rows, row), (columns, first), start);
                        self.compare(simd, PANEL * panel + row, column, &sums, limits);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn compare<S: Simd, const ROWS: usize>(
        &mut self,
        simd: S,
        row: usize,
        column: usize,
        sums: &[[S::f32s; 2]; ROWS],
        limits: [S::f32s; 2],
    ) {
        for (i, sums) in sums.iter().enumerate() {
            let limit = simd.splat_f32s(self.rows.limits[row + i]);
            let half = simd.splat_f32s(self.rows.halves[row + i]);
            let close = |at: usize| {
                let least = simd.sub_f32s(half, simd.max_f32s(limits[at], limit));
                simd.greater_than_or_equal_f32s(sums[at], least)
            };
            let any = simd.or_m32s(close(0), close(1));
            if simd.first_true_m32s(any) < S::F32_LANES {
                self.keep(row + i, column, pulp::bytemuck::cast_slice(sums));
            }
        }
    }

    /// Few pairs get here.
    fn keep(&mut self, row: usize, column: usize, closeness: &[f32]) {
        let (half, limit) = (self.rows.halves[row], self.rows.limits[row]);
        let limits = &self.columns.limits[column..];
        for (at, (&closeness, other)) in closeness.iter().zip(limits).enumerate() {
            if closeness >= half - limit.max(*other) {
                let (row, column) = (row as u32, (column + at) as u32);
                self.hits.push(Hit { row, column, closeness });
            }
        }
    }

    fn all_pairs(&mut self) {
        for row in 0..self.rows.halves.len() {
            let closeness: Vec<f32> = self.columns.halves.iter().map(|half| -half).collect();
            self.keep(row, 0, &closeness);
        }
    }
}

#[inline(always)]
fn two<S: Simd>(_simd: S, values: &[f32]) -> [S::f32s; 2] {
    let (vectors, _) = S::as_simd_f32s(values);
    [vectors[0], vectors[1]]
}

/// Σ_d x_d z_d for some rows of a panel and two vectors of columns of another, from `start` on.
#[inline(always)]
fn products<S: Simd, const ROWS: usize>(
    simd: S,
    (rows, row): (&[f32], usize),
    (columns, column): (&[f32], usize),
    start: [S::f32s; 2],
) -> [[S::f32s; 2]; ROWS] {
    let mut sums = [start; ROWS];
    for (x, z) in rows.chunks_exact(PANEL).zip(columns.chunks_exact(PANEL)) {
        let z = two(simd, &z[column..column + 2 * S::F32_LANES]);
        let x = &x[row..row + ROWS];
        for (sums, &x) in sums.iter_mut().zip(x) {
            let x = simd.splat_f32s(x);
            sums[0] = simd.mul_add_e_f32s(x, z[0], sums[0]);
            sums[1] = simd.mul_add_e_f32s(x, z[1], sums[1]);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_close_pair_is_kept_and_no_other() {
        for dims in [0, 1, 3, 40] {
            let (rows, columns) = (2 * PANEL, 3 * PANEL);
            let value = |i: usize, d: usize, n: usize| ((i * 7 + d * 13 + n) % 5) as f32 / 4.0;
            let pack = |n: usize| -> Vec<f32> {
                let at = |at: usize| {
                    let (panel, rest) = (at / (PANEL * dims), at % (PANEL * dims));
                    value(PANEL * panel + rest % PANEL, rest / PANEL, n)
                };
                (0..n * dims).map(at).collect()
            };
            let halves = |n: usize| -> Vec<f32> {
                let norm = |i| (0..dims).map(|d| value(i, d, n).powi(2)).sum::<f32>();
                (0..n).map(|i| if i % 32 == 31 { f32::INFINITY } else { norm(i) / 2.0 }).collect()
            };
            let limits = |n: usize, step: f32| -> Vec<f32> {
                (0..n).map(|i| if i % 9 == 0 { NO_LIMIT } else { step * (i % 4) as f32 }).collect()
            };
            let (x, z) = (pack(rows), pack(columns));
            let (x_halves, z_halves) = (halves(rows), halves(columns));
            let (x_limits, z_limits) = (limits(rows, 0.3), limits(columns, 0.2));
            let mut hits = Vec::new();
            let left = Panels { rows: &x, halves: &x_halves, limits: &x_limits };
            let right = Panels { rows: &z, halves: &z_halves, limits: &z_limits };
            close_pairs(left, right, dims, &mut hits);
            let mut got: Vec<(u32, u32)> = hits.iter().map(|hit| (hit.row, hit.column)).collect();
            got.sort_unstable();
            let mut want = Vec::new();
            for i in 0..rows {
                for j in 0..columns {
                    // Eighths and sixteenths: exact in any order.
                    let dot: f32 =
                        (0..dims).map(|d| value(i, d, rows) * value(j, d, columns)).sum();
                    if dot - z_halves[j] >= x_halves[i] - x_limits[i].max(z_limits[j]) {
                        want.push((i as u32, j as u32));
                    }
                }
            }
            assert_eq!(got, want);
        }
    }
}

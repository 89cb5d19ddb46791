//! Solves with a sparse factor by columns, several right-hand sides side by side.

use super::order::Order;
use gaussfield_core::blocks;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

/// Right-hand sides that one pass over the factor serves. They stand beside each other in memory, so
/// that every entry of the factor is read once for all of them.
const WIDTH: usize = 8;

/// L of P A Pᵀ = L Lᵀ, the diagonal first in each column.
pub(crate) struct Columns<'a> {
    pub(crate) starts: &'a [usize],
    pub(crate) rows: &'a [usize],
    pub(crate) values: &'a [f64],
}

impl Columns<'_> {
    /// A⁻¹ B, blocks of columns in parallel; the same bits for any number of threads.
    pub(crate) fn solve(&self, order: &Order, rhs: ArrayView2<f64>) -> Array2<f64> {
        let ranges = blocks::split(rhs.ncols(), WIDTH);
        let solve = |range: &std::ops::Range<usize>| {
            let mut x = vec![[0.0; WIDTH]; rhs.nrows()];
            for (own, &i) in x.iter_mut().zip(&order.forward) {
                let row = rhs.row(i);
                own.iter_mut().zip(range.clone()).for_each(|(own, column)| *own = row[column]);
            }
            self.forward(&mut x);
            self.backward(&mut x);
            x
        };
        let solved: Vec<Vec<[f64; WIDTH]>> = ranges.par_iter().map(solve).collect();
        let mut solution = Array2::zeros(rhs.dim());
        for (mut row, &at) in solution.rows_mut().into_iter().zip(&order.inverse) {
            let columns = solved.iter().flat_map(|block| &block[at]);
            row.iter_mut().zip(columns).for_each(|(out, &x)| *out = x);
        }
        solution
    }

    /// L⁻¹ x. What is still zero, as before the first entry of a unit vector, is passed over.
    fn forward(&self, x: &mut [[f64; WIDTH]]) {
        for k in 0..x.len() {
            if x[k].iter().all(|&value| value == 0.0) {
                continue;
            }
            let (pivot, rows, values) = self.column(k);
            let own = x[k].map(|value| value / pivot);
            x[k] = own;
            for (&i, &l) in rows.iter().zip(values) {
                x[i].iter_mut().zip(own).for_each(|(target, value)| *target -= l * value);
            }
        }
    }

    /// L⁻ᵀ x.
    fn backward(&self, x: &mut [[f64; WIDTH]]) {
        for k in (0..x.len()).rev() {
            let (pivot, rows, values) = self.column(k);
            let mut own = x[k];
            for (&i, &l) in rows.iter().zip(values) {
                own.iter_mut().zip(x[i]).for_each(|(own, value)| *own -= l * value);
            }
            x[k] = own.map(|value| value / pivot);
        }
    }

    /// The diagonal, and what stands below.
    fn column(&self, k: usize) -> (f64, &[usize], &[f64]) {
        let (start, end) = (self.starts[k], self.starts[k + 1]);
        (self.values[start], &self.rows[start + 1..end], &self.values[start + 1..end])
    }
}

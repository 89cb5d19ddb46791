//! Elimination without subtraction on sparse graphs: the same arithmetic as the dense form, one
//! column of the factor at a time (left-looking), in minimum-degree order.

use super::Factor;
use super::dense_elimination::{lower, raise};
use super::order::Order;
use super::scaling::{PowerOfTwo, mean_inflow, scatter_star, star};
use super::selected_inverse::{Supernodes, selected_diagonal};
use crate::coupling::{SparsePattern, SparseRows};
use crate::{Grounded, LaplacianError};
use gaussfield_core::dense::solve_by_columns;
use ndarray::{Array2, ArrayView2};
use std::sync::Arc;

/// Columns of right-hand sides solved together.
const WIDTH: usize = 4;
/// End of a list.
const NONE: u32 = u32::MAX;

/// The places of the factor: for every node, in order of elimination, its neighbours at that
/// moment. Depends on the pattern alone.
#[derive(Debug)]
pub(crate) struct EliminationPattern {
    order: Arc<Order>,
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl EliminationPattern {
    /// Neighbours of k when its turn comes: its own later neighbours, and those of every node
    /// whose first later neighbour was k (the elimination tree).
    pub(crate) fn new(pattern: &SparsePattern, order: Arc<Order>) -> Self {
        let n = order.forward.len();
        let mut starts = Vec::with_capacity(n + 1);
        let mut rows: Vec<u32> = Vec::with_capacity(order.entries as usize);
        let (mut first_child, mut sibling) = (vec![NONE; n], vec![NONE; n]);
        let mut seen = vec![NONE; n];
        starts.push(0);
        for k in 0..n {
            let start = rows.len();
            let own = pattern.row(order.forward[k]);
            for &j in own {
                let i = order.inverse[j as usize];
                if i > k {
                    seen[i] = k as u32;
                    rows.push(i as u32);
                }
            }
            let mut child = first_child[k];
            while child != NONE {
                for at in starts[child as usize]..starts[child as usize + 1] {
                    let i = rows[at];
                    if i as usize > k && seen[i as usize] != k as u32 {
                        seen[i as usize] = k as u32;
                        rows.push(i);
                    }
                }
                child = sibling[child as usize];
            }
            rows[start..].sort_unstable();
            if let Some(&parent) = rows.get(start) {
                sibling[k] = first_child[parent as usize];
                first_child[parent as usize] = k as u32;
            }
            starts.push(rows.len());
        }
        Self { order, starts, rows }
    }

    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.starts[k]..self.starts[k + 1]
    }
}

/// Weights and pivots at the moment of elimination, scaled by a power of two.
#[derive(Debug)]
pub(crate) struct SparseElimination {
    pattern: Arc<EliminationPattern>,
    weights: Vec<f64>,
    pivots: Vec<f64>,
    scale: PowerOfTwo,
}

impl SparseElimination {
    /// `None` where a pivot underflows.
    pub(crate) fn factorise(
        system: &Grounded,
        coupling: &SparseRows,
        pattern: Arc<EliminationPattern>,
        mut weights: Vec<f64>,
    ) -> Option<Self> {
        let n = system.len();
        let Order { forward, inverse, .. } = &*pattern.order;
        let largest = system.diagonal_slice().iter().copied().fold(0.0, f64::max);
        let scale = PowerOfTwo::raising(largest);
        weights.clear();
        weights.resize(pattern.rows.len(), 0.0);
        let (mut pivots, mut excess) = (vec![0.0; n], vec![0.0; n]);
        // Column j waits in the list of its next row, at which `cursor` points.
        let (mut waiting, mut link) = (vec![NONE; n], vec![NONE; n]);
        let mut cursor = vec![0; n];
        let mut work = vec![0.0; n];
        for k in 0..n {
            let (own, own_weights) = coupling.row(forward[k]);
            for (&j, &weight) in own.iter().zip(own_weights) {
                let i = inverse[j as usize];
                if i > k {
                    work[i] = scale.times(weight);
                }
            }
            let mut e = scale.times(system.excess()[forward[k]]);
            let mut next = waiting[k];
            while next != NONE {
                let j = next as usize;
                next = link[j];
                let (at, end) = (cursor[j], pattern.starts[j + 1]);
                let (weight, pivot) = (weights[at], pivots[j]);
                e += star(weight, excess[j], pivot);
                scatter_star(
                    &mut work,
                    &pattern.rows[at + 1..end],
                    &weights[at + 1..end],
                    weight,
                    pivot,
                );
                if at + 1 < end {
                    wait(j, at + 1, &pattern.rows, &mut cursor, &mut waiting, &mut link);
                }
            }
            let range = pattern.range(k);
            for (target, &i) in weights[range.clone()].iter_mut().zip(&pattern.rows[range.clone()])
            {
                *target = std::mem::take(&mut work[i as usize]);
            }
            excess[k] = e;
            pivots[k] = e + weights[range.clone()].iter().sum::<f64>();
            if !pivots[k].is_normal() {
                return None;
            }
            if !range.is_empty() {
                wait(k, range.start, &pattern.rows, &mut cursor, &mut waiting, &mut link);
            }
        }
        Some(Self { pattern, weights, pivots, scale })
    }
}

impl Factor for SparseElimination {
    fn solve(&self, rhs: ArrayView2<f64>) -> Result<Array2<f64>, LaplacianError> {
        let n = self.pivots.len();
        let Order { forward, inverse, .. } = &*self.pattern.order;
        Ok(solve_by_columns(rhs, WIDTH, |block, _| {
            for column in block.chunks_exact_mut(n) {
                let mut x: Vec<f64> = forward.iter().map(|&i| column[i]).collect();
                let scale = raise(&mut x, self.scale);
                for k in 0..n {
                    let range = self.pattern.range(k);
                    let (rows, weights) = (&self.pattern.rows[range.clone()], &self.weights[range]);
                    let (b, pivot) = (x[k], self.pivots[k]);
                    scatter_star(&mut x, rows, weights, b, pivot);
                }
                for k in (0..n).rev() {
                    let range = self.pattern.range(k);
                    let rows = &self.pattern.rows[range.clone()];
                    let reached = rows.iter().map(|&i| &x[i as usize]);
                    let inflow = self.weights[range].iter().zip(reached);
                    x[k] = mean_inflow(x[k], inflow, self.pivots[k]);
                }
                lower(&mut x, self.scale, scale);
                for (value, &at) in column.iter_mut().zip(inverse) {
                    *value = x[at];
                }
            }
        }))
    }

    fn log_det(&self) -> f64 {
        self.pivots.iter().map(|&p| self.scale.ln_unscaled(p)).sum()
    }

    /// The diagonal of A⁻¹ by a selected inverse, also without subtraction.
    fn inverse_diagonal(&self) -> Option<Vec<f64>> {
        let mut supernodes = Supernodes::with_columns(self.pivots.len());
        for k in 0..self.pivots.len() {
            supernodes.push(1, self.pattern.rows[self.pattern.range(k)].iter().copied());
        }
        let diagonal = selected_diagonal(&supernodes, |k, pivot| {
            pivot.inverse[0] = self.scale.times(1.0 / self.pivots[k]);
            for (ratio, a) in pivot.ratios.iter_mut().zip(&self.weights[self.pattern.range(k)]) {
                *ratio = -a / self.pivots[k];
            }
        });
        Some(self.pattern.order.inverse.iter().map(|&at| diagonal[at]).collect())
    }

    fn into_buffer(self: Box<Self>) -> Vec<f64> {
        self.weights
    }
}

/// Puts column j into the list of the row at which its entry `at` stands.
fn wait(
    j: usize,
    at: usize,
    rows: &[u32],
    cursor: &mut [usize],
    waiting: &mut [u32],
    link: &mut [u32],
) {
    let row = rows[at] as usize;
    cursor[j] = at;
    link[j] = waiting[row];
    waiting[row] = j as u32;
}

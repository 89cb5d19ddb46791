//! Elimination without subtraction, dense and blocked.
//!
//! State: weights aᵢⱼ ≥ 0 and excess eᵢ ≥ 0 of the nodes still there. Eliminating node k with
//! pivot p = eₖ + Σⱼ aₖⱼ turns its star into a mesh:
//! aᵢⱼ += aᵢₖ aₖⱼ / p, eᵢ += aᵢₖ eₖ / p. Nothing is ever subtracted, so every number keeps its
//! relative accuracy whatever the order of nodes (Grassmann, Taksar, Heyman 1985; for M-matrices
//! Alfa, Xue, Ye 2002). The natural order is as good as any for a full matrix.

use super::Factor;
use super::scaling::{PowerOfTwo, add_star, mean_inflow, products_are_safe, star};
use crate::coupling::Coupling;
use crate::{Grounded, LaplacianError};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use gaussfield_core::Budget;
use gaussfield_core::dense::solve_by_columns;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

/// Nodes eliminated before the rest of the matrix is touched.
const PANEL: usize = 64;
/// Rows of the rest that one task updates.
const TILE: usize = 64;
/// Columns of right-hand sides solved together.
const WIDTH: usize = 4;

/// Row k holds the weights aₖⱼ, j > k, at the moment k was eliminated; scaled by a power of two.
#[derive(Debug)]
pub(crate) struct DenseElimination {
    n: usize,
    weights: Vec<f64>,
    pivots: Vec<f64>,
    scale: PowerOfTwo,
}

impl DenseElimination {
    /// Eliminates in `buffer` (of any length; its memory is reused). `None` where a pivot
    /// underflows.
    pub(crate) fn factorise(
        system: &Grounded,
        budget: Budget,
        mut buffer: Vec<f64>,
    ) -> Result<Option<Self>, LaplacianError> {
        let n = system.len();
        budget.matrix("the dense system", n, n)?;
        let largest = system.diagonal_slice().iter().copied().fold(0.0, f64::max);
        let scale = PowerOfTwo::raising(largest);
        buffer.clear();
        buffer.resize(n * n, 0.0);
        buffer.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| match system.coupling() {
            Coupling::Dense(a) => {
                for (target, &weight) in row.iter_mut().zip(a.row(i)) {
                    *target = scale.times(weight);
                }
            }
            Coupling::Sparse(a) => {
                let (columns, weights) = a.row(i);
                for (&j, &weight) in columns.iter().zip(weights) {
                    row[j as usize] = scale.times(weight);
                }
            }
        });
        let mut excess: Vec<f64> = system.excess().iter().map(|&e| scale.times(e)).collect();
        let mut pivots = vec![0.0; n];
        for start in (0..n).step_by(PANEL) {
            let end = n.min(start + PANEL);
            let (done, rest) = buffer.split_at_mut(end * n);
            let panel = &mut done[start * n..];
            if !eliminate_panel(panel, n, start, &mut excess, &mut pivots) {
                return Ok(None);
            }
            update_rest(panel, rest, n, start, &mut excess, &pivots[start..end]);
        }
        Ok(Some(Self { n, weights: buffer, pivots, scale }))
    }
}

impl Factor for DenseElimination {
    fn solve(&self, rhs: ArrayView2<f64>) -> Result<Array2<f64>, LaplacianError> {
        let n = self.n;
        Ok(solve_by_columns(rhs, WIDTH, |block, _| {
            let scales: Vec<PowerOfTwo> =
                block.chunks_exact_mut(n).map(|column| raise(column, self.scale)).collect();
            for (k, row) in self.weights.chunks_exact(n).enumerate() {
                for column in block.chunks_exact_mut(n) {
                    let (head, tail) = column.split_at_mut(k + 1);
                    add_star(tail, &row[k + 1..], head[k], self.pivots[k]);
                }
            }
            for (k, row) in self.weights.chunks_exact(n).enumerate().rev() {
                for column in block.chunks_exact_mut(n) {
                    let (head, tail) = column.split_at_mut(k + 1);
                    head[k] = mean_inflow(head[k], row[k + 1..].iter().zip(&*tail), self.pivots[k]);
                }
            }
            for (column, &scale) in block.chunks_exact_mut(n).zip(&scales) {
                lower(column, self.scale, scale);
            }
        }))
    }

    fn log_det(&self) -> f64 {
        self.pivots.iter().map(|&p| self.scale.ln_unscaled(p)).sum()
    }

    fn into_buffer(self: Box<Self>) -> Vec<f64> {
        self.weights
    }
}

/// Scales a right-hand side as the matrix was scaled, or less where it would overflow.
pub(super) fn raise(column: &mut [f64], scale: PowerOfTwo) -> PowerOfTwo {
    let largest = column.iter().fold(0.0, |largest: f64, b| largest.max(b.abs()));
    let scale = scale.capped(largest);
    column.iter_mut().for_each(|b| *b = scale.times(*b));
    scale
}

/// Undoes the scaling of a solution: matrix by `matrix`, right-hand side by `rhs`.
pub(super) fn lower(column: &mut [f64], matrix: PowerOfTwo, rhs: PowerOfTwo) {
    let back = matrix.over(rhs);
    column.iter_mut().for_each(|x| *x = back.times(*x));
}

/// Finishes the rows of one panel (nodes `start`…): each receives the stars of those before it.
/// False where a pivot underflows.
fn eliminate_panel(
    panel: &mut [f64],
    n: usize,
    start: usize,
    excess: &mut [f64],
    pivots: &mut [f64],
) -> bool {
    for at in 0..panel.len() / n {
        let k = start + at;
        let (before, rest) = panel.split_at_mut(at * n);
        let row = &mut rest[..n];
        for (q, source) in before.chunks_exact(n).enumerate() {
            let (weight, pivot) = (source[k], pivots[start + q]);
            add_star(&mut row[k + 1..], &source[k + 1..], weight, pivot);
            excess[k] += star(weight, excess[start + q], pivot);
        }
        pivots[k] = excess[k] + row[k + 1..].iter().sum::<f64>();
        if !pivots[k].is_normal() {
            return false;
        }
    }
    true
}

/// Adds the meshes of a panel's nodes to the rows after it: aᵢⱼ += Σₖ (aₖᵢ/pₖ) aₖⱼ, a matrix
/// product of non-negative numbers. Only entries j > i are ever read.
fn update_rest(
    panel: &[f64],
    rest: &mut [f64],
    n: usize,
    start: usize,
    excess: &mut [f64],
    pivots: &[f64],
) {
    let end = start + pivots.len();
    let safe = panel_is_safe(panel, n, end, pivots);
    let (done, waiting) = excess.split_at_mut(end);
    let panel_excess = &done[start..];
    rest.par_chunks_mut(TILE * n).zip(waiting.par_chunks_mut(TILE)).enumerate().for_each(
        |(tile, (rows, excess))| {
            let first = end + tile * TILE;
            let count = excess.len();
            for (k, row) in panel.chunks_exact(n).enumerate() {
                for (e, &weight) in excess.iter_mut().zip(&row[first..]) {
                    *e += star(weight, panel_excess[k], pivots[k]);
                }
            }
            if safe {
                let ratios: Vec<f64> = panel
                    .chunks_exact(n)
                    .zip(pivots)
                    .flat_map(|(row, &p)| row[first..first + count].iter().map(move |a| a / p))
                    .collect();
                let (depth, width) = (pivots.len(), n - first);
                // A row-major view, spelt as the transpose of a column-major one: faer 0.24.4 swaps
                // the strides of the former.
                let target = &mut rows[first..];
                matmul(
                    MatMut::from_column_major_slice_with_stride_mut(target, width, count, n)
                        .transpose_mut(),
                    Accum::Add,
                    MatRef::from_row_major_slice(&ratios, depth, count).transpose(),
                    MatRef::from_row_major_slice_with_stride(&panel[first..], depth, width, n),
                    1.0,
                    Par::Seq,
                );
            } else {
                for (at, row) in rows.chunks_exact_mut(n).enumerate() {
                    let i = first + at;
                    for (source, &p) in panel.chunks_exact(n).zip(pivots) {
                        add_star(&mut row[i + 1..], &source[i + 1..], source[i], p);
                    }
                }
            }
        },
    );
}

/// Whether the plain product loses nothing to underflow on this panel.
fn panel_is_safe(panel: &[f64], n: usize, end: usize, pivots: &[f64]) -> bool {
    let smallest = |values: &mut dyn Iterator<Item = f64>| {
        values.filter(|&a| a > 0.0).fold(f64::INFINITY, f64::min)
    };
    panel.chunks_exact(n).zip(pivots).all(|(row, &p)| {
        let weight = smallest(&mut row[end..].iter().copied());
        weight.is_infinite() || products_are_safe(weight / p, weight)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gaussfield_graph::Graph;
    use ndarray::{Array2, array};

    /// A path held at both ends by weights from 1e-300 to 1e300: currents in series have a closed
    /// form, x = resistance from the far end / total resistance.
    #[test]
    fn a_path_with_any_weights_is_exact_in_every_entry() {
        let cases = [
            vec![1e-300, 1.0, 1e300, 1e-12, 1e-17, 1e150],
            vec![1.0, 1e-17, 1.0, 1.0, 1e-30],
            vec![1e300, 1e-300, 1e300],
            (0..200).map(|i| 10f64.powi((i * 37) % 500 - 250)).collect(),
        ];
        for weights in cases {
            let nodes = weights.len() + 1;
            let edges = weights.iter().enumerate().map(|(i, &w)| (i, i + 1, w));
            let graph = Graph::from_edges(nodes, edges).unwrap();
            let inner: Vec<usize> = (1..nodes - 1).collect();
            let mut excess = vec![0.0; inner.len()];
            excess[0] += weights[0];
            *excess.last_mut().unwrap() += weights[nodes - 2];
            let system = Grounded::new(&graph, &inner, 1.0, excess).unwrap();
            let done = DenseElimination::factorise(&system, Budget::default(), Vec::new());
            let mut rhs = Array2::zeros((inner.len(), 1));
            rhs[[0, 0]] = weights[0];
            let x = done.unwrap().unwrap().solve(rhs.view()).unwrap();
            // Resistances relative to the largest, so that they add up without overflow.
            let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
            let resistance: Vec<f64> = weights.iter().map(|w| least / w).collect();
            let total: f64 = resistance.iter().sum();
            for i in 1..nodes - 1 {
                let expected = resistance[i..].iter().sum::<f64>() / total;
                let got = x[[i - 1, 0]];
                assert!((got - expected).abs() <= 1e-13 * expected, "{i}: {got} {expected}");
            }
        }
    }

    #[test]
    fn the_determinant_of_a_small_system_is_known() {
        let graph = Graph::from_edges(2, [(0, 1, 3.0)]).unwrap();
        let system = Grounded::new(&graph, &[0, 1], 1.0, vec![1.0, 2.0]).unwrap();
        let done = DenseElimination::factorise(&system, Budget::default(), Vec::new());
        let done = done.unwrap().unwrap();
        // |4 −3; −3 5| = 11.
        assert!((done.log_det() - 11f64.ln()).abs() < 1e-15 * 11.0);
        let x = done.solve(array![[1.0, -1.0], [0.0, 4.0]].view()).unwrap();
        let expected = array![[5.0 / 11.0, 7.0 / 11.0], [3.0 / 11.0, 13.0 / 11.0]];
        assert!((&x - &expected).iter().all(|d| d.abs() < 1e-15));
    }
}

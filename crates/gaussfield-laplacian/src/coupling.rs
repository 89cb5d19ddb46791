//! Off-diagonal weights of a system, and the one product every solver shares.

use crate::boundary::Selection;
use gaussfield_graph::{Graph, Weights};
use ndarray::Array2;
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows given to one task: fixed, so that work is cut alike for any number of threads.
const ROWS_PER_TASK: usize = 256;

/// Compressed sparse rows with sorted 32-bit columns. Stored zeros keep their place in the
/// pattern, so that a symbolic analysis survives weights that underflow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SparseRows {
    pub(crate) starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) weights: Vec<f64>,
}

impl SparseRows {
    pub(crate) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.weights[range])
    }
}

/// aᵢⱼ = s·wᵢⱼ between the nodes of a system: symmetric, non-negative, no diagonal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Coupling {
    Dense(Array2<f64>),
    Sparse(SparseRows),
}

impl Coupling {
    /// Weights between the chosen nodes, times `scale`, stored as the graph stores them.
    pub(crate) fn new(graph: &Graph, chosen: &[usize], selection: &Selection, scale: f64) -> Self {
        let n = chosen.len();
        match graph.weights() {
            Weights::Dense(w) => {
                let mut block = Array2::zeros((n, n));
                if let (Some(block), true) = (block.as_slice_mut(), n > 0) {
                    block.par_chunks_mut(n).zip(chosen).for_each(|(row, &i)| {
                        let source = w.row(i);
                        for (a, &j) in row.iter_mut().zip(chosen) {
                            *a = scale * source[j];
                        }
                    });
                }
                Self::Dense(block)
            }
            Weights::Sparse(w) => {
                let rows: Vec<Vec<(u32, f64)>> = chosen
                    .par_iter()
                    .map(|&i| {
                        let mut row: Vec<(u32, f64)> = w
                            .indptr()
                            .outer_inds_sz(i)
                            .filter_map(|at| {
                                let column = selection.position(w.indices()[at] as usize)?;
                                Some((column, scale * w.data()[at]))
                            })
                            .collect();
                        row.sort_unstable_by_key(|entry| entry.0);
                        row
                    })
                    .collect();
                let mut starts = Vec::with_capacity(n + 1);
                starts.push(0);
                for row in &rows {
                    starts.push(starts[starts.len() - 1] + row.len());
                }
                let (columns, weights) = rows.into_iter().flatten().unzip();
                Self::Sparse(SparseRows { starts, columns, weights })
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Dense(a) => a.nrows(),
            Self::Sparse(a) => a.starts.len() - 1,
        }
    }

    /// Stored numbers, both triangles.
    pub(crate) fn stored(&self) -> usize {
        match self {
            Self::Dense(a) => a.len(),
            Self::Sparse(a) => a.columns.len(),
        }
    }

    /// Calls `visit(j, a_ij)` for every positive aᵢⱼ, in increasing order of j.
    pub(crate) fn for_each(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(a) => {
                for (j, &weight) in a.row(i).iter().enumerate() {
                    if weight > 0.0 {
                        visit(j, weight);
                    }
                }
            }
            Self::Sparse(a) => {
                let (columns, weights) = a.row(i);
                for (&j, &weight) in columns.iter().zip(weights) {
                    if weight > 0.0 {
                        visit(j as usize, weight);
                    }
                }
            }
        }
    }

    /// The rows in sparse form; of a dense matrix all pairs, so that the pattern does not depend
    /// on the numbers.
    pub(crate) fn sparse(&self) -> Cow<'_, SparseRows> {
        match self {
            Self::Sparse(a) => Cow::Borrowed(a),
            Self::Dense(a) => {
                let n = a.nrows();
                let pairs = || a.indexed_iter().filter(|&((i, j), _)| i != j);
                Cow::Owned(SparseRows {
                    starts: (0..=n).map(|i| i * n.saturating_sub(1)).collect(),
                    columns: pairs().map(|((_, j), _)| j as u32).collect(),
                    weights: pairs().map(|(_, &weight)| weight).collect(),
                })
            }
        }
    }

    /// Σⱼ aᵢⱼ for every row.
    pub(crate) fn row_sums(&self) -> Vec<f64> {
        let sum = |i: usize| {
            let mut sum = 0.0;
            self.for_each(i, |_, weight| sum += weight);
            sum
        };
        (0..self.len()).into_par_iter().with_min_len(ROWS_PER_TASK).map(sum).collect()
    }

    /// Whether the entries stand in the same places (the numbers may differ).
    pub(crate) fn same_pattern(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dense(a), Self::Dense(b)) => a.dim() == b.dim(),
            (Self::Sparse(a), Self::Sparse(b)) => a.starts == b.starts && a.columns == b.columns,
            _ => false,
        }
    }

    /// y = A x with yᵢ = Σⱼ aᵢⱼ (xᵢ − xⱼ) + eᵢ xᵢ, for `columns` columns in one pass over the
    /// matrix; x and y are row-major.
    ///
    /// Differences first: where x is nearly constant this keeps the digits that
    /// (Σⱼ aᵢⱼ + eᵢ) xᵢ − Σⱼ aᵢⱼ xⱼ would cancel away, and the flow i → j is exactly minus the
    /// flow j → i.
    pub(crate) fn apply(&self, excess: &[f64], x: &[f64], y: &mut [f64], columns: usize) {
        if columns == 0 {
            return;
        }
        y.par_chunks_mut(ROWS_PER_TASK * columns).enumerate().for_each(|(task, rows)| {
            for (at, y) in rows.chunks_exact_mut(columns).enumerate() {
                let i = task * ROWS_PER_TASK + at;
                let mut from = 0;
                while from < columns {
                    let target = &mut y[from..];
                    // Strips of a width known to the compiler: their sums stay in registers, and
                    // the row of the matrix in the nearest cache.
                    from += match columns - from {
                        1 => self.strip::<1>(i, excess[i], x, columns, from, target),
                        2 => self.strip::<2>(i, excess[i], x, columns, from, target),
                        3 => self.strip::<3>(i, excess[i], x, columns, from, target),
                        4..8 => self.strip::<4>(i, excess[i], x, columns, from, target),
                        _ => self.strip::<8>(i, excess[i], x, columns, from, target),
                    };
                }
            }
        });
    }

    /// Columns `from`… of one row of the product, C of them; returns C.
    fn strip<const C: usize>(
        &self,
        i: usize,
        excess: f64,
        x: &[f64],
        columns: usize,
        from: usize,
        y: &mut [f64],
    ) -> usize {
        let values = |j: usize| -> [f64; C] {
            let row = &x[j * columns + from..j * columns + from + C];
            std::array::from_fn(|c| row[c])
        };
        let own = values(i);
        let mut sum = own.map(|own| excess * own);
        let mut add = |j: usize, weight: f64| {
            let other = values(j);
            for c in 0..C {
                sum[c] += weight * (own[c] - other[c]);
            }
        };
        match self {
            Self::Dense(a) => a.row(i).iter().enumerate().for_each(|(j, &weight)| add(j, weight)),
            Self::Sparse(a) => {
                let (neighbours, weights) = a.row(i);
                for (&j, &weight) in neighbours.iter().zip(weights) {
                    add(j as usize, weight);
                }
            }
        }
        y[..C].copy_from_slice(&sum);
        C
    }
}

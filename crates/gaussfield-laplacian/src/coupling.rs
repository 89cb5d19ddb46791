//! Off-diagonal weights of a system, and the one product every solver shares.

use ndarray::Array2;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// Rows given to one task: fixed, so that work is cut alike for any number of threads.
const ROWS_PER_TASK: usize = 256;
/// Stored weights looked at by one task.
const ENTRIES_PER_TASK: usize = 1 << 16;

/// Compressed sparse rows with sorted 32-bit columns, without their weights.
#[derive(Debug, PartialEq)]
pub(crate) struct SparsePattern {
    pub(crate) starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
}

impl SparsePattern {
    pub(crate) fn row(&self, i: usize) -> &[u32] {
        &self.columns[self.starts[i]..self.starts[i + 1]]
    }
}

/// Weights in the places of a pattern. Stored zeros keep their place, so that a symbolic analysis
/// survives weights that underflow.
#[derive(Debug, Clone)]
pub(crate) struct SparseRows {
    pub(crate) pattern: Arc<SparsePattern>,
    pub(crate) weights: Vec<f64>,
}

impl SparseRows {
    pub(crate) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.pattern.starts[i]..self.pattern.starts[i + 1];
        (&self.pattern.columns[range.clone()], &self.weights[range])
    }
}

/// aᵢⱼ = s·wᵢⱼ between the nodes of a system: symmetric, non-negative, no diagonal.
#[derive(Debug)]
pub(crate) enum Coupling {
    Dense(Array2<f64>),
    Sparse(SparseRows),
}

impl Coupling {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Dense(a) => a.nrows(),
            Self::Sparse(a) => a.pattern.starts.len() - 1,
        }
    }

    /// Stored numbers, both triangles.
    pub(crate) fn stored(&self) -> usize {
        match self {
            Self::Dense(a) => a.len(),
            Self::Sparse(a) => a.weights.len(),
        }
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Dense(a) => 8 * a.len(),
            Self::Sparse(a) => 12 * a.weights.len() + 8 * a.pattern.starts.len(),
        };
        bytes as u64
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
                let pattern = Arc::new(SparsePattern {
                    starts: (0..=n).map(|i| i * n.saturating_sub(1)).collect(),
                    columns: pairs().map(|((_, j), _)| j as u32).collect(),
                });
                let weights = pairs().map(|(_, &weight)| weight).collect();
                Cow::Owned(SparseRows { pattern, weights })
            }
        }
    }

    /// Σⱼ aᵢⱼ + eᵢ for every row.
    pub(crate) fn row_sums(&self, excess: &[f64]) -> Vec<f64> {
        let sum = |i: usize| {
            let mut sum = 0.0;
            self.for_each(i, |_, weight| sum += weight);
            sum + excess[i]
        };
        (0..self.len()).into_par_iter().with_min_len(ROWS_PER_TASK).map(sum).collect()
    }

    /// Whether every pair that has a place is linked.
    pub(crate) fn all_positive(&self) -> bool {
        match self {
            Self::Sparse(a) => {
                a.weights.par_iter().with_min_len(ENTRIES_PER_TASK).all(|&w| w > 0.0)
            }
            Self::Dense(a) => (0..a.nrows()).into_par_iter().all(|i| {
                let row = a.row(i);
                row.iter().enumerate().all(|(j, &w)| w > 0.0 || i == j)
            }),
        }
    }

    /// Gives the memory back for the next system.
    pub(crate) fn into_buffer(self) -> Vec<f64> {
        match self {
            Self::Dense(a) => a.into_raw_vec_and_offset().0,
            Self::Sparse(a) => a.weights,
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
        y[..C].copy_from_slice(&self.flow(i, excess, values));
        C
    }

    /// Σⱼ aᵢⱼ (xᵢ − xⱼ) + eᵢ xᵢ for C columns of x.
    #[inline(always)]
    pub(crate) fn flow<const C: usize>(
        &self,
        i: usize,
        excess: f64,
        values: impl Fn(usize) -> [f64; C],
    ) -> [f64; C] {
        match self {
            Self::Dense(a) => flow(i, excess, a.row(i).iter().copied().enumerate(), values),
            Self::Sparse(a) => {
                let (neighbours, weights) = a.row(i);
                let neighbours = neighbours.iter().map(|&j| j as usize);
                flow(i, excess, neighbours.zip(weights.iter().copied()), values)
            }
        }
    }
}

#[inline(always)]
fn flow<const C: usize>(
    i: usize,
    excess: f64,
    neighbours: impl Iterator<Item = (usize, f64)>,
    values: impl Fn(usize) -> [f64; C],
) -> [f64; C] {
    let own = values(i);
    let mut sum = own.map(|own| excess * own);
    for (j, weight) in neighbours {
        let other = values(j);
        for c in 0..C {
            sum[c] += weight * (own[c] - other[c]);
        }
    }
    sum
}

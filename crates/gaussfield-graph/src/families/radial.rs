//! What the families that see a pair only through its distance share.

use super::check_belongs;
use crate::gradient::LowerRows;
use crate::{Distances, EdgeGradient, Graph, GraphError, Pattern, SparseWeights, Weights};
use gaussfield_core::blocks::split;
use gaussfield_core::exponential::exp_all;
use gaussfield_core::{Budget, OverBudget};
use gaussfield_points::pairs::{BLOCK, symmetric};
use ndarray::{ArrayViewMut2, s};
use rayon::prelude::*;
use std::ops::Range;

/// The graph with weights exp(`exponent(i, j, d_ij)`), a function that is symmetric in i and j and
/// never positive.
pub(super) fn exponential(
    pattern: &Pattern,
    budget: Budget,
    exponent: impl Fn(usize, usize, f64) -> f64 + Sync,
) -> Result<Graph, GraphError> {
    graph(pattern, budget, exponent, exp_all)
}

/// The graph with weights `weight(i, j, d_ij)`, a function that is symmetric in i and j, after
/// `finish` has gone over each row of them.
pub(super) fn graph(
    pattern: &Pattern,
    budget: Budget,
    weight: impl Fn(usize, usize, f64) -> f64 + Sync,
    finish: impl Fn(&mut [f64]) + Sync,
) -> Result<Graph, GraphError> {
    let (distances, rest) = pattern.take_distances(budget)?;
    let weights = match distances {
        Distances::Complete(distances) => {
            rest.matrix("the weights of a complete graph", pattern.nodes(), pattern.nodes())?;
            let fill = |rows: Range<usize>, mut out: ArrayViewMut2<'_, f64>| {
                for (i, mut row) in rows.zip(out.rows_mut()) {
                    let row = &mut row.as_slice_mut().unwrap_or_default()[..i];
                    let distances = distances.row(i);
                    for (j, (out, &d)) in row.iter_mut().zip(distances).enumerate() {
                        *out = weight(i, j, d);
                    }
                    finish(row);
                }
                Ok::<(), GraphError>(())
            };
            Weights::Dense(symmetric(pattern.nodes(), fill)?)
        }
        Distances::Sparse(distances) => {
            take_sparse(distances, rest)?;
            let mut weights = distances.clone();
            let (_, indices, _) = distances.view().into_raw_storage();
            let rows = rows_mut(distances.indptr().raw_storage(), weights.data_mut());
            rows.into_par_iter().for_each(|(i, start, row)| {
                for (at, entry) in row.iter_mut().enumerate() {
                    *entry = weight(i, indices[start + at] as usize, *entry);
                }
                finish(row);
            });
            Weights::Sparse(weights)
        }
    };
    Ok(Graph::trusted(weights))
}

/// Takes weights with the structure of a pattern.
pub(super) fn take_sparse(pattern: &SparseWeights, budget: Budget) -> Result<Budget, OverBudget> {
    let bytes = 12 * pattern.nnz() as u64 + 8 * pattern.rows() as u64;
    budget.take("the weights of a sparse graph", bytes)
}

/// The rows of a compressed matrix as (row, start, values).
pub(super) fn rows_mut<'a>(
    indptr: &[usize],
    data: &'a mut [f64],
) -> Vec<(usize, usize, &'a mut [f64])> {
    let mut rest = data;
    let mut rows = Vec::with_capacity(indptr.len().saturating_sub(1));
    for (i, bounds) in indptr.windows(2).enumerate() {
        let (row, after) = rest.split_at_mut(bounds[1] - bounds[0]);
        rows.push((i, bounds[0], row));
        rest = after;
    }
    rows
}

/// Σ over edges of gᵢⱼ · `slope(i, j, d_ij, w_ij)`, for P hyperparameters at once.
///
/// Edges of weight zero are skipped: an underflowed weight has no slope left.
pub(super) fn pullback<const P: usize>(
    pattern: &Pattern,
    graph: &Graph,
    gradient: &EdgeGradient,
    slope: impl Fn(usize, usize, f64, f64) -> [f64; P] + Sync,
) -> Result<Vec<f64>, GraphError> {
    check_belongs(pattern, graph, gradient)?;
    let add = |sums: &mut [f64; P], g: f64, slopes: [f64; P]| {
        for (sum, slope) in sums.iter_mut().zip(slopes) {
            *sum += g * slope;
        }
    };
    let budget = Budget { bytes: u64::MAX }; // the graph of this size exists already
    let parts: Vec<[f64; P]> = match (pattern.distances(budget)?, graph.weights()) {
        (Distances::Complete(distances), Weights::Dense(weights)) => {
            let lower = LowerRows::new(gradient);
            let sum_block = |rows: Range<usize>| {
                let (mut sums, block) = ([0.0; P], lower.block(rows.clone()));
                for (i, g) in rows.zip(block.rows()) {
                    let (d, w) = (distances.slice(s![i, ..i]), weights.slice(s![i, ..i]));
                    for (j, ((&g, &d), &w)) in g.iter().zip(d).zip(w).enumerate() {
                        if w > 0.0 {
                            add(&mut sums, g, slope(i, j, d, w));
                        }
                    }
                }
                sums
            };
            split(pattern.nodes(), BLOCK).into_par_iter().map(sum_block).collect()
        }
        (Distances::Sparse(distances), Weights::Sparse(weights)) => {
            let sum_block = |rows: Range<usize>| {
                let mut sums = [0.0; P];
                for i in rows {
                    for at in distances.indptr().outer_inds_sz(i) {
                        let (j, w) = (distances.indices()[at] as usize, weights.data()[at]);
                        if j < i && w > 0.0 {
                            add(&mut sums, gradient.at(i, j), slope(i, j, distances.data()[at], w));
                        }
                    }
                }
                sums
            };
            split(pattern.nodes(), BLOCK).into_par_iter().map(sum_block).collect()
        }
        _ => unreachable!("check_belongs compares the storage of pattern and graph"),
    };
    let mut sums = [0.0; P];
    for part in parts {
        add(&mut sums, 1.0, part);
    }
    Ok(sums.to_vec())
}

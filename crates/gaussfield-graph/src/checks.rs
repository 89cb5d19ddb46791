//! The invariant of a graph, checked.

use crate::{GraphError, SparseWeights};
use gaussfield_core::blocks::split;
use ndarray::Array2;

pub(crate) fn check_node_count(nodes: usize) -> Result<(), GraphError> {
    if nodes > u32::MAX as usize {
        return Err(GraphError::TooManyNodes { nodes });
    }
    Ok(())
}

pub(crate) fn check_weight(i: usize, j: usize, weight: f64) -> Result<(), GraphError> {
    if weight.is_finite() && weight >= 0.0 {
        Ok(())
    } else {
        Err(GraphError::BadWeight { i, j, weight })
    }
}

/// Whether two weights are the same number (−0 is 0).
fn same(first: f64, second: f64) -> bool {
    (first + 0.0).to_bits() == (second + 0.0).to_bits()
}

/// Walks each row once, with a cursor in every row for its entries met from the other side.
/// Returns whether every stored entry has a stored partner (a stored zero needs none). O(m).
pub(crate) fn check_sparse_symmetry(weights: &SparseWeights) -> Result<bool, GraphError> {
    let (indptr, indices, data) = weights.view().into_raw_storage();
    let mut cursor: Vec<usize> = indptr[..weights.rows()].to_vec();
    let mut paired = true;
    let mut alone = |i: usize, at: usize| {
        paired = false;
        if data[at] > 0.0 {
            let (j, forward) = (indices[at] as usize, data[at]);
            return Err(GraphError::Asymmetric { i, j, forward, backward: 0.0 });
        }
        Ok(())
    };
    for i in 0..weights.rows() {
        for at in indptr[i]..indptr[i + 1] {
            let j = indices[at] as usize;
            let next = &mut cursor[j];
            // Rows before i have all been walked: what they did not meet has no partner.
            while *next < indptr[j + 1] && (indices[*next] as usize) < i {
                alone(j, *next)?;
                *next += 1;
            }
            if *next == indptr[j + 1] || indices[*next] as usize != i {
                alone(i, at)?;
                continue;
            }
            let (forward, backward) = (data[at], data[*next]);
            *next += 1;
            if !same(forward, backward) {
                return Err(GraphError::Asymmetric { i, j, forward, backward });
            }
        }
    }
    for (j, &next) in cursor.iter().enumerate() {
        for at in next..indptr[j + 1] {
            alone(j, at)?;
        }
    }
    Ok(paired)
}

/// Compares tiles that stay in the cache with their mirror images.
pub(crate) fn check_dense_symmetry(weights: &Array2<f64>) -> Result<(), GraphError> {
    const TILE: usize = 64;
    let n = weights.nrows();
    for rows in split(n, TILE) {
        for columns in split(rows.end, TILE) {
            for i in rows.clone() {
                for j in columns.start..columns.end.min(i) {
                    let (forward, backward) = (weights[[i, j]], weights[[j, i]]);
                    if !same(forward, backward) {
                        return Err(GraphError::Asymmetric { i, j, forward, backward });
                    }
                }
            }
        }
    }
    Ok(())
}

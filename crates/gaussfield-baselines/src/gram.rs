//! Kernel matrices that come from a caller.

use crate::BaselineError;
use crate::training::{labelled, more_than_one_class};
use gaussfield_core::{OutOfRange, SizeMismatch, check};
use gaussfield_labels::Labels;
use ndarray::{Array2, ArrayView2};

/// How far entries may be from symmetric or positive and still count as rounding, as a share of
/// the largest diagonal entry.
const ROUNDING: f64 = 1e-8;

/// The labelled rows and columns of a Gram matrix: all that a supervised method reads.
#[derive(Debug)]
pub(crate) struct LabelledGram {
    /// The labelled nodes, in increasing order.
    pub(crate) nodes: Vec<usize>,
    /// Their l × l matrix: finite and exactly symmetric, row-major.
    pub(crate) matrix: Array2<f64>,
}

impl LabelledGram {
    /// Checks what is read, and nothing else. O(l²).
    pub(crate) fn new(gram: ArrayView2<'_, f64>, labels: &Labels) -> Result<Self, BaselineError> {
        SizeMismatch::check("rows of the Gram matrix", labels.len(), gram.nrows())?;
        SizeMismatch::check("columns of the Gram matrix", labels.len(), gram.ncols())?;
        let nodes = labelled(labels)?;
        more_than_one_class(labels)?;
        let l = nodes.len();
        let mut matrix = Array2::from_shape_fn((l, l), |(i, j)| gram[[nodes[i], nodes[j]]]);
        check_finite("the Gram matrix", matrix.view(), |i| nodes[i], |j| nodes[j])?;
        let scale = matrix.diag().iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        for i in 0..l {
            for j in 0..i {
                let (forward, backward) = (matrix[[i, j]], matrix[[j, i]]);
                let largest = scale.max(forward.abs()).max(backward.abs());
                if (forward - backward).abs() > ROUNDING * largest {
                    let (i, j) = (nodes[i], nodes[j]);
                    return Err(BaselineError::Asymmetric { i, j, forward, backward });
                }
                let mean = 0.5 * forward + 0.5 * backward;
                matrix[[i, j]] = mean;
                matrix[[j, i]] = mean;
            }
        }
        check_positive(&matrix, &nodes, ROUNDING * scale)?;
        Ok(Self { nodes, matrix })
    }
}

/// No inner product gives a negative ⟨x, x⟩ or a negative ‖x − z‖².
fn check_positive(matrix: &Array2<f64>, nodes: &[usize], slack: f64) -> Result<(), BaselineError> {
    for i in 0..nodes.len() {
        if matrix[[i, i]] < -slack {
            let place = format!("the diagonal entry of node {}", nodes[i]);
            return Err(BaselineError::NotPositive { place, value: matrix[[i, i]] });
        }
        for j in 0..i {
            let value = matrix[[i, i]] + matrix[[j, j]] - 2.0 * matrix[[i, j]];
            if value < -slack {
                let place =
                    format!("the squared distance between nodes {} and {}", nodes[j], nodes[i]);
                return Err(BaselineError::NotPositive { place, value });
            }
        }
    }
    Ok(())
}

/// Whether every entry is finite; `row` and `column` name an entry's place for the message.
pub(crate) fn check_finite(
    what: &'static str,
    matrix: ArrayView2<'_, f64>,
    row: impl Fn(usize) -> usize,
    column: impl Fn(usize) -> usize,
) -> Result<(), OutOfRange> {
    match matrix.indexed_iter().find(|(_, value)| !value.is_finite()) {
        Some(((i, j), &value)) => {
            check::finite(format!("entry ({}, {}) of {what}", row(i), column(j)), value)
        }
        None => Ok(()),
    }
}

//! What can go wrong between points and a kernel matrix, with the remedy.

use gaussfield_core::{OutOfRange, OverBudget, shown};
use gaussfield_points::PointsError;
use std::borrow::Cow;

/// What can go wrong between points and a kernel matrix.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Points of different dimensions, or a row past the end.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// A parameter out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// A point without direction under the cosine kernel.
    #[error(
        "{which} {row} has only zeros: it has no direction, so no cosine; remove the row or use \
         another kernel"
    )]
    ZeroRow {
        /// `"point"` for a row of the matrix, `"other point"` for a column.
        which: &'static str,
        /// 0-based row of the points.
        row: usize,
    },
    /// A kernel value is past the largest number.
    #[error(
        "the kernel of point {row} with point {column} is {value}: divide the features by their \
         largest value, or lower the degree", value = shown(*.value)
    )]
    Overflow {
        /// The point that is the row of the matrix.
        row: usize,
        /// The point that is the column of the matrix.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A sensitivity that does not fit the kernel matrix.
    #[error(
        "the sensitivity is {} × {} where the kernel matrix is {} × {}: one entry for each entry \
         of the matrix is needed",
        got.0, got.1, expected.0, expected.1
    )]
    Shape {
        /// Rows and columns of the kernel matrix.
        expected: (usize, usize),
        /// Rows and columns of the sensitivity.
        got: (usize, usize),
    },
    /// A sensitivity that is NaN or infinite.
    #[error(
        "the sensitivity of entry ({row}, {column}) is {value}: it must be finite; look at the \
         objective it comes from", value = shown(*.value)
    )]
    BadSensitivity {
        /// 0-based row.
        row: usize,
        /// 0-based column.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A gradient is past the largest number.
    #[error(
        "the gradient by the {name} is {value}: divide the features by their largest value, or \
         lower the degree", value = shown(*.value)
    )]
    GradientOverflow {
        /// Name of the parameter.
        name: Cow<'static, str>,
        /// The value found.
        value: f64,
    },
}

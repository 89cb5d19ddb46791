//! The argument of the kernel for blocks of pairs of points.

use crate::Kernel;
use crate::difference::squared_distance;
use crate::products::products;
use crate::side::Side;
use ndarray::ArrayViewMut2;
use std::ops::Range;

/// Where ‖x‖² + ‖z‖² − 2xᵀz is below this share of ‖x‖² + ‖z‖², two digits or more have cancelled
/// and the distance is taken from differences instead.
const CANCELLED: f64 = 1e-2;

/// Two sets of points and the kernel between them. Both sides are made for the same kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairs<'a> {
    pub(crate) kernel: Kernel,
    pub(crate) left: &'a Side<'a>,
    pub(crate) right: &'a Side<'a>,
}

impl Pairs<'_> {
    /// Writes the arguments of the left points `rows` (rows of `out`) with the first right points
    /// (as many as `out` has columns).
    pub(crate) fn arguments(self, rows: Range<usize>, mut out: ArrayViewMut2<'_, f64>) {
        products(&self.left.rows, rows.clone(), &self.right.rows, out.view_mut());
        let Kernel::Rbf { width } = self.kernel else { return };
        for (i, mut row) in rows.zip(out.outer_iter_mut()) {
            for (j, entry) in row.iter_mut().enumerate() {
                let norms = self.left.norms[i] + self.right.norms[j];
                let squared = norms - 2.0 * *entry;
                // Also false where a norm has overflowed and the difference is NaN.
                let trusted = norms.is_finite() && squared >= CANCELLED * norms;
                *entry = if trusted {
                    squared
                } else {
                    squared_distance((self.left.points, i), (self.right.points, j), width)
                };
            }
        }
    }

    /// The same for both sides equal, columns up to `rows.end`: what is on and below the diagonal
    /// counts. On the diagonal stands the argument of a point with itself, free of rounding.
    pub(crate) fn lower_arguments(self, rows: Range<usize>, mut out: ArrayViewMut2<'_, f64>) {
        self.arguments(rows.clone(), out.view_mut());
        for (block_row, i) in rows.enumerate() {
            out[[block_row, i]] = self.own_argument(i);
        }
    }

    /// The argument of left point i with itself.
    pub(crate) fn own_argument(self, i: usize) -> f64 {
        match self.kernel {
            Kernel::Rbf { .. } => 0.0,
            Kernel::Cosine => 1.0,
            Kernel::Linear | Kernel::Polynomial { .. } => self.left.norms[i],
        }
    }
}

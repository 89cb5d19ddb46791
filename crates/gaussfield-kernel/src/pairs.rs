//! The argument of the kernel for blocks of pairs of points.

use crate::{Kernel, KernelError};
use gaussfield_points::Points;
use gaussfield_points::pairs::{Scale, Side, cancelled};
use ndarray::ArrayViewMut2;
use std::ops::Range;

/// Two sets of points, or one against itself, and the kernel between them.
#[derive(Debug)]
pub(crate) struct Pairs {
    kernel: Kernel,
    left: Side,
    /// None where the left side is both.
    right: Option<Side>,
}

impl Pairs {
    /// The points against themselves.
    pub(crate) fn alone(kernel: Kernel, points: &Points) -> Result<Self, KernelError> {
        let left = match kernel {
            Kernel::Linear | Kernel::Polynomial { .. } => Side::plain(points),
            Kernel::Cosine => Side::plain(&directions(points, "point")?),
            Kernel::Rbf { width } => Side::alone(points, inverse(width)),
        };
        Ok(Self { kernel, left, right: None })
    }

    /// The points `a` as rows, `b` as columns.
    pub(crate) fn between(kernel: Kernel, a: &Points, b: &Points) -> Result<Self, KernelError> {
        let (left, right) = match kernel {
            Kernel::Linear | Kernel::Polynomial { .. } => (Side::plain(a), Side::plain(b)),
            Kernel::Cosine => {
                let left = directions(a, "point")?;
                (Side::plain(&left), Side::plain(&directions(b, "other point")?))
            }
            Kernel::Rbf { width } => Side::pair(a, b, inverse(width)),
        };
        Ok(Self { kernel, left, right: Some(right) })
    }

    /// Writes the arguments of the left points `rows` (rows of `out`) with the first right points
    /// (as many as `out` has columns). A point with itself has an argument free of rounding.
    pub(crate) fn arguments(&self, rows: Range<usize>, mut out: ArrayViewMut2<'_, f64>) {
        let right = self.right.as_ref().unwrap_or(&self.left);
        match self.kernel {
            Kernel::Rbf { .. } => self.left.squared(rows.clone(), right, out.view_mut(), cancelled),
            _ => self.left.products(rows.clone(), right, out.view_mut()),
        }
        if self.right.is_none() {
            for (block_row, i) in rows.enumerate() {
                out[[block_row, i]] = self.own_argument(i);
            }
        }
    }

    /// The argument of left point i with itself.
    pub(crate) fn own_argument(&self, i: usize) -> f64 {
        match self.kernel {
            Kernel::Rbf { .. } => 0.0,
            Kernel::Cosine => 1.0,
            Kernel::Linear | Kernel::Polynomial { .. } => self.left.norms()[i],
        }
    }
}

fn inverse(width: f64) -> Scale {
    // The reciprocal of a subnormal width would be infinite.
    Scale::All(width.recip().min(f64::MAX))
}

fn directions(points: &Points, which: &'static str) -> Result<Points, KernelError> {
    match points.first_zero_row() {
        Some(row) => Err(KernelError::ZeroRow { which, row }),
        None => Ok(points.unit_rows()),
    }
}

//! One set of points made ready for a kernel.

use crate::{Kernel, KernelError};
use gaussfield_points::{Points, Rows};
use ndarray::{Array1, ArrayView1, Axis};
use std::borrow::Cow;

/// One set of points made ready for a kernel.
#[derive(Debug)]
pub(crate) struct Side<'a> {
    /// The points as given.
    pub(crate) points: &'a Points,
    /// What inner products are taken of: for RBF the rows divided by the width (and, where both
    /// sides are dense, about a common centre), for the cosine the rows at length one.
    pub(crate) rows: Cow<'a, Rows>,
    /// Squared norms of `rows`.
    pub(crate) norms: Vec<f64>,
}

impl<'a> Side<'a> {
    /// The points against themselves.
    pub(crate) fn alone(kernel: Kernel, points: &'a Points) -> Result<Self, KernelError> {
        Self::new(kernel, points, centre_of(points).as_ref(), "point")
    }

    /// Two sets of points in one space.
    pub(crate) fn pair(
        kernel: Kernel,
        left: &'a Points,
        right: &'a Points,
    ) -> Result<(Self, Self), KernelError> {
        let dense = left.as_dense().is_some() && right.as_dense().is_some();
        let centre = if dense { centre_of(right) } else { None };
        Ok((
            Self::new(kernel, left, centre.as_ref(), "point")?,
            Self::new(kernel, right, centre.as_ref(), "other point")?,
        ))
    }

    fn new(
        kernel: Kernel,
        points: &'a Points,
        centre: Option<&Array1<f64>>,
        which: &'static str,
    ) -> Result<Self, KernelError> {
        let rows = match kernel {
            Kernel::Linear | Kernel::Polynomial { .. } => Cow::Borrowed(points.rows()),
            Kernel::Cosine => Cow::Owned(at_length_one(points, which)?),
            Kernel::Rbf { width } => Cow::Owned(match (points.rows(), centre) {
                (Rows::Dense(rows), Some(centre)) => Rows::Dense((rows - centre) / width),
                (Rows::Dense(rows), None) => Rows::Dense(rows / width),
                (Rows::Sparse(rows), _) => Rows::Sparse(rows.map(|x| x / width)),
            }),
        };
        let norms = match &*rows {
            Rows::Dense(rows) => rows.outer_iter().map(|row| sum_of_squares(row.iter())).collect(),
            Rows::Sparse(rows) => {
                rows.outer_iterator().map(|row| sum_of_squares(row.data().iter())).collect()
            }
        };
        Ok(Self { points, rows, norms })
    }

    pub(crate) fn len(&self) -> usize {
        self.norms.len()
    }
}

/// The mean of dense rows: products about it cancel less than products about the origin.
fn centre_of(points: &Points) -> Option<Array1<f64>> {
    let rows = points.as_dense()?;
    let count = rows.nrows().max(1) as f64;
    Some(rows.map_axis(Axis(0), |column: ArrayView1<'_, f64>| {
        column.iter().map(|x| x / count).sum::<f64>()
    }))
}

fn sum_of_squares<'x>(row: impl Iterator<Item = &'x f64>) -> f64 {
    row.map(|x| x * x).sum()
}

fn at_length_one(points: &Points, which: &'static str) -> Result<Rows, KernelError> {
    let mut rows = points.rows().clone();
    match &mut rows {
        Rows::Dense(rows) => {
            for (row, mut values) in rows.outer_iter_mut().enumerate() {
                let scaled = normalised(values.iter().copied());
                let scaled = scaled.ok_or(KernelError::ZeroRow { which, row })?;
                values.iter_mut().zip(scaled).for_each(|(value, scaled)| *value = scaled);
            }
        }
        Rows::Sparse(rows) => {
            for row in 0..rows.rows() {
                let range = rows.indptr().outer_inds_sz(row);
                let values = &mut rows.data_mut()[range];
                let scaled = normalised(values.iter().copied());
                values.copy_from_slice(&scaled.ok_or(KernelError::ZeroRow { which, row })?);
            }
        }
    }
    Ok(rows)
}

/// The numbers divided by their length; none if they are all zero.
fn normalised(values: impl Iterator<Item = f64> + Clone) -> Option<Vec<f64>> {
    // The largest first: squares of huge or tiny numbers would overflow or vanish.
    let largest = values.clone().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest <= 0.0 {
        return None;
    }
    let mut scaled: Vec<f64> = values.map(|x| x / largest).collect();
    let length = sum_of_squares(scaled.iter()).sqrt();
    scaled.iter_mut().for_each(|x| *x /= length);
    Some(scaled)
}

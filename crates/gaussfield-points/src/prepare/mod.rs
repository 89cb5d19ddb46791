//! Named preparations of points: what happens to the features before any distance is taken.
//!
//! Which points are near each other decides more than the method that comes after: on handwritten
//! digits a histogram of gradients halves the errors several times over. A [`Preparation`] is a
//! serde value; [`Preparation::fit`] learns from some points what it needs (means, scales) and
//! prepares them, and what it learned ([`Prepared`]) prepares points that come later alike. Labels
//! never enter.
//!
//! ```
//! use gaussfield_core::Budget;
//! use gaussfield_points::Points;
//! use gaussfield_points::prepare::Preparation;
//! use ndarray::array;
//!
//! let points = Points::dense(array![[1.0, 10.0], [3.0, 30.0]])?;
//! let (prepared, points) = Preparation::MinMax.fit(&points, Budget::default())?;
//! assert_eq!(points.to_dense(), array![[0.0, 0.0], [1.0, 1.0]]);
//! let later = Points::dense(array![[2.0, 20.0]])?;
//! assert_eq!(prepared.apply(&later, Budget::default())?.to_dense(), array![[0.5, 0.5]]);
//! # Ok::<(), gaussfield_points::PointsError>(())
//! ```

mod hog;
mod image;
mod scale;

pub use hog::Hog;
pub use image::Blur;

use crate::{Points, PointsError};
use gaussfield_core::Budget;
use hog::FittedHog;
use ndarray::ArrayView2;
use scale::Scale;
use serde::{Deserialize, Serialize};

/// What is done to points before a graph is made of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Preparation {
    /// Every feature shifted to mean 0 and divided by its standard deviation; one that is constant
    /// becomes 0. For features in different units.
    Standardise,
    /// Every feature mapped to [0, 1]; one that is constant becomes 0.
    MinMax,
    /// Every row divided by its length ([`Points::unit_rows`]): Euclidean distances then rank as
    /// angles do.
    UnitRows,
    /// [`Blur`]: images smoothed, so that a stroke and its neighbour are near.
    Blur(Blur),
    /// [`Hog`]: images as histograms of their gradients.
    Hog(Hog),
}

/// A preparation with what it learned from the points it was fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Prepared {
    /// Features of the points it was fitted to.
    dim: usize,
    how: How,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum How {
    Scale(Scale),
    UnitRows,
    Blur(Blur),
    Hog(FittedHog),
}

impl Preparation {
    /// Learns from the points, and prepares them.
    ///
    /// # Errors
    /// No point to learn from; images of another size; an option out of its range; more memory than
    /// the budget (sparse points become dense, but for [`Preparation::UnitRows`]).
    pub fn fit(&self, points: &Points, budget: Budget) -> Result<(Prepared, Points), PointsError> {
        let dim = points.dim();
        if *self == Self::UnitRows {
            return Ok((Prepared { dim, how: How::UnitRows }, points.unit_rows()));
        }
        if points.is_empty() {
            return Err(PointsError::NothingToLearnFrom);
        }
        let budget = spread(points, budget)?;
        let how = match self {
            Self::UnitRows => How::UnitRows,
            Self::Standardise => How::Scale(Scale::standard(dense(points).view())),
            Self::MinMax => How::Scale(Scale::unit_interval(dense(points).view())),
            Self::Blur(blur) => How::Blur(*blur),
            Self::Hog(hog) => {
                let (fitted, points) = hog.fit(dense(points).view(), budget)?;
                return Ok((Prepared { dim, how: How::Hog(fitted) }, points));
            }
        };
        let prepared = Prepared { dim, how };
        let points = prepared.apply(points, budget)?;
        Ok((prepared, points))
    }
}

impl Prepared {
    /// Prepares points as those were that it was fitted to.
    ///
    /// # Errors
    /// Points of another dimension; an option out of its range; more memory than the budget.
    pub fn apply(&self, points: &Points, budget: Budget) -> Result<Points, PointsError> {
        points.check_dim(self.dim)?;
        let budget = match &self.how {
            How::UnitRows => return Ok(points.unit_rows()),
            _ => spread(points, budget)?,
        };
        let rows = dense(points);
        match &self.how {
            How::Scale(scale) => scale.apply(rows.view(), budget),
            How::UnitRows => Ok(points.unit_rows()),
            How::Blur(blur) => blur.apply(rows.view(), budget),
            How::Hog(hog) => hog.apply(rows.view(), budget),
        }
    }
}

/// Fits preparations one after the other, and prepares the points by all of them.
///
/// # Errors
/// As [`Preparation::fit`].
pub fn fit_all(
    preparations: &[Preparation],
    points: &Points,
    budget: Budget,
) -> Result<(Vec<Prepared>, Points), PointsError> {
    let mut fitted = Vec::with_capacity(preparations.len());
    let mut points = points.clone();
    for preparation in preparations {
        let (prepared, next) = preparation.fit(&points, budget)?;
        fitted.push(prepared);
        points = next;
    }
    Ok((fitted, points))
}

/// Prepares points by everything that [`fit_all`] fitted.
///
/// # Errors
/// As [`Prepared::apply`].
pub fn apply_all(
    prepared: &[Prepared],
    points: &Points,
    budget: Budget,
) -> Result<Points, PointsError> {
    prepared.iter().try_fold(points.clone(), |points, step| step.apply(&points, budget))
}

/// What is left of the budget once sparse rows are written out.
fn spread(points: &Points, budget: Budget) -> Result<Budget, PointsError> {
    match points.as_dense() {
        Some(_) => Ok(budget),
        None => Ok(budget.matrix("the points written out", points.len(), points.dim())?),
    }
}

/// The rows as they lie, or written out.
fn dense(points: &Points) -> ndarray::CowArray<'_, f64, ndarray::Ix2> {
    match points.as_dense() {
        Some(rows) => ndarray::CowArray::from(rows),
        None => ndarray::CowArray::from(points.to_dense()),
    }
}

/// That rows are images of side × side.
fn check_side(rows: ArrayView2<'_, f64>, side: usize) -> Result<(), PointsError> {
    if side == 0 || side.checked_mul(side) != Some(rows.ncols()) {
        return Err(PointsError::NotSquareImages { dim: rows.ncols(), side });
    }
    Ok(())
}

#[cfg(test)]
mod tests;

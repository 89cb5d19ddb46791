//! The one definition of "distance" that every search, pattern and tie in this crate goes by.

use crate::GraphError;
use gaussfield_points::{Points, Rows};
use serde::{Deserialize, Serialize};
use sprs::CsMat;

/// How far apart two points are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Metric {
    /// ‖x − z‖. The default.
    #[default]
    Euclidean,
    /// 1 − cos(x, z), between 0 and 2. A row of zeros has no direction and is an error.
    Cosine,
}

/// Sums of squares below this have lost digits.
pub(crate) const TINY: f64 = 1e-280;

/// Points made ready for distances.
///
/// Euclidean distances come from coordinate differences. Points so large or so small that their
/// squares would overflow or vanish are first divided by a common power of two (`unit`);
/// differences that are less than about 10⁻³⁰⁰ of the largest coordinate count as none. For cosine
/// distances the rows are brought to length one, and 1 − cos = ½‖x̂ − ẑ‖² where the angle is small.
#[derive(Debug)]
pub(crate) struct Space {
    points: Points,
    pub(crate) metric: Metric,
    pub(crate) unit: f64,
}

impl Space {
    pub(crate) fn new(points: &Points, metric: Metric) -> Result<Self, GraphError> {
        Self::with_unit(points, metric, unit_of(largest(points)), "point")
    }

    /// Two sets of points in one space, with the same storage and the same unit.
    pub(crate) fn pair(
        points: &Points,
        queries: &Points,
        metric: Metric,
    ) -> Result<(Self, Self), GraphError> {
        let unit = unit_of(largest(points).max(largest(queries)));
        let first = Self::with_unit(points, metric, unit, "point")?;
        let mut second = Self::with_unit(queries, metric, unit, "query")?;
        match (first.points.rows(), second.points.rows()) {
            (Rows::Dense(_), Rows::Sparse(rows)) => {
                second.points = Points::dense(rows.to_dense())?;
            }
            (Rows::Sparse(_), Rows::Dense(rows)) => {
                second.points = Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0))?;
            }
            _ => {}
        }
        Ok((first, second))
    }

    fn with_unit(
        points: &Points,
        metric: Metric,
        unit: Option<f64>,
        which: &'static str,
    ) -> Result<Self, GraphError> {
        let (points, unit) = match (metric, unit) {
            (Metric::Cosine, _) => {
                if let Some(row) = points.first_zero_row() {
                    return Err(GraphError::ZeroRow { which, row });
                }
                (points.unit_rows(), 1.0)
            }
            (Metric::Euclidean, Some(unit)) => (divided(points, unit)?, unit),
            (Metric::Euclidean, None) => (points.clone(), 1.0),
        };
        Ok(Self { points, metric, unit })
    }

    pub(crate) fn points(&self) -> &Points {
        &self.points
    }

    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// The distance of point `i` here to point `j` there. Exactly symmetric.
    pub(crate) fn distance(&self, i: usize, there: &Self, j: usize) -> f64 {
        let (here, there) = (&self.points, &there.points);
        if self.metric == Metric::Cosine {
            // 1 − c loses nothing below one half, and is exactly 1 for rows without a common
            // feature: their ties must go to the lower index, not to rounding.
            let c = here.dot_with(i, there, j);
            return if c < 0.5 { 1.0 - c } else { 0.5 * here.squared_distance_to(i, there, j) };
        }
        let sum = here.squared_distance_to(i, there, j);
        if sum >= TINY {
            return sum.sqrt() * self.unit;
        }
        // Duplicates, or differences whose squares vanish: divide by the largest first.
        let (mut largest, mut sum) = (0.0_f64, 0.0);
        here.for_each_difference(i, there, j, |_, x| largest = largest.max(x.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        here.for_each_difference(i, there, j, |_, x| sum += (x / largest).powi(2));
        f64::sqrt(sum) * largest * self.unit
    }

    /// The squared distance between the stored rows that goes with a distance.
    pub(crate) fn stored_squared(&self, distance: f64) -> f64 {
        match self.metric {
            Metric::Euclidean => (distance / self.unit).powi(2),
            Metric::Cosine => 2.0 * distance,
        }
    }

    /// The distance that goes with a squared distance between the stored rows.
    pub(crate) fn distance_of_squared(&self, squared: f64) -> f64 {
        match self.metric {
            Metric::Euclidean => squared.sqrt() * self.unit,
            Metric::Cosine => 0.5 * squared,
        }
    }

    /// A relative bound on the rounding of a squared distance in this dimension.
    pub(crate) fn rounding(&self) -> f64 {
        4.0 * (self.points.dim() as f64 + 8.0) * f64::EPSILON
    }
}

fn largest(points: &Points) -> f64 {
    let largest = |values: &mut dyn Iterator<Item = &f64>| {
        values.fold(0.0_f64, |largest, x| largest.max(x.abs()))
    };
    match points.rows() {
        Rows::Dense(rows) => largest(&mut rows.iter()),
        Rows::Sparse(rows) => largest(&mut rows.data().iter()),
    }
}

/// A power of two to divide by, where the squares of such numbers would overflow or vanish.
fn unit_of(largest: f64) -> Option<f64> {
    let ordinary = largest == 0.0 || (1e-100..=1e100).contains(&largest);
    (!ordinary).then(|| largest.log2().floor().exp2())
}

fn divided(points: &Points, unit: f64) -> Result<Points, GraphError> {
    Ok(match points.rows() {
        Rows::Dense(rows) => Points::dense(rows / unit)?,
        Rows::Sparse(rows) => Points::sparse(rows.map(|x| x / unit))?,
    })
}

//! Distances, and points made ready for them.

use crate::GraphError;
use gaussfield_points::{Points, Rows};
use sprs::CsMat;
use std::borrow::Cow;

/// How far apart two points are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Metric {
    /// ‖x − z‖.
    Euclidean,
    /// 1 − cos(x, z), between 0 and 2. A row of zeros has no direction and is an error.
    Cosine,
}

/// Sums of squares below this have lost digits.
pub(crate) const TINY: f64 = 1e-280;

/// Points made ready for distances: the one definition of "distance" that every search, pattern
/// and tie in this crate goes by.
///
/// Euclidean distances come from coordinate differences. Points so large or so small that their
/// squares would overflow or vanish are first divided by a common power of two (`unit`);
/// differences that are less than about 10⁻³⁰⁰ of the largest coordinate count as none. For cosine distances the rows are normalised, and 1 − cos = ½‖x̂ − ẑ‖² where the angle is small.
#[derive(Debug)]
pub(crate) struct Space<'a> {
    points: Cow<'a, Points>,
    pub(crate) metric: Metric,
    pub(crate) unit: f64,
}

impl<'a> Space<'a> {
    pub(crate) fn new(points: &'a Points, metric: Metric) -> Result<Self, GraphError> {
        Self::with_unit(points, metric, unit_of(largest(points)), "point")
    }

    /// Two sets of points in one space, with the same storage and the same unit.
    pub(crate) fn pair(
        points: &'a Points,
        queries: &'a Points,
        metric: Metric,
    ) -> Result<(Self, Self), GraphError> {
        let unit = unit_of(largest(points).max(largest(queries)));
        let first = Self::with_unit(points, metric, unit, "point")?;
        let mut second = Self::with_unit(queries, metric, unit, "query")?;
        match (first.points.rows(), second.points.rows()) {
            (Rows::Dense(_), Rows::Sparse(rows)) => {
                second.points = Cow::Owned(Points::dense(rows.to_dense())?);
            }
            (Rows::Sparse(_), Rows::Dense(rows)) => {
                let rows = CsMat::csr_from_dense(rows.view(), 0.0);
                second.points = Cow::Owned(Points::sparse(rows)?);
            }
            _ => {}
        }
        Ok((first, second))
    }

    fn with_unit(
        points: &'a Points,
        metric: Metric,
        unit: Option<f64>,
        which: &'static str,
    ) -> Result<Self, GraphError> {
        let (points, unit) = match (metric, unit) {
            (Metric::Cosine, _) => (Cow::Owned(normalised(points, which)?), 1.0),
            (Metric::Euclidean, Some(unit)) => {
                (Cow::Owned(map_values(points, |x| x / unit)?), unit)
            }
            (Metric::Euclidean, None) => (Cow::Borrowed(points), 1.0),
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
        let (here, there) = (&*self.points, &*there.points);
        match (dense_row(here, i), dense_row(there, j)) {
            (Some(x), Some(z)) => self.dense_distance(x, z),
            _ => self.finish(
                || here.dot_with(i, there, j),
                || here.squared_distance_to(i, there, j),
                |visit| {
                    for_each_difference((here, i), (there, j), |_, difference| visit(difference))
                },
            ),
        }
    }

    /// The distance between two dense rows of this space.
    pub(crate) fn dense_distance(&self, x: &[f64], z: &[f64]) -> f64 {
        self.finish(
            || dot(x, z),
            || squared_difference(x, z),
            |visit| x.iter().zip(z).for_each(|(x, z)| visit(x - z)),
        )
    }

    fn finish(
        &self,
        cosine: impl Fn() -> f64,
        squared: impl Fn() -> f64,
        differences: impl Fn(&mut dyn FnMut(f64)),
    ) -> f64 {
        match self.metric {
            Metric::Euclidean => {
                let sum = squared();
                if sum >= TINY {
                    return sum.sqrt() * self.unit;
                }
                // Duplicates, or differences whose squares vanish: divide by the largest first.
                let (mut largest, mut sum) = (0.0_f64, 0.0);
                differences(&mut |x| largest = largest.max(x.abs()));
                if largest == 0.0 {
                    return 0.0;
                }
                differences(&mut |x| sum += (x / largest).powi(2));
                f64::sqrt(sum) * largest * self.unit
            }
            Metric::Cosine => {
                // 1 − c loses nothing below one half, and is exactly 1 for rows without a common
                // feature: their ties must go to the lower index, not to rounding.
                let c = cosine();
                if c < 0.5 { 1.0 - c } else { 0.5 * squared() }
            }
        }
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

/// Row `i` as a slice, where the points are dense.
pub(crate) fn dense_row(points: &Points, i: usize) -> Option<&[f64]> {
    match points.rows() {
        Rows::Dense(rows) => rows.row(i).to_slice(),
        Rows::Sparse(_) => None,
    }
}

/// Σ (x_d − z_d)² in a fixed order that the compiler can vectorise.
pub(crate) fn squared_difference(x: &[f64], z: &[f64]) -> f64 {
    lanes(x, z, |a, b| (a - b) * (a - b))
}

fn dot(x: &[f64], z: &[f64]) -> f64 {
    lanes(x, z, |a, b| a * b)
}

/// Eight partial sums, added in a fixed order.
fn lanes(x: &[f64], z: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (head_x, tail_x) = x.as_chunks::<LANES>();
    let (head_z, tail_z) = z.as_chunks::<LANES>();
    for (a, b) in head_x.iter().zip(head_z) {
        for lane in 0..LANES {
            sums[lane] += term(a[lane], b[lane]);
        }
    }
    let tail: f64 = tail_x.iter().zip(tail_z).map(|(&a, &b)| term(a, b)).sum();
    sums.iter().sum::<f64>() + tail
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

fn map_values(points: &Points, map: impl Fn(f64) -> f64) -> Result<Points, GraphError> {
    Ok(match points.rows() {
        Rows::Dense(rows) => Points::dense(rows.mapv(map))?,
        Rows::Sparse(rows) => Points::sparse(rows.map(|&x| map(x)))?,
    })
}

fn normalised(points: &Points, which: &'static str) -> Result<Points, GraphError> {
    let check = |row: usize, values: &mut [f64]| {
        if normalise(values) { Ok(()) } else { Err(GraphError::ZeroRow { which, row }) }
    };
    Ok(match points.rows() {
        Rows::Dense(rows) => {
            let mut rows = rows.as_standard_layout().into_owned();
            for (i, mut row) in rows.rows_mut().into_iter().enumerate() {
                check(i, row.as_slice_mut().unwrap_or_default())?;
            }
            Points::dense(rows)?
        }
        Rows::Sparse(rows) => {
            let mut rows = rows.clone();
            for i in 0..rows.rows() {
                let range = rows.indptr().outer_inds_sz(i);
                check(i, &mut rows.data_mut()[range])?;
            }
            Points::sparse(rows)?
        }
    })
}

/// Brings a row to length one; false if it has none.
fn normalise(row: &mut [f64]) -> bool {
    // Dividing by the largest first keeps the squares away from overflow and underflow.
    let largest = row.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest == 0.0 {
        return false;
    }
    row.iter_mut().for_each(|x| *x /= largest);
    let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    row.iter_mut().for_each(|x| *x /= norm);
    true
}

/// Calls `visit(d, x_id − z_jd)` for every feature that one of two sparse rows has.
pub(crate) fn for_each_difference(
    (here, i): (&Points, usize),
    (there, j): (&Points, usize),
    mut visit: impl FnMut(usize, f64),
) {
    let (Rows::Sparse(here), Rows::Sparse(there)) = (here.rows(), there.rows()) else { return };
    let (Some(x), Some(z)) = (here.outer_view(i), there.outer_view(j)) else { return };
    let (mut x, mut z) = (x.iter().peekable(), z.iter().peekable());
    loop {
        match (x.peek(), z.peek()) {
            (None, None) => return,
            (Some(&(d, &value)), None) => {
                visit(d, value);
                x.next();
            }
            (None, Some(&(d, &value))) => {
                visit(d, -value);
                z.next();
            }
            (Some(&(d, &a)), Some(&(e, &b))) => {
                visit(d.min(e), if d <= e { a } else { 0.0 } - if e <= d { b } else { 0.0 });
                if d <= e {
                    x.next();
                }
                if e <= d {
                    z.next();
                }
            }
        }
    }
}

//! Steps of the search: along the projected gradient, and Newton's on the present face.

use super::face::Face;
use super::objective::Objective;
use super::simplex::{gap, largest_gap, natural_step, project_rows};
use crate::MixtureError;
use ndarray::{Array1, Array2, ArrayView2};

/// Everything known at some memberships.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) value: f64,
    pub(super) gradient: Array2<f64>,
    rounding: Array1<f64>,
    pub(super) slopes: Array2<f64>,
    curvature: Array1<f64>,
    /// Where a full projected gradient step leads.
    natural: Array2<f64>,
    pub(super) residual: f64,
    pub(super) gap: f64,
}

impl Point {
    pub(super) fn new(objective: &Objective<'_>, lambda: ArrayView2<'_, f64>) -> Self {
        let gradient = objective.gradient(lambda);
        let slopes = objective.slopes(lambda);
        let curvature = objective.curvature(slopes.view());
        let rounding = objective.gradient_rounding();
        let natural = natural_step(lambda, (gradient.view(), &rounding), &curvature, 1.0);
        let residual = largest_gap(lambda, natural.view());
        let value = objective.value(lambda);
        let gap = gap(lambda, gradient.view());
        Self { value, gradient, rounding, slopes, curvature, natural, residual, gap }
    }

    /// Whether a membership at zero wants to leave it.
    pub(super) fn face_changes(&self, lambda: ArrayView2<'_, f64>) -> bool {
        lambda.iter().zip(&self.natural).any(|(&now, &next)| now <= 0.0 && next > 0.0)
    }
}

/// Sufficient decrease, or a better residual where the value no longer tells.
fn accepts(
    objective: &Objective<'_>,
    (here, there): (&Point, &Point),
    lambda: &Array2<f64>,
    next: &Array2<f64>,
) -> bool {
    let slope: f64 =
        here.gradient.iter().zip(next.iter().zip(lambda)).map(|(g, (n, l))| g * (n - l)).sum();
    let rounding = 1e-13 * (here.value.abs() + objective.rounded() + 1e-300);
    // A decrease smaller than the rounding of the value says nothing.
    let tells = slope < -0.1 * rounding;
    (tells && there.value <= here.value + 1e-4 * slope)
        || (there.value <= here.value + rounding && there.residual <= 0.9 * here.residual)
}

/// A projected gradient step, halved until it is accepted; stays if none is, and says so.
pub(super) fn gradient_step(
    objective: &Objective<'_>,
    lambda: Array2<f64>,
    here: Point,
) -> (Array2<f64>, Point, bool) {
    let mut length = 1.0;
    for _ in 0..60 {
        let slope = (here.gradient.view(), &here.rounding);
        let next = natural_step(lambda.view(), slope, &here.curvature, length);
        let there = Point::new(objective, next.view());
        if accepts(objective, (&here, &there), &lambda, &next) {
            return (next, there, true);
        }
        length *= 0.5;
    }
    (lambda, here, false)
}

/// What is added to the scaled second derivative, in turn. Weights of a graph may span twelve powers
/// of ten; directions in which the objective hardly bends are then full of rounding, and a longer
/// ridge keeps them from spoiling the step. The certificate does not see them: a gradient in them is
/// as small as the bend.
const RIDGES: [f64; 4] = [1e-14, 1e-12, 1e-10, 1e-8];

/// Halvings of a Newton step before a longer ridge is tried, and at the last.
const HALVINGS: [usize; 2] = [6, 40];

/// A Newton step on the present face, bent back into the bounds, halved until it is accepted, with
/// longer and longer ridges; `None` if none is.
pub(super) fn newton_step(
    objective: &Objective<'_>,
    lambda: &Array2<f64>,
    here: &Point,
) -> Result<Option<(Array2<f64>, Point)>, MixtureError> {
    for (at, ridge) in RIDGES.into_iter().enumerate() {
        let face = Face {
            objective,
            lambda: lambda.view(),
            gradient: here.gradient.view(),
            slopes: here.slopes.view(),
            curvature: &here.curvature,
            ridge,
        };
        let direction = face.direction()?;
        let mut length = 1.0;
        for _ in 0..HALVINGS[usize::from(at + 1 == RIDGES.len())] {
            let mut next = lambda.clone();
            next.scaled_add(length, &direction);
            project_rows(&mut next);
            let there = Point::new(objective, next.view());
            if accepts(objective, (here, &there), lambda, &next) {
                return Ok(Some((next, there)));
            }
            length *= 0.5;
        }
    }
    Ok(None)
}

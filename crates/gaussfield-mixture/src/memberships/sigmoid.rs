//! Memberships of two classes as sigmoids of free numbers.

use super::factorise_with_ridge;
use super::objective::Objective;
use super::steps::Point;
use super::{MembershipSearch, Memberships};
use crate::MixtureError;
use gaussfield_core::{Progress, Stage, check};
use ndarray::{Array1, Array2, ArrayView2, Axis, Zip};

/// How near to a bound the start may be: at a bound the sigmoid is flat.
const INSIDE: f64 = 1e-3;

/// The longest step of a β: the sigmoid's tail falls by e with each unit.
const LONGEST: f64 = 4.0;

/// Halvings of a step.
const HALVINGS: usize = 40;

/// The ridge that a scaled second derivative is tried with first.
const RIDGE: f64 = 1e-14;

impl MembershipSearch {
    /// Damped Newton steps on β from EM's λ, or from even ones; O(M³) a step.
    pub(super) fn by_sigmoids(
        &self,
        objective: &Objective<'_>,
        em: Option<ArrayView2<'_, f64>>,
    ) -> Result<Memberships, MixtureError> {
        let backbone = objective.backbone;
        let classes = backbone.names().len();
        check::range("the number of classes", classes as f64, classes == 2, "2 for a sigmoid")?;
        let (closed, unknown) = self.determined(backbone)?;
        let start = |p: f64| p.clamp(INSIDE, 1.0 - INSIDE);
        let mut beta = match em {
            Some(em) => em.column(1).mapv(|p| logit(start(p))),
            None => Array1::zeros(backbone.components()),
        };
        let stage = Progress::shares("class memberships by sigmoids");
        let mut here = Point::new(objective, both(&beta).view());
        let (mut iterations, first) = (0, here.residual);
        while here.residual > self.tolerance && iterations < self.max_iterations {
            stage.reach(Stage::way(first, here.residual, self.tolerance))?;
            iterations += 1;
            let step = direction(objective, &beta, &here)?;
            let Some((next, there)) = descend(objective, (&beta, &here), &step) else { break };
            (beta, here) = (next, there);
        }
        self.found(objective, both(&beta), iterations, (closed, unknown), None)
    }
}

fn sigmoid(beta: f64) -> f64 {
    1.0 / (1.0 + (-beta).exp())
}

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

/// Λ: σ(−β), which is 1 − σ(β) without its rounding, beside σ(β).
fn both(beta: &Array1<f64>) -> Array2<f64> {
    Array2::from_shape_fn((beta.len(), 2), |(m, class)| {
        sigmoid(if class == 1 { beta[m] } else { -beta[m] })
    })
}

/// Newton's step on β. With s = λ(1 − λ) the slope is s·g and the second derivative
/// diag(s)·H·diag(s) + diag(g·s·(1 − 2λ)); the size of the last stands for it where it is negative.
fn direction(
    objective: &Objective<'_>,
    beta: &Array1<f64>,
    here: &Point,
) -> Result<Array1<f64>, MixtureError> {
    let lambda = both(beta);
    let (zero, one) = (lambda.column(0), lambda.column(1));
    let bend = &zero * &one;
    let gradient = &here.gradient.column(1) - &here.gradient.column(0);
    let mut matrix = objective.backbone.laplacian().mapv(|a| 2.0 * (1.0 - objective.alpha) * a);
    matrix += &here.slopes.t().dot(&here.slopes);
    matrix *= &bend;
    matrix *= &bend.view().insert_axis(Axis(1));
    let slope = &gradient * &bend;
    Zip::from(matrix.diag_mut())
        .and(&slope)
        .and(&zero)
        .and(&one)
        .for_each(|entry, slope, zero, one| *entry += (slope * (zero - one)).abs());
    // Of unit diagonal; a component that nothing bends stays.
    let scale = matrix.diag().mapv(|d| if d > 0.0 { d.sqrt().recip() } else { 0.0 });
    matrix *= &scale;
    matrix *= &scale.view().insert_axis(Axis(1));
    matrix.diag_mut().zip_mut_with(&scale, |entry, &s| *entry = if s > 0.0 { *entry } else { 1.0 });
    let factor = factorise_with_ridge(&matrix, RIDGE)?;
    let solved = factor.solve((&slope * &scale).insert_axis(Axis(1)).view());
    let step = solved.column(0).to_owned() * &scale;
    Ok(step.mapv(|x| (-x).clamp(-LONGEST, LONGEST)))
}

/// The step, halved until the objective falls enough or, where it no longer tells, the residual does.
fn descend(
    objective: &Objective<'_>,
    (beta, here): (&Array1<f64>, &Point),
    step: &Array1<f64>,
) -> Option<(Array1<f64>, Point)> {
    let bend = both(beta).map_axis(Axis(1), |row| row[0] * row[1]);
    let gradient = &here.gradient.column(1) - &here.gradient.column(0);
    let slope = (&gradient * &bend).dot(step);
    let rounding = 1e-13 * (here.value.abs() + objective.rounded() + 1e-300);
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let next = beta + &(length * step);
        let there = Point::new(objective, both(&next).view());
        let falls = there.value <= here.value + 1e-4 * length * slope;
        let nearer = there.value <= here.value + rounding && there.residual < here.residual;
        if falls && -slope * length > rounding || nearer {
            return Some((next, there));
        }
        length *= 0.5;
    }
    None
}

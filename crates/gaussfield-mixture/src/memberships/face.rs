//! Newton's direction on a face: memberships at zero stay there, rows keep their sum.

use super::factorise_with_ridge;
use super::objective::Objective;
use crate::MixtureError;
use gaussfield_core::dense::Spd;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2};

/// Most conjugate-gradient steps of one direction.
const CG_STEPS: usize = 500;

/// Conjugate gradients stop at this residual beside the first.
const CG_TOLERANCE: f64 = 1e-12;

/// Where the direction is sought.
#[derive(Debug)]
pub(super) struct Face<'a> {
    pub(super) objective: &'a Objective<'a>,
    pub(super) lambda: ArrayView2<'a, f64>,
    pub(super) gradient: ArrayView2<'a, f64>,
    /// √α R_i / p_i of the labelled points.
    pub(super) slopes: ArrayView2<'a, f64>,
    /// Second derivative of each component; zero for a component that stays as it is.
    pub(super) curvature: &'a Array1<f64>,
    /// Added to the diagonal of the scaled second derivative: directions in which the objective
    /// bends less than this are followed with care.
    pub(super) ridge: f64,
}

impl Face<'_> {
    /// The direction, M × C. Zero where nothing can move.
    pub(super) fn direction(&self) -> Result<Array2<f64>, MixtureError> {
        if self.lambda.ncols() == 2 { self.two_classes() } else { self.many_classes() }
    }

    /// Rows in which at least two classes are free to share.
    fn free_rows(&self) -> Vec<usize> {
        let positive = |row: usize| self.lambda.row(row).iter().filter(|&&p| p > 0.0).count();
        (0..self.lambda.nrows())
            .filter(|&row| self.curvature[row] > 0.0 && positive(row) >= 2)
            .collect()
    }

    /// (1 − α)·A·`weight` + Σ slopes slopesᵀ on some components, scaled to about unit diagonal.
    fn scaled_matrix(&self, rows: &[usize], scale: &Array1<f64>, weight: f64) -> Array2<f64> {
        let laplacian = self.objective.backbone.laplacian();
        let share = weight * (1.0 - self.objective.alpha);
        let mut matrix = Array2::from_shape_fn((rows.len(), rows.len()), |(i, j)| {
            share * laplacian[[rows[i], rows[j]]] * scale[i] * scale[j]
        });
        if self.slopes.nrows() > 0 {
            let slopes = Array2::from_shape_fn((self.slopes.nrows(), rows.len()), |(i, j)| {
                self.slopes[[i, rows[j]]] * scale[j]
            });
            general_mat_mul(1.0, &slopes.t(), &slopes, 1.0, &mut matrix);
        }
        matrix
    }

    fn scale(&self, rows: &[usize]) -> Array1<f64> {
        rows.iter().map(|&row| 1.0 / self.curvature[row].sqrt()).collect()
    }

    /// One unknown a row: λ_1 up by d, λ_0 down by d. Solved by Cholesky.
    fn two_classes(&self) -> Result<Array2<f64>, MixtureError> {
        let rows = self.free_rows();
        let mut direction = Array2::zeros(self.lambda.dim());
        if rows.is_empty() {
            return Ok(direction);
        }
        let scale = self.scale(&rows);
        let factor = factorise_with_ridge(&self.scaled_matrix(&rows, &scale, 2.0), self.ridge)?;
        let slope = |row: usize| self.gradient[[row, 1]] - self.gradient[[row, 0]];
        let rhs = rows.iter().zip(&scale).map(|(&row, s)| -s * slope(row)).collect();
        let solved = factor.solve_vector(&rhs);
        for ((&row, s), d) in rows.iter().zip(&scale).zip(&solved) {
            direction[[row, 0]] = -s * d;
            direction[[row, 1]] = s * d;
        }
        Ok(direction)
    }

    /// Conjugate gradients in the scaled unknowns, projected on the face and preconditioned by a
    /// factor that all classes share.
    fn many_classes(&self) -> Result<Array2<f64>, MixtureError> {
        let rows = self.free_rows();
        let mut direction = Array2::zeros(self.lambda.dim());
        if rows.is_empty() {
            return Ok(direction);
        }
        let scale = self.scale(&rows);
        let factor = factorise_with_ridge(&self.scaled_matrix(&rows, &scale, 1.0), self.ridge)?;
        let classes = self.lambda.ncols();
        let free = Array2::from_shape_fn((rows.len(), classes), |(i, c)| {
            if self.lambda[[rows[i], c]] > 0.0 { 1.0 } else { 0.0 }
        });
        let mut residual = Array2::from_shape_fn((rows.len(), classes), |(i, c)| {
            -scale[i] * self.gradient[[rows[i], c]]
        });
        project(&mut residual, &free);
        let mut solution = Array2::<f64>::zeros(residual.dim());
        let mut conditioned = precondition(&factor, &residual, &free);
        let mut step = conditioned.clone();
        let mut product = dot(&residual, &conditioned);
        let first = product;
        for _ in 0..CG_STEPS {
            if product <= CG_TOLERANCE * CG_TOLERANCE * first || product <= 0.0 {
                break;
            }
            let mut applied = self.apply(&rows, &scale, &step);
            project(&mut applied, &free);
            let bend = dot(&step, &applied);
            if bend <= 0.0 {
                break;
            }
            let length = product / bend;
            solution.scaled_add(length, &step);
            residual.scaled_add(-length, &applied);
            conditioned = precondition(&factor, &residual, &free);
            let next = dot(&residual, &conditioned);
            step *= next / product;
            step += &conditioned;
            product = next;
        }
        for ((&row, s), solved) in rows.iter().zip(&scale).zip(solution.rows()) {
            direction.row_mut(row).scaled_add(*s, &solved);
        }
        Ok(direction)
    }

    /// The second derivative times a scaled direction on the free rows.
    fn apply(&self, rows: &[usize], scale: &Array1<f64>, step: &Array2<f64>) -> Array2<f64> {
        let mut full = Array2::zeros(self.lambda.dim());
        for ((&row, s), step) in rows.iter().zip(scale).zip(step.rows()) {
            full.row_mut(row).scaled_add(*s, &step);
        }
        let mut out = self.objective.backbone.laplacian().dot(&full);
        out *= 1.0 - self.objective.alpha;
        let classes = self.objective.backbone.labelled_classes();
        for (slope, &class) in self.slopes.rows().into_iter().zip(classes) {
            let along = slope.dot(&full.column(class));
            out.column_mut(class).scaled_add(along, &slope);
        }
        Array2::from_shape_fn(step.dim(), |(i, c)| scale[i] * out[[rows[i], c]])
    }
}

/// The part of each row that only moves free classes and keeps the sum.
fn project(values: &mut Array2<f64>, free: &Array2<f64>) {
    for (mut row, free) in values.rows_mut().into_iter().zip(free.rows()) {
        row *= &free;
        let mean = row.sum() / free.sum().max(1.0);
        row.zip_mut_with(&free, |x, &free| *x -= mean * free);
    }
}

fn precondition(factor: &Spd, residual: &Array2<f64>, free: &Array2<f64>) -> Array2<f64> {
    let mut out = factor.solve(residual.view());
    project(&mut out, free);
    out
}

fn dot(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

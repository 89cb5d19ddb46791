//! Certificates: A·1 = e holds exactly, so solutions whose right-hand sides add up to the excess
//! must add up to 1.
//!
//! Where weak links were lost in rounding, or a solver stopped too early, they do not, however
//! small the residual: a cluster that hangs on by a weight of 10⁻¹⁷ has a tiny residual whatever
//! its values.

use crate::engine::Factor;
use crate::engine::conjugate_gradient::{Columns, ConjugateGradient, Run};
use crate::engine::scaling::PowerOfTwo;
use crate::{Grounded, LaplacianError, Solver, SolverOptions};
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// Below this a factorisation needs no refinement.
const GOOD: f64 = 1e-11;
/// Most steps of refinement.
const MOST_REFINEMENTS: usize = 5;
/// A tighter tolerance conjugate gradients are given when the certificate fails, and how often.
const TIGHTEN: f64 = 1e-2;
const TIGHTENINGS: usize = 2;
/// How much worse than that of the preparation the certificate of a solve from a guess may be; its
/// square, how much above the tolerance it may be in any case.
const GUESSED: f64 = 10.0;
/// Right-hand sides add up to the excess if no row is further from it, in units of rounding.
const ADDED_UP: f64 = 64.0 * f64::EPSILON;

/// How well a prepared system is resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Certificate {
    /// Largest deviation from 1, as solved.
    pub(crate) partition_error: f64,
    /// The same without refinement.
    unrefined: f64,
    /// Where it is worst, by its index in the graph.
    node: Option<usize>,
    /// Steps of refinement that every solve takes.
    pub(crate) refinements: usize,
    /// Iterations of the slowest column; 0 for a direct solver.
    pub(crate) iterations: usize,
}

impl Certificate {
    pub(crate) const EXACT: Self =
        Self { partition_error: 0.0, unrefined: 0.0, node: None, refinements: 0, iterations: 0 };

    /// The worst of |sum − unit| / size over the nodes.
    fn new(system: &Grounded, sums: &Array1<f64>, unit: f64, size: f64) -> Self {
        let mut worst = Self::EXACT;
        for (sum, &node) in sums.iter().zip(system.nodes()) {
            let error = (sum - unit).abs() / size;
            let error = if error.is_nan() { f64::INFINITY } else { error };
            if error > worst.partition_error {
                worst.partition_error = error;
                worst.node = Some(node);
            }
        }
        worst.unrefined = worst.partition_error;
        worst
    }

    fn check(self, solver: Solver, options: &SolverOptions) -> Result<Self, LaplacianError> {
        if self.partition_error <= options.partition_tolerance {
            return Ok(self);
        }
        Err(LaplacianError::IllConditioned {
            solver,
            partition_error: self.partition_error,
            tolerance: options.partition_tolerance,
            node: self.node,
        })
    }

    /// Whether the factorisation itself, without refinement, is within the tolerance.
    pub(crate) fn check_unrefined(
        self,
        solver: Solver,
        options: &SolverOptions,
    ) -> Result<(), LaplacianError> {
        Self { partition_error: self.unrefined, ..self }.check(solver, options).map(|_| ())
    }
}

/// Certifies a factor: it solves A z = e, must find 1, and gains steps of refinement where it
/// needs them to.
pub(crate) fn certify_factor(
    factor: &dyn Factor,
    solver: Solver,
    system: &Grounded,
    options: &SolverOptions,
) -> Result<Certificate, LaplacianError> {
    let excess = Array2::from_shape_fn((system.len(), 1), |(i, _)| system.excess()[i]);
    let attempt = |refinements: usize| {
        let z = refined_solve(factor, system, excess.view(), refinements)?;
        Ok::<_, LaplacianError>(Certificate::new(system, &z.sum_axis(Axis(1)), 1.0, 1.0))
    };
    let plain = attempt(0)?;
    let error = plain.partition_error;
    if error <= GOOD || solver == Solver::Elimination || error >= 0.5 {
        return plain.check(solver, options);
    }
    // Every step multiplies the error by about itself.
    let steps = (f64::EPSILON.ln() / error.ln()).ceil() as usize;
    let refinements = steps.clamp(1, MOST_REFINEMENTS);
    let refined = attempt(refinements)?;
    Certificate { unrefined: error, refinements, ..refined }.check(solver, options)
}

/// Certifies conjugate gradients: they solve for one half of the excess, which is
/// [certified like any other solve](certified_solve), and keep the tolerance that took.
pub(crate) fn certify_iteration(
    engine: &mut ConjugateGradient,
    system: &Grounded,
    options: &SolverOptions,
) -> Result<Certificate, LaplacianError> {
    let half = half_of_excess(system);
    let done = attempt(engine, system, half.view(), None, options)?;
    engine.tolerance = done.tolerance;
    Ok(done.certificate)
}

/// A solve followed by steps of iterative refinement, x += A⁻¹(b − A x), with the residual in
/// difference form.
pub(crate) fn refined_solve(
    factor: &dyn Factor,
    system: &Grounded,
    rhs: ArrayView2<f64>,
    refinements: usize,
) -> Result<Array2<f64>, LaplacianError> {
    let mut values = factor.solve(rhs)?;
    for _ in 0..refinements {
        let residual = &rhs - &system.apply(values.view());
        values += &factor.solve(residual.view())?;
    }
    Ok(values)
}

/// What [`certified_solve`] gives.
pub(crate) struct Certified {
    pub(crate) values: Array2<f64>,
    /// Iterations of all columns together.
    pub(crate) work: usize,
    /// The largest ‖b − A x‖ / ‖b‖ of a column.
    pub(crate) relative_residual: f64,
    tolerance: f64,
    pub(crate) certificate: Certificate,
}

/// Conjugate gradients with a certificate of their own in every solve, since every right-hand
/// side stops on its own. Where right-hand sides add up to e, as those of all classes of a harmonic
/// function do, their solutions must add up to 1. Where they do not, one more column,
/// γe − Σ_c s_c b_c, is solved along, and Σ_c s_c x_c + x̄ must be γ (γ and s_c bring each term to
/// size 1). Where that fails, they continue with a tighter tolerance, and at last give up.
///
/// A z = e alone would prove nothing: an approximate Cholesky factor keeps row sums and solves it
/// in a single step.
///
/// From a guess of the solution there always is one more column, and it starts at zero: guesses of
/// all columns that add up would agree with any. Where the certificate is not about as good as the
/// `expected` one, the guess is dropped.
pub(crate) fn certified_solve(
    engine: &ConjugateGradient,
    system: &Grounded,
    rhs: ArrayView2<f64>,
    guess: Option<ArrayView2<f64>>,
    expected: f64,
    options: &SolverOptions,
) -> Result<Certified, LaplacianError> {
    if guess.is_some() {
        let allowed = (GUESSED * expected).max(GUESSED * GUESSED * engine.tolerance);
        match attempt(engine, system, rhs, guess, options) {
            Ok(done) if done.certificate.partition_error <= allowed => return Ok(done),
            Ok(_)
            | Err(LaplacianError::IllConditioned { .. } | LaplacianError::NotConverged(_)) => {}
            Err(error) => return Err(error),
        }
    }
    attempt(engine, system, rhs, None, options)
}

fn attempt(
    engine: &ConjugateGradient,
    system: &Grounded,
    rhs: ArrayView2<f64>,
    guess: Option<ArrayView2<f64>>,
    options: &SolverOptions,
) -> Result<Certified, LaplacianError> {
    engine.check_columns(rhs.nrows(), rhs.ncols())?;
    let sum = match guess {
        None if add_up(system, rhs) => Sum::plain(rhs.ncols()),
        _ => Sum::closed(system, rhs),
    };
    let right = Columns { given: rhs, last: sum.closing.as_deref() };
    let zeros = sum.closing.as_ref().map(|closing| vec![0.0; closing.len()]);
    let mut tolerance = engine.tolerance;
    let start = guess.map(|given| (Columns { given, last: zeros.as_deref() }, true));
    let mut run = engine.solve(right, start, tolerance)?;
    let (mut iterations, mut work) = (run.effort.slowest, run.effort.total);
    let mut certificate = sum.certificate(system, &run);
    for _ in 0..TIGHTENINGS {
        if certificate.partition_error <= options.partition_tolerance {
            break;
        }
        tolerance *= TIGHTEN;
        let found = Columns { given: run.values.view(), last: run.last.as_deref() };
        run = engine.solve(right, Some((found, false)), tolerance)?;
        iterations += run.effort.slowest;
        work += run.effort.total;
        certificate = sum.certificate(system, &run);
    }
    if guess.is_none() && run.effort.slowest <= 1 {
        let doubt = doubt(engine, system, rhs, &run, tolerance)?;
        if doubt.partition_error > certificate.partition_error {
            certificate = doubt;
        }
    }
    let solver = Solver::ConjugateGradient(engine.preparation.kind());
    let certificate = Certificate { iterations, ..certificate.check(solver, options)? };
    let Run { values, residual: relative_residual, .. } = run;
    Ok(Certified { values, work, relative_residual, tolerance, certificate })
}

/// How far a solution of a single step is from the one that another start leads to, beside the largest
/// that each column may be. A factor that keeps row sums finds solutions that add up in its first
/// step, whatever shares of theirs it lost; what it lost of another start is something else.
fn doubt(
    engine: &ConjugateGradient,
    system: &Grounded,
    rhs: ArrayView2<f64>,
    run: &Run,
    tolerance: f64,
) -> Result<Certificate, LaplacianError> {
    let found = largest_of_columns(run.values.view()).into_iter();
    let sizes: Vec<f64> = found
        .zip(bounds_of_columns(system, rhs))
        .map(|(found, bound)| if bound.is_normal() { bound } else { found })
        .collect();
    let start = Array2::from_shape_fn(rhs.dim(), |(i, c)| sizes[c] * scattered(i));
    let right = Columns { given: rhs, last: None };
    let start = Columns { given: start.view(), last: None };
    let other = engine.solve(right, Some((start, false)), tolerance)?;
    let apart = |(x, y): (ArrayView1<f64>, ArrayView1<f64>)| {
        let differences = x.iter().zip(y).zip(&sizes);
        1.0 + differences.fold(0.0, |worst: f64, ((x, y), &size)| {
            let difference = (x - y).abs();
            // 0/0 is no difference.
            if difference > 0.0 { worst.max(difference / size) } else { worst }
        })
    };
    let rows = run.values.rows().into_iter().zip(other.values.rows());
    Ok(Certificate::new(system, &rows.map(apart).collect(), 1.0, 1.0))
}

/// Between 0 and 1, unlike for rows that follow each other: multiples of the golden ratio.
fn scattered(row: usize) -> f64 {
    let mixed = (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 11) as f64 * 2.0_f64.powi(-53)
}

/// Whether the right-hand sides add up to the excess, but for rounding.
fn add_up(system: &Grounded, rhs: ArrayView2<f64>) -> bool {
    let rows = rhs.axis_iter(Axis(0)).into_par_iter().zip(system.excess());
    rhs.ncols() > 0 && rows.all(|(b, e)| (b.sum() - e).abs() <= ADDED_UP * e)
}

/// What solutions must add up to.
struct Sum {
    /// s_c.
    scales: Vec<PowerOfTwo>,
    /// γ.
    unit: f64,
    /// γe − Σ_c s_c b_c, where that is not zero.
    closing: Option<Vec<f64>>,
}

impl Sum {
    fn plain(columns: usize) -> Self {
        Self { scales: vec![PowerOfTwo::normalising(1.0); columns], unit: 1.0, closing: None }
    }

    fn closed(system: &Grounded, rhs: ArrayView2<f64>) -> Self {
        let gamma = PowerOfTwo::normalising(largest(ArrayView1::from(system.excess())));
        // |b| ≤ βe makes |x| ≤ β, and then no term is larger than γ: beside a larger one, a cluster
        // that all columns lost would not be seen.
        let scale = |(size, bound): (f64, f64)| {
            let known = bound.is_normal() && bound > 0.0;
            let plain = PowerOfTwo::normalising(size);
            if known { gamma.over(PowerOfTwo::normalising(bound).inverse()) } else { plain }
        };
        let sizes = largest_of_columns(rhs).into_iter();
        let scales: Vec<PowerOfTwo> =
            sizes.zip(bounds_of_columns(system, rhs)).map(scale).collect();
        let close = |(b, &e): (ArrayView1<f64>, &f64)| {
            let sum: f64 = b.iter().zip(&scales).map(|(&b, scale)| scale.times(b)).sum();
            gamma.times(e) - sum
        };
        let rows = rhs.axis_iter(Axis(0)).into_par_iter().zip(system.excess());
        let closing = Some(rows.map(close).collect());
        Self { scales, unit: gamma.times(1.0), closing }
    }

    /// How far Σ_c s_c x_c + x̄ is from γ, beside the largest term.
    fn certificate(&self, system: &Grounded, run: &Run) -> Certificate {
        let add = |(i, x): (usize, ArrayView1<f64>)| {
            let mut sum = run.last.as_ref().map_or(0.0, |last| last[i]);
            let mut size = 0.0_f64;
            for (&x, scale) in x.iter().zip(&self.scales) {
                let x = scale.times(x);
                sum += x;
                size = size.max(x.abs());
            }
            (sum, size)
        };
        let rows = run.values.axis_iter(Axis(0)).into_par_iter().enumerate();
        let (sums, sizes): (Vec<f64>, Vec<f64>) = rows.map(add).unzip();
        let size = sizes.into_iter().fold(self.unit, f64::max);
        Certificate::new(system, &Array1::from(sums), self.unit, size)
    }
}

/// The excess of every second node that has any: a column.
fn half_of_excess(system: &Grounded) -> Array2<f64> {
    let mut half = Array2::zeros((system.len(), 1));
    let grounded = system.excess().iter().enumerate().filter(|&(_, &e)| e > 0.0);
    for (i, &e) in grounded.step_by(2) {
        half[[i, 0]] = e;
    }
    half
}

/// maxᵢ |aᵢ| of each column, in one pass over the rows.
fn largest_of_columns(rows: ArrayView2<f64>) -> Vec<f64> {
    let mut largest = vec![0.0_f64; rows.ncols()];
    for row in rows.rows() {
        for (largest, x) in largest.iter_mut().zip(row) {
            *largest = largest.max(x.abs());
        }
    }
    largest
}

/// The least β with |b| ≤ βe for each column; infinite where a row without excess has a right-hand
/// side.
fn bounds_of_columns(system: &Grounded, rows: ArrayView2<f64>) -> Vec<f64> {
    let mut bounds = vec![0.0_f64; rows.ncols()];
    for (row, &e) in rows.rows().into_iter().zip(system.excess()) {
        for (bound, &x) in bounds.iter_mut().zip(row) {
            // 0/0 is no bound.
            *bound = bound.max(if x.abs() > 0.0 { x.abs() / e } else { 0.0 });
        }
    }
    bounds
}

fn largest(column: ArrayView1<f64>) -> f64 {
    column.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()))
}

/// max over columns of ‖b − A x‖ / ‖b‖, the product in difference form; 0 for b = 0.
pub(crate) fn worst_relative_residual(
    system: &Grounded,
    rhs: ArrayView2<f64>,
    x: &Array2<f64>,
) -> f64 {
    let residual = &rhs - &system.apply(x.view());
    let mut worst = 0.0_f64;
    for (b, r) in rhs.columns().into_iter().zip(residual.columns()) {
        // Divided by the largest entry first, so that no square leaves the range.
        let size = largest(b);
        if size > 0.0 {
            let norm = |v: ArrayView1<f64>| v.mapv(|v| (v / size).powi(2)).sum().sqrt();
            worst = worst.max(norm(r) / norm(b));
        }
    }
    worst
}

//! ln det of a system and the trace of its inverse without a factor, by random probes.

use crate::engine::Engine;
use crate::engine::block::{Block, MOST};
use crate::engine::conjugate_gradient::ConjugateGradient;
use crate::engine::team::{Operator, Precondition};
use crate::inverse_diagonal::{Parts, WIDTH, signs};
use crate::{LaplacianError, Prepared};
use gaussfield_core::dense::symmetric_eigen;
use gaussfield_core::{NotConverged, Progress, Stage, check};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A probe is done when its preconditioned residual has fallen by this factor, squared: the error of
/// the quadrature falls twice as fast as that of conjugate gradients, and is far below the spread of
/// the probes then.
const FALLEN: f64 = 1e-14;

/// A number found by random probes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean over the probes.
    pub value: f64,
    /// Its standard error, from the spread of the probes; 0 where a factor gave the number.
    pub standard_error: f64,
    /// Probes drawn; 0 where a factor gave the number.
    pub probes: usize,
}

impl Prepared {
    /// ln det A for systems of any size: exact where there is a factor
    /// ([`log_det`](Self::log_det)), else by stochastic Lanczos quadrature (Ubaru, Chen, Saad 2017)
    /// on the preconditioned system. With M ≈ A known through its factor,
    /// ln det A = ln det M + tr ln(M^−½ A M^−½): only the second term is estimated, and it is small
    /// where the preconditioner is good. Each probe takes the iterations of one solve; the standard
    /// error falls as 1/√probes.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_laplacian::{Grounded, Preconditioner, Solver, SolverOptions};
    ///
    /// // A ring of 500 nodes, each grounded by 1.
    /// let graph = Graph::from_edges(500, (0..500).map(|i| (i, (i + 1) % 500, 1.0)))?;
    /// let nodes: Vec<usize> = (0..500).collect();
    /// let system = Grounded::new(&graph, &nodes, 1.0, vec![1.0; 500])?;
    /// let exact = system.prepare(&SolverOptions::default())?.log_det()?;
    /// let solver = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
    /// let iterative = system.prepare(&SolverOptions { solver, ..SolverOptions::default() })?;
    /// let found = iterative.estimate_log_det(20, 7)?;
    /// assert!((found.value - exact).abs() <= 5.0 * found.standard_error + 1e-9 * exact);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than 2 probes; vectors over the budget; probes that take more iterations than allowed;
    /// a factor that only refinement makes accurate.
    pub fn estimate_log_det(&self, probes: usize, seed: u64) -> Result<Estimate, LaplacianError> {
        check::at_least("the number of probes", probes, 2)?;
        let Some(Engine::Iterative(engine)) = &self.engine else {
            return Ok(Estimate { value: self.log_det()?, standard_error: 0.0, probes: 0 });
        };
        let n = self.system.len();
        let stage = Progress::stage("log determinant", Some(probes as u64));
        let mut samples = Vec::with_capacity(probes);
        for first in (0..probes).step_by(MOST) {
            let drawn = first..probes.min(first + MOST);
            engine.check_columns(n, drawn.len())?;
            let signs = signs(n, drawn.clone(), seed);
            for matrix in tridiagonals(engine, &signs)? {
                samples.push(n as f64 * logarithm_at_first(matrix)?);
            }
            stage.advance(drawn.len() as u64)?;
        }
        Ok(Estimate::of(engine.preparation.log_det(), &samples))
    }

    /// tr A⁻¹, the sum of all variances of a Gaussian field with precision A, for systems of any size:
    /// exact where a factor gives the diagonal of the inverse, else the mean of zᵀA⁻¹z over vectors z of
    /// random signs (Hutchinson 1990). As in [`InverseDiagonal::Stochastic`](crate::InverseDiagonal) the
    /// part of A⁻¹ that is constant on connected parts is known and left out of the probes. Each probe
    /// takes a solve; the standard error falls as 1/√probes.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_laplacian::{Grounded, Preconditioner, Solver, SolverOptions};
    ///
    /// // A ring of 500 nodes, each grounded by 1: tr A⁻¹ = 500/√5.
    /// let graph = Graph::from_edges(500, (0..500).map(|i| (i, (i + 1) % 500, 1.0)))?;
    /// let nodes: Vec<usize> = (0..500).collect();
    /// let solver = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
    /// let options = SolverOptions { solver, ..SolverOptions::default() };
    /// let prepared = Grounded::new(&graph, &nodes, 1.0, vec![1.0; 500])?.prepare(&options)?;
    /// let found = prepared.estimate_trace(20, 7)?;
    /// assert!((found.value - 500.0 / 5_f64.sqrt()).abs() <= 5.0 * found.standard_error);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than 2 probes; as [`Prepared::solve`].
    pub fn estimate_trace(&self, probes: usize, seed: u64) -> Result<Estimate, LaplacianError> {
        check::at_least("the number of probes", probes, 2)?;
        if let Some(diagonal) = self.factor_diagonal() {
            let value = diagonal.iter().sum();
            return Ok(Estimate { value, standard_error: 0.0, probes: 0 });
        }
        let parts = Parts::new(&self.system, &self.parts);
        let stage = Progress::stage("trace of the inverse", Some(probes as u64));
        let mut samples = Vec::with_capacity(probes);
        let width = self.columns_together(WIDTH.min(probes));
        for first in (0..probes).step_by(width) {
            let signs = signs(self.system.len(), first..probes.min(first + width), seed);
            let solved = self.solve(parts.without_constants(&self.system, &signs).view())?.values;
            samples
                .extend(signs.columns().into_iter().zip(solved.columns()).map(|(z, x)| z.dot(&x)));
            stage.advance(signs.ncols() as u64)?;
        }
        Ok(Estimate::of(parts.known().sum(), &samples))
    }
}

impl Estimate {
    /// The mean of samples above what is known.
    fn of(known: f64, samples: &[f64]) -> Self {
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        let standard_error = (squares / (count - 1.0) / count).sqrt();
        Self { value: known + mean, standard_error, probes: samples.len() }
    }
}

/// Of each column z of signs the matrix of M^−½ A M^−½ in the basis that Lanczos builds from z: its
/// coefficients are those of conjugate gradients from the residual M^½ z.
fn tridiagonals(
    engine: &ConjugateGradient,
    signs: &Array2<f64>,
) -> Result<Vec<Array2<f64>>, LaplacianError> {
    let (n, columns) = signs.dim();
    let (operator, preparation) = (&engine.arranged, &engine.preparation);
    let mut z = Block::zeros(n, columns);
    z.update_rows(|i, row| {
        let drawn = signs.row(operator.row(i));
        row.iter_mut().zip(drawn).for_each(|(z, &sign)| *z = sign);
    });
    let mut r = Block::zeros(n, columns);
    preparation.root(&z, &mut r);
    let (ghosts, mut d) = (Block::zeros(0, columns), Block::zeros(n, columns));
    let mut scratch = preparation.scratch(r.width());
    preparation.apply(&r, &mut z, &mut scratch);
    let mut p = z.clone();
    let mut rz = r.dots(&z);
    let first = rz.clone();
    let mut steps: Vec<Vec<f64>> = vec![Vec::new(); columns];
    let mut turns: Vec<Vec<f64>> = vec![Vec::new(); columns];
    let stage = Progress::shares("conjugate gradients");
    for _ in 0..engine.max_iterations {
        let going = |c: usize| rz[c] > FALLEN * first[c];
        if !(0..columns).any(going) {
            return Ok(steps.into_iter().zip(turns).map(|(s, t)| tridiagonal(&s, &t)).collect());
        }
        let curvature = operator.apply(&p, &ghosts, &mut z);
        let ratio = |c: usize, over: f64, under: f64| if going(c) { over / under } else { 0.0 };
        let step: Vec<f64> = (0..columns).map(|c| ratio(c, rz[c], curvature[c])).collect();
        Block::advance(&step, (&mut d, &p), (&mut r, &z));
        preparation.apply(&r, &mut z, &mut scratch);
        let new = r.dots(&z);
        let turn: Vec<f64> = (0..columns).map(|c| ratio(c, new[c], rz[c])).collect();
        p.scale_and_add(&turn, &z);
        for c in (0..columns).filter(|&c| going(c)) {
            steps[c].push(step[c]);
            turns[c].push(turn[c]);
        }
        rz = new;
        let way = |c: usize| Stage::way(first[c], rz[c], FALLEN * first[c]);
        stage.reach((0..columns).map(way).fold(1.0, f64::min))?;
    }
    let reached = rz.iter().zip(&first).map(|(rz, first)| (rz / first).sqrt());
    Err(LaplacianError::NotConverged(NotConverged {
        method: "stochastic Lanczos quadrature",
        iterations: engine.max_iterations,
        measure: "the relative residual of a probe",
        reached: reached.fold(0.0, f64::max),
        tolerance: FALLEN.sqrt(),
        remedy: "allow more iterations or use the approximate Cholesky preconditioner",
    }))
}

/// The matrix of Lanczos from the steps α and turns β of conjugate gradients.
fn tridiagonal(steps: &[f64], turns: &[f64]) -> Array2<f64> {
    let size = steps.len();
    let mut matrix = Array2::zeros((size, size));
    for k in 0..size {
        matrix[[k, k]] = 1.0 / steps[k];
        if k > 0 {
            matrix[[k, k]] += turns[k - 1] / steps[k - 1];
            let beside = turns[k - 1].sqrt() / steps[k - 1];
            matrix[[k, k - 1]] = beside;
            matrix[[k - 1, k]] = beside;
        }
    }
    matrix
}

/// e₁ᵀ ln(T) e₁.
fn logarithm_at_first(matrix: Array2<f64>) -> Result<f64, LaplacianError> {
    let (values, vectors) = symmetric_eigen(matrix)?;
    // Rounding may leave an eigenvalue of a positive matrix at zero; its weight is as small.
    let term = |(value, weight): (&f64, &f64)| weight * weight * value.max(f64::MIN_POSITIVE).ln();
    Ok(values.iter().zip(vectors.row(0)).map(term).sum())
}

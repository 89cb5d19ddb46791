//! The diagonal of an inverse, from a factor or by probes.

use crate::components::Components;
use crate::{Grounded, LaplacianError, Prepared, Solver};
use gaussfield_core::{Progress, check};
use ndarray::{Array1, Array2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Right-hand sides solved together, unless the budget allows fewer.
pub(crate) const WIDTH: usize = 128;

/// How the diagonal of an inverse is found, by name. n unknowns.
///
/// | solver | [`Exact`](Self::Exact) | affordable up to about |
/// |---|---|---|
/// | dense Cholesky | n³/3: as much as the factorisation | what the factor itself allows |
/// | sparse Cholesky, sparse elimination | selected inverse: about the work and the memory of the factor once more | what the factor itself allows |
/// | dense elimination | n solves, 2n³ | n = 4000 |
/// | conjugate gradients | n solves of many iterations each | some thousands of unknowns |
///
/// [`Stochastic`](Self::Stochastic) costs `probes` solves whatever the solver: for conjugate
/// gradients on large graphs it is the only one affordable. Its standard error falls as
/// 1/√probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum InverseDiagonal {
    /// To rounding, or as exact as the solver is: by the factor where there is one (Takahashi,
    /// Fagan, Chin 1973, for a sparse one), else by solving for all unit vectors, 128 at a time.
    Exact,
    /// A random estimate without bias (Hutchinson 1990; Bekas, Kokiopoulou, Saad 2007): the mean
    /// of z ∘ A⁻¹z over vectors z of random signs.
    ///
    /// The constant vectors are taken out first. For the indicator 1_c of a connected part and
    /// s_c = Σ_{i∈c} eᵢ, A·1_c = e on c, so that A⁻¹ − Σ_c 1_c 1_cᵀ/s_c is positive semidefinite:
    /// its first term is known, and only the rest is estimated, with z − e·(1_cᵀz)/s_c on the
    /// right. Where parts are tied to the ground but weakly, that term is nearly all of A⁻¹, and
    /// an estimate of it would be all noise.
    Stochastic {
        /// Random vectors, at least 2.
        probes: usize,
        /// Where the signs come from.
        seed: u64,
    },
}

/// The diagonal of an inverse, and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagonalEstimate {
    /// (A⁻¹)ᵢᵢ, in the order of [`Grounded::nodes`].
    pub values: Array1<f64>,
    /// For a random estimate: the standard error of each value, itself estimated from the spread
    /// of the probes.
    pub standard_errors: Option<Array1<f64>>,
    /// The solver that ran.
    pub solver: Solver,
    /// Right-hand sides solved; 0 where the factor gave the diagonal.
    pub solves: usize,
}

impl Prepared {
    /// The diagonal of A⁻¹: the variances of a Gaussian field with precision A. Memory beside
    /// that of the solver: 128 columns, or for a sparse factor as much again as the factor. The
    /// cost in time is stated at [`InverseDiagonal`].
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_laplacian::{Grounded, InverseDiagonal, SolverOptions};
    ///
    /// // One edge of weight 3, both nodes grounded by 1: the inverse of [4 −3; −3 4].
    /// let graph = Graph::from_edges(2, [(0, 1, 3.0)])?;
    /// let system = Grounded::new(&graph, &[0, 1], 1.0, vec![1.0, 1.0])?;
    /// let prepared = system.prepare(&SolverOptions::default())?;
    /// let exact = prepared.inverse_diagonal(InverseDiagonal::Exact)?;
    /// assert!((exact.values[0] - 4.0 / 7.0).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than 2 probes; a value that overflows; as [`Prepared::solve`].
    pub fn inverse_diagonal(
        &self,
        how: InverseDiagonal,
    ) -> Result<DiagonalEstimate, LaplacianError> {
        let estimate = match how {
            InverseDiagonal::Exact => self.exact_diagonal()?,
            InverseDiagonal::Stochastic { probes, seed } => self.random_diagonal(probes, seed)?,
        };
        match estimate.values.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(LaplacianError::SolutionOverflow { row, column: row }),
            None => Ok(estimate),
        }
    }

    fn exact_diagonal(&self) -> Result<DiagonalEstimate, LaplacianError> {
        let solver = self.solver();
        if let Some(diagonal) = self.factor_diagonal() {
            let values = Array1::from(diagonal);
            return Ok(DiagonalEstimate { values, standard_errors: None, solver, solves: 0 });
        }
        let n = self.system().len();
        let mut values = Array1::zeros(n);
        let stage = Progress::stage("inverse diagonal", Some(n as u64));
        let width = self.columns_together(WIDTH);
        for start in (0..n).step_by(width) {
            let mut units = Array2::zeros((n, width.min(n - start)));
            for c in 0..units.ncols() {
                units[[start + c, c]] = 1.0;
            }
            let solution = self.solve(units.view())?.values;
            for c in 0..units.ncols() {
                values[start + c] = solution[[start + c, c]];
            }
            stage.advance(units.ncols() as u64)?;
        }
        Ok(DiagonalEstimate { values, standard_errors: None, solver, solves: n })
    }

    fn random_diagonal(
        &self,
        probes: usize,
        seed: u64,
    ) -> Result<DiagonalEstimate, LaplacianError> {
        check::at_least("the number of probes", probes, 2)?;
        let system = self.system();
        let parts = Parts::new(system, &self.parts);
        let n = system.len();
        // Mean and sum of squared deviations, updated probe by probe (Welford 1962).
        let (mut mean, mut squares) = (Array1::<f64>::zeros(n), Array1::<f64>::zeros(n));
        let stage = Progress::stage("inverse diagonal", Some(probes as u64));
        let width = self.columns_together(WIDTH);
        for start in (0..probes).step_by(width) {
            let signs = signs(n, start..probes.min(start + width), seed);
            let solution = self.solve(parts.without_constants(system, &signs).view())?.values;
            for (c, (z, x)) in signs.columns().into_iter().zip(solution.columns()).enumerate() {
                let count = (start + c + 1) as f64;
                for i in 0..n {
                    let sample = z[i] * x[i];
                    let before = sample - mean[i];
                    mean[i] += before / count;
                    squares[i] += before * (sample - mean[i]);
                }
            }
            stage.advance(signs.ncols() as u64)?;
        }
        let known = parts.known();
        let count = probes as f64;
        let errors = squares.mapv(|sum| (sum / (count - 1.0) / count).sqrt());
        Ok(DiagonalEstimate {
            values: mean + known,
            standard_errors: Some(errors),
            solver: self.solver(),
            solves: probes,
        })
    }
}

/// Connected parts of a system, each with its excess s_c.
pub(crate) struct Parts<'a> {
    of: &'a [usize],
    excess: Vec<f64>,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(system: &Grounded, parts: &'a Components) -> Self {
        let mut excess = vec![0.0; parts.count];
        for (&c, e) in parts.of.iter().zip(system.excess()) {
            excess[c] += e;
        }
        Self { of: &parts.of, excess }
    }

    /// The diagonal of Σ_c 1_c 1_cᵀ/s_c.
    pub(crate) fn known(&self) -> Array1<f64> {
        self.of.iter().map(|&c| 1.0 / self.excess[c]).collect()
    }

    /// z − e·(1_cᵀz)/s_c on every part c, for each column.
    pub(crate) fn without_constants(&self, system: &Grounded, z: &Array2<f64>) -> Array2<f64> {
        let mut sums = Array2::zeros((self.excess.len(), z.ncols()));
        for (row, &c) in z.rows().into_iter().zip(self.of) {
            let mut sum = sums.row_mut(c);
            sum += &row;
        }
        let mut rhs = z.clone();
        for ((mut row, &c), e) in rhs.rows_mut().into_iter().zip(self.of).zip(system.excess()) {
            row.scaled_add(-e / self.excess[c], &sums.row(c));
        }
        rhs
    }
}

/// A column of random signs for each probe, from a stream of its own: a probe does not depend on
/// how many there are.
pub(crate) fn signs(n: usize, probes: std::ops::Range<usize>, seed: u64) -> Array2<f64> {
    let mut signs = Array2::zeros((n, probes.len()));
    for (mut column, probe) in signs.columns_mut().into_iter().zip(probes) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(probe as u64);
        column.mapv_inplace(|_: f64| if random.random::<bool>() { 1.0 } else { -1.0 });
    }
    signs
}

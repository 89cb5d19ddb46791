use crate::auto::candidates;
use crate::certificate::{
    Certificate, certified_solve, certify, refined_solve, worst_relative_residual,
};
use crate::engine::{Engine, Workspace};
use crate::error::check_length;
use crate::{Grounded, LaplacianError, Solution, SolveFacts, Solver, SolverOptions};
use ndarray::{Array2, ArrayView2};

/// A system made ready by [`Grounded::prepare`]: solves any number of right-hand sides.
///
/// Invariant: what it solves with has passed the certificate of
/// [`SolveFacts::partition_error`].
#[derive(Debug)]
pub struct Prepared {
    system: Grounded,
    options: SolverOptions,
    workspace: Workspace,
    /// None for a system without unknowns.
    engine: Option<Engine>,
    certificate: Certificate,
    usable: bool,
}

impl Prepared {
    pub(crate) fn new(system: &Grounded, options: &SolverOptions) -> Result<Self, LaplacianError> {
        let mut prepared = Self {
            system: system.clone(),
            options: *options,
            workspace: Workspace::default(),
            engine: None,
            certificate: Certificate::EXACT,
            usable: false,
        };
        prepared.run()?;
        Ok(prepared)
    }

    /// Takes a system with new weights. With the same pattern of stored entries, the order of
    /// elimination, the symbolic analysis and the memory are used again; the result is the same
    /// as that of a fresh [`Grounded::prepare`].
    ///
    /// # Errors
    /// As [`Grounded::prepare`]. After an error only another update helps:
    /// [`LaplacianError::NotPrepared`] until then.
    pub fn update(&mut self, system: &Grounded) -> Result<(), LaplacianError> {
        if !self.system.coupling().same_pattern(system.coupling()) {
            self.workspace = Workspace::default();
        } else if let Some(engine) = self.engine.take() {
            self.workspace.recycle(engine);
        }
        self.engine = None;
        self.usable = false;
        self.system = system.clone();
        self.run()
    }

    /// Solves A X = B for every column of `rhs`. Cost: see [`Solver`].
    ///
    /// # Errors
    /// A wrong number of rows, a right-hand side that is not finite, conjugate gradients that do
    /// not converge, a solution that overflows.
    pub fn solve(&self, rhs: ArrayView2<f64>) -> Result<Solution, LaplacianError> {
        if !self.usable {
            return Err(LaplacianError::NotPrepared);
        }
        check_length("the right-hand side", self.system.len(), rhs.nrows())?;
        if let Some(((row, column), &value)) = rhs.indexed_iter().find(|(_, b)| !b.is_finite()) {
            return Err(LaplacianError::NotFinite { row, column, value });
        }
        let (values, iterations, partition_error) = match &self.engine {
            None => (Array2::zeros(rhs.dim()), 0, 0.0),
            Some(Engine::ConjugateGradient(engine)) => {
                let done = certified_solve(engine, &self.system, rhs, &self.options)?;
                (done.values, done.iterations, done.certificate.partition_error)
            }
            Some(engine) => {
                let Certificate { partition_error, refinements, .. } = self.certificate;
                (refined_solve(engine, &self.system, rhs, refinements)?, 0, partition_error)
            }
        };
        if let Some(((row, column), _)) = values.indexed_iter().find(|(_, x)| !x.is_finite()) {
            return Err(LaplacianError::SolutionOverflow { row, column });
        }
        let facts = SolveFacts {
            solver: self.solver(),
            unknowns: self.system.len(),
            stored_entries: self.system.coupling().stored(),
            columns: rhs.ncols(),
            iterations,
            relative_residual: worst_relative_residual(&self.system, rhs, &values),
            partition_error,
        };
        Ok(Solution { values, facts })
    }

    /// ln det A; 0 for a system without unknowns. O(n).
    ///
    /// # Errors
    /// Conjugate gradients have no determinant; a factor that only refinement makes accurate
    /// enough has not either.
    pub fn log_det(&self) -> Result<f64, LaplacianError> {
        if !self.usable {
            return Err(LaplacianError::NotPrepared);
        }
        let Some(engine) = &self.engine else { return Ok(0.0) };
        let solver = engine.solver();
        let log_det = engine.log_det().ok_or(LaplacianError::NoDeterminant { solver })?;
        self.certificate.check_unrefined(solver, &self.options)?;
        Ok(log_det)
    }

    /// The diagonal of A⁻¹ from the factor: None where there is none, or where it is accurate
    /// enough only with refinement.
    pub(crate) fn factor_diagonal(&self) -> Result<Option<Vec<f64>>, LaplacianError> {
        if !self.usable {
            return Err(LaplacianError::NotPrepared);
        }
        let Some(engine) = &self.engine else { return Ok(Some(Vec::new())) };
        let accurate = self.certificate.check_unrefined(engine.solver(), &self.options).is_ok();
        Ok(if accurate { engine.inverse_diagonal() } else { None })
    }

    /// The solver that runs; never [`Solver::Auto`].
    pub fn solver(&self) -> Solver {
        match (&self.engine, self.options.solver) {
            (Some(engine), _) => engine.solver(),
            (None, Solver::Auto) => Solver::Elimination,
            (None, named) => named,
        }
    }

    /// How well the system was resolved when it was prepared: see
    /// [`SolveFacts::partition_error`].
    pub fn partition_error(&self) -> f64 {
        self.certificate.partition_error
    }

    /// The system being solved.
    pub fn system(&self) -> &Grounded {
        &self.system
    }

    /// Builds and certifies the first solver that succeeds.
    fn run(&mut self) -> Result<(), LaplacianError> {
        self.options.check()?;
        self.system.check_grounded()?;
        if self.system.is_empty() {
            self.certificate = Certificate::EXACT;
            self.usable = true;
            return Ok(());
        }
        let solvers = match self.options.solver {
            Solver::Auto => candidates(&self.system, &self.options, &mut self.workspace)?,
            named => vec![named],
        };
        let mut outcome = Err(LaplacianError::NotPrepared);
        for (at, &solver) in solvers.iter().enumerate() {
            // Where elimination stands by, a factor that only refinement makes good is not kept:
            // it would have no determinant.
            let strict = solvers.get(at + 1) == Some(&Solver::Elimination);
            outcome = self.attempt(solver, strict);
            match &outcome {
                Err(
                    LaplacianError::IllConditioned { .. }
                    | LaplacianError::NotConverged { .. }
                    | LaplacianError::Preconditioner { .. },
                ) => {}
                _ => break,
            }
        }
        outcome
    }

    fn attempt(&mut self, solver: Solver, strict: bool) -> Result<(), LaplacianError> {
        let engine = Engine::new(solver, &self.system, &self.options, &mut self.workspace)?;
        let Some(mut engine) = engine else {
            return Err(LaplacianError::IllConditioned {
                solver,
                partition_error: f64::INFINITY,
                tolerance: self.options.partition_tolerance,
                node: None,
            });
        };
        let certified = certify(&mut engine, &self.system, &self.options).and_then(|certificate| {
            if strict {
                certificate.check_unrefined(solver, &self.options)?;
            }
            Ok(certificate)
        });
        match certified {
            Ok(certificate) => {
                self.certificate = certificate;
                self.engine = Some(engine);
                self.usable = true;
                Ok(())
            }
            Err(error) => {
                self.workspace.recycle(engine);
                Err(error)
            }
        }
    }
}

//! What is kept from one preparation to the next, and how a preparation goes.

use crate::auto::candidates;
use crate::certificate::{Certificate, certify_factor, certify_iteration};
use crate::components::Components;
use crate::coupling::SparsePattern;
use crate::engine::arrangement::{Arranged, Arrangement};
use crate::engine::conjugate_gradient::ConjugateGradient;
use crate::engine::order::{LowerPattern, Order, hopeless};
use crate::engine::preconditioner::Preparation;
use crate::engine::sparse_cholesky::SparseAnalysis;
use crate::engine::sparse_elimination::EliminationPattern;
use crate::engine::{Engine, factorise};
use crate::{Grounded, LaplacianError, Preconditioner, Prepared, Solver, SolverOptions, Work};
use gaussfield_core::Progress;
use std::sync::Arc;

/// Preparations after which the first choice of [`Solver::Auto`] is tried again where it failed.
const RETRY: usize = 8;

/// What depends on the pattern alone, made when first needed; a preconditioner that still serves;
/// and memory to factorise into.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    lower: Option<Arc<LowerPattern>>,
    order: Option<Arc<Order>>,
    analysis: Option<Arc<SparseAnalysis>>,
    elimination: Option<Arc<EliminationPattern>>,
    arrangement: Option<Option<Arc<Arrangement>>>,
    /// Whether a direct factorisation is hopeless, as a part of the pattern tells.
    hopeless: Option<bool>,
    /// Whether there is but one preparation: conjugate gradients without an alternative are then
    /// certified by their solves alone.
    once: bool,
    preconditioner: Option<Kept>,
    fallback: Option<Fallback>,
    /// Those of the last preparation: a preconditioner is judged by the same ones only.
    options: Option<SolverOptions>,
    buffer: Vec<f64>,
    pub(crate) work: Work,
}

/// A preconditioner, and the iterations its own system took.
#[derive(Debug)]
struct Kept {
    preparation: Preparation,
    fresh: usize,
    /// Σ of the diagonal of its own system.
    trace: f64,
}

/// The first choice failed: which one stands in, and for how many more preparations.
#[derive(Debug)]
struct Fallback {
    at: usize,
    left: usize,
}

impl Workspace {
    /// For one preparation.
    pub(crate) fn once() -> Self {
        Self { once: true, ..Self::default() }
    }

    /// Forgets a pattern; memory and counts stay.
    pub(crate) fn forget(&mut self) {
        let (buffer, work, once) = (std::mem::take(&mut self.buffer), self.work, self.once);
        *self = Self { buffer, work, once, ..Self::default() };
    }

    pub(crate) fn buffer(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.buffer)
    }

    /// Takes back the memory of an engine that is no longer needed.
    pub(crate) fn recycle(&mut self, engine: Option<Engine>) {
        if let Some(Engine::Direct(factor)) = engine {
            self.buffer = factor.into_buffer();
        }
    }

    fn lower(&mut self, pattern: &SparsePattern) -> Arc<LowerPattern> {
        Arc::clone(self.lower.get_or_insert_with(|| Arc::new(LowerPattern::new(pattern))))
    }

    pub(crate) fn order(&mut self, pattern: &SparsePattern) -> Result<Arc<Order>, LaplacianError> {
        if let Some(order) = &self.order {
            return Ok(Arc::clone(order));
        }
        let stage = Progress::stage("fill-reducing order", Some(1));
        let lower = self.lower(pattern);
        stage.advance(0)?;
        let order = Arc::new(Order::new(&lower)?);
        stage.step()?;
        self.work.analyses += 1;
        Ok(Arc::clone(self.order.insert(order)))
    }

    /// Whether parts of the pattern show that a direct factorisation is out of the question.
    pub(crate) fn hopeless(
        &mut self,
        pattern: &SparsePattern,
        limit: f64,
    ) -> Result<bool, LaplacianError> {
        if let Some(hopeless) = self.hopeless {
            return Ok(hopeless);
        }
        let stage = Progress::stage("fill-reducing order", None);
        stage.advance(0)?;
        Ok(*self.hopeless.insert(hopeless(pattern, limit)?))
    }

    pub(crate) fn analysis(
        &mut self,
        pattern: &SparsePattern,
    ) -> Result<Arc<SparseAnalysis>, LaplacianError> {
        if let Some(analysis) = &self.analysis {
            return Ok(Arc::clone(analysis));
        }
        let (order, lower) = (self.order(pattern)?, self.lower(pattern));
        let analysis = Arc::new(SparseAnalysis::new(lower, order)?);
        Ok(Arc::clone(self.analysis.insert(analysis)))
    }

    pub(crate) fn elimination(
        &mut self,
        pattern: &SparsePattern,
    ) -> Result<Arc<EliminationPattern>, LaplacianError> {
        if let Some(elimination) = &self.elimination {
            return Ok(Arc::clone(elimination));
        }
        let elimination = Arc::new(EliminationPattern::new(pattern, self.order(pattern)?));
        Ok(Arc::clone(self.elimination.insert(elimination)))
    }

    /// Builds and certifies the first solver that succeeds. All systems since the last
    /// [`forget`](Self::forget) have the same pattern.
    pub(crate) fn prepare(
        &mut self,
        system: Grounded,
        parts: Arc<Components>,
        options: &SolverOptions,
    ) -> Result<Prepared, LaplacianError> {
        system.check_grounded(&parts)?;
        if self.options != Some(*options) {
            (self.preconditioner, self.fallback) = (None, None);
            self.options = Some(*options);
        }
        self.work.preparations += 1;
        let left = options.budget.take("the weights of the system", system.bytes())?;
        let options = &SolverOptions { budget: left, ..*options };
        if system.is_empty() {
            let solver = match options.solver {
                Solver::Auto => Solver::Elimination,
                named => named,
            };
            let engine = None;
            let certificate = Certificate::EXACT;
            return Ok(Prepared { system, parts, options: *options, solver, engine, certificate });
        }
        let solvers = match options.solver {
            Solver::Auto => candidates(&system, left, self)?,
            named => vec![named],
        };
        let stand_in = self.fallback.as_mut().filter(|fallback| fallback.left > 0);
        let stand_in = stand_in.map(|fallback| {
            fallback.left -= 1;
            fallback.at
        });
        let mut outcome = Err(LaplacianError::NotPrepared);
        for at in stand_in.into_iter().chain(0..solvers.len()) {
            let next = solvers.get(at + 1);
            outcome = self.attempt(solvers[at], &system, options, next);
            match &outcome {
                Ok(_) if at == 0 => self.fallback = None,
                Ok(_) if Some(at) != stand_in => {
                    self.fallback = Some(Fallback { at, left: RETRY });
                }
                Err(LaplacianError::IllConditioned { .. } | LaplacianError::NotConverged(_)) => {
                    continue;
                }
                _ => {}
            }
            let solver = solvers[at];
            return outcome.map(|(engine, certificate)| Prepared {
                system,
                parts,
                options: *options,
                solver,
                engine: Some(engine),
                certificate,
            });
        }
        Err(outcome.err().unwrap_or(LaplacianError::NotPrepared))
    }

    fn attempt(
        &mut self,
        solver: Solver,
        system: &Grounded,
        options: &SolverOptions,
        next: Option<&Solver>,
    ) -> Result<(Engine, Certificate), LaplacianError> {
        // Where elimination stands by, a factor that only refinement makes good is not kept: it
        // would have no determinant.
        let strict = next == Some(&Solver::Elimination);
        if let Solver::ConjugateGradient(kind) = solver {
            let certify = !self.once || next.is_some();
            // Where a dense factor stands by, iterations may cost about as much as it.
            let most = match next {
                Some(Solver::DenseCholesky) => options.max_iterations.min(system.len() / 100),
                _ => options.max_iterations,
            };
            let bounded = SolverOptions { max_iterations: most, ..*options };
            let (mut engine, certificate) = self.iterate(kind, system, &bounded, certify)?;
            engine.max_iterations = options.max_iterations;
            return Ok((Engine::Iterative(engine), certificate));
        }
        let stage = Progress::stage("factorisation", Some(1));
        stage.advance(0)?;
        let factor = factorise(solver, system, options.budget, self)?;
        self.work.factorisations += 1;
        stage.step()?;
        drop(stage);
        let Some(factor) = factor else {
            return Err(LaplacianError::IllConditioned {
                solver,
                partition_error: f64::INFINITY,
                tolerance: options.partition_tolerance,
                node: None,
            });
        };
        let certified = certify_factor(&*factor, solver, system, options).and_then(|found| {
            if strict {
                found.check_unrefined(solver, options)?;
            }
            Ok(found)
        });
        match certified {
            Ok(certificate) => Ok((Engine::Direct(factor), certificate)),
            Err(error) => {
                self.buffer = factor.into_buffer();
                Err(error)
            }
        }
    }

    /// Sets up conjugate gradients. The kept preconditioner serves as long as it takes at most
    /// about one and a half times the iterations that its own system took.
    fn iterate(
        &mut self,
        kind: Preconditioner,
        system: &Grounded,
        options: &SolverOptions,
        certify: bool,
    ) -> Result<(ConjugateGradient, Certificate), LaplacianError> {
        let trace: f64 = system.diagonal_slice().iter().sum();
        let budget = Preparation::beside(system, kind, options.budget)?;
        let SolverOptions { tolerance, max_iterations, .. } = *options;
        let mut arranged = Arranged::new(system, self.arrangement(system));
        if let Some(kept) = self.preconditioner.take_if(|kept| kept.preparation.kind() == kind) {
            let most = max_iterations.min(kept.fresh + kept.fresh / 2 + 2);
            // All weights times a factor is the same system: its preconditioner goes along.
            let preparation = kept.preparation.scaled(trace / kept.trace);
            let max_iterations = most;
            let mut engine =
                ConjugateGradient { arranged, preparation, tolerance, max_iterations, budget };
            match certify_iteration(&mut engine, system, options) {
                Ok(certificate) if certificate.iterations <= most => {
                    engine.max_iterations = options.max_iterations;
                    self.preconditioner = Some(kept);
                    return Ok((engine, certificate));
                }
                Err(LaplacianError::Cancelled(cancelled)) => return Err(cancelled.into()),
                // Poor, or of no use at all: a fresh one decides.
                _ => arranged = engine.arranged,
            }
        }
        let stage = Preparation::stage(arranged.len());
        stage.advance(0)?;
        let preparation = Preparation::new(&arranged, kind, &stage);
        stage.advance(0)?;
        stage.end();
        self.work.preconditioners += 1;
        let mut engine =
            ConjugateGradient { arranged, preparation, tolerance, max_iterations, budget };
        if !certify {
            return Ok((engine, Certificate::EXACT));
        }
        let certificate = certify_iteration(&mut engine, system, options)?;
        if kind == Preconditioner::ApproximateCholesky {
            let preparation = engine.preparation.scaled(1.0);
            let fresh = certificate.iterations;
            self.preconditioner = Some(Kept { preparation, fresh, trace });
        }
        Ok((engine, certificate))
    }

    /// Makes now what conjugate gradients would make later, where they may be chosen.
    pub(crate) fn foresee(&mut self, system: &Grounded, solver: Solver) {
        if matches!(solver, Solver::Auto | Solver::ConjugateGradient(_)) {
            self.arrangement(system);
        }
    }

    fn arrangement(&mut self, system: &Grounded) -> Option<Arc<Arrangement>> {
        let made = || Arrangement::new(system.coupling()).map(Arc::new);
        self.arrangement.get_or_insert_with(made).clone()
    }
}

//! Searches by gradients, recorded and watched.

use super::descent::ShortSteps;
use super::{Function, Minimise, Optimiser, Step, Stop, section};
use crate::TuneError;
use crate::transform::Transform;
use argmin::core::{
    CostFunction, Error, Executor, Gradient, IterState, KV, Problem, Solver, State,
    TerminationReason, TerminationStatus,
};
use argmin::solver::conjugategradient::NonlinearConjugateGradient;
use argmin::solver::conjugategradient::beta::PolakRibiere;
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use std::cell::RefCell;
use std::rc::Rc;

/// ln 10: how far from the start a plateau must reach, and what of the value may change there.
const FAR: f64 = std::f64::consts::LN_10;
const FLAT: f64 = 1e-12;

pub(super) type Free = Vec<f64>;
pub(super) type Iterate = IterState<Free, Free, (), (), (), f64>;

/// What a search found.
pub(super) struct Found {
    pub(super) best: Step,
    pub(super) stop: Stop,
    pub(super) trace: Vec<Step>,
    pub(super) evaluations: usize,
}

/// The function in free variables, with a record of what was computed: a line search asks for
/// value and gradient at the same place one after the other.
struct Recorded<'a> {
    function: &'a dyn Function,
    transform: &'a Transform,
    record: Rc<RefCell<Record>>,
    /// What the solver sees is the function times this.
    scale: f64,
}

#[derive(Default)]
struct Record {
    last: Option<(Free, Step, Free)>,
    best: Option<Step>,
    evaluations: usize,
    failure: Option<TuneError>,
}

impl Recorded<'_> {
    fn evaluate(&self, free: &Free) -> Result<(f64, Free), Error> {
        if let Some((at, step, gradient)) = &self.record.borrow().last
            && at == free
        {
            return Ok(self.scaled(step.value, gradient));
        }
        let parameters = self.transform.parameters(free);
        let computed = self.function.value_and_gradient(&parameters).and_then(finite(&parameters));
        let mut record = self.record.borrow_mut();
        record.evaluations += 1;
        match computed {
            Ok((value, gradient)) => {
                let gradient = self.transform.pull(free, &parameters, &gradient);
                let step = Step { value, parameters, gradient: Some(length(&gradient)) };
                record.keep(&step);
                let seen = self.scaled(value, &gradient);
                record.last = Some((free.clone(), step, gradient));
                Ok(seen)
            }
            Err(error) => {
                record.failure = Some(error.clone());
                Err(error.into())
            }
        }
    }

    /// Whether the function is the same a factor of ten (or as far on a scale without an origin)
    /// to either side of the start, in every parameter. At a minimum it is not.
    fn is_flat(&self, start: &Free) -> bool {
        let Some(here) = self.record.borrow().best.as_ref().map(|step| step.value) else {
            return false;
        };
        let same = |place: Free| {
            // Not part of the search, and not kept.
            self.record.borrow_mut().evaluations += 1;
            let value = self.function.value(&self.transform.parameters(&place));
            value.is_ok_and(|value| (value - here).abs() <= FLAT * here.abs())
        };
        (0..start.len()).all(|at| {
            let moved = |by: f64| {
                let mut place = start.clone();
                place[at] += by;
                place
            };
            same(moved(FAR)) && same(moved(-FAR))
        })
    }

    fn scaled(&self, value: f64, gradient: &[f64]) -> (f64, Free) {
        (self.scale * value, gradient.iter().map(|g| self.scale * g).collect())
    }
}

impl Record {
    fn keep(&mut self, step: &Step) {
        if self.best.as_ref().is_none_or(|best| step.value < best.value) {
            self.best = Some(step.clone());
        }
    }
}

fn finite(parameters: &[f64]) -> impl Fn((f64, Free)) -> Result<(f64, Free), TuneError> {
    move |(value, gradient)| {
        if value.is_finite() && gradient.iter().all(|g| g.is_finite()) {
            Ok((value, gradient))
        } else {
            Err(TuneError::NotFinite { value, parameters: parameters.to_vec() })
        }
    }
}

fn length(gradient: &[f64]) -> f64 {
    gradient.iter().map(|g| g * g).sum::<f64>().sqrt()
}

impl CostFunction for Recorded<'_> {
    type Param = Free;
    type Output = f64;
    fn cost(&self, free: &Free) -> Result<f64, Error> {
        Ok(self.evaluate(free)?.0)
    }
}

impl Gradient for Recorded<'_> {
    type Param = Free;
    type Gradient = Free;
    fn gradient(&self, free: &Free) -> Result<Free, Error> {
        Ok(self.evaluate(free)?.1)
    }
}

/// A solver of `argmin` watched after every step: one rule of stopping for all of them, and a
/// trace.
struct Watched<'a, S> {
    inner: S,
    how: &'a Minimise,
    record: Rc<RefCell<Record>>,
    trace: Rc<RefCell<Vec<Step>>>,
    stop: Rc<RefCell<Option<Stop>>>,
    tell: &'a mut dyn FnMut(&Step),
}

impl<'f, S: Solver<Recorded<'f>, Iterate>> Solver<Recorded<'f>, Iterate> for Watched<'_, S> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn init(
        &mut self,
        problem: &mut Problem<Recorded<'f>>,
        state: Iterate,
    ) -> Result<(Iterate, Option<KV>), Error> {
        self.inner.init(problem, state)
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<Recorded<'f>>,
        state: Iterate,
    ) -> Result<(Iterate, Option<KV>), Error> {
        self.inner.next_iter(problem, state)
    }

    fn terminate(&mut self, _state: &Iterate) -> TerminationStatus {
        let Some(step) = self.record.borrow().best.clone() else {
            return TerminationStatus::NotTerminated;
        };
        let mut trace = self.trace.borrow_mut();
        let before = trace.last().map(|step| step.value);
        (self.tell)(&step);
        let stop = if step.gradient.is_some_and(|g| g <= self.how.gradient_tolerance) {
            Some(Stop::Gradient)
        } else if before.is_some_and(|before| {
            before - step.value <= self.how.value_tolerance * before.abs().max(f64::MIN_POSITIVE)
        }) {
            Some(Stop::Value)
        } else {
            None
        };
        trace.push(step);
        match stop {
            Some(stop) => {
                *self.stop.borrow_mut() = Some(stop);
                TerminationStatus::Terminated(TerminationReason::SolverConverged)
            }
            None => TerminationStatus::NotTerminated,
        }
    }
}

/// Runs the search that `how` names.
pub(super) fn run(
    how: &Minimise,
    function: &dyn Function,
    transform: &Transform,
    tell: &mut dyn FnMut(&Step),
) -> Result<Found, TuneError> {
    let parameters = function.start().len();
    let start = vec![0.0; parameters];
    if let Optimiser::GoldenSection { factor, probes } = how.optimiser {
        if parameters > 1 {
            return Err(TuneError::TooManyParameters { parameters });
        }
        return section::run(how, factor.ln(), probes, function, transform, tell);
    }
    let record = Rc::new(RefCell::new(Record::default()));
    let mut problem = Recorded { function, transform, record: Rc::clone(&record), scale: 1.0 };
    // A start without a value is the caller's error, not the search's.
    let Ok((_, slope)) = problem.evaluate(&start) else {
        let failure = record.borrow_mut().failure.take();
        return Err(failure.unwrap_or(TuneError::NoParameters));
    };
    if length(&slope) <= how.gradient_tolerance && problem.is_flat(&start) {
        let mut record = record.borrow_mut();
        let best = record.best.take().ok_or(TuneError::NoParameters)?;
        tell(&best);
        let (trace, evaluations) = (vec![best.clone()], record.evaluations);
        return Ok(Found { best, stop: Stop::Plateau, trace, evaluations });
    }
    if matches!(how.optimiser, Optimiser::Lbfgs { .. }) {
        // Its first step is the gradient. One that is longer than 1, a factor of e in some
        // parameter, can end where the function does not exist.
        problem.scale = length(&slope).max(1.0).recip();
    }
    let line = MoreThuenteLineSearch::new().with_c(1e-4, 0.9).map_err(refused)?;
    match how.optimiser {
        Optimiser::Lbfgs { memory } => {
            // The inner tolerances are off: `Watched` alone decides when to stop.
            let solver = LBFGS::new(line, memory)
                .with_tolerance_grad(0.0)
                .and_then(|solver| solver.with_tolerance_cost(0.0))
                .map_err(refused)?;
            watch(solver, problem, how, start, record, tell)
        }
        Optimiser::ConjugateGradient => {
            let solver = NonlinearConjugateGradient::new(line, PolakRibiere::new())
                .restart_iters(parameters.max(10) as u64)
                .restart_orthogonality(0.1);
            watch(solver, problem, how, start, record, tell)
        }
        Optimiser::SteepestDescent { longest } => {
            watch(ShortSteps::new(longest), problem, how, start, record, tell)
        }
        // Handled above, before the gradient was asked for.
        Optimiser::GoldenSection { .. } => Err(TuneError::NoParameters),
    }
}

pub(super) fn refused(error: Error) -> TuneError {
    TuneError::Optimiser { reason: error.to_string() }
}

fn watch<'f, S: Solver<Recorded<'f>, Iterate>>(
    inner: S,
    problem: Recorded<'f>,
    how: &Minimise,
    start: Free,
    record: Rc<RefCell<Record>>,
    tell: &mut dyn FnMut(&Step),
) -> Result<Found, TuneError> {
    let trace = Rc::new(RefCell::new(Vec::new()));
    let stop = Rc::new(RefCell::new(None));
    let watched = Watched {
        inner,
        how,
        record: Rc::clone(&record),
        trace: Rc::clone(&trace),
        stop: Rc::clone(&stop),
        tell,
    };
    let outcome = Executor::new(problem, watched)
        .configure(|state| state.param(start).max_iters(how.max_steps))
        .timer(false)
        .run();
    let stopped = match outcome {
        Ok(result) => match result.state().get_termination_reason() {
            Some(TerminationReason::MaxItersReached) => Stop::MaxSteps,
            Some(TerminationReason::SolverExit(reason)) => Stop::Trouble(reason.clone()),
            _ => stop.borrow_mut().take().unwrap_or(Stop::Value),
        },
        Err(error) => Stop::Trouble(error.to_string()),
    };
    let mut record = record.borrow_mut();
    let best = record.best.take().ok_or(TuneError::NoParameters)?;
    let trace = std::mem::take(&mut *trace.borrow_mut());
    Ok(Found { best, stop: stopped, trace, evaluations: record.evaluations })
}

//! Golden section for one parameter.

use super::search::{Found, refused};
use super::{Function, Minimise, Step, Stop};
use crate::TuneError;
use crate::transform::Transform;
use argmin::core::{CostFunction, Error, Executor, State, TerminationReason};
use argmin::solver::goldensectionsearch::GoldenSectionSearch;
use std::cell::RefCell;
use std::rc::Rc;

/// The function of one free variable, without gradient, with a record of what was computed.
struct OneValue<'a> {
    function: &'a dyn Function,
    transform: &'a Transform,
    steps: Rc<RefCell<Vec<Step>>>,
}

impl OneValue<'_> {
    fn at(&self, free: f64) -> Result<f64, TuneError> {
        let parameters = self.transform.parameters(&[free]);
        let value = self.function.value(&parameters)?;
        if !value.is_finite() {
            return Err(TuneError::NotFinite { value, parameters });
        }
        self.steps.borrow_mut().push(Step { value, parameters, gradient: None });
        Ok(value)
    }
}

impl CostFunction for OneValue<'_> {
    type Param = f64;
    type Output = f64;
    fn cost(&self, free: &f64) -> Result<f64, Error> {
        Ok(self.at(*free)?)
    }
}

/// Probes from −`half` to `half`, then golden section between the neighbours of the best probe.
pub(super) fn run(
    how: &Minimise,
    half: f64,
    probes: usize,
    function: &dyn Function,
    transform: &Transform,
    tell: &mut dyn FnMut(&Step),
) -> Result<Found, TuneError> {
    let steps = Rc::new(RefCell::new(Vec::new()));
    let problem = OneValue { function, transform, steps: Rc::clone(&steps) };
    let spacing = 2.0 * half / (probes - 1) as f64;
    let mut best: Option<(f64, f64)> = None;
    let mut failure = None;
    for probe in 0..probes {
        let free = -half + spacing * probe as f64;
        match problem.at(free) {
            Ok(value) if best.is_none_or(|(_, least)| value < least) => best = Some((free, value)),
            Ok(_) => {}
            Err(error) => failure = Some(error),
        }
    }
    let Some((middle, _)) = best else {
        return Err(failure.unwrap_or(TuneError::NoParameters));
    };
    let solver = GoldenSectionSearch::new(middle - spacing, middle + spacing)
        .and_then(|solver| solver.with_tolerance(1e-7))
        .map_err(refused)?;
    let outcome = Executor::new(problem, solver)
        .configure(|state| state.param(middle).max_iters(how.max_steps))
        .timer(false)
        .run();
    let stop = match outcome {
        Ok(result) => match result.state().get_termination_reason() {
            Some(TerminationReason::MaxItersReached) => Stop::MaxSteps,
            _ => Stop::Bracket,
        },
        Err(error) => Stop::Trouble(error.to_string()),
    };
    let trace = std::mem::take(&mut *steps.borrow_mut());
    trace.iter().for_each(tell);
    let least = trace.iter().min_by(|a, b| a.value.total_cmp(&b.value)).cloned();
    let best = least.ok_or(TuneError::NoParameters)?;
    Ok(Found { best, stop, evaluations: trace.len(), trace })
}

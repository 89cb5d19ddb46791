//! Gradient descent in short steps.

use super::search::{Free, Iterate};
use argmin::core::{CostFunction, Error, Gradient, KV, Problem, Solver, State, TerminationReason};

/// Gradient descent whose steps change no variable by more than `longest`.
///
/// The step length doubles after a step that went down at once and halves until one does
/// (sufficient decrease after Armijo).
pub(super) struct ShortSteps {
    longest: f64,
    /// Multiple of the gradient tried last.
    rate: f64,
}

/// Share of the decrease promised by the slope that a step must bring.
const ARMIJO: f64 = 1e-4;

/// Halvings after which there is no way down within rounding.
const MAX_HALVINGS: usize = 40;

impl ShortSteps {
    pub(super) fn new(longest: f64) -> Self {
        Self { longest, rate: f64::INFINITY }
    }
}

impl<O> Solver<O, Iterate> for ShortSteps
where
    O: CostFunction<Param = Free, Output = f64> + Gradient<Param = Free, Gradient = Free>,
{
    fn name(&self) -> &str {
        "gradient descent in short steps"
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        mut state: Iterate,
    ) -> Result<(Iterate, Option<KV>), Error> {
        let Some(here) = state.take_param() else {
            return Ok((state.terminate_with(TerminationReason::SolverConverged), None));
        };
        let value = problem.cost(&here)?;
        let gradient = problem.gradient(&here)?;
        let steepest = gradient.iter().fold(0.0, |m, g| f64::max(m, g.abs()));
        if steepest <= 0.0 {
            return Ok((state.param(here).cost(value), None));
        }
        let slope: f64 = gradient.iter().map(|g| g * g).sum();
        self.rate = (2.0 * self.rate).min(self.longest / steepest);
        for _ in 0..MAX_HALVINGS {
            let there: Free = here.iter().zip(&gradient).map(|(x, g)| x - self.rate * g).collect();
            let lower = problem.cost(&there)?;
            if lower <= value - ARMIJO * self.rate * slope {
                return Ok((state.param(there).cost(lower), None));
            }
            self.rate /= 2.0;
        }
        Ok((state.param(here).cost(value), None))
    }
}

//! Searches, through `argmin`, and why they stopped.

mod descent;
mod search;
mod section;

use crate::TuneError;
use crate::transform::Transform;
use gaussfield_core::{Domain, Progress, Stage, check};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A smooth function of parameters, each in its own domain.
pub trait Function {
    /// Where the search starts.
    fn start(&self) -> Vec<f64>;
    /// What the parameters are called.
    fn names(&self) -> Vec<String>;
    /// Which values each parameter may take.
    fn domains(&self) -> Vec<Domain>;
    /// The value at parameters.
    ///
    /// # Errors
    /// Whatever keeps it from existing there.
    fn value(&self, parameters: &[f64]) -> Result<f64, TuneError>;
    /// The value and its gradient by the parameters.
    ///
    /// # Errors
    /// As [`Function::value`].
    fn value_and_gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), TuneError>;
}

/// Which search runs, all through `argmin`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Optimiser {
    /// Limited-memory BFGS with a Moré–Thuente line search. The default.
    Lbfgs {
        /// How many past steps shape the next. Default 10.
        memory: usize,
    },
    /// Nonlinear conjugate gradients (Polak–Ribière) with a Moré–Thuente line search.
    ConjugateGradient,
    /// Plain gradient descent, as in Zhu et al. 2003, in short steps: it follows the path down
    /// from the start instead of jumping across valleys, for objectives of which the nearest
    /// minimum is wanted. A step that does not go down is halved.
    SteepestDescent {
        /// The longest change of any log-parameter in one step. Above 0; 0.1 is a change by 10 %.
        longest: f64,
    },
    /// Golden-section search for one parameter, without gradients, between the start divided and
    /// multiplied by `factor`. Equally spaced probes (on the logarithmic scale) come first, and
    /// the search closes in on the best of them, so that a minimum wider than their spacing is
    /// not missed for a shallower one. Probes at which the function has no value are passed over.
    GoldenSection {
        /// Above 1.
        factor: f64,
        /// At least 3; 3 trusts the function to have one minimum.
        probes: usize,
    },
}

/// How to minimise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Minimise {
    /// Which search. Default: [`Optimiser::Lbfgs`].
    pub optimiser: Optimiser,
    /// Steps after which the search ends. Default 200.
    pub max_steps: u64,
    /// Stops where the gradient by the logarithms of the parameters is at most this. Default 1e-8.
    pub gradient_tolerance: f64,
    /// Stops when a step improves the value by at most this share of it. Default 1e-12.
    pub value_tolerance: f64,
    /// Positive parameters stay within this factor of their start. Above 1, default 1e8.
    pub reach: f64,
}

impl Default for Minimise {
    fn default() -> Self {
        Self {
            optimiser: Optimiser::Lbfgs { memory: 10 },
            max_steps: 200,
            gradient_tolerance: 1e-8,
            value_tolerance: 1e-12,
            reach: 1e8,
        }
    }
}

/// Why a search ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The gradient is small enough.
    Gradient,
    /// The gradient is nothing at the start and the value does not change by one part in 10¹²
    /// where the parameters are moved by a factor of ten: a plateau, on which no search can tell where to go.
    Plateau,
    /// The value hardly changes any more.
    Value,
    /// The bracket of golden-section search is small enough.
    Bracket,
    /// The parameters hardly change any more (EM).
    FixedPoint,
    /// The rule for the noise asks for labels that flip half of the time or more, which no label
    /// could tell anything under (EM).
    NoiseAtHalf,
    /// Parameters moved by more than a factor of a thousand and the value hardly followed any more:
    /// the optimum may lie at zero or at infinity, and where the search ended means little.
    RanOff {
        /// Their names.
        names: Vec<String>,
    },
    /// The number of steps allowed was made.
    MaxSteps,
    /// The function or the line search failed away from the start; the best point met stands.
    Trouble(String),
}

impl Stop {
    /// This, unless parameters of these indices ran off; trouble stays trouble.
    pub(crate) fn or_ran_off(self, ran_off: Vec<usize>, names: &[String]) -> Self {
        if ran_off.is_empty() || matches!(self, Self::Trouble(_)) {
            return self;
        }
        Self::RanOff { names: ran_off.into_iter().map(|at| names[at].clone()).collect() }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gradient => f.write_str("the gradient vanished"),
            Self::Plateau => f.write_str(
                "the function is flat all around the start: choose another start, nearer to the \
                 scale of the data",
            ),
            Self::Value => f.write_str("the value stood still"),
            Self::Bracket => f.write_str("the bracket closed"),
            Self::FixedPoint => f.write_str("the parameters stood still"),
            Self::NoiseAtHalf => f.write_str("the noise reached one half"),
            Self::RanOff { names } => write!(
                f,
                "{} ran off by more than a factor of a thousand: the optimum may lie at zero or at \
                 infinity",
                names.join(", ")
            ),
            Self::MaxSteps => f.write_str("the number of steps ran out"),
            Self::Trouble(words) => write!(f, "the search could not go on: {words}"),
        }
    }
}

/// One step of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The value there.
    pub value: f64,
    /// The parameters there.
    pub parameters: Vec<f64>,
    /// Length of the gradient by the logarithms of the parameters; none for golden section.
    pub gradient: Option<f64>,
}

/// Where a search ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The best parameters met.
    pub parameters: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Why the search ended.
    pub stop: Stop,
    /// Every step, the start first.
    pub trace: Vec<Step>,
    /// How often the function was computed.
    pub evaluations: usize,
}

/// A function that is not evaluated any more once the search was asked to stop.
struct Heard<'a> {
    function: &'a dyn Function,
    stage: &'a Stage,
}

impl Function for Heard<'_> {
    fn start(&self) -> Vec<f64> {
        self.function.start()
    }

    fn names(&self) -> Vec<String> {
        self.function.names()
    }

    fn domains(&self) -> Vec<Domain> {
        self.function.domains()
    }

    fn value(&self, parameters: &[f64]) -> Result<f64, TuneError> {
        self.stage.advance(0)?;
        self.function.value(parameters)
    }

    fn value_and_gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        self.stage.advance(0)?;
        self.function.value_and_gradient(parameters)
    }
}

/// Steps that a search may remember: room for them is made when it begins.
const MOST_MEMORY: usize = 10_000;

impl Minimise {
    /// Minimises a function from its start, telling every step as it is made.
    ///
    /// # Errors
    /// No parameters, settings or start values out of range, a function that has no value at the
    /// start, a search that was cancelled.
    pub fn run(
        &self,
        function: &dyn Function,
        mut tell: impl FnMut(&Step),
    ) -> Result<Minimum, TuneError> {
        self.check()?;
        let start = function.start();
        if start.is_empty() {
            return Err(TuneError::NoParameters);
        }
        let transform = Transform::new(&start, &function.domains(), &function.names(), self.reach)?;
        let stage = Progress::stage("tuning", Some(self.max_steps));
        let mut told = |step: &Step| {
            // Whether to go on is asked before every evaluation.
            let _ = stage.step();
            tell(step);
        };
        let heard = Heard { function, stage: &stage };
        let found = search::run(self, &heard, &transform, &mut told)?;
        // Cancelled within an evaluation, the search ends as by trouble there.
        stage.advance(0)?;
        let ran_off = transform.ran_off(&found.best.parameters);
        Ok(Minimum {
            value: found.best.value,
            stop: found.stop.or_ran_off(ran_off, &function.names()),
            parameters: found.best.parameters,
            trace: found.trace,
            evaluations: found.evaluations,
        })
    }

    fn check(&self) -> Result<(), TuneError> {
        let tolerance = "not negative";
        let mut settings = vec![
            (
                "the gradient tolerance",
                self.gradient_tolerance,
                self.gradient_tolerance >= 0.0,
                tolerance,
            ),
            ("the value tolerance", self.value_tolerance, self.value_tolerance >= 0.0, tolerance),
            ("the reach", self.reach, self.reach > 1.0 && self.reach.is_finite(), "above 1"),
        ];
        match self.optimiser {
            Optimiser::Lbfgs { memory } => {
                let inside = (1..=MOST_MEMORY).contains(&memory);
                settings.push(("the memory", memory as f64, inside, "1 to 10000"));
            }
            Optimiser::GoldenSection { factor, probes } => {
                let inside = factor > 1.0 && factor.is_finite();
                settings.push(("the bracket's factor", factor, inside, "above 1"));
                settings.push(("the number of probes", probes as f64, probes > 2, "at least 3"));
            }
            Optimiser::SteepestDescent { longest } => {
                let inside = longest > 0.0 && longest.is_finite();
                settings.push(("the longest step", longest, inside, "above 0"));
            }
            Optimiser::ConjugateGradient => {}
        }
        for (name, value, inside, allowed) in settings {
            check::range(name, value, inside, allowed)?;
        }
        Ok(())
    }
}

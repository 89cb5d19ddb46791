use crate::{Function, Minimise, Minimum, Objective, Step, Stop, TuneError};
use gaussfield_graph::{Domain, GraphError, MemoryBudget, Pattern, WeightFamily};

/// A weight family with learned parameters, and how they were found.
#[derive(Debug, Clone)]
pub struct Learned<F> {
    /// The family at the best parameters met.
    pub family: F,
    /// The objective there.
    pub value: f64,
    /// Why the search ended.
    pub stop: Stop,
    /// Parameters that moved by more than a factor of a thousand, by index: an optimum that may
    /// lie at infinity or at zero.
    pub ran_off: Vec<usize>,
    /// Every step of the search, the start first.
    pub trace: Vec<Step>,
    /// How often the objective was computed.
    pub evaluations: usize,
}

/// Minimises an objective over the parameters of a weight family on a fixed pattern.
///
/// # Errors
/// A family without parameters; anything that keeps the objective from existing at the start.
/// Trouble later in the search ends it with [`Stop::Trouble`] at the best parameters met.
pub fn learn<F: WeightFamily, O: Objective>(
    pattern: &Pattern,
    family: &F,
    objective: &O,
    how: &Minimise,
) -> Result<Learned<F>, TuneError> {
    learn_with_progress(pattern, family, objective, how, |_| {})
}

/// [`learn`], telling every step as it is made.
///
/// # Errors
/// As [`learn`].
pub fn learn_with_progress<F: WeightFamily, O: Objective>(
    pattern: &Pattern,
    family: &F,
    objective: &O,
    how: &Minimise,
    tell: impl FnMut(&Step),
) -> Result<Learned<F>, TuneError> {
    let function = OnPattern { pattern, family, objective, budget: MemoryBudget::default() };
    let Minimum { parameters, value, stop, ran_off, trace, evaluations } =
        how.run(&function, tell)?;
    let family = family.with_parameters(&parameters)?;
    Ok(Learned { family, value, stop, ran_off, trace, evaluations })
}

/// An objective as a function of a family's parameters.
struct OnPattern<'a, F, O> {
    pattern: &'a Pattern,
    family: &'a F,
    objective: &'a O,
    budget: MemoryBudget,
}

impl<F: WeightFamily, O: Objective> OnPattern<'_, F, O> {
    fn at(&self, parameters: &[f64]) -> Result<F, GraphError> {
        self.family.with_parameters(parameters)
    }
}

impl<F: WeightFamily, O: Objective> Function for OnPattern<'_, F, O> {
    fn start(&self) -> Vec<f64> {
        self.family.parameters()
    }

    fn names(&self) -> Vec<String> {
        self.family.parameter_names()
    }

    fn domains(&self) -> Vec<Domain> {
        self.family.parameter_domains()
    }

    fn value(&self, parameters: &[f64]) -> Result<f64, TuneError> {
        let graph = self.at(parameters)?.graph(self.pattern, self.budget)?;
        self.objective.value(&graph)
    }

    fn value_and_gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        let family = self.at(parameters)?;
        let graph = family.graph(self.pattern, self.budget)?;
        let evaluation = self.objective.evaluate(&graph)?;
        let gradient = family.pullback(self.pattern, &graph, &evaluation.edges)?;
        Ok((evaluation.value, gradient))
    }
}

//! The search for parameters of a family and an objective.

use crate::free::Free;
use crate::{Function, HyperPrior, Minimise, Minimum, Objective, Step, Stop, TuneError, Workbench};
use gaussfield_core::{Budget, Domain};
use gaussfield_graph::{Graph, Pattern, WeightFamily};
use gaussfield_laplacian::Work;
use std::cell::RefCell;

/// A weight family and an objective with learned parameters, and how they were found.
#[derive(Debug, Clone)]
pub struct Learned<F, O> {
    /// The family at the best parameters met.
    pub family: F,
    /// The objective at the best parameters met.
    pub objective: O,
    /// The objective's value there, less the log density of any priors.
    pub value: f64,
    /// Why the search ended.
    pub stop: Stop,
    /// Every step of the search, the start first.
    pub trace: Vec<Step>,
    /// How often the objective was computed, over all starts.
    pub evaluations: usize,
    /// What came of every start, in their order; the best of them is this one.
    pub starts: Vec<Ended>,
    /// What was made on the workbench of the search, and how often.
    pub work: Work,
}

/// Where the search from one start ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Where it began.
    pub start: Vec<f64>,
    /// Where it ended.
    pub parameters: Vec<f64>,
    /// The value there; `None` where the objective does not exist at the start.
    pub value: Option<f64>,
}

/// Minimises an objective over the parameters of a weight family on a fixed pattern, and over its
/// own. Short for [`Learn`].
///
/// # Errors
/// Nothing to learn; anything that keeps the objective from existing at the start. Trouble later
/// in the search ends it with [`Stop::Trouble`] at the best parameters met.
pub fn learn<F: WeightFamily + Clone, O: Objective + Clone>(
    pattern: &Pattern,
    family: &F,
    objective: &O,
    how: &Minimise,
) -> Result<Learned<F, O>, TuneError> {
    Learn::new(pattern, family, objective).by(how).run(|_| {})
}

/// Minimises an objective over its own parameters alone, on a graph that stays.
///
/// # Errors
/// An objective without parameters; anything that keeps it from existing at the start.
pub fn learn_on<O: Objective + Clone>(
    graph: &Graph,
    objective: &O,
    how: &Minimise,
) -> Result<LearnedOn<O>, TuneError> {
    let workbench = RefCell::default();
    let found = how.run(&OnGraph { graph, objective, workbench }, |_| {})?;
    let mut objective = objective.clone();
    objective.set_parameters(&found.parameters)?;
    Ok(LearnedOn { objective, minimum: found })
}

/// An objective with learned parameters on a fixed graph.
#[derive(Debug, Clone)]
pub struct LearnedOn<O> {
    /// The objective at the best parameters met.
    pub objective: O,
    /// How they were found.
    pub minimum: Minimum,
}

/// An objective on one graph as a function of its own parameters.
struct OnGraph<'a, O> {
    graph: &'a Graph,
    objective: &'a O,
    workbench: RefCell<Workbench>,
}

impl<O: Objective + Clone> OnGraph<'_, O> {
    fn at(&self, parameters: &[f64]) -> Result<O, TuneError> {
        let mut objective = self.objective.clone();
        objective.set_parameters(parameters)?;
        Ok(objective)
    }
}

impl<O: Objective + Clone> Function for OnGraph<'_, O> {
    fn start(&self) -> Vec<f64> {
        self.objective.values()
    }

    fn names(&self) -> Vec<String> {
        self.objective.parameters().into_iter().map(|own| own.name.into_owned()).collect()
    }

    fn domains(&self) -> Vec<Domain> {
        self.objective.parameters().into_iter().map(|own| own.domain).collect()
    }

    fn value(&self, parameters: &[f64]) -> Result<f64, TuneError> {
        self.at(parameters)?.value_on(&mut self.workbench.borrow_mut(), self.graph)
    }

    fn value_and_gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        let workbench = &mut self.workbench.borrow_mut();
        let evaluation = self.at(parameters)?.evaluate_on(workbench, self.graph)?;
        Ok((evaluation.value, evaluation.parameters))
    }
}

/// A search for hyperparameters: of a weight family, and of an objective, in this order.
#[derive(Debug)]
pub struct Learn<'a, F, O> {
    pattern: &'a Pattern,
    family: &'a F,
    objective: &'a O,
    how: Minimise,
    priors: Vec<(String, HyperPrior)>,
    starts: Vec<Vec<f64>>,
    held: Vec<String>,
    domains: Vec<(String, Domain)>,
    budget: Budget,
}

impl<'a, F: WeightFamily + Clone, O: Objective + Clone> Learn<'a, F, O> {
    /// From the parameters that family and objective have now, by [`Minimise::default`].
    pub fn new(pattern: &'a Pattern, family: &'a F, objective: &'a O) -> Self {
        Self {
            pattern,
            family,
            objective,
            how: Minimise::default(),
            priors: Vec::new(),
            starts: Vec::new(),
            held: Vec::new(),
            domains: Vec::new(),
            budget: Budget::default(),
        }
    }

    /// How to minimise.
    #[must_use]
    pub fn by(mut self, how: &Minimise) -> Self {
        self.how = how.clone();
        self
    }

    /// The memory that weights may take. Default 4 GiB.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Believes this of the parameter of this name: adds its log density to what is maximised.
    #[must_use]
    pub fn believing(mut self, name: &str, prior: HyperPrior) -> Self {
        self.priors.push((name.to_owned(), prior));
        self
    }

    /// Leaves the parameter of this name where it is.
    #[must_use]
    pub fn hold(mut self, name: &str) -> Self {
        self.held.push(name.to_owned());
        self
    }

    /// Moves the parameter of this name in another domain than its own: a positive one, for
    /// example, moves on the scale of its logarithm.
    #[must_use]
    pub fn domain(mut self, name: &str, domain: Domain) -> Self {
        self.domains.push((name.to_owned(), domain));
        self
    }

    /// Starts here too: parameters of the family, then of the objective, without those held. The
    /// best end wins; an objective can have several minima, and which one is found depends on the
    /// start.
    #[must_use]
    pub fn starting_at(mut self, parameters: &[f64]) -> Self {
        self.starts.push(parameters.to_vec());
        self
    }

    /// Searches from every start, telling every step as it is made.
    ///
    /// # Errors
    /// Nothing to learn, a prior on a parameter that does not exist or with settings out of
    /// range; weights to learn from an objective that does not follow the graph; an objective that
    /// exists at none of the starts (the first reason); a search that was cancelled.
    pub fn run(self, mut tell: impl FnMut(&Step)) -> Result<Learned<F, O>, TuneError> {
        let free = Free::new(self.family, self.objective, &self.held, &self.domains)?;
        if !free.of_family().is_empty() && !self.objective.follows_graph() {
            let names = free.names()[..free.of_family().len()].join(", ");
            return Err(TuneError::GraphNotFollowed { names });
        }
        let priors = self.priors_by_index(&free)?;
        let mut starts = vec![free.values()];
        starts.extend(self.starts.iter().cloned());
        let (mut best, mut refused) = (None::<Minimum>, None);
        let (mut ends, mut evaluations) = (Vec::new(), 0);
        let workbench = RefCell::new(Workbench::within(self.budget));
        for start in starts {
            let function = OnPattern {
                learn: &self,
                free: &free,
                priors: &priors,
                start: start.clone(),
                workbench: &workbench,
            };
            match self.how.run(&function, &mut tell) {
                Ok(found) => {
                    evaluations += found.evaluations;
                    let parameters = found.parameters.clone();
                    ends.push(Ended { start, parameters, value: Some(found.value) });
                    if best.as_ref().is_none_or(|best| found.value < best.value) {
                        best = Some(found);
                    }
                }
                Err(error @ TuneError::Cancelled(_)) => return Err(error),
                Err(error) => {
                    ends.push(Ended { parameters: start.clone(), start, value: None });
                    refused.get_or_insert(error);
                }
            }
        }
        let Some(Minimum { parameters, value, stop, trace, .. }) = best else {
            return Err(refused.unwrap_or(TuneError::NoParameters));
        };
        let (family, objective) = free.place(self.family, self.objective, &parameters)?;
        let (starts, work) = (ends, workbench.borrow().work());
        Ok(Learned { family, objective, value, stop, trace, evaluations, starts, work })
    }

    fn priors_by_index(&self, free: &Free) -> Result<Vec<(usize, HyperPrior)>, TuneError> {
        let one = |(name, prior): &(String, HyperPrior)| {
            prior.check()?;
            Ok((free.find(name)?, *prior))
        };
        self.priors.iter().map(one).collect()
    }
}

/// An objective as a function of the parameters that move, from one start.
struct OnPattern<'a, F, O> {
    learn: &'a Learn<'a, F, O>,
    free: &'a Free,
    priors: &'a [(usize, HyperPrior)],
    start: Vec<f64>,
    workbench: &'a RefCell<Workbench>,
}

impl<F: WeightFamily + Clone, O: Objective + Clone> Function for OnPattern<'_, F, O> {
    fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    fn names(&self) -> Vec<String> {
        self.free.names()
    }

    fn domains(&self) -> Vec<Domain> {
        self.free.domains()
    }

    fn value(&self, moving: &[f64]) -> Result<f64, TuneError> {
        let Learn { pattern, family, objective, .. } = self.learn;
        let (family, objective) = self.free.place(*family, *objective, moving)?;
        let workbench = &mut self.workbench.borrow_mut();
        let graph = family.graph(pattern, workbench.budget)?;
        let mut value = objective.value_on(workbench, &graph)?;
        let all = self.free.filled(moving)?;
        for (at, prior) in self.priors {
            value -= prior.log_density(all[*at]).0;
        }
        Ok(value)
    }

    fn value_and_gradient(&self, moving: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        let Learn { pattern, family, objective, .. } = self.learn;
        let (family, objective) = self.free.place(*family, *objective, moving)?;
        let workbench = &mut self.workbench.borrow_mut();
        let graph = family.graph(pattern, workbench.budget)?;
        let evaluation = objective.evaluate_on(workbench, &graph)?;
        let mut value = evaluation.value;
        let mut gradient = if self.free.of_family().is_empty() {
            vec![0.0; family.parameters().len()]
        } else {
            family.pullback(pattern, &graph, &evaluation.edges)?
        };
        gradient.extend(evaluation.parameters);
        let all = self.free.filled(moving)?;
        for (at, prior) in self.priors {
            let (log_density, slope) = prior.log_density(all[*at]);
            value -= log_density;
            gradient[*at] -= slope;
        }
        Ok((value, self.free.part(&gradient)))
    }
}

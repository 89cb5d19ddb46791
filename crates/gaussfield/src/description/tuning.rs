//! How weights are learned, as a value.

use super::DescriptionError;
use gaussfield_core::{Budget, Domain, Facts};
use gaussfield_graph::{FamilyChoice, Pattern};
use gaussfield_labels::{ClassPrior, Labels};
use gaussfield_laplacian::SolverOptions;
use gaussfield_tune::{Entropy, HyperPrior, Learn, Minimise, Objective, TuneError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The search for the parameters of the weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tuning {
    /// What is made small.
    pub objective: ObjectiveChoice,
    /// How.
    #[serde(default)]
    pub minimise: Minimise,
    /// Parameters that stay where they are, by name.
    #[serde(default)]
    pub hold: Vec<String>,
    /// What is believed of parameters before the labels are seen, by name.
    #[serde(default)]
    pub believe: BTreeMap<String, HyperPrior>,
    /// Domains of parameters other than their own, by name.
    #[serde(default)]
    pub domains: BTreeMap<String, Domain>,
    /// More places to start from, besides where the weights stand; the best end wins.
    #[serde(default)]
    pub starts: Vec<Vec<f64>>,
}

/// What is made small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ObjectiveChoice {
    /// [`Entropy`]: a good graph labels with confidence.
    Entropy(EntropyChoice),
}

/// [`Entropy`] but for its labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EntropyChoice {
    /// The smoothing ε, in [0, 1). Default 0.01, as in Zhu et al. 2003: without any, the entropy
    /// vanishes as the weights do.
    pub epsilon: f64,
    /// The weight of a self-loop on every node in the smoothed walk. Default 0.
    pub self_loop: f64,
    /// The proportions to which class masses are normalised first. Default: they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<ClassPrior>,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl Default for EntropyChoice {
    fn default() -> Self {
        Self { epsilon: 0.01, self_loop: 0.0, prior: None, solver: SolverOptions::default() }
    }
}

impl EntropyChoice {
    fn of(&self, labels: &Labels) -> Result<Entropy, TuneError> {
        let plain = Entropy::new(labels.clone()).with_solver(self.solver);
        let smoothed = plain.smoothed(self.epsilon)?.with_self_loops(self.self_loop)?;
        match &self.prior {
            Some(prior) => smoothed.normalised(prior.clone()),
            None => Ok(smoothed),
        }
    }
}

impl Tuning {
    /// The weights of the least objective met; how it went is told among the facts.
    pub(super) fn learn(
        &self,
        pattern: &Pattern,
        weights: &FamilyChoice,
        labels: &Labels,
        budget: Budget,
        facts: &mut Facts,
    ) -> Result<FamilyChoice, DescriptionError> {
        match &self.objective {
            ObjectiveChoice::Entropy(choice) => {
                self.minimise(pattern, weights, &choice.of(labels)?, budget, facts)
            }
        }
    }

    fn minimise(
        &self,
        pattern: &Pattern,
        weights: &FamilyChoice,
        objective: &(impl Objective + Clone),
        budget: Budget,
        facts: &mut Facts,
    ) -> Result<FamilyChoice, DescriptionError> {
        let mut learn = Learn::new(pattern, weights, objective).by(&self.minimise).within(budget);
        for name in &self.hold {
            learn = learn.hold(name);
        }
        for (name, prior) in &self.believe {
            learn = learn.believing(name, *prior);
        }
        for (name, domain) in &self.domains {
            learn = learn.domain(name, *domain);
        }
        for start in &self.starts {
            learn = learn.starting_at(start);
        }
        let learned = learn.run(|_| {})?;
        facts.add("objective", learned.value);
        facts.add("evaluations of the objective", learned.evaluations);
        facts.add("the search ended because", learned.stop.to_string());
        Ok(learned.family)
    }
}

//! How weights are learned, as a value.

use super::process::{On, Visit};
use super::{Description, DescriptionError, Method};
use gaussfield_core::{Budget, Domain, Facts};
use gaussfield_gp::{GpError, PriorFamily, Process};
use gaussfield_graph::{FamilyChoice, Graph, Pattern};
use gaussfield_labels::{ClassPrior, Inductive, Labels};
use gaussfield_laplacian::SolverOptions;
use gaussfield_points::Points;
use gaussfield_tune::{
    Entropy, Evidence, HyperPrior, Learn, Learned, Minimise, Objective, TuneError,
};
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
    /// Parameters that stay where they are, by the name they have in a description.
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

impl From<ObjectiveChoice> for Tuning {
    /// The objective with everything else left out.
    fn from(objective: ObjectiveChoice) -> Self {
        let (minimise, hold, believe, domains, starts) = Default::default();
        Self { objective, minimise, hold, believe, domains, starts }
    }
}

/// What is made small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ObjectiveChoice {
    /// [`Entropy`]: a good graph labels with confidence.
    Entropy(EntropyChoice),
    /// [`Evidence`] of the process that the method is: the labels are likely.
    Evidence {
        /// Parameters of prior and likelihood that are learned along with the weights, by name.
        #[serde(default)]
        learn: Vec<String>,
    },
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
    /// Whether the method has this objective, and there is something to learn; `still` if the
    /// weights have no parameter.
    pub(super) fn check(&self, method: &Method, still: bool) -> Result<(), DescriptionError> {
        let own = match (&self.objective, method) {
            (ObjectiveChoice::Entropy(_), _) => false,
            (ObjectiveChoice::Evidence { learn }, Method::GaussianProcess(process))
                if process.prior.is_learned() =>
            {
                !learn.is_empty()
            }
            _ => return Err(DescriptionError::NoEvidence { method: method.name() }),
        };
        if still && !own { Err(DescriptionError::NothingToTune) } else { Ok(()) }
    }

    /// The weights of the least objective met. What is learned of the method goes to `chosen`, and
    /// how it went is told among the facts.
    pub(super) fn learn(
        &self,
        pattern: &Pattern,
        weights: FamilyChoice,
        labels: &Labels,
        chosen: &mut Description,
        facts: &mut Facts,
    ) -> Result<FamilyChoice, DescriptionError> {
        let mut search =
            Search { tuning: self, pattern, weights, labels, budget: chosen.budget, facts };
        match (&self.objective, &mut chosen.method) {
            (ObjectiveChoice::Entropy(choice), _) => {
                Ok(search.minimise(&choice.of(labels)?)?.family)
            }
            (ObjectiveChoice::Evidence { learn }, Method::GaussianProcess(process)) => {
                // Only eigenvectors are taken from a graph beforehand, and they are not learned.
                let graph = Graph::from_edges(labels.len(), []).map_err(TuneError::from)?;
                let on = On { points: pattern.points(), graph: &graph, labels };
                let found = process.visit(on, Climb { search, learn })?;
                *process = process.moved(&found.prior, &found.noise).map_err(TuneError::from)?;
                Ok(found.weights)
            }
            (ObjectiveChoice::Evidence { .. }, method) => {
                Err(DescriptionError::NoEvidence { method: method.name() })
            }
        }
    }
}

/// A parameter has the name of its field in Rust; in a description that is in kebab-case.
fn field(name: &str) -> String {
    name.replace('-', "_")
}

/// One search.
struct Search<'a> {
    tuning: &'a Tuning,
    pattern: &'a Pattern,
    weights: FamilyChoice,
    labels: &'a Labels,
    budget: Budget,
    facts: &'a mut Facts,
}

impl Search<'_> {
    fn minimise<O: Objective + Clone>(
        &mut self,
        objective: &O,
    ) -> Result<Learned<FamilyChoice, O>, TuneError> {
        let Tuning { minimise, hold, believe, domains, starts, .. } = self.tuning;
        let mut learn =
            Learn::new(self.pattern, &self.weights, objective).by(minimise).within(self.budget);
        for name in hold {
            learn = learn.hold(&field(name));
        }
        for (name, prior) in believe {
            learn = learn.believing(&field(name), *prior);
        }
        for (name, domain) in domains {
            learn = learn.domain(&field(name), *domain);
        }
        for start in starts {
            learn = learn.starting_at(start);
        }
        let learned = learn.run(|_| {})?;
        self.facts.add("objective", learned.value);
        self.facts.add("evaluations of the objective", learned.evaluations);
        self.facts.add("the search ended because", learned.stop.to_string());
        Ok(learned)
    }
}

/// Climbs the evidence of a process.
struct Climb<'a> {
    search: Search<'a>,
    /// What is learned beside the weights.
    learn: &'a [String],
}

/// Where a climb ended.
struct Climbed {
    weights: FamilyChoice,
    /// Parameters of the prior.
    prior: Vec<f64>,
    /// Parameters of the likelihood.
    noise: Vec<f64>,
}

impl Climb<'_> {
    fn climb<M: Process, S: PriorFamily + Clone>(
        mut self,
        process: M,
        prior: S,
    ) -> Result<Climbed, TuneError> {
        let names: Vec<String> = self.learn.iter().map(|name| field(name)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let evidence = Evidence::new(process, prior, self.search.labels)?.learning(&names)?;
        let Learned { family, objective, .. } = self.search.minimise(&evidence)?;
        let (prior, noise) = (objective.prior().values(), objective.process().values());
        Ok(Climbed { weights: family, prior, noise })
    }
}

impl Visit for Climb<'_> {
    type Out = Climbed;
    type Error = TuneError;

    fn nodes<M, S>(self, process: M, prior: S) -> Result<Climbed, TuneError>
    where
        M: Process,
        S: PriorFamily + Clone,
        M::Fitted<S::On>: Send + Sync + 'static,
    {
        self.climb(process, prior)
    }

    fn space<M, S>(self, process: M, prior: S) -> Result<Climbed, TuneError>
    where
        M: Process,
        S: PriorFamily + Clone,
        M::Fitted<S::On>: Inductive<Points, Error = GpError> + Send + Sync + 'static,
    {
        self.climb(process, prior)
    }
}

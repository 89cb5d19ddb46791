use super::prior_term::PriorTerm;
use super::{FlipEvidence, OnGraph};
use crate::{Function, TuneError};
use gaussfield_core::Budget;
use gaussfield_graph::{Domain, Pattern, WeightFamily};
use ndarray::Array2;

/// The negative bound as a function of the weights and the prior, q standing still.
pub(super) struct MStep<'a, F> {
    pattern: &'a Pattern,
    family: &'a F,
    evidence: &'a FlipEvidence,
    /// E_q yyᵀ.
    moments: Array2<f64>,
    budget: Budget,
}

impl<'a, F: WeightFamily + Clone> MStep<'a, F> {
    pub(super) fn new(
        pattern: &'a Pattern,
        family: &'a F,
        evidence: &'a FlipEvidence,
        posterior: &OnGraph,
        budget: Budget,
    ) -> Result<Self, TuneError> {
        budget.matrix("the second moments", pattern.nodes(), pattern.nodes())?;
        let moments = posterior.second_moments()?;
        Ok(Self { pattern, family, evidence, moments, budget })
    }

    /// Whether there is nothing here to learn.
    pub(super) fn is_idle(&self) -> bool {
        self.family.parameters().is_empty() && self.evidence.learned_of_prior().is_empty()
    }

    /// Family and evidence at parameters of the family followed by those of the prior.
    pub(super) fn at(&self, parameters: &[f64]) -> Result<(F, FlipEvidence), TuneError> {
        let own = self.family.parameters().len();
        let (family, prior) = parameters.split_at(own.min(parameters.len()));
        let family =
            if own == 0 { self.family.clone() } else { self.family.with_parameters(family)? };
        let mut all = self.evidence.prior().parameters();
        for (at, &value) in self.evidence.learned_of_prior().into_iter().zip(prior) {
            all[at] = value;
        }
        Ok((family, self.evidence.with_prior_parameters(&all)?))
    }
}

impl<F: WeightFamily + Clone> Function for MStep<'_, F> {
    fn start(&self) -> Vec<f64> {
        let prior = self.evidence.prior().parameters();
        let free = self.evidence.learned_of_prior();
        let mut start = self.family.parameters();
        start.extend(free.into_iter().map(|at| prior[at]));
        start
    }

    fn names(&self) -> Vec<String> {
        let prior = self.evidence.prior().parameter_names();
        let free = self.evidence.learned_of_prior();
        let mut names = self.family.parameter_names();
        names.extend(free.into_iter().map(|at| prior[at].to_owned()));
        names
    }

    fn domains(&self) -> Vec<Domain> {
        let mut domains = self.family.parameter_domains();
        domains.extend(self.evidence.learned_of_prior().iter().map(|_| Domain::Positive));
        domains
    }

    fn value(&self, parameters: &[f64]) -> Result<f64, TuneError> {
        let (family, evidence) = self.at(parameters)?;
        let graph = family.graph(self.pattern, self.budget)?;
        Ok(-PriorTerm::value(evidence.prior(), &graph, &self.moments)?)
    }

    fn value_and_gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        let (family, evidence) = self.at(parameters)?;
        let graph = family.graph(self.pattern, self.budget)?;
        let term = PriorTerm::new(evidence.prior(), &graph, &self.moments, self.budget)?;
        let mut gradient = match family.parameters().len() {
            0 => Vec::new(),
            _ => family.pullback(self.pattern, &graph, &term.edges)?,
        };
        let free = self.evidence.learned_of_prior();
        gradient.extend(free.into_iter().map(|at| term.parameters[at]));
        gradient.iter_mut().for_each(|slope| *slope = -*slope);
        Ok((-term.value, gradient))
    }
}

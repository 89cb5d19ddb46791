//! The M-step of EM as a function to maximise.

use super::prior_term::PriorTerm;
use super::{FlipEvidence, OnGraph};
use crate::{Function, TuneError};
use gaussfield_core::{Budget, Domain, Parameters as _};
use gaussfield_graph::{Pattern, WeightFamily};
use gaussfield_laplacian::Workbench;
use ndarray::Array2;
use std::cell::RefCell;

/// The negative bound as a function of the weights and the prior, q standing still.
pub(super) struct MStep<'a, F> {
    pattern: &'a Pattern,
    family: &'a F,
    /// Which parameters of the family move.
    moving: &'a [usize],
    evidence: &'a FlipEvidence,
    /// E_q yyᵀ.
    moments: Array2<f64>,
    budget: Budget,
    system: RefCell<&'a mut Workbench>,
}

impl<'a, F: WeightFamily + Clone> MStep<'a, F> {
    pub(super) fn new(
        pattern: &'a Pattern,
        (family, moving): (&'a F, &'a [usize]),
        evidence: &'a FlipEvidence,
        posterior: &OnGraph,
        budget: Budget,
        system: &'a mut Workbench,
    ) -> Result<Self, TuneError> {
        budget.matrix("the second moments", pattern.nodes(), pattern.nodes())?;
        let moments = posterior.second_moments()?;
        let system = RefCell::new(system);
        Ok(Self { pattern, family, moving, evidence, moments, budget, system })
    }

    /// Whether there is nothing here to learn.
    pub(super) fn is_idle(&self) -> bool {
        self.moving.is_empty() && self.evidence.learned_of_prior().is_empty()
    }

    /// Family and evidence at parameters of the family that move, followed by those of the prior.
    pub(super) fn at(&self, parameters: &[f64]) -> Result<(F, FlipEvidence), TuneError> {
        let (moved, prior) = parameters.split_at(self.moving.len().min(parameters.len()));
        let mut values = self.family.values();
        for (&at, &value) in self.moving.iter().zip(moved) {
            values[at] = value;
        }
        let mut family = self.family.clone();
        family.set_parameters(&values)?;
        let mut all = self.evidence.prior().values();
        for (at, &value) in self.evidence.learned_of_prior().into_iter().zip(prior) {
            all[at] = value;
        }
        Ok((family, self.evidence.with_prior_parameters(&all)?))
    }
}

impl<F: WeightFamily + Clone> Function for MStep<'_, F> {
    fn start(&self) -> Vec<f64> {
        let prior = self.evidence.prior().values();
        let free = self.evidence.learned_of_prior();
        let own = self.family.values();
        let mut start: Vec<f64> = self.moving.iter().map(|&at| own[at]).collect();
        start.extend(free.into_iter().map(|at| prior[at]));
        start
    }

    fn names(&self) -> Vec<String> {
        let prior = self.evidence.prior().parameters();
        let free = self.evidence.learned_of_prior();
        let own = self.family.parameters();
        let mut names: Vec<String> =
            self.moving.iter().map(|&at| own[at].name.clone().into_owned()).collect();
        names.extend(free.into_iter().map(|at| prior[at].name.clone().into_owned()));
        names
    }

    fn domains(&self) -> Vec<Domain> {
        let own = self.family.parameters();
        let mut domains: Vec<Domain> = self.moving.iter().map(|&at| own[at].domain).collect();
        let prior = self.evidence.prior().parameters();
        domains.extend(self.evidence.learned_of_prior().into_iter().map(|at| prior[at].domain));
        domains
    }

    fn value(&self, parameters: &[f64]) -> Result<f64, TuneError> {
        let (family, evidence) = self.at(parameters)?;
        let graph = family.graph(self.pattern, self.budget)?;
        let system = &mut self.system.borrow_mut();
        Ok(-PriorTerm::value(system, evidence.prior(), &graph, &self.moments)?)
    }

    fn value_and_gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        let (family, evidence) = self.at(parameters)?;
        let graph = family.graph(self.pattern, self.budget)?;
        let system = &mut self.system.borrow_mut();
        let term = PriorTerm::new(system, evidence.prior(), &graph, &self.moments, self.budget)?;
        let mut gradient = Vec::new();
        if !self.moving.is_empty() {
            let all = family.pullback(self.pattern, &graph, &term.edges)?;
            gradient.extend(self.moving.iter().map(|&at| all[at]));
        }
        let free = self.evidence.learned_of_prior();
        gradient.extend(free.into_iter().map(|at| term.parameters[at]));
        gradient.iter_mut().for_each(|slope| *slope = -*slope);
        Ok((-term.value, gradient))
    }
}

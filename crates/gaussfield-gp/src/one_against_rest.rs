//! Several classes, one process for each.

use crate::inference::{MATRICES, take_block};
use crate::posterior::how;
use crate::{
    BlockFit, Draws, EvidenceGradient, Fitted, GaussianProcess, GpError, Inference, Likelihood,
    Memory, Observed, Posterior, Prior, Process,
};
use gaussfield_core::{Facts, Parameter, ParameterError, Parameters, SizeMismatch};
use gaussfield_labels::{Labels, Named, Scores, Transductive};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A Gaussian process for each class, that class against the rest, all with one likelihood and one
/// prior. Made by [`GaussianProcess::one_against_rest`].
///
/// [`Softmax`](crate::Softmax) treats the classes together; this one serves every likelihood, also
/// labels that may be wrong ([`OneAgainstRestPosterior::audit`]).
///
/// ```
/// use gaussfield_gp::{GaussianProcess, GraphPrior, Sigmoid};
/// use gaussfield_graph::Graph;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// // A path of six nodes, and three classes on it.
/// let graph = Graph::from_edges(6, (1..6).map(|i| (i - 1, i, if i % 2 == 0 { 0.1 } else { 1.0 })))?;
/// let labels = Labels::from_names([Some("a"), None, Some("b"), None, Some("c"), None]);
/// let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 }).one_against_rest();
/// let posterior = process.fit(GraphPrior::shifted(0.1).on(&graph)?, &labels)?;
/// assert_eq!(posterior.predictions(&Decision::Argmax)?.classes(), [0, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OneAgainstRest<L, I> {
    /// What each class has.
    pub process: GaussianProcess<L, I>,
}

impl<L: Likelihood + Clone, I: Inference<L>> OneAgainstRest<L, I> {
    /// The posterior of every class. The columns of the covariance are made once for all; then as
    /// [`GaussianProcess::fit`] for each.
    ///
    /// # Errors
    /// As [`GaussianProcess::fit`]; no labelled node.
    pub fn fit<P: Prior>(
        &self,
        prior: P,
        labels: &Labels,
    ) -> Result<OneAgainstRestPosterior<P, L, I::Fit>, GpError> {
        self.fit_seen(prior, labels, &mut Memory::default())
    }
}

/// Those of the likelihood.
impl<L: Likelihood, I> Parameters for OneAgainstRest<L, I> {
    fn parameters(&self) -> Vec<Parameter> {
        self.process.parameters()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        self.process.set_parameters(values)
    }
}

impl<L: Likelihood + Clone, I: Inference<L>> Process for OneAgainstRest<L, I> {
    type Seen = Labels;
    type Fitted<P: Prior> = OneAgainstRestPosterior<P, L, I::Fit>;

    fn see(&self, labels: &Labels) -> Result<Labels, GpError> {
        Ok(labels.clone())
    }

    fn fit_seen<P: Prior>(
        &self,
        prior: P,
        labels: &Labels,
        memory: &mut Memory,
    ) -> Result<Self::Fitted<P>, GpError> {
        SizeMismatch::check("labels, one for each node or none", prior.nodes(), labels.len())?;
        let labelled = labels.labelled();
        if labelled.is_empty() {
            return Err(GpError::NoObservations);
        }
        let all = KEPT * labels.classes() + MATRICES;
        take_block(self.process.inference.budget(), labelled.len(), all)?;
        let columns = Arc::new(prior.columns_with(&labelled, memory)?);
        let prior = Arc::new(prior);
        let processes = (0..labels.classes())
            .map(|class| {
                let observed = Observed::one_against_rest(labels, class)?;
                let start = memory.start(class, labelled.len());
                let (prior, columns) = (Arc::clone(&prior), Arc::clone(&columns));
                self.process.fit_columns(prior, observed, columns, start)
            })
            .collect::<Result<Vec<_>, GpError>>()?;
        memory.sites = processes.iter().filter_map(|one| one.fit.resume().cloned()).collect();
        let scores = shares(processes.iter().map(|one| one.scores.class(1).to_owned()).collect())?;
        let names = labels.names().to_vec();
        Ok(OneAgainstRestPosterior { processes, scores, names })
    }
}

/// Matrices of the labelled points that each process keeps: its covariance, a factor, an inverse.
const KEPT: usize = 3;

/// Rows that sum to one: the probability of each class against the rest, divided by their sum.
pub(crate) fn shares(probabilities: Vec<Array1<f64>>) -> Result<Scores, GpError> {
    let rows = probabilities.first().map_or(0, Array1::len);
    // No probability is so small that a row sums to zero.
    let share = |(i, class): (usize, usize)| probabilities[class][i].max(f64::MIN_POSITIVE);
    Ok(Scores::normalised(Array2::from_shape_fn((rows, probabilities.len()), share))?)
}

/// The posteriors of [`OneAgainstRest`], and one answer from all of them.
///
/// Each process says how probable its class is beside the rest. What they say of one node need not
/// sum to one: its [`Scores`] are these probabilities divided by their sum.
#[derive(Debug)]
pub struct OneAgainstRestPosterior<P, L, F> {
    processes: Vec<Posterior<Arc<P>, L, F>>,
    scores: Scores,
    names: Vec<String>,
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> OneAgainstRestPosterior<P, L, F> {
    /// The posterior of each class against the rest.
    pub fn processes(&self) -> &[Posterior<Arc<P>, L, F>] {
        &self.processes
    }

    /// The sum of the log evidences of all classes.
    pub fn log_evidence(&self) -> f64 {
        self.processes.iter().map(Posterior::log_evidence).sum()
    }

    /// The gradient of [`OneAgainstRestPosterior::log_evidence`]: the processes share the columns of
    /// the prior, so that one pullback of the summed sensitivities serves all. O(C l³ + n l²).
    ///
    /// # Errors
    /// As [`Prior::pullback`].
    pub fn gradient(&self) -> Result<EvidenceGradient, GpError> {
        Posterior::summed_gradient(&self.processes)
    }

    /// With probabilities that are averaged over the posteriors. The prior variances of all nodes.
    ///
    /// # Errors
    /// As [`Posterior::variances`].
    pub fn averaged(mut self) -> Result<Self, GpError> {
        let Some(first) = self.processes.first() else { return Ok(self) };
        let all: Vec<usize> = (0..first.latent.len()).collect();
        let prior = first.prior.variances(&all)?;
        let averaged = self.processes.into_iter().map(|one| one.averaged_over(prior.view()));
        self.processes = averaged.collect::<Result<_, _>>()?;
        let own = self.processes.iter().map(|one| one.scores.class(1).to_owned());
        self.scores = shares(own.collect())?;
        Ok(self)
    }
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Fitted for OneAgainstRestPosterior<P, L, F> {
    fn log_evidence(&self) -> f64 {
        self.log_evidence()
    }

    fn gradient(&self) -> Result<EvidenceGradient, GpError> {
        self.gradient()
    }

    fn averaged(self, _: Draws) -> Result<Self, GpError> {
        self.averaged()
    }
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Named for OneAgainstRestPosterior<P, L, F> {
    fn class_names(&self) -> &[String] {
        &self.names
    }
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Transductive for OneAgainstRestPosterior<P, L, F> {
    fn scores(&self) -> &Scores {
        &self.scores
    }

    fn interior(&self) -> &[usize] {
        self.processes.first().map_or(&[], |first| &first.interior)
    }

    fn facts(&self) -> Facts {
        let Some(first) = self.processes.first() else { return Facts::default() };
        let mut facts = first.columns.facts.clone();
        for (one, name) in self.processes.iter().zip(&self.names) {
            facts.add("class", name.as_str());
            facts.extend(one.fit.facts());
        }
        facts.with("probabilities", how(first.averaged))
    }
}

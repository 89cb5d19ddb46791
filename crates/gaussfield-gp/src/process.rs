//! A Gaussian process: likelihood, mean and inference.

use crate::inference::{MATRICES, take_block};
use crate::posterior::unlabelled;
use crate::{
    Block, BlockFit, Columns, Draws, EvidenceGradient, ExpectationPropagation, GpError, Inference,
    Laplace, Likelihood, Memory, Observed, OneAgainstRest, Posterior, Prior, Sites,
};
use gaussfield_core::{Parameter, ParameterError, Parameters, SizeMismatch, check};
use gaussfield_labels::{Labels, Scores, Transductive};
use ndarray::{Array1, Axis};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// A process that learns from labels under a prior: what all of them share, so that the evidence of
/// any can be climbed. Its [`Parameters`] are those of its likelihood.
pub trait Process: Parameters + Debug + Clone + Send + Sync {
    /// What it makes of labels.
    type Seen: Debug + Clone + Send + Sync;

    /// What it finds.
    type Fitted<P: Prior>: Fitted;

    /// The labels as it sees them.
    ///
    /// # Errors
    /// Labels that are not for this process: none, or of another number of classes.
    fn see(&self, labels: &Labels) -> Result<Self::Seen, GpError>;

    /// The posterior under a prior; begins where the memory says and leaves in it where it ended.
    ///
    /// # Errors
    /// A parameter out of range, labels for another number of nodes, a system that cannot be
    /// solved, inference that does not converge; stopped on request.
    fn fit_seen<P: Prior>(
        &self,
        prior: P,
        seen: &Self::Seen,
        memory: &mut Memory,
    ) -> Result<Self::Fitted<P>, GpError>;
}

/// A posterior with its evidence.
pub trait Fitted: Transductive {
    /// The approximate log probability of the labels.
    fn log_evidence(&self) -> f64;

    /// Its gradient in everything it depends on.
    ///
    /// # Errors
    /// As [`Prior::pullback`].
    fn gradient(&self) -> Result<EvidenceGradient, GpError>;

    /// With probabilities that are averaged over the posterior, as `draws` say where there is no closed
    /// form. The prior variances of all nodes.
    ///
    /// # Errors
    /// A system that cannot be solved; no draws.
    fn averaged(self, draws: Draws) -> Result<Self, GpError>
    where
        Self: Sized;
}

/// The prior mean μ of the latent values [zhu2003gp (9)].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mean {
    /// The same at every node. Default: zero.
    Constant(f64),
    /// One for each node.
    PerNode(Array1<f64>),
}

impl Default for Mean {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

impl Mean {
    /// Of a point that is no node.
    fn elsewhere(&self) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::PerNode(_) => 0.0,
        }
    }

    fn values(&self, nodes: usize) -> Result<Array1<f64>, GpError> {
        let values = match self {
            Self::Constant(value) => Array1::from_elem(nodes, *value),
            Self::PerNode(values) => values.clone(),
        };
        SizeMismatch::check("values of the prior mean", nodes, values.len())?;
        values.iter().try_for_each(|&value| check::finite("the prior mean", value))?;
        Ok(values)
    }
}

/// A Gaussian process for labels of two classes, or for targets: a likelihood, a mean, and how the
/// posterior is found. The prior covariance is given at the fit. For more classes there are
/// [`GaussianProcess::one_against_rest`] and [`Softmax`](crate::Softmax).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GaussianProcess<L, I = Laplace> {
    /// How labels come about.
    pub likelihood: L,
    /// The mean before any label is seen.
    #[serde(default)]
    pub mean: Mean,
    /// How the posterior is approximated.
    pub inference: I,
}

impl<L: Likelihood> GaussianProcess<L, Laplace> {
    /// With zero mean and the Laplace approximation.
    pub fn laplace(likelihood: L) -> Self {
        Self { likelihood, mean: Mean::default(), inference: Laplace::default() }
    }
}

impl<L: Likelihood> GaussianProcess<L, ExpectationPropagation> {
    /// With zero mean and expectation propagation.
    pub fn ep(likelihood: L) -> Self {
        Self { likelihood, mean: Mean::default(), inference: ExpectationPropagation::default() }
    }
}

impl<L: Likelihood + Clone, I: Inference<L>> GaussianProcess<L, I> {
    /// The same process around another mean.
    #[must_use]
    pub fn with_mean(mut self, mean: Mean) -> Self {
        self.mean = mean;
        self
    }

    /// One such process for each class, that class against the rest.
    pub fn one_against_rest(self) -> OneAgainstRest<L, I> {
        OneAgainstRest { process: self }
    }

    /// The posterior given `&Labels` of two classes (class 1 is the positive one), or the targets
    /// of an [`Observed`], under a prior.
    ///
    /// l columns of the covariance (for a [`GraphPrior`](crate::GraphPrior): l solves), then
    /// O(l³) for each step of the inference. Memory: n × l numbers. The prior may be lent
    /// (`&prior`), to serve several sets of labels.
    ///
    /// # Errors
    /// A parameter out of range, labels of another number of classes than two or for another number
    /// of nodes, a target that the likelihood does not know, a node past the end, a system that
    /// cannot be solved, inference that does not converge; stopped on request.
    pub fn fit<P: Prior, S: TryInto<Observed>>(
        &self,
        prior: P,
        seen: S,
    ) -> Result<Posterior<P, L, I::Fit>, GpError>
    where
        GpError: From<S::Error>,
    {
        self.fit_seen(prior, &seen.try_into()?, &mut Memory::default())
    }

    /// With the columns of the observed nodes.
    pub(crate) fn fit_columns<P: Prior>(
        &self,
        prior: P,
        observed: Observed,
        columns: Arc<Columns>,
        start: Option<&Sites>,
    ) -> Result<Posterior<P, L, I::Fit>, GpError> {
        self.likelihood.check_parameters()?;
        for (&node, &target) in observed.nodes().iter().zip(observed.targets()) {
            let unknown = |range| GpError::BadTarget { node, target, range };
            self.likelihood.accepts(target).map_err(unknown)?;
        }
        let mean = self.mean.values(prior.nodes())?;
        take_block(self.inference.budget(), observed.len(), MATRICES)?;
        let block = columns.values.select(Axis(0), observed.nodes());
        let gram = (&block + &block.t()) * 0.5;
        let labelled_mean = mean.select(Axis(0), observed.nodes());
        let block = Block {
            gram: &gram,
            mean: labelled_mean.view(),
            targets: observed.targets(),
            likelihood: &self.likelihood,
        };
        let fit = self.inference.run(&block, start)?;
        // With a mean: m = μ + K[:, L] a [zhu2003gp (16)].
        let mut latent = mean + columns.values.dot(&fit.dual());
        for (&node, &value) in observed.nodes().iter().zip(fit.latent()) {
            latent[node] = value;
        }
        let at_mean = latent.mapv(|mean| self.likelihood.probability(mean, 0.0));
        Ok(Posterior {
            likelihood: self.likelihood.clone(),
            interior: unlabelled(prior.nodes(), observed.nodes()),
            scores: Scores::binary(at_mean.view())?,
            averaged: false,
            elsewhere: self.mean.elsewhere(),
            prior,
            observed,
            columns,
            gram,
            labelled_mean,
            latent,
            fit,
        })
    }
}

/// Those of the likelihood.
impl<L: Likelihood, I> Parameters for GaussianProcess<L, I> {
    fn parameters(&self) -> Vec<Parameter> {
        self.likelihood.parameters()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        self.likelihood.set_parameters(values)
    }
}

impl<L: Likelihood + Clone, I: Inference<L>> Process for GaussianProcess<L, I> {
    type Seen = Observed;
    type Fitted<P: Prior> = Posterior<P, L, I::Fit>;

    fn see(&self, labels: &Labels) -> Result<Observed, GpError> {
        labels.try_into()
    }

    fn fit_seen<P: Prior>(
        &self,
        prior: P,
        observed: &Observed,
        memory: &mut Memory,
    ) -> Result<Posterior<P, L, I::Fit>, GpError> {
        observed.check(prior.nodes())?;
        let columns = Arc::new(prior.columns_with(observed.nodes(), memory)?);
        let start = memory.start(0, observed.len());
        let posterior = self.fit_columns(prior, observed.clone(), columns, start)?;
        memory.sites = posterior.fit.resume().cloned().into_iter().collect();
        Ok(posterior)
    }
}

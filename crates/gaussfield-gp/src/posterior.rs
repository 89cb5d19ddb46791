//! The posterior of two classes, or of a regression, on all nodes.

use crate::{
    Block, BlockFit, Columns, Draws, EvidenceGradient, Fitted, GpError, Likelihood, Observed, Prior,
};
use gaussfield_core::{Facts, NoSuchNode, SizeMismatch};
use gaussfield_labels::{Named, Scores, Transductive};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;
use std::sync::Arc;

/// The posterior, approximated by a Gaussian on all nodes.
///
/// Made by [`GaussianProcess::fit`](crate::GaussianProcess::fit). Holds the prior and the n × l
/// columns K\[:, L\], so that covariances and gradients need no new factorisation.
///
/// As a [`Transductive`] answer it says of every node how probable each class is, its latent value
/// taken to be its mean: that costs nothing. To average over what is not known of the latent values
/// takes the variances of all nodes, and is asked for by name ([`Posterior::averaged`]); which one it
/// was is a fact. With a step likelihood such as [`Flip`](crate::Flip) only averaged probabilities
/// rank the nodes: without variance every one is ε or 1 − ε.
#[derive(Debug)]
pub struct Posterior<P, L, F> {
    pub(crate) prior: P,
    pub(crate) likelihood: L,
    pub(crate) observed: Observed,
    /// K[:, L].
    pub(crate) columns: Arc<Columns>,
    /// K_LL, exactly symmetric.
    pub(crate) gram: Array2<f64>,
    /// μ_L.
    pub(crate) labelled_mean: Array1<f64>,
    pub(crate) latent: Array1<f64>,
    /// The prior mean of points that are no nodes.
    pub(crate) elsewhere: f64,
    pub(crate) fit: F,
    pub(crate) scores: Scores,
    /// Whether the scores are averaged over the posterior.
    pub(crate) averaged: bool,
    /// The unlabelled nodes.
    pub(crate) interior: Vec<usize>,
}

/// All nodes but these.
pub(crate) fn unlabelled(nodes: usize, labelled: &[usize]) -> Vec<usize> {
    let mut free = vec![true; nodes];
    labelled.iter().for_each(|&node| free[node] = false);
    (0..nodes).filter(|&node| free[node]).collect()
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Posterior<P, L, F> {
    /// The mean of the latent values on all nodes (for Laplace: the mode ŷ).
    pub fn latent(&self) -> ArrayView1<'_, f64> {
        self.latent.view()
    }

    /// What was observed.
    pub fn observed(&self) -> &Observed {
        &self.observed
    }

    /// The prior.
    pub fn prior(&self) -> &P {
        &self.prior
    }

    /// The likelihood.
    pub fn likelihood(&self) -> &L {
        &self.likelihood
    }

    /// What inference found on the observed nodes: modes and curvatures, or sites and cavities.
    pub fn on_labels(&self) -> &F {
        &self.fit
    }

    /// K_LL, the prior covariance of the observed nodes, in their order.
    pub fn prior_covariance(&self) -> ArrayView2<'_, f64> {
        self.gram.view()
    }

    /// a = K_LL⁻¹(m_L − μ_L): the weight of each observed node in the mean, μ + K\[:, L\] a.
    pub fn dual(&self) -> ArrayView1<'_, f64> {
        self.fit.dual()
    }

    /// The approximate log evidence log p(t_L).
    pub fn log_evidence(&self) -> f64 {
        self.fit.log_evidence()
    }

    /// The gradient of [`Posterior::log_evidence`] in everything it depends on.
    ///
    /// No solve beyond those of the fit: O(l³ + n l²), and O(m·l) for the pullback of the edges
    /// whatever the number of parameters of the weights.
    ///
    /// # Errors
    /// As [`Prior::pullback`].
    pub fn gradient(&self) -> Result<EvidenceGradient, GpError> {
        Self::summed_gradient(std::slice::from_ref(self))
    }

    /// Of the sum of log evidences of processes that share their prior, their columns and their
    /// nodes.
    pub(crate) fn summed_gradient(processes: &[Self]) -> Result<EvidenceGradient, GpError> {
        let Some((first, rest)) = processes.split_first() else {
            return Err(GpError::NoObservations);
        };
        let mut sum = first.fit.sensitivity(&first.block());
        for one in rest {
            let more = one.fit.sensitivity(&one.block());
            sum.gram += &more.gram;
            sum.mean += &more.mean;
            sum.likelihood.iter_mut().zip(more.likelihood).for_each(|(own, more)| *own += more);
        }
        let prior = first.prior.pullback(first.observed.nodes(), &first.columns, &sum.gram)?;
        Ok(EvidenceGradient {
            prior: prior.parameters,
            mean: sum.mean.sum(),
            likelihood: sum.likelihood,
            edges: prior.edges,
        })
    }

    /// The posterior covariance among chosen nodes, k × k: [zhu2003gp (34)]. k columns of the prior, n × k
    /// memory.
    ///
    /// # Errors
    /// A node past the end, a solver that failed.
    pub fn covariance(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        let prior = self.prior.columns(nodes)?.values.select(Axis(0), nodes);
        let rows = self.columns.values.select(Axis(0), nodes);
        Ok((&prior + &prior.t()) * 0.5 - self.fit.shrinkage().explained_covariance(&rows))
    }

    /// The posterior variances of chosen nodes: the diagonal of [`Posterior::covariance`], at the
    /// cost of the prior's variances.
    ///
    /// # Errors
    /// As [`Posterior::covariance`].
    pub fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        NoSuchNode::check(nodes, self.prior.nodes())?;
        let prior = self.prior.variances(nodes)?;
        let explained = self.fit.shrinkage().explained(&self.columns.values.select(Axis(0), nodes));
        Ok((prior - explained).mapv(|variance| variance.max(0.0)))
    }

    /// The posterior variances of all nodes from their prior variances, such as those of
    /// [`GraphCovariance::all_variances`](crate::GraphCovariance::all_variances). O(n l²). A
    /// standard error of the prior variances is one of these too: what the labels explain is
    /// exact.
    ///
    /// # Errors
    /// Variances for another number of nodes.
    pub fn all_variances(&self, prior: ArrayView1<'_, f64>) -> Result<Array1<f64>, GpError> {
        SizeMismatch::check("prior variances", self.latent.len(), prior.len())?;
        let explained = self.fit.shrinkage().explained(&self.columns.values);
        Ok((&prior - &explained).mapv(|variance| variance.max(0.0)))
    }

    /// The probability of a positive label at chosen nodes, the latent value averaged over the
    /// approximate posterior. Cost: as [`Posterior::variances`].
    ///
    /// # Errors
    /// As [`Posterior::covariance`].
    pub fn probabilities(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        let variances = self.variances(nodes)?;
        let means = nodes.iter().map(|&node| self.latent[node]);
        Ok(self.average(means.zip(variances).collect()))
    }

    /// With probabilities that are averaged over the posterior. The prior variances of all nodes.
    ///
    /// # Errors
    /// As [`Posterior::variances`].
    pub fn averaged(self) -> Result<Self, GpError> {
        let all: Vec<usize> = (0..self.latent.len()).collect();
        let prior = self.prior.variances(&all)?;
        self.averaged_over(prior.view())
    }

    /// As [`Posterior::averaged`], from prior variances that are known, such as those that
    /// [`GraphCovariance::all_variances`](crate::GraphCovariance::all_variances) estimates where
    /// exact ones are out of reach. O(n l²).
    ///
    /// # Errors
    /// Variances for another number of nodes.
    pub fn averaged_over(mut self, prior: ArrayView1<'_, f64>) -> Result<Self, GpError> {
        let variances = self.all_variances(prior)?;
        let moments = self.latent.iter().copied().zip(variances).collect();
        self.scores = Scores::binary(self.average(moments).view())?;
        self.averaged = true;
        Ok(self)
    }

    /// The likelihood's probability for each mean and variance.
    pub(crate) fn average(&self, moments: Vec<(f64, f64)>) -> Array1<f64> {
        let likelihood = &self.likelihood;
        let probabilities: Vec<f64> = moments
            .into_par_iter()
            .map(|(mean, variance)| likelihood.probability(mean, variance))
            .collect();
        Array1::from(probabilities)
    }

    pub(crate) fn block(&self) -> Block<'_, L> {
        Block {
            gram: &self.gram,
            mean: self.labelled_mean.view(),
            targets: self.observed.targets(),
            likelihood: &self.likelihood,
        }
    }
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Fitted for Posterior<P, L, F> {
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

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Named for Posterior<P, L, F> {
    fn class_names(&self) -> &[String] {
        self.observed.class_names()
    }
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Transductive for Posterior<P, L, F> {
    fn scores(&self) -> &Scores {
        &self.scores
    }

    fn interior(&self) -> &[usize] {
        &self.interior
    }

    fn facts(&self) -> Facts {
        let mut facts = self.columns.facts.clone();
        facts.extend(self.fit.facts());
        facts.with("probabilities", how(self.averaged))
    }
}

/// Of which latent values probabilities are.
pub(crate) fn how(averaged: bool) -> &'static str {
    if averaged { "averaged over the posterior" } else { "at the mean of the latent values" }
}

//! The posterior of two classes, or of a regression, on all nodes.

use crate::error::check_nodes;
use crate::{Block, BlockFit, Columns, EvidenceGradient, GpError, Likelihood, Observed, Prior};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;
use std::sync::Arc;

/// The posterior, approximated by a Gaussian on all nodes.
///
/// Made by [`GaussianProcess::fit`](crate::GaussianProcess::fit). Holds the prior and the n × l
/// columns K\[:, L\], so that covariances and gradients need no new factorisation.
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
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Posterior<P, L, F> {
    /// The mean of the latent values on all nodes (for Laplace: the mode ŷ). Its sign is the
    /// class.
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
        let sensitivity = self.fit.sensitivity(&self.block());
        let prior = self.prior.pullback(self.observed.nodes(), &self.columns, &sensitivity.gram)?;
        Ok(EvidenceGradient {
            prior: prior.parameters,
            mean: sensitivity.mean.sum(),
            likelihood: sensitivity.likelihood,
            edges: prior.edges,
        })
    }

    /// The posterior covariance among chosen nodes, k × k: eq. (34). k columns of the prior, n × k
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
        check_nodes(nodes, self.prior.nodes())?;
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
        self.check_count("the list of prior variances", prior.len())?;
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
        Ok(self.averaged(means.zip(variances).collect()))
    }

    /// The probability of a positive label at every node, from the posterior variances of all
    /// nodes.
    ///
    /// # Errors
    /// Variances for another number of nodes.
    pub fn all_probabilities(
        &self,
        variances: ArrayView1<'_, f64>,
    ) -> Result<Array1<f64>, GpError> {
        self.check_count("the list of variances", variances.len())?;
        Ok(self.averaged(self.latent.iter().copied().zip(variances.iter().copied()).collect()))
    }

    /// The likelihood's probability for each mean and variance.
    pub(crate) fn averaged(&self, moments: Vec<(f64, f64)>) -> Array1<f64> {
        let likelihood = &self.likelihood;
        let probabilities: Vec<f64> = moments
            .into_par_iter()
            .map(|(mean, variance)| likelihood.probability(mean, variance))
            .collect();
        Array1::from(probabilities)
    }

    fn check_count(&self, what: &'static str, got: usize) -> Result<(), GpError> {
        let nodes = self.prior.nodes();
        if nodes == got { Ok(()) } else { Err(GpError::NodeCount { what, nodes, got }) }
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

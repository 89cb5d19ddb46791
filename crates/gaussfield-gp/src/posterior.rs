use crate::error::check_nodes;
use crate::{Block, BlockFit, EvidenceGradient, GpError, Likelihood, Observed, Prior};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

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
    pub(crate) columns: Array2<f64>,
    /// K_LL, exactly symmetric.
    pub(crate) gram: Array2<f64>,
    /// μ_L.
    pub(crate) labelled_mean: Array1<f64>,
    pub(crate) latent: Array1<f64>,
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
    pub fn gradient(&self) -> EvidenceGradient {
        let sensitivity = self.fit.sensitivity(&self.block());
        let prior = self.prior.pull_back(self.observed.nodes(), &self.columns, &sensitivity.gram);
        EvidenceGradient {
            prior: prior.parameters,
            mean: sensitivity.mean.sum(),
            likelihood: sensitivity.likelihood,
            edges: prior.edges,
        }
    }

    /// The posterior covariance among chosen nodes, k × k: eq. (34). k columns of the prior, n × k
    /// memory.
    ///
    /// # Errors
    /// A node past the end, a solver that failed.
    pub fn covariance(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        let prior = self.prior.columns(nodes)?.select(Axis(0), nodes);
        let rows = self.columns.select(Axis(0), nodes);
        Ok((&prior + &prior.t()) * 0.5 - self.fit.shrinkage().explained_covariance(&rows))
    }

    /// The posterior variances of chosen nodes: the diagonal of [`Posterior::covariance`], at the
    /// cost of the prior's variances.
    ///
    /// # Errors
    /// As [`Posterior::covariance`].
    pub fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        check_nodes(nodes, self.prior.nodes())?;
        self.shrink(nodes, self.prior.variances(nodes)?)
    }

    /// Prior variances of nodes that exist, less what the labels explain.
    fn shrink(&self, nodes: &[usize], prior: Array1<f64>) -> Result<Array1<f64>, GpError> {
        let rows = self.columns.select(Axis(0), nodes);
        let explained = self.fit.shrinkage().explained(&rows);
        Ok((prior - explained).mapv(|variance| variance.max(0.0)))
    }

    /// The probability of a positive label at chosen nodes, the latent value averaged over the
    /// approximate posterior. Cost: as [`Posterior::variances`].
    ///
    /// # Errors
    /// As [`Posterior::covariance`].
    pub fn probabilities(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        let variances = self.variances(nodes)?;
        let (likelihood, latent) = (&self.likelihood, &self.latent);
        let pairs: Vec<_> = nodes.iter().zip(&variances).collect();
        let probabilities: Vec<f64> = pairs
            .into_par_iter()
            .map(|(&node, &variance)| likelihood.probability(latent[node], variance))
            .collect();
        Ok(Array1::from(probabilities))
    }

    fn block(&self) -> Block<'_, L> {
        Block {
            gram: &self.gram,
            mean: self.labelled_mean.view(),
            targets: self.observed.targets(),
            likelihood: &self.likelihood,
        }
    }
}

//! A Gaussian process: likelihood, mean and inference.

use crate::error::check_nodes;
use crate::{
    Block, BlockFit, Columns, ExpectationPropagation, GpError, Inference, Laplace, Likelihood,
    Observed, Posterior, Prior,
};
use gaussfield_labels::Labels;
use ndarray::{Array1, Axis};
use std::sync::Arc;

/// The prior mean μ of the latent values.
#[derive(Debug, Clone, PartialEq)]
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
        if values.len() != nodes {
            return Err(GpError::NodeCount { what: "the prior mean", nodes, got: values.len() });
        }
        match values.iter().find(|value| !value.is_finite()) {
            Some(&value) => {
                Err(GpError::BadParameter { name: "the prior mean", value, range: "finite" })
            }
            None => Ok(values),
        }
    }
}

/// A Gaussian process for labels: a likelihood, a mean, and how the posterior is found. The prior
/// covariance is given at the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianProcess<L, I = Laplace> {
    /// How labels come about.
    pub likelihood: L,
    /// The mean before any label is seen.
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

impl<L: Likelihood, I: Inference<L>> GaussianProcess<L, I> {
    /// The same process around another mean.
    #[must_use]
    pub fn with_mean(mut self, mean: Mean) -> Self {
        self.mean = mean;
        self
    }

    /// The posterior given what was observed, under a prior.
    ///
    /// l columns of the covariance (for a [`GraphPrior`](crate::GraphPrior): l solves), then
    /// O(l³) for each step of the inference. Memory: n × l numbers. The prior may be lent
    /// (`&prior`), to serve several sets of labels.
    ///
    /// # Errors
    /// A parameter out of range, a target that the likelihood does not know, a node past the end,
    /// a system that cannot be solved, inference that does not converge.
    pub fn fit<P: Prior>(
        &self,
        prior: P,
        observed: &Observed,
    ) -> Result<Posterior<P, L, I::Fit>, GpError> {
        check_nodes(observed.nodes(), prior.nodes())?;
        let columns = Arc::new(prior.columns(observed.nodes())?);
        self.fit_columns(prior, observed, columns)
    }

    /// One posterior for each class, that class against the rest; the columns of the covariance
    /// are made once for all. The class with the largest latent value (or probability) is the
    /// answer; [`Softmax`](crate::Softmax) treats the classes together.
    ///
    /// # Errors
    /// As [`GaussianProcess::fit`]; no labelled node.
    pub fn fit_one_against_rest<P: Prior + Clone>(
        &self,
        prior: P,
        labels: &Labels,
    ) -> Result<Vec<Posterior<P, L, I::Fit>>, GpError> {
        let (nodes, got) = (prior.nodes(), labels.len());
        if nodes != got {
            return Err(GpError::NodeCount { what: "the list of labels", nodes, got });
        }
        let columns = Arc::new(prior.columns(&labels.labelled())?);
        (0..labels.classes())
            .map(|class| {
                let observed = Observed::one_against_rest(labels, class)?;
                self.fit_columns(prior.clone(), &observed, Arc::clone(&columns))
            })
            .collect()
    }

    /// With the columns of the observed nodes.
    fn fit_columns<P: Prior>(
        &self,
        prior: P,
        observed: &Observed,
        columns: Arc<Columns>,
    ) -> Result<Posterior<P, L, I::Fit>, GpError> {
        self.likelihood.check()?;
        for (&node, &target) in observed.nodes().iter().zip(observed.targets()) {
            self.likelihood.accepts(target).map_err(|range| GpError::BadTarget {
                node,
                target,
                range,
            })?;
        }
        let mean = self.mean.values(prior.nodes())?;
        let block = columns.values.select(Axis(0), observed.nodes());
        let gram = (&block + &block.t()) * 0.5;
        let labelled_mean = mean.select(Axis(0), observed.nodes());
        let fit = self.inference.run(&Block {
            gram: &gram,
            mean: labelled_mean.view(),
            targets: observed.targets(),
            likelihood: &self.likelihood,
        })?;
        // Eq. (16) with a mean: m = μ + K[:, L] a.
        let mut latent = mean + columns.values.dot(&fit.dual());
        for (&node, &value) in observed.nodes().iter().zip(fit.latent()) {
            latent[node] = value;
        }
        Ok(Posterior {
            prior,
            likelihood: self.likelihood.clone(),
            observed: observed.clone(),
            columns,
            gram,
            labelled_mean,
            latent,
            elsewhere: self.mean.elsewhere(),
            fit,
        })
    }
}

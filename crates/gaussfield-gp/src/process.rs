use crate::error::check_nodes;
use crate::newton::Block;
use crate::{GpError, GraphPrior, Likelihood, Newton, Observed, Posterior};
use gaussfield_graph::Graph;
use ndarray::{Array1, Axis};

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

/// A Gaussian process on a graph: prior, likelihood, and how the mode is searched.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianProcess<L> {
    /// The covariance before any label is seen.
    pub prior: GraphPrior,
    /// How labels come about.
    pub likelihood: L,
    /// The mean before any label is seen.
    pub mean: Mean,
    /// When the search for the mode ends.
    pub newton: Newton,
}

impl<L: Likelihood> GaussianProcess<L> {
    /// With zero mean and the usual search.
    pub fn new(prior: GraphPrior, likelihood: L) -> Self {
        Self { prior, likelihood, mean: Mean::default(), newton: Newton::default() }
    }

    /// The same process around another mean.
    #[must_use]
    pub fn with_mean(mut self, mean: Mean) -> Self {
        self.mean = mean;
        self
    }

    /// The Laplace approximation of the posterior (CMU-CS-03-175, appendix A).
    ///
    /// One factorisation of the regularised Laplacian and l solves; then O(l³) for each Newton
    /// step. Memory: the factor and n × l numbers.
    ///
    /// # Errors
    /// A parameter out of range, a target that the likelihood does not know, a node past the end,
    /// a system that cannot be solved, a mode that is not found.
    pub fn fit(&self, graph: &Graph, observed: &Observed) -> Result<Posterior<L>, GpError> {
        self.likelihood.check()?;
        for (&node, &target) in observed.nodes().iter().zip(observed.targets()) {
            self.likelihood.accepts(target).map_err(|range| GpError::BadTarget {
                node,
                target,
                range,
            })?;
        }
        check_nodes(observed.nodes(), graph.nodes())?;
        let mean = self.mean.values(graph.nodes())?;
        let prior = self.prior.prepare(graph)?;
        let columns = prior.columns(observed.nodes())?;
        let block = columns.select(Axis(0), observed.nodes());
        let gram = (&block + &block.t()) * 0.5;
        let labelled_mean = mean.select(Axis(0), observed.nodes());
        let labelled = Block {
            gram: &gram,
            mean: labelled_mean.view(),
            targets: observed.targets(),
            likelihood: &self.likelihood,
        }
        .mode(&self.newton)?;
        // Eq. (16) with a mean: ŷ = μ + G[:, L] a.
        let mut mode = mean + columns.dot(&labelled.dual);
        for (&node, &value) in observed.nodes().iter().zip(&labelled.latent) {
            mode[node] = value;
        }
        let likelihood = self.likelihood.clone();
        let observed = observed.clone();
        Ok(Posterior { prior, likelihood, observed, columns, gram, mode, labelled })
    }
}

use crate::error::check_nodes;
use crate::newton::LabelledMode;
use crate::prior::PreparedPrior;
use crate::{GpError, Likelihood, Observed};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

/// Columns of the prior covariance made at one time when variances are asked for.
const BLOCK: usize = 128;

/// The Laplace approximation of a posterior: a Gaussian at the mode.
///
/// Made by [`GaussianProcess::fit`](crate::GaussianProcess::fit). Holds the factorised prior and
/// the n × l columns G\[:, L\], so that covariances and gradients need no new factorisation.
#[derive(Debug)]
pub struct Posterior<L> {
    pub(crate) prior: PreparedPrior,
    pub(crate) likelihood: L,
    pub(crate) observed: Observed,
    /// G[:, L].
    pub(crate) columns: Array2<f64>,
    /// G_LL, exactly symmetric.
    pub(crate) gram: Array2<f64>,
    pub(crate) mode: Array1<f64>,
    pub(crate) labelled: LabelledMode,
}

impl<L: Likelihood> Posterior<L> {
    /// ŷ on all nodes: also the mean of the approximation. Its sign is the class.
    pub fn mode(&self) -> ArrayView1<'_, f64> {
        self.mode.view()
    }

    /// What was observed.
    pub fn observed(&self) -> &Observed {
        &self.observed
    }

    /// G_LL, the prior covariance of the observed nodes, in their order.
    pub fn prior_covariance(&self) -> ArrayView2<'_, f64> {
        self.gram.view()
    }

    /// a = G_LL⁻¹(ŷ_L − μ_L): the weight of each observed node in the mode, μ + G\[:, L\] a.
    pub fn dual(&self) -> ArrayView1<'_, f64> {
        self.labelled.dual.view()
    }

    /// −∂² log p(t|y)/∂y² at the mode of each observed node: the diagonal of P in eq. (31).
    pub fn curvature(&self) -> Array1<f64> {
        self.labelled.densities.iter().map(|density| -density.second).collect()
    }

    /// log p(t_L|ŷ_L).
    pub fn log_likelihood(&self) -> f64 {
        self.labelled.densities.iter().map(|density| density.value).sum()
    }

    /// The log evidence log p(t_L) in Laplace's approximation, eq. (45).
    ///
    /// The approximation is poor for wide priors (one label, prior variance 10⁵: −1.22 where the
    /// truth is ln ½): compare graphs by it, do not read it as a probability.
    pub fn log_evidence(&self) -> f64 {
        self.labelled.objective - 0.5 * self.labelled.factor.log_det()
    }

    /// Steps Newton's method took.
    pub fn iterations(&self) -> usize {
        self.labelled.iterations
    }

    /// The posterior covariance among chosen nodes, k × k: eq. (34). k solves, n × k memory.
    ///
    /// # Errors
    /// A node past the end, a solver that failed.
    pub fn covariance(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        let prior = self.prior.columns(nodes)?.select(Axis(0), nodes);
        let explained = self.explained(nodes);
        Ok((&prior + &prior.t()) * 0.5 - explained.t().dot(&explained))
    }

    /// The posterior variances of chosen nodes: the diagonal of [`Posterior::covariance`]. One
    /// solve for each node, in blocks, so that all nodes may be asked for: O(n²) time on a sparse
    /// graph, O(n) memory.
    ///
    /// # Errors
    /// As [`Posterior::covariance`].
    pub fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        check_nodes(nodes, self.prior.nodes)?;
        let mut variances = Vec::with_capacity(nodes.len());
        for block in nodes.chunks(BLOCK) {
            let prior = self.prior.columns(block)?;
            let explained = self.explained(block);
            for (column, &node) in block.iter().enumerate() {
                let known = explained.column(column);
                variances.push((prior[[node, column]] - known.dot(&known)).max(0.0));
            }
        }
        Ok(Array1::from(variances))
    }

    /// The probability of a positive label at chosen nodes, the latent value averaged over the
    /// approximate posterior. Cost: as [`Posterior::variances`].
    ///
    /// # Errors
    /// As [`Posterior::covariance`].
    pub fn probabilities(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        let variances = self.variances(nodes)?;
        let probability = |(&node, &variance): (&usize, &f64)| {
            self.likelihood.probability(self.mode[node], variance)
        };
        let pairs: Vec<_> = nodes.iter().zip(&variances).collect();
        let probabilities: Vec<f64> = pairs.into_par_iter().map(probability).collect();
        Ok(Array1::from(probabilities))
    }

    /// V = Λ⁻¹ W½ G_{L,nodes} with B = ΛΛᵀ, so that the covariance is G − VᵀV. Nodes exist.
    fn explained(&self, nodes: &[usize]) -> Array2<f64> {
        let rows = self.columns.select(Axis(0), nodes);
        let scaled = &rows * &self.labelled.root.view().insert_axis(Axis(0));
        self.labelled.factor.forward(scaled.t().as_standard_layout().into_owned())
    }
}

//! Priors: what the latent values are before any label is seen.

mod family;
mod given;
mod graph;
mod kernel;
mod spectral;

pub use family::PriorFamily;
pub use given::GivenCovariance;
pub use graph::{GraphCovariance, GraphPrior, Regularisation};
pub use kernel::KernelPrior;
pub use spectral::{SpectralPrior, Transform};

use crate::{GpError, Memory};
use gaussfield_core::Facts;
use gaussfield_graph::EdgeGradient;
use ndarray::{Array1, Array2};
use std::sync::Arc;

/// Columns of the covariance made at one time when variances are asked for.
const BLOCK: usize = 128;

/// A Gaussian prior on n nodes, known through columns of its covariance K.
///
/// Inference needs K on the labelled nodes and the columns K\[:, L\]; nothing here asks for an
/// n × n matrix, and nobody needs to know how K was built.
pub trait Prior: Send + Sync {
    /// The number of nodes, n.
    fn nodes(&self) -> usize;

    /// K\[:, nodes\]: n × k.
    ///
    /// # Errors
    /// A node past the end, a system that cannot be solved.
    fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError>;

    /// As [`Prior::columns`], with what the memory holds of the last prior; leaves in it what the
    /// next can use. Nothing, unless the prior says otherwise.
    ///
    /// # Errors
    /// As [`Prior::columns`].
    fn columns_with(&self, nodes: &[usize], _: &mut Memory) -> Result<Columns, GpError> {
        self.columns(nodes)
    }

    /// K_ii of chosen nodes. By columns in blocks unless the prior knows better.
    ///
    /// # Errors
    /// As [`Prior::columns`].
    fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        let mut variances = Vec::with_capacity(nodes.len());
        for block in nodes.chunks(BLOCK) {
            let columns = self.columns(block)?.values;
            let diagonal = block.iter().enumerate().map(|(at, &node)| columns[[node, at]]);
            variances.extend(diagonal);
        }
        Ok(Array1::from(variances))
    }

    /// The gradient of an objective J in the prior's parameters and, where the prior has a graph,
    /// in the weight of every edge; from M = ∂J/∂K_LL (symmetric) and the columns K\[:, L\], those
    /// that [`Prior::columns`] gave for the same nodes.
    ///
    /// # Errors
    /// A kernel or a product with the Laplacian that cannot be computed.
    fn pullback(
        &self,
        nodes: &[usize],
        columns: &Columns,
        by_gram: &Array2<f64>,
    ) -> Result<PriorGradient, GpError>;
}

/// Columns of a covariance, and how they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// K\[:, nodes\]: n × k.
    pub values: Array2<f64>,
    /// E with K(x, nodes) = φ(x)·E at any point x, where the prior found it on the way: gradients and
    /// predictions need it again (see [`InductivePrior`](crate::InductivePrior)).
    pub extension: Option<Array2<f64>>,
    /// The solver that ran, how far it got; nothing where nothing had to be solved.
    pub facts: Facts,
}

impl From<Array2<f64>> for Columns {
    /// Columns that nothing had to be solved for.
    fn from(values: Array2<f64>) -> Self {
        Self { values, extension: None, facts: Facts::default() }
    }
}

/// How an objective reacts to a prior.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorGradient {
    /// For each parameter, in the order of its [`PriorFamily`].
    pub parameters: Vec<f64>,
    /// ∂/∂w on every edge; `None` for a prior whose dependence on a graph is not followed.
    pub edges: Option<EdgeGradient>,
}

macro_rules! behind_pointer {
    ($pointer:ty) => {
        impl<P: Prior + ?Sized> Prior for $pointer {
            fn nodes(&self) -> usize {
                (**self).nodes()
            }

            fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError> {
                (**self).columns(nodes)
            }

            fn columns_with(
                &self,
                nodes: &[usize],
                memory: &mut Memory,
            ) -> Result<Columns, GpError> {
                (**self).columns_with(nodes, memory)
            }

            fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
                (**self).variances(nodes)
            }

            fn pullback(
                &self,
                nodes: &[usize],
                columns: &Columns,
                by_gram: &Array2<f64>,
            ) -> Result<PriorGradient, GpError> {
                (**self).pullback(nodes, columns, by_gram)
            }
        }
    };
}
behind_pointer!(&P);
behind_pointer!(Arc<P>);

//! Gaussian processes as values.

use gaussfield_core::{Budget, ParameterError, Parameters as _};
use gaussfield_gp::{
    ExpectationPropagation, GaussianProcess, GpError, GraphCovariance, GraphPrior, Inference,
    Laplace, Likelihood, LikelihoodChoice, Mean, PriorFamily, Process, Softmax, SpectralPrior,
    Transform, Warp, WarpedKernel, WarpedPrior,
};
use gaussfield_graph::Graph;
use gaussfield_kernel::Kernel;
use gaussfield_labels::{Inductive, Labels};
use gaussfield_laplacian::{LanczosOptions, Laplacian};
use gaussfield_points::Points;
use serde::{Deserialize, Serialize};

/// A Gaussian process: which fields are likely, how labels come about, how the posterior is found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProcessChoice {
    /// The covariance before any label is seen.
    pub prior: PriorChoice,
    /// The likelihood, and how the posterior is found.
    pub inference: InferenceChoice,
}

/// A covariance of the nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum PriorChoice {
    /// [`GraphPrior`].
    Graph(GraphPrior),
    /// [`SpectralPrior`].
    Spectral {
        /// Of which Laplacian. Default: combinatorial.
        #[serde(default)]
        laplacian: Laplacian,
        /// How many of its smallest eigenpairs count.
        pairs: usize,
        /// What becomes of the eigenvalues.
        transform: Transform,
        /// What the covariance is multiplied with, positive.
        scale: f64,
        /// How the eigenpairs are found.
        #[serde(default)]
        search: LanczosOptions,
    },
    /// [`WarpedPrior`]: covers new points.
    Warped(WarpedChoice),
}

/// [`WarpedPrior`] but for its points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WarpedChoice {
    /// The kernel on all of space.
    pub kernel: Kernel,
    /// How much the graph bends it.
    pub warp: Warp,
    /// Which Laplacian of the graph. Default: combinatorial.
    #[serde(default)]
    pub laplacian: Laplacian,
    /// Memory of all dense matrices. Default 4 GiB.
    #[serde(default)]
    pub budget: Budget,
}

impl WarpedChoice {
    pub(super) fn of(&self, points: &Points) -> WarpedPrior {
        let Self { kernel, warp, laplacian, budget } = *self;
        WarpedPrior { laplacian, budget, ..WarpedPrior::new(points, kernel, warp) }
    }
}

/// A likelihood, and how the posterior is found. Two classes have one process, more have one each,
/// against the rest; softmax takes any number together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum InferenceChoice {
    /// [`Laplace`].
    Laplace {
        /// How labels come about: log-concave.
        likelihood: LikelihoodChoice,
        /// The mean before any label is seen. Default: zero.
        #[serde(default)]
        mean: Mean,
        /// How the mode is found.
        #[serde(default)]
        search: Laplace,
    },
    /// [`ExpectationPropagation`].
    Ep {
        /// How labels come about.
        likelihood: LikelihoodChoice,
        /// The mean before any label is seen. Default: zero.
        #[serde(default)]
        mean: Mean,
        /// How the sites are found.
        #[serde(default)]
        search: ExpectationPropagation,
    },
    /// [`Softmax`].
    Softmax(Softmax),
}

/// What is done with a process under a family of priors, whatever their types.
pub(super) trait Visit {
    type Out;
    type Error: From<GpError>;

    /// Under a prior of the nodes.
    fn nodes<M, S>(self, process: M, prior: S) -> Result<Self::Out, Self::Error>
    where
        M: Process,
        S: PriorFamily + Clone,
        M::Fitted<S::On>: Send + Sync + 'static;

    /// Under a prior that covers new points.
    fn space<M, S>(self, process: M, prior: S) -> Result<Self::Out, Self::Error>
    where
        M: Process,
        S: PriorFamily + Clone,
        M::Fitted<S::On>: Inductive<Points, Error = GpError> + Send + Sync + 'static;
}

/// What a process is asked about.
#[derive(Clone, Copy)]
pub(super) struct On<'a> {
    pub(super) points: &'a Points,
    pub(super) graph: &'a Graph,
    pub(super) labels: &'a Labels,
}

impl ProcessChoice {
    /// Hands the process and the family of its prior on.
    pub(super) fn visit<V: Visit>(&self, on: On<'_>, visitor: V) -> Result<V::Out, V::Error> {
        match &self.inference {
            InferenceChoice::Laplace { likelihood, mean, search } => {
                let (likelihood, mean) = (likelihood.smooth()?, mean.clone());
                self.classes(GaussianProcess { likelihood, mean, inference: *search }, on, visitor)
            }
            InferenceChoice::Ep { likelihood, mean, search } => {
                let (likelihood, mean) = (likelihood.tilted()?, mean.clone());
                self.classes(GaussianProcess { likelihood, mean, inference: *search }, on, visitor)
            }
            InferenceChoice::Softmax(softmax) => self.under(*softmax, on, visitor),
        }
    }

    fn classes<L, I, V>(
        &self,
        process: GaussianProcess<L, I>,
        on: On<'_>,
        visitor: V,
    ) -> Result<V::Out, V::Error>
    where
        L: Likelihood + Clone + 'static,
        I: Inference<L>,
        I::Fit: Send + Sync + 'static,
        V: Visit,
    {
        match on.labels.classes() {
            2 => self.under(process, on, visitor),
            _ => self.under(process.one_against_rest(), on, visitor),
        }
    }

    fn under<M, V>(&self, process: M, on: On<'_>, visitor: V) -> Result<V::Out, V::Error>
    where
        M: Process,
        M::Fitted<GraphCovariance>: Send + Sync + 'static,
        M::Fitted<SpectralPrior>: Send + Sync + 'static,
        M::Fitted<WarpedKernel>: Inductive<Points, Error = GpError> + Send + Sync + 'static,
        V: Visit,
    {
        match &self.prior {
            PriorChoice::Graph(prior) => visitor.nodes(process, prior.clone()),
            PriorChoice::Spectral { laplacian, pairs, transform, scale, search } => {
                let found = laplacian.smallest(on.graph, *pairs, search).map_err(GpError::from)?;
                visitor.nodes(process, SpectralPrior::new(&found, *transform, *scale)?)
            }
            PriorChoice::Warped(prior) => visitor.space(process, prior.of(on.points)),
        }
    }

    /// The same at other parameters of prior and likelihood.
    pub(super) fn moved(&self, prior: &[f64], noise: &[f64]) -> Result<Self, ParameterError> {
        let mut moved = self.clone();
        match &mut moved.prior {
            PriorChoice::Graph(own) => own.set_parameters(prior)?,
            PriorChoice::Warped(WarpedChoice { kernel, warp, .. }) => {
                let (of_kernel, of_warp) = prior.split_at(kernel.parameters().len());
                kernel.set_parameters(of_kernel)?;
                if let &[gamma_a, gamma_i] = of_warp {
                    (warp.gamma_a, warp.gamma_i) = (gamma_a, gamma_i);
                }
            }
            // Its eigenvectors belong to one graph: it is not learned.
            PriorChoice::Spectral { .. } => {}
        }
        match &mut moved.inference {
            InferenceChoice::Laplace { likelihood, .. }
            | InferenceChoice::Ep { likelihood, .. } => {
                likelihood.set_parameters(noise)?;
            }
            InferenceChoice::Softmax(_) => {}
        }
        Ok(moved)
    }
}

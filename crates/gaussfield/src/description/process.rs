//! Gaussian processes as values.

use gaussfield_core::{Budget, ParameterError, Parameters as _};
use gaussfield_gp::{
    Draws, ExpectationPropagation, Fitted, GaussianProcess, GpError, GraphCovariance, GraphPrior,
    Inference, LandmarkKernel, LandmarkPrior, Laplace, Likelihood, LikelihoodChoice, Mean,
    PriorFamily, Process, Softmax, SpectralPrior, Transform, Warp, WarpTerm, WarpedKernel,
    WarpedPrior,
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
    /// Of which latent values the probabilities are.
    #[serde(default)]
    pub probabilities: Probabilities,
}

/// Of which latent values the probabilities of the nodes are. Those of new points are averaged, but for
/// softmax, which does as it does for the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Probabilities {
    /// Of their mean, at no cost. Default. Under labels that are turned with a probability
    /// ([`Flip`](gaussfield_gp::Flip)) every one is ε or 1 − ε.
    #[default]
    AtMean,
    /// Averaged over the posterior, for the prior variances of all nodes; by softmax with C classes for
    /// O(C³) and a thousand draws a node more.
    Averaged,
}

impl Probabilities {
    pub(super) fn of<F: Fitted>(self, fitted: F) -> Result<F, GpError> {
        match self {
            Self::AtMean => Ok(fitted),
            Self::Averaged => fitted.averaged(Draws::default()),
        }
    }
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
    /// [`LandmarkPrior`]: the same for many points. The labelled nodes are landmarks, and more are drawn
    /// from the others.
    Landmarks {
        /// How many unlabelled nodes are drawn.
        count: usize,
        /// The seed they are drawn by. Default 0.
        #[serde(default)]
        seed: u64,
        /// The kernel on all of space.
        kernel: Kernel,
        /// How much the graph bends it.
        warp: Warp,
        /// Which Laplacian of the graph. Default: combinatorial.
        #[serde(default)]
        laplacian: Laplacian,
        /// Memory of all dense matrices. Default 4 GiB.
        #[serde(default)]
        budget: Budget,
    },
}

impl PriorChoice {
    /// Whether it looks at points beside the graph.
    pub(super) fn needs_points(&self) -> bool {
        match self {
            Self::Graph(_) | Self::Spectral { .. } => false,
            Self::Warped(_) | Self::Landmarks { .. } => true,
        }
    }

    /// Whether it can be learned by its evidence.
    pub(super) fn is_learned(&self) -> bool {
        match self {
            Self::Graph(_) | Self::Warped(_) | Self::Landmarks { .. } => true,
            // Its eigenvectors belong to one graph.
            Self::Spectral { .. } => false,
        }
    }

    /// New values of the parameters that the family of the prior has.
    fn move_to(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        match self {
            Self::Graph(own) => own.set_parameters(values)?,
            Self::Warped(WarpedChoice { kernel, warp, terms, .. }) => {
                let betas = bend(kernel, warp, values)?;
                terms.iter_mut().zip(betas).for_each(|(term, &beta)| term.beta = beta);
            }
            Self::Landmarks { kernel, warp, .. } => bend(kernel, warp, values).map(drop)?,
            Self::Spectral { .. } => {}
        }
        Ok(())
    }
}

/// New values of a kernel and its warp; those that are left.
fn bend<'a>(
    kernel: &mut Kernel,
    warp: &mut Warp,
    values: &'a [f64],
) -> Result<&'a [f64], ParameterError> {
    let (of_kernel, of_warp) = values.split_at(kernel.parameters().len());
    kernel.set_parameters(of_kernel)?;
    let [gamma_a, gamma_i, rest @ ..] = of_warp else { return Ok(of_warp) };
    (warp.gamma_a, warp.gamma_i) = (*gamma_a, *gamma_i);
    Ok(rest)
}

/// [`WarpedPrior`] but for its points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WarpedChoice {
    /// The kernel on all of space.
    pub kernel: Kernel,
    /// How much the graph bends it.
    pub warp: Warp,
    /// Further powers of the Laplacian that bend it too. Default none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<WarpTerm>,
    /// Which Laplacian of the graph. Default: combinatorial.
    #[serde(default)]
    pub laplacian: Laplacian,
    /// Memory of all dense matrices. Default 4 GiB.
    #[serde(default)]
    pub budget: Budget,
}

impl WarpedChoice {
    pub(super) fn of(&self, points: &Points) -> WarpedPrior {
        let Self { kernel, warp, ref terms, laplacian, budget } = *self;
        let plain = WarpedPrior { budget, ..WarpedPrior::new(points, kernel, warp) };
        plain.with_terms(terms).with_laplacian(laplacian)
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
        M::Fitted<LandmarkKernel>: Inductive<Points, Error = GpError> + Send + Sync + 'static,
        V: Visit,
    {
        match &self.prior {
            PriorChoice::Graph(prior) => visitor.nodes(process, prior.clone()),
            PriorChoice::Spectral { laplacian, pairs, transform, scale, search } => {
                let found = laplacian.smallest(on.graph, *pairs, search).map_err(GpError::from)?;
                visitor.nodes(process, SpectralPrior::new(&found, *transform, *scale)?)
            }
            PriorChoice::Warped(prior) => visitor.space(process, prior.of(on.points)),
            &PriorChoice::Landmarks { count, seed, kernel, warp, laplacian, budget } => {
                let mut landmarks = on.labels.labelled();
                let drawn = on.labels.draw_unlabelled(count, seed).map_err(GpError::from)?;
                landmarks.extend(drawn);
                let points = on.points.clone();
                let prior = LandmarkPrior { points, kernel, laplacian, warp, landmarks, budget };
                visitor.space(process, prior)
            }
        }
    }

    /// The same at other parameters of prior and likelihood.
    pub(super) fn moved(&self, prior: &[f64], noise: &[f64]) -> Result<Self, ParameterError> {
        let mut moved = self.clone();
        moved.prior.move_to(prior)?;
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

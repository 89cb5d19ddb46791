//! Likelihoods by name: what a program, a model file or a command line says about labels.

use super::{Flip, FlippedProbit, Gaussian, Probit, Sigmoid, SmoothLikelihood, TiltedLikelihood};
use crate::GpError;
use gaussfield_core::{Parameter, ParameterError, Parameters};
use serde::{Deserialize, Serialize};

/// A likelihood with its parameters, by name.
///
/// ```
/// use gaussfield_gp::{GaussianProcess, GraphPrior, LikelihoodChoice};
/// use gaussfield_graph::Graph;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// let noise: LikelihoodChoice = serde_json::from_str(r#"{"flip": {"epsilon": 0.1}}"#)?;
/// let prior: GraphPrior = serde_json::from_str(r#"{"regularisation": {"shifted": {"delta": 0.1}}}"#)?;
///
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 0.1), (2, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("a"), None, None, Some("b")]);
/// let posterior = GaussianProcess::ep(noise.tilted()?).fit(prior.on(&graph)?, &labels)?;
/// assert_eq!(posterior.predictions(&Decision::Argmax)?.classes(), [0, 1]);
/// // The Laplace approximation needs a likelihood with a second derivative.
/// assert!(noise.smooth().unwrap_err().to_string().contains("expectation propagation"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LikelihoodChoice {
    /// [`Sigmoid`].
    Sigmoid(Sigmoid),
    /// [`Probit`].
    Probit(Probit),
    /// [`Gaussian`].
    Gaussian(Gaussian),
    /// [`Flip`].
    Flip(Flip),
    /// [`FlippedProbit`].
    FlippedProbit(FlippedProbit),
}

/// Those of the likelihood chosen.
impl Parameters for LikelihoodChoice {
    fn parameters(&self) -> Vec<Parameter> {
        match self {
            Self::Sigmoid(likelihood) => likelihood.parameters(),
            Self::Probit(likelihood) => likelihood.parameters(),
            Self::Gaussian(likelihood) => likelihood.parameters(),
            Self::Flip(likelihood) => likelihood.parameters(),
            Self::FlippedProbit(likelihood) => likelihood.parameters(),
        }
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        match self {
            Self::Sigmoid(likelihood) => likelihood.set_parameters(values),
            Self::Probit(likelihood) => likelihood.set_parameters(values),
            Self::Gaussian(likelihood) => likelihood.set_parameters(values),
            Self::Flip(likelihood) => likelihood.set_parameters(values),
            Self::FlippedProbit(likelihood) => likelihood.set_parameters(values),
        }
    }
}

impl LikelihoodChoice {
    /// For [`ExpectationPropagation`](crate::ExpectationPropagation).
    ///
    /// # Errors
    /// A parameter out of its range.
    pub fn tilted(&self) -> Result<Box<dyn TiltedLikelihood>, GpError> {
        let likelihood: Box<dyn TiltedLikelihood> = match *self {
            Self::Sigmoid(likelihood) => Box::new(likelihood),
            Self::Probit(likelihood) => Box::new(likelihood),
            Self::Gaussian(likelihood) => Box::new(likelihood),
            Self::Flip(likelihood) => Box::new(likelihood),
            Self::FlippedProbit(likelihood) => Box::new(likelihood),
        };
        likelihood.check_parameters()?;
        Ok(likelihood)
    }

    /// For [`Laplace`](crate::Laplace).
    ///
    /// # Errors
    /// A likelihood that is not log-concave; a parameter out of its range.
    pub fn smooth(&self) -> Result<Box<dyn SmoothLikelihood>, GpError> {
        let likelihood: Box<dyn SmoothLikelihood> = match *self {
            Self::Sigmoid(likelihood) => Box::new(likelihood),
            Self::Probit(likelihood) => Box::new(likelihood),
            Self::Gaussian(likelihood) => Box::new(likelihood),
            Self::Flip(_) | Self::FlippedProbit(_) => return Err(GpError::NotSmooth),
        };
        likelihood.check_parameters()?;
        Ok(likelihood)
    }
}

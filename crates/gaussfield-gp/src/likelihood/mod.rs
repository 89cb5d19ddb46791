//! Likelihoods: how a label comes about from a latent value.

mod flip;
mod gaussian;
mod probit;
mod quadrature;
mod sigmoid;

pub use flip::{Flip, FlippedProbit, LabelNoise};
pub use gaussian::Gaussian;
pub use probit::Probit;
pub use sigmoid::Sigmoid;

use crate::GpError;
use gaussfield_core::Domain;
use std::fmt::Debug;

/// log p(t|y) and its first three derivatives in y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogDensity {
    /// log p(t|y).
    pub value: f64,
    /// ∂/∂y.
    pub first: f64,
    /// ∂²/∂y²; its negative is the entry of P in eq. (31).
    pub second: f64,
    /// ∂³/∂y³: how the curvature follows the mode, for the gradient of the evidence.
    pub third: f64,
}

/// How log p(t|y) and its derivatives in y change with one parameter of the likelihood, y fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterSlope {
    /// Of log p.
    pub value: f64,
    /// Of ∂ log p/∂y.
    pub first: f64,
    /// Of ∂² log p/∂y².
    pub second: f64,
}

/// The mass log Z = log ∫ p(t|y) N(y; m, v) dy of a term under a Gaussian, with its derivatives in
/// m. They hold the moments of the tilted distribution: its mean is m + v·first, its variance
/// v + v²·second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tilted {
    /// log Z.
    pub log_mass: f64,
    /// ∂ log Z/∂m.
    pub first: f64,
    /// ∂² log Z/∂m².
    pub second: f64,
}

/// How a target t comes about from the latent value y of its node.
pub trait Likelihood: Debug + Clone + Sync {
    /// Whether the parameters are in range.
    ///
    /// # Errors
    /// [`GpError::BadParameter`].
    fn check(&self) -> Result<(), GpError>;

    /// Whether this is a target that the likelihood knows.
    ///
    /// # Errors
    /// In words, what a target must be.
    fn accepts(&self, target: f64) -> Result<(), &'static str>;

    /// The parameters.
    fn parameters(&self) -> Vec<f64>;

    /// What the parameters are called.
    fn parameter_names(&self) -> Vec<&'static str>;

    /// Where each may lie. All positive unless the likelihood says otherwise.
    fn parameter_domains(&self) -> Vec<Domain> {
        vec![Domain::Positive; self.parameters().len()]
    }

    /// The same likelihood at other parameters.
    ///
    /// # Errors
    /// Another number of parameters.
    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GpError>;

    /// Whether p(t|y) is the probability of a label, at most one, rather than a density. Yes unless
    /// the likelihood says otherwise.
    fn is_probability(&self) -> bool {
        true
    }

    /// The probability of a positive target, E P(t > 0 | y) for y ~ N(`mean`, `variance`).
    fn probability(&self, mean: f64, variance: f64) -> f64;
}

/// A likelihood for the Laplace approximation: smooth, and log p(t|y) concave in y (`second` ≤ 0),
/// so that the posterior has one mode. O(1) each.
pub trait SmoothLikelihood: Likelihood {
    /// log p(t|y) and its derivatives.
    fn at(&self, target: f64, latent: f64) -> LogDensity;

    /// One slope for each parameter, in the order of [`Likelihood::parameter_names`].
    fn slopes(&self, target: f64, latent: f64) -> Vec<ParameterSlope>;
}

/// A likelihood for expectation propagation: its moments under a Gaussian are known. It need be
/// neither smooth nor log-concave.
pub trait TiltedLikelihood: Likelihood {
    /// log Z under N(`mean`, `variance`), `variance` > 0, and its derivatives in the mean.
    fn tilted(&self, target: f64, mean: f64, variance: f64) -> Tilted;

    /// ∂ log Z by each parameter, in the order of [`Likelihood::parameter_names`].
    fn tilted_slopes(&self, target: f64, mean: f64, variance: f64) -> Vec<f64>;
}

fn sign_only(target: f64) -> Result<(), &'static str> {
    if target.abs().total_cmp(&1.0).is_eq() { Ok(()) } else { Err("−1 or +1") }
}

/// Exactly N parameters.
fn take<const N: usize>(values: &[f64]) -> Result<[f64; N], GpError> {
    <[f64; N]>::try_from(values)
        .map_err(|_| GpError::ParameterCount { expected: N, got: values.len() })
}

#[cfg(test)]
mod tests;

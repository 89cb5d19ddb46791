//! Likelihoods: how a label comes about from a latent value.

mod choice;
mod flip;
mod gaussian;
mod probit;
mod quadrature;
mod sigmoid;

pub use choice::LikelihoodChoice;
pub use flip::{Flip, FlippedProbit, LabelNoise};
pub use gaussian::Gaussian;
pub use probit::Probit;
pub use sigmoid::Sigmoid;

use gaussfield_core::Parameters;
use std::fmt::Debug;

/// log p(t|y) and its first three derivatives in y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogDensity {
    /// log p(t|y).
    pub value: f64,
    /// ∂/∂y.
    pub first: f64,
    /// ∂²/∂y²; its negative is the entry of P in [zhu2003gp (31)].
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

/// How a target t comes about from the latent value y of its node. What it can learn of itself are its
/// [`Parameters`].
pub trait Likelihood: Parameters + Debug + Send + Sync {
    /// Whether this is a target that the likelihood knows.
    ///
    /// # Errors
    /// In words, what a target must be.
    fn accepts(&self, target: f64) -> Result<(), &'static str>;

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
pub trait SmoothLikelihood: Likelihood + BoxedSmooth {
    /// log p(t|y) and its derivatives.
    fn at(&self, target: f64, latent: f64) -> LogDensity;

    /// One slope for each parameter, in the order of its [`Parameters`].
    fn slopes(&self, target: f64, latent: f64) -> Vec<ParameterSlope>;
}

/// A likelihood for expectation propagation: its moments under a Gaussian are known. It need be
/// neither smooth nor log-concave.
///
/// One chosen at run time is a `Box<dyn TiltedLikelihood>`, which is a likelihood itself and can be
/// cloned; so is a `Box<dyn SmoothLikelihood>`:
///
/// ```
/// use gaussfield_core::Parameters;
/// use gaussfield_gp::{Flip, GaussianProcess, GraphPrior, Probit, TiltedLikelihood};
/// use gaussfield_graph::Graph;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// let flips = true; // from a file, say
/// let mut noise: Box<dyn TiltedLikelihood> = match flips {
///     true => Box::new(Flip { epsilon: 0.1 }),
///     false => Box::new(Probit { noise: 1.0 }),
/// };
/// noise.set_parameters(&[0.2])?;
///
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 0.1), (2, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("a"), None, None, Some("b")]);
/// let prior = GraphPrior::shifted(0.1).on(&graph)?;
/// let posterior = GaussianProcess::ep(noise).fit(&prior, &labels)?;
/// assert_eq!(posterior.predictions(&Decision::Argmax)?.classes(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TiltedLikelihood: Likelihood + BoxedTilted {
    /// log Z under N(`mean`, `variance`), `variance` > 0, and its derivatives in the mean.
    fn tilted(&self, target: f64, mean: f64, variance: f64) -> Tilted;

    /// ∂ log Z by each parameter, in the order of its [`Parameters`].
    fn tilted_slopes(&self, target: f64, mean: f64, variance: f64) -> Vec<f64>;
}

fn sign_only(target: f64) -> Result<(), &'static str> {
    if target.abs().total_cmp(&1.0).is_eq() { Ok(()) } else { Err("−1 or +1") }
}

impl<L: Likelihood + ?Sized> Likelihood for Box<L> {
    fn accepts(&self, target: f64) -> Result<(), &'static str> {
        (**self).accepts(target)
    }

    fn is_probability(&self) -> bool {
        (**self).is_probability()
    }

    fn probability(&self, mean: f64, variance: f64) -> f64 {
        (**self).probability(mean, variance)
    }
}

/// How a smooth likelihood behind a pointer is cloned. Every one that is `Clone` has it.
pub trait BoxedSmooth {
    /// A copy on the heap.
    fn boxed_smooth(&self) -> Box<dyn SmoothLikelihood>;
}

impl<L: SmoothLikelihood + Clone + 'static> BoxedSmooth for L {
    fn boxed_smooth(&self) -> Box<dyn SmoothLikelihood> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn SmoothLikelihood> {
    fn clone(&self) -> Self {
        (**self).boxed_smooth()
    }
}

impl SmoothLikelihood for Box<dyn SmoothLikelihood> {
    fn at(&self, target: f64, latent: f64) -> LogDensity {
        (**self).at(target, latent)
    }

    fn slopes(&self, target: f64, latent: f64) -> Vec<ParameterSlope> {
        (**self).slopes(target, latent)
    }
}

/// How a likelihood for expectation propagation is cloned behind a pointer. Every one that is
/// `Clone` has it.
pub trait BoxedTilted {
    /// A copy on the heap.
    fn boxed_tilted(&self) -> Box<dyn TiltedLikelihood>;
}

impl<L: TiltedLikelihood + Clone + 'static> BoxedTilted for L {
    fn boxed_tilted(&self) -> Box<dyn TiltedLikelihood> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn TiltedLikelihood> {
    fn clone(&self) -> Self {
        (**self).boxed_tilted()
    }
}

impl TiltedLikelihood for Box<dyn TiltedLikelihood> {
    fn tilted(&self, target: f64, mean: f64, variance: f64) -> Tilted {
        (**self).tilted(target, mean, variance)
    }

    fn tilted_slopes(&self, target: f64, mean: f64, variance: f64) -> Vec<f64> {
        (**self).tilted_slopes(target, mean, variance)
    }
}

#[cfg(test)]
mod tests;

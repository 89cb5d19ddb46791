mod gaussian;
mod probit;
mod sigmoid;

pub use gaussian::Gaussian;
pub use probit::Probit;
pub use sigmoid::Sigmoid;

use crate::GpError;
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

/// How a target t comes about from the latent value y of its node.
///
/// log p(t|y) must be concave in y (`second` ≤ 0), so that the posterior has one mode. A plain
/// number for each derivative: O(1).
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

    /// log p(t|y) and its derivatives.
    fn at(&self, target: f64, latent: f64) -> LogDensity;

    /// What the parameters are called.
    fn parameter_names(&self) -> Vec<&'static str>;

    /// One slope for each parameter, in the order of [`Likelihood::parameter_names`].
    fn slopes(&self, target: f64, latent: f64) -> Vec<ParameterSlope>;

    /// The probability of a positive target, E P(t > 0 | y) for y ~ N(`mean`, `variance`).
    fn probability(&self, mean: f64, variance: f64) -> f64;
}

fn sign_only(target: f64) -> Result<(), &'static str> {
    if target.abs().total_cmp(&1.0).is_eq() { Ok(()) } else { Err("−1 or +1") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Derivatives in y, and slopes in the parameter, against central differences.
    fn gaps<L: Likelihood>(make: impl Fn(f64) -> L, parameter: f64, t: f64, y: f64) -> f64 {
        let step = 1e-5;
        let here = make(parameter).at(t, y);
        let (up, down) = (make(parameter).at(t, y + step), make(parameter).at(t, y - step));
        let slope = make(parameter).slopes(t, y)[0];
        let (more, less) = (make(parameter + step).at(t, y), make(parameter - step).at(t, y));
        let pairs = [
            (up.value, down.value, here.first),
            (up.first, down.first, here.second),
            (up.second, down.second, here.third),
            (more.value, less.value, slope.value),
            (more.first, less.first, slope.first),
            (more.second, less.second, slope.second),
        ];
        let gap = |(up, down, exact): &(f64, f64, f64)| {
            ((up - down) / (2.0 * step) - exact).abs() / (1.0 + exact.abs())
        };
        pairs.iter().map(gap).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn derivatives_equal_finite_differences(
            parameter in 0.3..3.0_f64,
            y in -5.0..5.0_f64,
            positive in any::<bool>(),
        ) {
            let t = if positive { 1.0 } else { -1.0 };
            let sigmoid = gaps(|gamma| Sigmoid { gamma }, parameter, t, y);
            prop_assert!(sigmoid < 1e-6);
            let probit = gaps(|noise| Probit { noise }, parameter, t, y);
            prop_assert!(probit < 1e-6);
            let gaussian = gaps(|variance| Gaussian { variance }, parameter, 2.5 * t, y);
            prop_assert!(gaussian < 1e-6);
        }

        #[test]
        fn both_targets_have_probability_one_together(
            parameter in 0.1..5.0_f64,
            mean in -10.0..10.0_f64,
            log_variance in -10.0..15.0_f64,
        ) {
            let variance = log_variance.exp();
            let sigmoid = Sigmoid { gamma: parameter };
            let sum = sigmoid.probability(mean, variance) + sigmoid.probability(-mean, variance);
            prop_assert!((sum - 1.0).abs() < 1e-13);
            let probit = Probit { noise: parameter };
            let sum = probit.probability(mean, variance) + probit.probability(-mean, variance);
            prop_assert!((sum - 1.0).abs() < 1e-14);
        }
    }
}

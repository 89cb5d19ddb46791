use super::{Likelihood, LogDensity, ParameterSlope, sign_only};
use crate::GpError;
use crate::error::check_positive;
use crate::normal::{self, LogCdf};

/// P(t|y) = Φ(t y/ν), t = ±1: a step seen through Gaussian noise of standard deviation ν.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probit {
    /// ν, positive.
    pub noise: f64,
}

impl Likelihood for Probit {
    fn check(&self) -> Result<(), GpError> {
        check_positive("the noise of the probit likelihood", self.noise)
    }

    fn accepts(&self, target: f64) -> Result<(), &'static str> {
        sign_only(target)
    }

    fn at(&self, target: f64, latent: f64) -> LogDensity {
        let slope = target / self.noise;
        let LogCdf { value, first, second, third } = LogCdf::at(slope * latent);
        LogDensity {
            value,
            first: slope * first,
            second: slope * slope * second,
            third: slope.powi(3) * third,
        }
    }

    fn parameter_names(&self) -> Vec<&'static str> {
        vec!["noise"]
    }

    fn slopes(&self, target: f64, latent: f64) -> Vec<ParameterSlope> {
        let LogDensity { first, second, third, .. } = self.at(target, latent);
        // log p is a function of y/ν: ν ∂/∂ν = −y ∂/∂y, and one more for each derivative in y.
        vec![ParameterSlope {
            value: -latent * first / self.noise,
            first: -(first + latent * second) / self.noise,
            second: -(2.0 * second + latent * third) / self.noise,
        }]
    }

    /// Φ(m/√(ν² + s²)), exactly.
    fn probability(&self, mean: f64, variance: f64) -> f64 {
        normal::cdf(mean / self.noise.hypot(variance.max(0.0).sqrt()))
    }
}

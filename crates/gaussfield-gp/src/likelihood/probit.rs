//! The probit likelihood.

use super::{
    Likelihood, LogDensity, ParameterSlope, SmoothLikelihood, Tilted, TiltedLikelihood, sign_only,
};
use crate::normal::{self, LogCdf};
use gaussfield_core::{Domain, parameters};
use serde::{Deserialize, Serialize};

/// P(t|y) = Φ(t y/ν), t = ±1, [sindhwani2007 (probit)]: a step seen through Gaussian noise of standard deviation ν.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probit {
    /// ν, positive.
    pub noise: f64,
}

parameters!(Probit { noise: Domain::Positive });

impl Likelihood for Probit {
    fn accepts(&self, target: f64) -> Result<(), &'static str> {
        sign_only(target)
    }

    /// Φ(m/√(ν² + s²)), exactly: [sindhwani2007 (probability)].
    fn probability(&self, mean: f64, variance: f64) -> f64 {
        normal::cdf(mean / self.noise.hypot(variance.max(0.0).sqrt()))
    }
}

impl SmoothLikelihood for Probit {
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

    fn slopes(&self, target: f64, latent: f64) -> Vec<ParameterSlope> {
        let LogDensity { first, second, third, .. } = self.at(target, latent);
        // log p is a function of y/ν: ν ∂/∂ν = −y ∂/∂y, and one more for each derivative in y.
        vec![ParameterSlope {
            value: -latent * first / self.noise,
            first: -(first + latent * second) / self.noise,
            second: -(2.0 * second + latent * third) / self.noise,
        }]
    }
}

impl TiltedLikelihood for Probit {
    /// log Φ(tm/√(ν² + v)): a probit of wider noise.
    fn tilted(&self, target: f64, mean: f64, variance: f64) -> Tilted {
        let wide = Self { noise: self.noise.hypot(variance.sqrt()) }.at(target, mean);
        Tilted { log_mass: wide.value, first: wide.first, second: wide.second }
    }

    fn tilted_slopes(&self, target: f64, mean: f64, variance: f64) -> Vec<f64> {
        let noise = self.noise.hypot(variance.sqrt());
        let widened = self.noise / noise;
        let slopes = Self { noise }.slopes(target, mean);
        slopes.iter().map(|slope| slope.value * widened).collect()
    }
}

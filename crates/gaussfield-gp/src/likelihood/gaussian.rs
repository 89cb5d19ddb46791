//! Gaussian noise.

use super::{Likelihood, LogDensity, ParameterSlope, SmoothLikelihood, Tilted, TiltedLikelihood};
use crate::normal;
use gaussfield_core::{Domain, parameters};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// t = y + Gaussian noise: regression, also on targets ±1. With it the Laplace approximation
/// and expectation propagation are exact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// Variance of the noise, positive.
    pub variance: f64,
}

parameters!(Gaussian { variance: Domain::Positive });

impl Likelihood for Gaussian {
    fn is_probability(&self) -> bool {
        false
    }

    fn accepts(&self, target: f64) -> Result<(), &'static str> {
        if target.is_finite() { Ok(()) } else { Err("finite") }
    }

    /// Φ(m/√(v + s²)): the probability that a target is above zero.
    fn probability(&self, mean: f64, variance: f64) -> f64 {
        normal::cdf(mean / (self.variance + variance.max(0.0)).sqrt())
    }
}

impl SmoothLikelihood for Gaussian {
    fn at(&self, target: f64, latent: f64) -> LogDensity {
        let rest = target - latent;
        LogDensity {
            value: -0.5 * (rest * rest / self.variance + (2.0 * PI * self.variance).ln()),
            first: rest / self.variance,
            second: -1.0 / self.variance,
            third: 0.0,
        }
    }

    fn slopes(&self, target: f64, latent: f64) -> Vec<ParameterSlope> {
        let scaled = (target - latent) / self.variance;
        vec![ParameterSlope {
            value: 0.5 * (scaled * scaled - 1.0 / self.variance),
            first: -scaled / self.variance,
            second: 1.0 / (self.variance * self.variance),
        }]
    }
}

impl TiltedLikelihood for Gaussian {
    fn tilted(&self, target: f64, mean: f64, variance: f64) -> Tilted {
        let wide = Self { variance: self.variance + variance }.at(target, mean);
        Tilted { log_mass: wide.value, first: wide.first, second: wide.second }
    }

    fn tilted_slopes(&self, target: f64, mean: f64, variance: f64) -> Vec<f64> {
        let wide = Self { variance: self.variance + variance };
        wide.slopes(target, mean).iter().map(|slope| slope.value).collect()
    }
}

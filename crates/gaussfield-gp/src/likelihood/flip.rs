//! Labels that may be flipped.

use super::{Likelihood, Tilted, TiltedLikelihood, sign_only};
use crate::normal::{self, LogCdf};
use gaussfield_core::{
    Domain, OutOfRange, Parameter, ParameterError, Parameters, SizeMismatch, check,
};
use serde::{Deserialize, Serialize};

/// P(t|y) = ε + (1−2ε)·\[ty > 0\], [kapoor2005 (3)]: the sign of y, flipped with probability ε.
/// With ε = 0 a pure step, whose evidence does not depend on the scale of the prior.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flip {
    /// ε, at least 0 and below ½.
    pub epsilon: f64,
}

/// P(t|y) = ε + (1−2ε)·Φ(ty/ν): a probit whose label is flipped with probability ε.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlippedProbit {
    /// ε, at least 0 and below ½.
    pub epsilon: f64,
    /// ν, positive.
    pub noise: f64,
}

/// A likelihood that says how labels come to be wrong.
pub trait LabelNoise: TiltedLikelihood {
    /// ε, the rate at which labels are flipped.
    fn epsilon(&self) -> f64;

    /// The probability that a target is flipped, given itself and y ~ N(`mean`, `variance`) from
    /// all other labels (the cavity).
    fn flip_probability(&self, target: f64, mean: f64, variance: f64) -> f64;

    /// The probability that a label would be positive if none were flipped, given
    /// y ~ N(`mean`, `variance`).
    fn unflipped(&self, mean: f64, variance: f64) -> f64;
}

/// ε + (1−2ε)Φ(z), z = t·m/s, with what both likelihoods need of it.
struct Mixed {
    epsilon: f64,
    z: f64,
    /// ∂z/∂m.
    slope: f64,
    /// Φ(z).
    below: f64,
    mass: f64,
}

impl Mixed {
    fn new(epsilon: f64, target: f64, mean: f64, deviation: f64) -> Self {
        let slope = target / deviation;
        let z = slope * mean;
        let below = normal::cdf(z);
        Self { epsilon, z, slope, below, mass: epsilon + (1.0 - 2.0 * epsilon) * below }
    }

    fn tilted(&self) -> Tilted {
        let Self { epsilon, z, slope, mass, .. } = *self;
        if epsilon <= 0.0 {
            let LogCdf { value, first, second, .. } = LogCdf::at(z);
            return Tilted {
                log_mass: value,
                first: slope * first,
                second: slope * slope * second,
            };
        }
        let share = (1.0 - 2.0 * epsilon) * normal::density(z) / mass;
        Tilted {
            log_mass: mass.ln(),
            first: slope * share,
            second: -slope * slope * share * (z + share),
        }
    }

    /// ∂ log Z/∂z.
    fn by_z(&self) -> f64 {
        self.tilted().first / self.slope
    }

    /// ∂ log Z/∂ε = (1 − 2Φ)/Z.
    fn by_epsilon(&self) -> f64 {
        (1.0 - 2.0 * self.below) / self.mass
    }

    /// ε(1 − Φ)/Z.
    fn flipped(&self) -> f64 {
        if self.epsilon <= 0.0 {
            return 0.0;
        }
        self.epsilon * normal::cdf(-self.z) / self.mass
    }
}

/// A rate of flips to be learned is above zero; one that is given may be zero.
fn epsilon(value: f64) -> Parameter {
    Parameter::new("epsilon", value, Domain::Between { low: 0.0, high: 0.5 })
}

fn check_epsilon(epsilon: f64) -> Result<(), OutOfRange> {
    check::range("epsilon", epsilon, (0.0..0.5).contains(&epsilon), "at least 0 and below ½")
}

impl Parameters for Flip {
    fn parameters(&self) -> Vec<Parameter> {
        vec![epsilon(self.epsilon)]
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        let &[epsilon] = values else {
            return Err(SizeMismatch { what: "parameters", expected: 1, got: values.len() }.into());
        };
        check_epsilon(epsilon)?;
        self.epsilon = epsilon;
        Ok(())
    }

    fn check_parameters(&self) -> Result<(), OutOfRange> {
        check_epsilon(self.epsilon)
    }
}

impl Parameters for FlippedProbit {
    fn parameters(&self) -> Vec<Parameter> {
        vec![epsilon(self.epsilon), Parameter::new("noise", self.noise, Domain::Positive)]
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        let &[epsilon, noise] = values else {
            return Err(SizeMismatch { what: "parameters", expected: 2, got: values.len() }.into());
        };
        let moved = Self { epsilon, noise };
        moved.check_parameters()?;
        *self = moved;
        Ok(())
    }

    fn check_parameters(&self) -> Result<(), OutOfRange> {
        check_epsilon(self.epsilon)?;
        check::positive("noise", self.noise)
    }
}

impl Likelihood for Flip {
    fn accepts(&self, target: f64) -> Result<(), &'static str> {
        sign_only(target)
    }

    /// ε + (1−2ε)Φ(m/s): [kapoor2005 (1)] with the latent value integrated out.
    fn probability(&self, mean: f64, variance: f64) -> f64 {
        Mixed::new(self.epsilon, 1.0, mean, variance.max(f64::MIN_POSITIVE).sqrt()).mass
    }
}

impl TiltedLikelihood for Flip {
    fn tilted(&self, target: f64, mean: f64, variance: f64) -> Tilted {
        Mixed::new(self.epsilon, target, mean, variance.sqrt()).tilted()
    }

    fn tilted_slopes(&self, target: f64, mean: f64, variance: f64) -> Vec<f64> {
        vec![Mixed::new(self.epsilon, target, mean, variance.sqrt()).by_epsilon()]
    }
}

impl LabelNoise for Flip {
    fn epsilon(&self) -> f64 {
        self.epsilon
    }

    fn flip_probability(&self, target: f64, mean: f64, variance: f64) -> f64 {
        Mixed::new(self.epsilon, target, mean, variance.sqrt()).flipped()
    }

    fn unflipped(&self, mean: f64, variance: f64) -> f64 {
        Mixed::new(self.epsilon, 1.0, mean, variance.sqrt()).below
    }
}

impl FlippedProbit {
    fn mixed(&self, target: f64, mean: f64, variance: f64) -> Mixed {
        let deviation = self.noise.hypot(variance.max(0.0).sqrt());
        Mixed::new(self.epsilon, target, mean, deviation)
    }
}

impl Likelihood for FlippedProbit {
    fn accepts(&self, target: f64) -> Result<(), &'static str> {
        sign_only(target)
    }

    /// ε + (1−2ε)Φ(m/√(ν² + s²)).
    fn probability(&self, mean: f64, variance: f64) -> f64 {
        self.mixed(1.0, mean, variance).mass
    }
}

impl TiltedLikelihood for FlippedProbit {
    fn tilted(&self, target: f64, mean: f64, variance: f64) -> Tilted {
        self.mixed(target, mean, variance).tilted()
    }

    fn tilted_slopes(&self, target: f64, mean: f64, variance: f64) -> Vec<f64> {
        let mixed = self.mixed(target, mean, variance);
        // z = tm/√(ν² + v): ∂z/∂ν = −zν/(ν² + v).
        let by_noise = -mixed.z * self.noise * mixed.slope * mixed.slope;
        vec![mixed.by_epsilon(), mixed.by_z() * by_noise]
    }
}

impl LabelNoise for FlippedProbit {
    fn epsilon(&self) -> f64 {
        self.epsilon
    }

    fn flip_probability(&self, target: f64, mean: f64, variance: f64) -> f64 {
        self.mixed(target, mean, variance).flipped()
    }

    fn unflipped(&self, mean: f64, variance: f64) -> f64 {
        self.mixed(1.0, mean, variance).below
    }
}

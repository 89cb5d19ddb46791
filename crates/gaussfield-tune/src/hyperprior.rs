//! Beliefs about parameters.

use crate::TuneError;
use gaussfield_core::check;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// What is believed of a hyperparameter before the labels are seen. With it, learning finds the
/// maximum a posteriori (CMU-CS-03-175, section 3) instead of the maximum of the evidence.
///
/// The densities are those of the parameter itself (for a negative one: of its size), so that a
/// flat prior changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum HyperPrior {
    /// Nothing is believed.
    Flat,
    /// ln θ is Gaussian.
    LogNormal {
        /// The median of θ, positive.
        median: f64,
        /// The standard deviation of ln θ, positive.
        deviation: f64,
    },
    /// θ has the density ∝ θ^(shape−1) e^(−rate·θ).
    Gamma {
        /// Positive.
        shape: f64,
        /// Positive.
        rate: f64,
    },
}

impl HyperPrior {
    pub(crate) fn check(&self) -> Result<(), TuneError> {
        let settings = match *self {
            Self::Flat => [("", 1.0), ("", 1.0)],
            Self::LogNormal { median, deviation } => [
                ("the median of a log-normal prior", median),
                ("the deviation of a log-normal prior", deviation),
            ],
            Self::Gamma { shape, rate } => {
                [("the shape of a gamma prior", shape), ("the rate of a gamma prior", rate)]
            }
        };
        for (name, value) in settings {
            check::positive(name, value)?;
        }
        Ok(())
    }

    /// log p(|θ|), and its derivative in θ. θ ≠ 0.
    pub fn log_density(&self, parameter: f64) -> (f64, f64) {
        let size = parameter.abs();
        let (value, slope) = match *self {
            Self::Flat => (0.0, 0.0),
            Self::LogNormal { median, deviation } => {
                let z = (size / median).ln() / deviation;
                let value = -0.5 * z * z - (size * deviation * (2.0 * PI).sqrt()).ln();
                (value, -(z / deviation + 1.0) / size)
            }
            Self::Gamma { shape, rate } => {
                let normaliser = shape * rate.ln() - libm::lgamma(shape);
                let value = (shape - 1.0) * size.ln() - rate * size + normaliser;
                (value, (shape - 1.0) / size - rate)
            }
        };
        (value, slope * parameter.signum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIORS: [HyperPrior; 2] = [
        HyperPrior::LogNormal { median: 2.0, deviation: 0.7 },
        HyperPrior::Gamma { shape: 2.5, rate: 1.2 },
    ];

    #[test]
    fn densities_have_mass_one_and_the_stated_slope() {
        for prior in PRIORS {
            let step = 1e-3;
            let mass: f64 =
                (1..200_000).map(|k| prior.log_density(step * f64::from(k)).0.exp() * step).sum();
            assert!((mass - 1.0).abs() < 1e-5, "{prior:?}: {mass}");
            for at in [0.3, 1.0, -2.5] {
                let difference =
                    (prior.log_density(at + 1e-6).0 - prior.log_density(at - 1e-6).0) / 2e-6;
                assert!((difference - prior.log_density(at).1).abs() < 1e-6, "{prior:?} {at}");
            }
        }
        assert_eq!(HyperPrior::Flat.log_density(3.0), (0.0, 0.0));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(HyperPrior::LogNormal { median: bad, deviation: 1.0 }.check().is_err());
            assert!(HyperPrior::LogNormal { median: 1.0, deviation: bad }.check().is_err());
            assert!(HyperPrior::Gamma { shape: bad, rate: 1.0 }.check().is_err());
            assert!(HyperPrior::Gamma { shape: 1.0, rate: bad }.check().is_err());
        }
    }
}

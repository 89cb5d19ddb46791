//! The logistic likelihood.

use super::quadrature::panels;
use super::{
    Likelihood, LogDensity, ParameterSlope, SmoothLikelihood, Tilted, TiltedLikelihood, sign_only,
};
use crate::normal;
use gaussfield_core::{Domain, parameters};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// P(t|y) = 1/(1 + e^(−2γty)), t = ±1 ([zhu2003gp (5)], [zhu2003gp (10)]): logistic, and the
/// steeper the larger γ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sigmoid {
    /// Steepness, positive. The paper's experiments use 1.
    pub gamma: f64,
}

/// 1/(1 + e^−z) without overflow.
fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

parameters!(Sigmoid { gamma: Domain::Positive });

impl Likelihood for Sigmoid {
    fn accepts(&self, target: f64) -> Result<(), &'static str> {
        sign_only(target)
    }

    /// E 1/(1 + e^(−2γy)), to about 1e-13. A few hundred values of the integrand.
    fn probability(&self, mean: f64, variance: f64) -> f64 {
        let deviation = variance.max(0.0).sqrt();
        if self.gamma * deviation < 1e-9 {
            // The correction is of the order of its square.
            return logistic(2.0 * self.gamma * mean);
        }
        if self.gamma * deviation <= 4.0 {
            self.narrow(mean, deviation)
        } else {
            self.wide(mean, deviation)
        }
    }
}

impl SmoothLikelihood for Sigmoid {
    /// A term of Q₁ in [zhu2003gp (23)], and of P in [zhu2003gp (31)] as its curvature.
    fn at(&self, target: f64, latent: f64) -> LogDensity {
        let slope = 2.0 * self.gamma * target;
        let z = slope * latent;
        // q = 1 − p without subtraction: it is what survives at a confident label.
        let (p, q) = (logistic(z), logistic(-z));
        let value = z.min(0.0) - (-z.abs()).exp().ln_1p();
        LogDensity {
            value,
            first: slope * q,
            second: -slope * slope * p * q,
            third: -slope.powi(3) * p * q * (q - p),
        }
    }

    fn slopes(&self, target: f64, latent: f64) -> Vec<ParameterSlope> {
        let LogDensity { first, second, third, .. } = self.at(target, latent);
        // log p is a function of γy: γ ∂/∂γ = y ∂/∂y, and one more for each derivative in y.
        vec![ParameterSlope {
            value: latent * first / self.gamma,
            first: (first + latent * second) / self.gamma,
            second: (2.0 * second + latent * third) / self.gamma,
        }]
    }
}

impl TiltedLikelihood for Sigmoid {
    /// By quadrature, to about 1e-12. Some hundred values of the integrand.
    fn tilted(&self, target: f64, mean: f64, variance: f64) -> Tilted {
        let moments = self.moments(target, mean, variance);
        // With z = (y − m)/√v under the tilted distribution: ∂ log Z = E z/√v and
        // ∂² log Z = (Var z − 1)/v.
        Tilted {
            log_mass: moments.log_mass,
            first: moments.mean / variance.sqrt(),
            second: (moments.variance - 1.0) / variance,
        }
    }

    fn tilted_slopes(&self, target: f64, mean: f64, variance: f64) -> Vec<f64> {
        vec![self.moments(target, mean, variance).by_gamma]
    }
}

/// The tilted distribution, in units of the Gaussian.
struct Moments {
    log_mass: f64,
    mean: f64,
    variance: f64,
    /// E ∂ log p/∂γ.
    by_gamma: f64,
}

impl Sigmoid {
    /// Panels between the scales of both factors: the Gaussian's about its mean and about the
    /// peak of the product, and the sigmoid's about zero. On each both are smooth.
    fn moments(&self, target: f64, mean: f64, variance: f64) -> Moments {
        let deviation = variance.sqrt();
        let steepness = self.gamma * deviation;
        // In z = (y − m)/√v the sigmoid turns at z₀, with the width 1/(γ√v).
        let turn = -mean / deviation;
        let log_term = |z: f64| self.at(target, mean + deviation * z).value;
        // The peak of log p − z²/2, by Newton's method with halved steps.
        let mut peak = 0.0_f64;
        for _ in 0..60 {
            let LogDensity { first, second, .. } = self.at(target, mean + deviation * peak);
            let slope = deviation * first - peak;
            let step = slope / (1.0 - variance * second);
            let mut share = 1.0;
            let height = |z: f64| log_term(z) - 0.5 * z * z;
            while share > 1e-6 && height(peak + share * step) < height(peak) {
                share *= 0.5;
            }
            peak += share * step;
            if (share * step).abs() < 1e-3 {
                break;
            }
        }
        let width = 1.0 / (1.0 - variance * self.at(target, mean + deviation * peak).second).sqrt();
        let (low, high) = (peak - 9.0, peak + 9.0);
        let mut breaks = vec![low, high];
        breaks.extend((-8..=8).map(|k| peak + f64::from(k)));
        breaks.extend((-6..=6).map(|k| peak + 1.5 * width * f64::from(k)));
        for reach in [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0] {
            breaks.push(turn - reach / steepness);
            breaks.push(turn + reach / steepness);
        }
        breaks.retain(|z| (low..=high).contains(z));
        breaks.sort_by(f64::total_cmp);

        let top = log_term(peak) - 0.5 * peak * peak;
        let (mut mass, mut first, mut second, mut by_gamma) = (0.0, 0.0, 0.0, 0.0);
        panels(&breaks, |z, weight| {
            let latent = mean + deviation * z;
            let density = weight * (log_term(z) - 0.5 * z * z - top).exp();
            mass += density;
            first += density * (z - peak);
            second += density * (z - peak) * (z - peak);
            by_gamma +=
                density * 2.0 * target * latent * logistic(-2.0 * self.gamma * target * latent);
        });
        let offset = first / mass;
        Moments {
            log_mass: (top + mass.ln() - 0.5 * (2.0 * PI).ln()).min(0.0),
            mean: peak + offset,
            variance: second / mass - offset * offset,
            by_gamma: by_gamma / mass,
        }
    }

    /// The trapezoidal rule over the Gaussian: it converges exponentially for functions analytic
    /// in a strip. The poles of the sigmoid are π/(2γ) from the real line, so a step of 1/(4γ)
    /// leaves e^(−4π²); the Gaussian itself leaves e^(−2π²·4) at half a deviation.
    fn narrow(&self, mean: f64, deviation: f64) -> f64 {
        let step = f64::min(0.5, 0.25 / (self.gamma * deviation));
        let last = (9.0 / step).ceil() as i32;
        let (mut sum, mut mass) = (0.0, 0.0);
        for k in -last..=last {
            let x = step * f64::from(k);
            let weight = (-0.5 * x * x).exp();
            mass += weight;
            sum += weight * logistic(2.0 * self.gamma * (mean + deviation * x));
        }
        sum / mass
    }

    /// For a Gaussian wide beside the sigmoid's slope, E sigmoid = Φ(m/s) plus
    /// ∫₀^∞ (N(y; −m, s²) − N(y; m, s²)) / (1 + e^(2γy)) dy, what the sigmoid differs from a step.
    /// The substitution γy = exp(u − e^(−u)) makes the half-line integrand vanish doubly
    /// exponentially at both ends, and the trapezoidal rule exact to rounding.
    fn wide(&self, mean: f64, deviation: f64) -> f64 {
        const STEP: f64 = 1.0 / 16.0;
        let density = |x: f64| (-0.5 * x * x).exp() / (deviation * (2.0 * PI).sqrt());
        let mut sum = 0.0;
        for k in -64..=56 {
            let u = STEP * f64::from(k);
            let z = (u - (-u).exp()).exp();
            let y = z / self.gamma;
            let difference = density((y + mean) / deviation) - density((y - mean) / deviation);
            sum += difference * logistic(-2.0 * z) * y * (1.0 + (-u).exp());
        }
        normal::cdf(mean / deviation) + STEP * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simpson's rule with very many steps.
    fn by_force(gamma: f64, mean: f64, deviation: f64) -> f64 {
        let steps = 400_000;
        let width = 20.0 / f64::from(steps);
        let mut sum = 0.0;
        for k in 0..=steps {
            let x = -10.0 + width * f64::from(k);
            let weight = match k {
                0 => 1.0,
                k if k == steps => 1.0,
                k if k % 2 == 1 => 4.0,
                _ => 2.0,
            };
            sum += weight * (-0.5 * x * x).exp() * logistic(2.0 * gamma * (mean + deviation * x));
        }
        sum * width / 3.0 / (2.0 * PI).sqrt()
    }

    #[test]
    fn probabilities_equal_brute_force() {
        for gamma in [0.2, 1.0, 3.0] {
            for deviation in [1e-3, 0.3, 1.0, 3.9, 4.1, 20.0, 300.0] {
                for mean in [-50.0, -2.0, 0.0, 0.7, 5.0] {
                    let got = Sigmoid { gamma }.probability(mean, deviation * deviation);
                    let gap = (got - by_force(gamma, mean, deviation)).abs();
                    assert!(gap < 1e-11, "γ {gamma}, m {mean}, s {deviation}: {gap}");
                }
            }
        }
    }

    #[test]
    fn confident_labels_keep_their_digits() {
        let LogDensity { value, first, second, .. } = Sigmoid { gamma: 1.0 }.at(1.0, 100.0);
        assert!(value < 0.0 && (value / -(-200_f64).exp() - 1.0).abs() < 1e-12);
        assert!(first > 0.0 && second < 0.0);
        let wrong = Sigmoid { gamma: 1.0 }.at(-1.0, 1e4);
        assert!((wrong.value + 2e4).abs() < 1e-9 && wrong.third.is_finite());
    }
}

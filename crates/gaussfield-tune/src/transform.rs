//! Free search variables for parameters in their domains.

use crate::TuneError;
use gaussfield_core::{Domain, check};

/// Maps free search variables, all starting at 0, to parameters in their domains and back-pulls
/// gradients.
///
/// Positive and negative parameters move on a logarithmic scale and stay within a factor `reach`
/// of their start: log|θ| = log|θ₀| + r·tanh(x/r), r = ln(reach), of slope one at the start. An
/// optimum at infinity then ends near the reach instead of overflowing. Real parameters move
/// freely: θ = θ₀ + x. Parameters between two ends move on the scale of their log-odds.
pub(crate) struct Transform {
    starts: Vec<f64>,
    domains: Vec<Domain>,
    range: f64,
}

impl Transform {
    pub(crate) fn new(
        starts: &[f64],
        domains: &[Domain],
        names: &[String],
        reach: f64,
    ) -> Result<Self, TuneError> {
        for ((&value, domain), name) in starts.iter().zip(domains).zip(names) {
            let (inside, words) = match domain {
                Domain::Positive => (value > 0.0, "positive"),
                Domain::Negative => (value < 0.0, "negative"),
                Domain::Real => (true, "finite"),
                Domain::Between { low, high } => {
                    (value > *low && value < *high, "inside its open interval")
                }
            };
            let start = format!("the start of {name}");
            check::range(start, value, inside && value.is_finite(), words)?;
        }
        Ok(Self { starts: starts.to_vec(), domains: domains.to_vec(), range: reach.ln() })
    }

    pub(crate) fn parameters(&self, free: &[f64]) -> Vec<f64> {
        let one = |((&start, domain), &x): ((&f64, &Domain), &f64)| match domain {
            Domain::Real => start + x,
            Domain::Between { low, high } => {
                let odds = (start - low) / (high - start) * self.bend(x).exp();
                if odds.is_infinite() { *high } else { (low + high * odds) / (1.0 + odds) }
            }
            Domain::Positive | Domain::Negative => start * self.bend(x).exp(),
        };
        self.starts.iter().zip(&self.domains).zip(free).map(one).collect()
    }

    /// r·tanh(x/r).
    fn bend(&self, x: f64) -> f64 {
        self.range * (x / self.range).tanh()
    }

    /// ∂J/∂x from ∂J/∂θ.
    pub(crate) fn pull(&self, free: &[f64], parameters: &[f64], gradient: &[f64]) -> Vec<f64> {
        let slope = |i: usize| match self.domains[i] {
            Domain::Real => 1.0,
            Domain::Between { low, high } => {
                let inside = (parameters[i] - low) * (high - parameters[i]) / (high - low);
                inside * self.unbent(free[i])
            }
            Domain::Positive | Domain::Negative => parameters[i] * self.unbent(free[i]),
        };
        gradient.iter().enumerate().map(|(i, g)| g * slope(i)).collect()
    }

    /// The slope of `bend`.
    fn unbent(&self, x: f64) -> f64 {
        let t = (x / self.range).tanh();
        1.0 - t * t
    }

    /// Which parameters moved by more than a factor of a thousand from their start.
    pub(crate) fn ran_off(&self, parameters: &[f64]) -> Vec<usize> {
        let moved = |i: &usize| {
            let odds = |value: f64| match self.domains[*i] {
                Domain::Between { low, high } => (value - low) / (high - value),
                _ => value,
            };
            let ratio = odds(parameters[*i]) / odds(self.starts[*i]);
            // A ratio of nought or infinity ran off as far as it can.
            let stayed = ratio.ln().abs() <= 1000_f64.ln();
            !matches!(self.domains[*i], Domain::Real) && !stayed
        };
        (0..parameters.len()).filter(moved).collect()
    }
}

//! Weights that step from one to zero at a distance.

use super::{Later, WeightFamily, radial};
use crate::{EdgeGradient, Graph, GraphError, Pattern};
use gaussfield_core::{Budget, Domain, Parameters, parameters};
use serde::{Deserialize, Serialize};

/// wᵢⱼ = (tanh(α₁(dᵢⱼ − α₂)) + 1)/2: a soft step that falls from 1 to 0 around d = α₂.
///
/// Technical report CMU-CS-03-175; weights that fall with the distance need α₁ < 0. Computed as
/// 1/(1 + exp(−2z)) with z = α₁(d − α₂), which keeps the digits of small weights. The slopes are
/// ∂w/∂α₁ = 2w(1−w)(d − α₂) and ∂w/∂α₂ = −2w(1−w)α₁.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tanh {
    /// α₁ < 0, the steepness.
    pub a1: f64,
    /// α₂, the distance at which the weight is one half.
    pub a2: f64,
}
parameters!(Tanh { a1: Domain::Negative, a2: Domain::Real });

/// 1/(1 + exp(−2z)).
fn step(z: f64) -> f64 {
    1.0 / (1.0 + (-2.0 * z).exp())
}

impl WeightFamily for Tanh {
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        self.check_parameters()?;
        radial::graph(pattern, budget, |_, _, d| step(self.a1 * (d - self.a2)), |_| {})
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        self.check_parameters()?;
        radial::pullback(pattern, graph, gradient, |_, _, d, w| {
            let one_minus_w = step(-self.a1 * (d - self.a2));
            let slope = 2.0 * w * one_minus_w;
            [slope * (d - self.a2), -slope * self.a1]
        })
    }

    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError> {
        Ok(later.each(|_, d| {
            let z = 2.0 * self.a1 * (d - self.a2);
            z.min(0.0) - (-z.abs()).exp().ln_1p()
        }))
    }
}

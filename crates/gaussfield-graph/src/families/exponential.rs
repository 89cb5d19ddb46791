//! Weights that fall with the squared distance, on one length scale.

use super::{Later, WeightFamily, radial};
use crate::{EdgeGradient, Graph, GraphError, Pattern};
use gaussfield_core::{Budget, Domain, Parameters, parameters};
use serde::{Deserialize, Serialize};

/// wᵢⱼ = exp(−dᵢⱼ²/σ²): one length scale for all dimensions.
///
/// [zhu2003 (1)] with all σ_d equal, [zhu2003gp (56)] with σ for α. The slope is ∂w/∂σ = 2·w·d²/σ³
/// (the latter's own lacks the 2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    /// σ > 0, the length scale.
    pub sigma: f64,
}
parameters!(Exponential { sigma: Domain::Positive });

impl Exponential {
    /// The family in the Gaussian convention exp(−d²/(2·width²)): σ = √2·width.
    pub fn gaussian(width: f64) -> Self {
        Self { sigma: std::f64::consts::SQRT_2 * width }
    }
}

impl WeightFamily for Exponential {
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        self.check_parameters()?;
        radial::exponential(pattern, budget, |_, _, d| {
            let ratio = d / self.sigma;
            -ratio * ratio
        })
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        self.check_parameters()?;
        radial::pullback(pattern, graph, gradient, |_, _, d, w| {
            let ratio = d / self.sigma;
            [2.0 * w * ratio * ratio / self.sigma]
        })
    }

    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError> {
        Ok(later.each(|_, d| -(d / self.sigma).powi(2)))
    }
}

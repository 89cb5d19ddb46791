//! Weights that fall with the cosine distance, for text.

use super::{Later, WeightFamily, radial};
use crate::{EdgeGradient, Graph, GraphError, Metric, Pattern};
use gaussfield_core::{Budget, Domain, Parameters, parameters};
use serde::{Deserialize, Serialize};

/// wᵢⱼ = exp(−(1 − cos(xᵢ, xⱼ))/s), for text [zhu2003 (16)], where s = 0.03.
///
/// Needs a pattern of [`Metric::Cosine`] distances. The slope is ∂w/∂s = w·(1 − cos)/s².
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CosineExponential {
    /// s > 0.
    pub scale: f64,
}
parameters!(CosineExponential { scale: Domain::Positive });

impl CosineExponential {
    fn check(&self, pattern: &Pattern) -> Result<(), GraphError> {
        self.check_parameters()?;
        match pattern.metric() {
            Metric::Cosine => Ok(()),
            got => {
                let (family, needs) = ("CosineExponential", Metric::Cosine);
                Err(GraphError::WrongMetric { family, needs, got })
            }
        }
    }
}

impl WeightFamily for CosineExponential {
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        self.check(pattern)?;
        radial::exponential(pattern, budget, |_, _, d| -d / self.scale)
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        self.check(pattern)?;
        radial::pullback(pattern, graph, gradient, |_, _, d, w| [w * (d / self.scale) / self.scale])
    }

    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError> {
        Ok(later.each(|_, d| -d / self.scale))
    }
}

//! Weights on a length scale of each point's own.

use super::{Later, WeightFamily, radial};
use crate::{EdgeGradient, Graph, GraphError, Pattern};
use gaussfield_core::{Budget, Domain, Parameters, parameters};
use serde::{Deserialize, Serialize};

/// wᵢⱼ = exp(−dᵢⱼ²/(f²·sᵢ·sⱼ)), where sᵢ is the distance from point i to its `neighbour`-th
/// nearest point: dense and sparse regions each get their own scale.
///
/// Zelnik-Manor and Perona 2004 (there f = 1 and `neighbour` = 7). A point with `neighbour` or
/// more duplicates has sᵢ = 0; it is given the smallest positive local scale of all points, or 1
/// where there is none (all points equal, and all weights 1). The only hyperparameter is f:
/// ∂w/∂f = 2·w·d²/(f³·sᵢ·sⱼ). Local scales are kept with the pattern
/// ([`Pattern::local_scales`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfTuning {
    /// f > 0. Default 1.
    pub factor: f64,
    /// Which nearest point sets the scale, 1 to n − 1. Default 5, which with five neighbours did
    /// best on digits.
    pub neighbour: usize,
}

impl Default for SelfTuning {
    fn default() -> Self {
        Self { factor: 1.0, neighbour: 5 }
    }
}
parameters!(SelfTuning { factor: Domain::Positive });

impl SelfTuning {
    fn scales(&self, pattern: &Pattern, budget: Budget) -> Result<Vec<f64>, GraphError> {
        self.check_parameters()?;
        let scales = pattern.local_scales(self.neighbour, budget)?;
        let least = scales.iter().copied().filter(|&s| s > 0.0).min_by(f64::total_cmp);
        let stand_in = least.unwrap_or(1.0);
        Ok(scales.iter().map(|&s| if s > 0.0 { s } else { stand_in }).collect())
    }
}

impl WeightFamily for SelfTuning {
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        let scales = self.scales(pattern, budget)?;
        radial::exponential(pattern, budget, |i, j, d| {
            -exponent(d, scales[i], scales[j], self.factor)
        })
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        // The graph was made with them: they are known.
        let scales = self.scales(pattern, Budget { bytes: u64::MAX })?;
        radial::pullback(pattern, graph, gradient, |i, j, d, w| {
            [2.0 * w * exponent(d, scales[i], scales[j], self.factor) / self.factor]
        })
    }

    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError> {
        let least = |scale: f64| if scale > 0.0 { scale } else { f64::MIN_POSITIVE.sqrt() };
        let own = least(later.scale) * self.factor;
        let of_old = |j: usize| later.scales.and_then(|scales| scales.get(j).copied());
        Ok(later.each(|j, d| {
            let other = least(of_old(j).unwrap_or(later.scale)) * self.factor;
            -(d / own) * (d / other)
        }))
    }

    fn local_scale(&self) -> Option<usize> {
        Some(self.neighbour)
    }
}

/// d²/(f²·s·t), symmetric in s and t to the last bit.
fn exponent(d: f64, s: f64, t: f64, factor: f64) -> f64 {
    (d / s) * (d / t) / (factor * factor)
}

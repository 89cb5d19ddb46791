use super::{WeightFamily, check_positive, radial, take};
use crate::{EdgeGradient, Graph, GraphError, Pattern};
use gaussfield_core::Budget;

/// wᵢⱼ = exp(−dᵢⱼ²/σ²): one length scale for all dimensions.
///
/// Zhu, Ghahramani and Lafferty 2003, eq. (1) with all σ_d equal; α in the technical report
/// CMU-CS-03-175. The slope is ∂w/∂σ = 2·w·d²/σ³ (the report's own formula lacks the 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    /// σ > 0, the length scale.
    pub sigma: f64,
}

impl Exponential {
    /// The family in the Gaussian convention exp(−d²/(2·width²)): σ = √2·width.
    pub fn gaussian(width: f64) -> Self {
        Self { sigma: std::f64::consts::SQRT_2 * width }
    }

    fn check(&self) -> Result<(), GraphError> {
        check_positive("sigma", self.sigma)
    }
}

impl WeightFamily for Exponential {
    fn parameters(&self) -> Vec<f64> {
        vec![self.sigma]
    }

    fn parameter_names(&self) -> Vec<String> {
        vec!["sigma".into()]
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GraphError> {
        let [sigma] = take("Exponential", parameters)?;
        let family = Self { sigma };
        family.check()?;
        Ok(family)
    }

    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        self.check()?;
        radial::graph(pattern, budget, |_, _, d| {
            let ratio = d / self.sigma;
            (-ratio * ratio).exp()
        })
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        self.check()?;
        radial::pullback(pattern, graph, gradient, |_, _, d, w| {
            let ratio = d / self.sigma;
            [2.0 * w * ratio * ratio / self.sigma]
        })
    }
}

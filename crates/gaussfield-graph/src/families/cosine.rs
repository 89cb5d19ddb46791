use super::{WeightFamily, check_positive, radial, take};
use crate::{EdgeGradient, Graph, GraphError, Metric, Pattern};
use gaussfield_core::Budget;

/// wᵢⱼ = exp(−(1 − cos(xᵢ, xⱼ))/s), for text.
///
/// Zhu, Ghahramani and Lafferty 2003, eq. (16), where s = 0.03. Needs a pattern of
/// [`Metric::Cosine`] distances. The slope is ∂w/∂s = w·(1 − cos)/s².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CosineExponential {
    /// s > 0.
    pub scale: f64,
}

impl CosineExponential {
    fn check(&self, pattern: &Pattern) -> Result<(), GraphError> {
        check_positive("scale", self.scale)?;
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
    fn parameters(&self) -> Vec<f64> {
        vec![self.scale]
    }

    fn parameter_names(&self) -> Vec<String> {
        vec!["scale".into()]
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GraphError> {
        let [scale] = take("CosineExponential", parameters)?;
        check_positive("scale", scale)?;
        Ok(Self { scale })
    }

    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        self.check(pattern)?;
        radial::graph(pattern, budget, |_, _, d| (-d / self.scale).exp())
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
}

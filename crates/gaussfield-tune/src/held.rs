use gaussfield_core::Budget;
use gaussfield_graph::{EdgeGradient, Graph, GraphError, Pattern, WeightFamily};

/// A weight family whose parameters are held fixed: nothing of it is learned, so that an objective
/// can learn its own parameters on a weighted graph that stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held<F>(
    /// The family, at the parameters it keeps.
    pub F,
);

impl<F: WeightFamily> WeightFamily for Held<F> {
    fn parameters(&self) -> Vec<f64> {
        Vec::new()
    }

    fn parameter_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GraphError> {
        Err(GraphError::ParameterCount {
            family: "a family held fixed",
            expected: 0,
            got: parameters.len(),
        })
    }

    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        self.0.graph(pattern, budget)
    }

    fn pullback(&self, _: &Pattern, _: &Graph, _: &EdgeGradient) -> Result<Vec<f64>, GraphError> {
        Ok(Vec::new())
    }
}

use super::{WeightFamily, check_belongs, take};
use crate::pairwise::symmetric;
use crate::{EdgeGradient, Graph, GraphError, MemoryBudget, Pattern, Weights};

/// wᵢⱼ = 1 on every edge. No hyperparameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unweighted;

impl WeightFamily for Unweighted {
    fn parameters(&self) -> Vec<f64> {
        Vec::new()
    }

    fn parameter_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GraphError> {
        let [] = take("Unweighted", parameters)?;
        Ok(Self)
    }

    fn graph(&self, pattern: &Pattern, budget: MemoryBudget) -> Result<Graph, GraphError> {
        Ok(Graph::trusted(match pattern.sparse_distances() {
            Some(distances) => Weights::Sparse(distances.map(|_| 1.0)),
            None => {
                budget.check(pattern.nodes(), pattern.nodes())?;
                Weights::Dense(symmetric(pattern.nodes(), |_, mut out| out.fill(1.0)))
            }
        }))
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        check_belongs(pattern, graph, gradient)?;
        Ok(Vec::new())
    }
}

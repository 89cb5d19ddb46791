//! Weights that only say whether there is an edge.

use super::{Later, WeightFamily, check_belongs, radial::take_sparse};
use crate::{EdgeGradient, Graph, GraphError, Pattern, Weights};
use gaussfield_core::{Budget, parameters};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// wᵢⱼ = 1 on every edge. No hyperparameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Unweighted;
parameters!(Unweighted {});

impl WeightFamily for Unweighted {
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        Ok(Graph::trusted(match pattern.sparse_distances() {
            Some(distances) => {
                take_sparse(distances, budget)?;
                Weights::Sparse(distances.map(|_| 1.0))
            }
            None => {
                let n = pattern.nodes();
                budget.matrix("the weights of a complete graph", n, n)?;
                let mut ones = Array2::ones((n, n));
                ones.diag_mut().fill(0.0);
                Weights::Dense(ones)
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

    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError> {
        Ok(later.each(|_, _| 0.0))
    }
}

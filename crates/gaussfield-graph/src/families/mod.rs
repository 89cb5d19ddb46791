//! Weight families: from distances and hyperparameters θ to weights w(θ), and back.

mod cosine;
mod exponential;
mod per_dimension;
mod radial;
mod self_tuning;
mod tanh;
mod unweighted;

pub use cosine::CosineExponential;
pub use exponential::Exponential;
pub use per_dimension::ExponentialPerDimension;
pub use self_tuning::SelfTuning;
pub use tanh::Tanh;
pub use unweighted::Unweighted;

use crate::{EdgeGradient, Graph, GraphError, Pattern, Weights};
use gaussfield_core::Budget;

/// Where a hyperparameter may lie; tuning chooses its coordinates by this.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Domain {
    /// θ > 0.
    Positive,
    /// θ < 0.
    Negative,
    /// Any finite number.
    Real,
    /// low < θ < high.
    Between {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
}

/// Weights of the edges of a [`Pattern`] as a function of hyperparameters θ.
///
/// A family is a value of its hyperparameters. It knows how to make a [`Graph`], and how to turn
/// the gradient of any objective on the edges into its gradient in θ:
///
/// ∂J/∂θ = Σ over edges of gᵢⱼ · ∂wᵢⱼ/∂θ.
///
/// Complete patterns give dense graphs; other patterns give sparse graphs with the structure of
/// the pattern, where a weight that underflows to zero keeps its place but is no edge.
pub trait WeightFamily: Sync {
    /// The hyperparameters θ, in a fixed order.
    fn parameters(&self) -> Vec<f64>;

    /// Their names, in the same order.
    fn parameter_names(&self) -> Vec<String>;

    /// Where each may lie. All positive unless the family says otherwise.
    fn parameter_domains(&self) -> Vec<Domain> {
        vec![Domain::Positive; self.parameters().len()]
    }

    /// The same family at other hyperparameters.
    ///
    /// # Errors
    /// A wrong number of values, or a value out of range.
    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GraphError>
    where
        Self: Sized;

    /// The weighted graph. O(m), or O(m·d) where the distance depends on θ; m = n² for complete
    /// patterns.
    ///
    /// # Errors
    /// A hyperparameter out of range, a pattern the family does not apply to, or a dense matrix
    /// over the budget.
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError>;

    /// ∂J/∂θ from ∂J/∂w, where `graph` was made by this family from this pattern. One pass over
    /// the edges: O(m·K) for K potentials, and O(m·d) more for one scale per dimension.
    ///
    /// # Errors
    /// As [`WeightFamily::graph`], or a graph or gradient that does not belong to the pattern.
    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError>;
}

fn check_positive(name: &str, value: f64) -> Result<(), GraphError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(GraphError::BadParameter { name: name.into(), value, rule: "positive and finite" })
}

fn check_finite(name: &str, value: f64) -> Result<(), GraphError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(GraphError::BadParameter { name: name.into(), value, rule: "a finite number" })
}

/// Exactly N values.
fn take<const N: usize>(family: &'static str, values: &[f64]) -> Result<[f64; N], GraphError> {
    <[f64; N]>::try_from(values).map_err(|_| GraphError::ParameterCount {
        family,
        expected: N,
        got: values.len(),
    })
}

/// Whether the graph has the structure of the pattern, and the gradient its nodes.
fn check_belongs(
    pattern: &Pattern,
    graph: &Graph,
    gradient: &EdgeGradient,
) -> Result<(), GraphError> {
    gradient.check(pattern.nodes())?;
    let (what, expected, got) = match (pattern.sparse_distances(), graph.weights()) {
        _ if graph.nodes() != pattern.nodes() => {
            ("the list of nodes of the graph", pattern.nodes(), graph.nodes())
        }
        (Some(distances), Weights::Sparse(weights)) => {
            ("the list of stored weights of the graph", distances.nnz(), weights.nnz())
        }
        (None, Weights::Dense(_)) => return Ok(()),
        (_, Weights::Dense(weights)) => {
            ("the dense weight matrix of the graph", 2 * pattern.edges(), weights.len())
        }
        (_, Weights::Sparse(weights)) => {
            ("the sparse weight matrix of the graph", pattern.nodes().pow(2), weights.nnz())
        }
    };
    let same_storage = pattern.is_complete() == matches!(graph.weights(), Weights::Dense(_));
    if expected == got && same_storage {
        return Ok(());
    }
    Err(GraphError::Mismatch { what, expected, got })
}

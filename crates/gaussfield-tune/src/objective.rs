use crate::TuneError;
use gaussfield_graph::{EdgeGradient, Graph};

/// A number to be made small by changing the weights of a graph.
pub trait Objective: Sync {
    /// The value alone.
    ///
    /// # Errors
    /// Whatever keeps it from existing on this graph.
    fn value(&self, graph: &Graph) -> Result<f64, TuneError>;

    /// The value and its gradient on the edges.
    ///
    /// # Errors
    /// As [`Objective::value`].
    fn evaluate(&self, graph: &Graph) -> Result<Evaluation, TuneError>;
}

/// What an objective says about one graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// J.
    pub value: f64,
    /// ∂J/∂w on every edge.
    pub edges: EdgeGradient,
}

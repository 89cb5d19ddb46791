//! What is minimised.

use crate::{TuneError, Workbench};
use gaussfield_core::Parameters;
use gaussfield_graph::{EdgeGradient, Graph};
use std::fmt::Debug;

/// A number to be made small by changing the weights of a graph, and perhaps parameters of its
/// own (the noise of the labels, the scale of a prior): those it has as [`Parameters`].
pub trait Objective: Parameters + Debug + Send + Sync {
    /// Whether the value changes with the weights of the graph. Where it does not, a weight family
    /// has nothing to learn from it.
    fn follows_graph(&self) -> bool {
        true
    }

    /// The value alone, with what the workbench remembers of the last graph.
    ///
    /// # Errors
    /// Whatever keeps it from existing on this graph.
    fn value_on(&self, workbench: &mut Workbench, graph: &Graph) -> Result<f64, TuneError>;

    /// The value and its gradient on the edges and in its own parameters, with what the workbench
    /// remembers of the last graph.
    ///
    /// # Errors
    /// As [`Objective::value_on`].
    fn evaluate_on(
        &self,
        workbench: &mut Workbench,
        graph: &Graph,
    ) -> Result<Evaluation, TuneError>;

    /// [`Objective::value_on`] for one graph alone.
    ///
    /// # Errors
    /// As [`Objective::value_on`].
    fn value(&self, graph: &Graph) -> Result<f64, TuneError> {
        self.value_on(&mut Workbench::default(), graph)
    }

    /// [`Objective::evaluate_on`] for one graph alone.
    ///
    /// # Errors
    /// As [`Objective::value_on`].
    fn evaluate(&self, graph: &Graph) -> Result<Evaluation, TuneError> {
        self.evaluate_on(&mut Workbench::default(), graph)
    }
}

/// What an objective says about one graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// J.
    pub value: f64,
    /// ∂J by each of the objective's own parameters.
    pub parameters: Vec<f64>,
    /// ∂J/∂w on every edge.
    pub edges: EdgeGradient,
}

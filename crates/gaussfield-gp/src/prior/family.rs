//! Priors as functions of their parameters and a graph.

use super::{GraphCovariance, GraphPrior, Prior};
use crate::GpError;
use gaussfield_core::Domain;
use gaussfield_graph::Graph;
use std::fmt::Debug;

/// A prior as a function of its parameters and a graph: what is learned when an evidence is
/// maximised.
pub trait PriorFamily: Debug + Clone + Sync {
    /// The prior on one graph.
    type On: Prior + Debug;

    /// The parameters, in a fixed order.
    fn parameters(&self) -> Vec<f64>;

    /// What they are called.
    fn parameter_names(&self) -> Vec<&'static str>;

    /// Where each may lie. All positive unless the family says otherwise.
    fn parameter_domains(&self) -> Vec<Domain> {
        vec![Domain::Positive; self.parameters().len()]
    }

    /// The same family at other parameters.
    ///
    /// # Errors
    /// Another number of parameters.
    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GpError>;

    /// Whether the prior changes with the weights of the graph it is given. Where it does not,
    /// there is nothing for the weights to learn; a family whose priors pull back no edges
    /// ([`PriorGradient::edges`](super::PriorGradient::edges)) must say so here.
    fn follows_graph(&self) -> bool {
        true
    }

    /// The prior on a graph.
    ///
    /// # Errors
    /// A parameter out of range, a system that cannot be solved.
    fn on(&self, graph: &Graph) -> Result<Self::On, GpError>;
}

impl PriorFamily for GraphPrior {
    type On = GraphCovariance;

    fn parameters(&self) -> Vec<f64> {
        self.parameters()
    }

    fn parameter_names(&self) -> Vec<&'static str> {
        self.parameter_names()
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GpError> {
        self.with_parameters(parameters)
    }

    fn on(&self, graph: &Graph) -> Result<GraphCovariance, GpError> {
        self.on(graph)
    }
}

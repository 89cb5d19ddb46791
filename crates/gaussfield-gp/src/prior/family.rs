//! Priors as functions of their parameters and a graph.

use super::Prior;
use crate::{GpError, Memory};
use gaussfield_core::Parameters;
use gaussfield_graph::Graph;
use std::fmt::Debug;

/// A prior as a function of its [`Parameters`] and a graph: what is learned when an evidence is
/// maximised.
pub trait PriorFamily: Parameters + Debug + Send + Sync {
    /// The prior on one graph.
    type On: Prior + Debug;

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
    fn on(&self, graph: &Graph) -> Result<Self::On, GpError> {
        self.on_with(graph, &mut Memory::default())
    }

    /// The prior on a graph, using again what the memory holds of the last one, and leaving in it
    /// what the next can use.
    ///
    /// # Errors
    /// As [`PriorFamily::on`].
    fn on_with(&self, graph: &Graph, memory: &mut Memory) -> Result<Self::On, GpError>;
}

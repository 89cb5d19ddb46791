//! Harmonic functions on graphs: semi-supervised learning as a boundary-value problem.
//!
//! A few nodes of a weighted graph are labelled; they are the *boundary*, and all other nodes the
//! *interior*. The function that equals the labels on the boundary and minimises
//!
//! \\[ E(f) = \tfrac12 \sum_{ij} w_{ij} (f_i - f_j)^2 \\]
//!
//! is *harmonic*: at every interior node it is the weighted mean of its neighbours. It is the
//! mean of a Gaussian field, the voltage in a network of resistors, and the probability that a
//! random walk meets one class before the others (Zhu, Ghahramani, Lafferty, ICML 2003).
//!
//! - [`Harmonic`] computes it for any number of classes by one factorisation or one block of
//!   conjugate gradients; [`Field`] is the result, with the facts of the solve.
//! - [`Dongles`] bring in outside predictions and doubtful labels.
//! - [`Smoothing`] is the walk with jumps, through which gradients are pulled back to the edges.
//! - [`Consistency`] is the unclamped relative by Zhou et al.
//! - [`views`] holds the other roads to the same function, each tested against it: simulated
//!   walks, Green's function and heat kernel, belief propagation.
//!
//! ```
//! # use openblas_src as _;
//! use gaussfield_graph::Graph;
//! use gaussfield_harmonic::Harmonic;
//! use gaussfield_labels::{Decision, Labels};
//!
//! let graph = Graph::from_edges(5, [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 0.1), (3, 4, 1.0)])?;
//! let labels = Labels::from_names([Some("cat"), None, None, None, Some("dog")]);
//! let field = Harmonic::default().fit(&graph, &labels)?;
//! let classes = Decision::Argmax.decide(&field.interior_scores()?)?;
//! assert_eq!(classes, [0, 0, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod consistency;
mod dongles;
mod error;
mod field;
mod harmonic;
mod smoothed;
pub mod views;

#[cfg(test)]
use openblas_src as _;

pub use consistency::{Consistency, ConsistentScores};
pub use dongles::Dongles;
pub use error::HarmonicError;
pub use field::Field;
pub use harmonic::Harmonic;
pub use smoothed::{SmoothedField, Smoothing};
pub use views::energy;

use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, LabelsError};
use gaussfield_laplacian::Boundary;

/// The labelled nodes as a boundary of the graph.
pub(crate) fn boundary_of(graph: &Graph, labels: &Labels) -> Result<Boundary, HarmonicError> {
    harmonic::same_nodes(graph, labels)?;
    let labelled = labels.labelled();
    if labelled.is_empty() {
        return Err(LabelsError::NoLabels.into());
    }
    Ok(Boundary::new(graph.nodes(), &labelled)?)
}

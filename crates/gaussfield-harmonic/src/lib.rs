//! Harmonic functions on graphs: semi-supervised learning as a boundary-value problem.
//!
//! A few nodes of a weighted graph are labelled; they are the *boundary*, and all other nodes the
//! *interior*. The function that equals the labels on the boundary and minimises
//!
//! ```math
//! E(f) = \tfrac12 \sum_{ij} w_{ij} (f_i - f_j)^2
//! ```
//!
//! is *harmonic*: at every interior node it is the weighted mean of its neighbours. It is the
//! mean of a Gaussian field, the voltage in a network of resistors, and the probability that a
//! random walk meets one class before the others (Zhu, Ghahramani, Lafferty, ICML 2003).
//!
//! - [`Harmonic`] computes it for any number of classes by one factorisation or one block of
//!   conjugate gradients.
//!   [`Harmonic::fit_soft`] takes labels that are uncertain or negative, [`Harmonic::interpolate`]
//!   numbers instead of classes.
//! - [`Dongles`] bring in outside predictions and doubtful labels.
//! - [`Smoothing`] is the walk with jumps, through which gradients are pulled back to the edges.
//! - [`Consistency`] is the unclamped relative by Zhou et al.
//! - [`Poisson`] takes labels as sources instead of boundary values; [`PoissonReweighted`] and
//!   [`ProperlyWeighted`] are harmonic on weights that grow towards the labels.
//! - [`Dynamics`] decides, walks a few steps and decides again until nothing changes: on digits
//!   the most accurate here from few labels. Its answer is a [`Partition`]; [`Tempered`] gives it
//!   probabilities that mean what they say.
//! - [`Field`] is the result of the others. It keeps its factorised system and answers further
//!   questions at the cost of a solve: one label more or less, leave-one-out, what a label would
//!   change, variances, the influence of each label.
//! - [`Query`] says what to label next, from that factorisation.
//! - [`views`] holds the other roads to the same function, each tested against it: simulated
//!   walks, Green's function and heat kernel, belief propagation. The example `views` goes them all.
//! - [`relatives`] holds what the paper compares with: the minimum and the normalised cut, the
//!   Markov walk of t steps, regression on eigenvectors, and the limit of short length scales.
//!
//! ```
//! use gaussfield_graph::Graph;
//! use gaussfield_harmonic::Harmonic;
//! use gaussfield_labels::{Decision, Labels, Transductive};
//!
//! let graph = Graph::from_edges(5, [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 0.1), (3, 4, 1.0)])?;
//! let labels = Labels::from_names([Some("cat"), None, None, None, Some("dog")]);
//! let field = Harmonic::default().fit(&graph, &labels)?;
//! let told = field.predictions(&Decision::Argmax)?;
//! assert_eq!(told.to_string(), "1: cat (0.96)\n2: cat (0.88)\n3: dog (0.92)\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod changes;
mod consistency;
mod dongles;
mod dynamics;
mod error;
mod field;
mod harmonic;
mod interpolate;
mod poisson;
mod problem;
mod query;
pub mod relatives;
mod reweighted;
mod smoothed;
mod tempered;
pub mod views;

pub use consistency::Consistency;
pub use dongles::Dongles;
pub use dynamics::{Balance, Dynamics, Partition};
pub use error::HarmonicError;
pub use field::{Audited, Field, Influence, LeftOut, Verdict, WhatIf};
pub use harmonic::Harmonic;
pub use interpolate::Interpolation;
pub use poisson::Poisson;
pub use query::{Criterion, Query, Question, Reason};
pub use reweighted::{PoissonReweighted, ProperlyWeighted};
pub use smoothed::Smoothing;
pub use tempered::{Tempered, Weighed};
pub use views::energy;

use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::Boundary;

/// The labelled nodes as a boundary of the graph.
pub(crate) fn boundary_of(graph: &Graph, labels: &Labels) -> Result<Boundary, HarmonicError> {
    problem::check(graph, labels)?;
    Ok(Boundary::new(graph.nodes(), &labels.labelled())?)
}

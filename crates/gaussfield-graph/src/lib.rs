//! From points to graphs.
//!
//! Graph-based learning replaces points by a weighted graph: close points are linked, and the
//! weight of a link says how much two points should agree. This crate takes points (dense or
//! sparse rows) or a ready-made list of edges and gives a [`Graph`]: symmetric, non-negative,
//! without self-loops. It knows nothing of labels or solvers.
//!
//! # Three steps
//!
//! 1. **Neighbours.** [`Neighbours`] holds for each point its k nearest others, found exactly: by
//!    kd-tree in few dimensions, by blocked matrix products in many, by an inverted index for
//!    sparse rows. Ties go to the lower index. By name, and never unasked, [`Search::Cells`] finds
//!    most of them in a fraction of the time and tells how many.
//! 2. **Pattern.** [`Pattern`] says which pairs have an edge — k nearest neighbours, all pairs
//!    within ε, or all pairs — and keeps their distances, so that weights can change without a
//!    new search.
//! 3. **Weights.** A [`WeightFamily`] turns distances into weights w(θ), for example
//!    $`w_{ij} = \exp(-\sum_d (x_{id}-x_{jd})^2/\sigma_d^2)`$, [zhu2003 (1)].
//!
//! # And back
//!
//! Learning θ needs the gradient of some objective J of the graph. Whatever J is, it hands over
//! its gradient on the edges, an [`EdgeGradient`]; the family pulls it back to θ in one pass:
//! $`\partial J/\partial\theta = \sum_{(i,j)} g_{ij}\,\partial w_{ij}/\partial\theta`$. Objectives
//! and families do not know each other, so every pair of them works together.
//!
//! ```
//! use gaussfield_core::Budget;
//! use gaussfield_graph::{EdgeGradient, Exponential, Metric, Pattern, Symmetry, WeightFamily};
//! use gaussfield_points::Points;
//! use ndarray::{Array1, Array2, array};
//!
//! let points = Points::dense(array![[0.0], [1.0], [2.0], [9.0]])?;
//! let pattern = Pattern::knn(&points, Metric::Euclidean, 1, Symmetry::Either)?;
//! assert_eq!(pattern.edges(), 3); // 0–1, 1–2 and 2–9
//!
//! let family = Exponential { sigma: 2.0 };
//! let graph = family.graph(&pattern, Budget::default())?;
//! assert!((graph.weight(0, 1) - f64::exp(-0.25)).abs() < 1e-15);
//!
//! // J = Σ over edges of w: the gradient on every edge is 1 = ½ + ½.
//! let ones = EdgeGradient {
//!     potentials: Array2::zeros((4, 0)),
//!     adjoints: Array2::zeros((4, 0)),
//!     node_terms: Array1::from_elem(4, 0.5),
//! };
//! let slope = family.pullback(&pattern, &graph, &ones)?[0];
//! let by_hand = 2.0 * (2.0 * f64::exp(-0.25) + 49.0 * f64::exp(-12.25)) / 8.0;
//! assert!((slope - by_hand).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What holds
//!
//! - A weight that underflows to zero is no edge; on sparse graphs it keeps its place.
//! - Results do not depend on the number of threads.
//! - Memory is checked against a [`Budget`](gaussfield_core::Budget) before it is taken, and what
//!   one call takes is counted together: a complete graph holds its distances and its weights.
//! - Matrix products are `ndarray`'s. If a program enables `ndarray/blas` (as `ndarray-linalg`
//!   does), it also links a BLAS; set that to one thread, since the blocks here are already
//!   spread over the cores.

mod checks;
mod choice;
mod error;
mod extend;
mod families;
mod gradient;
mod graph;
mod lists;
mod metric;
mod neighbours;
mod pattern;

pub use choice::{FamilyChoice, PatternChoice};
pub use error::GraphError;
pub use families::{
    Boxed, CosineExponential, Exponential, ExponentialPerDimension, Later, SelfTuning, Tanh,
    Unweighted, WeightFamily,
};
pub use gradient::EdgeGradient;
pub use graph::{Graph, SparseWeights, Weights};
pub use metric::Metric;
pub use neighbours::{Cells, Neighbours, Recall, Search, SearchOptions};
pub use pattern::{Distances, Pattern, Symmetry};

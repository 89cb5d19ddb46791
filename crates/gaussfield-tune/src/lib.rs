//! Hyperparameters of graphs, learned by pulling gradients back through the solve.
//!
//! ```text
//! points ──▶ pattern ──▶ weights w(θ) ──▶ Laplacian ──▶ field ──▶ objective J
//!                            ◀── ∂J/∂θ ◀──── ∂J/∂w per edge ◀─── adjoint solve
//! ```
//!
//! An [`Objective`] gives its value on a graph and its gradient on the edges; a
//! [`WeightFamily`](gaussfield_graph::WeightFamily) turns an edge gradient into the gradient of
//! its own hyperparameters. Neither knows the other, so any objective learns any family, and the
//! cost does not grow with the number of hyperparameters: about two solves and one pass over the
//! edges, where differentiating one parameter at a time takes a solve for each.
//!
//! - [`Entropy`] is the average label entropy of Zhu, Ghahramani, Lafferty (ICML 2003), plain
//!   and with class mass normalisation, smoothed or not.
//! - [`Evidence`] is the negative log evidence of a Gaussian process on the graph, by Laplace or
//!   expectation propagation; it can learn prior and noise along with the graph. [`Alignment`] is
//!   the kernel–target alignment.
//! - [`ExpectationMaximisation`] is the EM algorithm of Kapoor et al. (NIPS 2005) for labels that
//!   may be flipped, beside the ascent of the evidence itself; [`EvidenceRule`] chooses.
//! - [`learn`] minimises an objective over a family; [`Minimise`] says how, through `argmin`.
//!   [`Learn`] adds several starts and beliefs about the parameters ([`HyperPrior`]).
//! - [`scan_neighbours`] and [`scan_radii`] look at a whole range of unweighted graphs from one
//!   neighbour search; [`MultiResolution`] refines a grid.
//!
//! ```
//! use gaussfield_graph::{Exponential, Metric, Pattern};
//! use gaussfield_labels::Labels;
//! use gaussfield_points::Points;
//! use gaussfield_tune::{Entropy, Minimise, learn};
//! use ndarray::array;
//!
//! // Two clusters on a line, one label in each.
//! let points = Points::dense(array![[0.0], [0.4], [0.9], [3.0], [3.5], [3.9]])?;
//! let labels = Labels::from_names([Some("a"), None, None, None, None, Some("b")]);
//! let pattern = Pattern::complete(&points, Metric::Euclidean)?;
//! let entropy = Entropy::new(labels).smoothed(0.05)?;
//! let learned = learn(&pattern, &Exponential { sigma: 3.0 }, &entropy, &Minimise::default())?;
//! assert!(learned.value < 0.3, "the classes are told apart at the learned length scale");
//! assert!(learned.family.sigma < 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod em;
mod entropy;
mod error;
mod evidence;
mod free;
mod hyperprior;
mod learn;
mod minimise;
mod objective;
mod scan;
mod transform;
mod workbench;

pub use em::{EvidenceRule, ExpectationMaximisation, FlipEvidence, NoiseRule};
pub use entropy::Entropy;
pub use error::TuneError;
pub use evidence::{Alignment, Evidence};
pub use hyperprior::HyperPrior;
pub use learn::{Ended, Learn, Learned, LearnedOn, learn, learn_on};
pub use minimise::{Function, Minimise, Minimum, Optimiser, Step, Stop};
pub use objective::{Evaluation, Objective};
pub use scan::{GridMinimum, MultiResolution, scan_neighbours, scan_radii};
pub use workbench::Workbench;

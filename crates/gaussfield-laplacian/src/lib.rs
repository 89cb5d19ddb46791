//! From a graph to linear systems that can be solved.
//!
//! # The idea
//!
//! A weighted graph with weights $`w_{ij}`$ and degrees $`d_i = \sum_j w_{ij}`$ has the Laplacian
//! $`\Delta = D - W`$, $`(\Delta f)_i = \sum_j w_{ij}(f_i - f_j)`$: how much f at i differs from
//! its neighbours. Fix f on some nodes, the *boundary* L, and ask that $`\Delta f = 0`$ on the
//! others, the *interior* U: every free value is the weighted mean of its neighbours. Think of
//! an electrical network with resistors $`1/w_{ij}`$: boundary nodes are held at a voltage, f is
//! the voltage elsewhere. In matrices:
//!
//! ```math
//! (D_{UU} - W_{UU})\, f_U = W_{UL}\, f_L
//! ```
//!
//! Discounted walks, regularised Gaussian fields, normalised Laplacians lead to the same kind of
//! matrix, so there is one type for all of them: [`Grounded`],
//!
//! ```math
//! A = L(s W) + \mathrm{diag}(e), \qquad e_i \ge 0,
//! ```
//!
//! a Laplacian plus an *excess* that ties nodes to the ground. It is symmetric and positive
//! definite as soon as every connected part has some excess.
//!
//! # Solving
//!
//! [`Grounded::prepare`] factorises once, [`Prepared::solve`] takes many right-hand sides, and
//! every [`Solution`] carries [`SolveFacts`]: which solver ran, iterations, residual. The solvers
//! and the rule of [`Solver::Auto`] are described at [`Solver`]. Where weights change and the
//! pattern stays, as in tuning, a [`Workbench`] does the same and keeps what still serves.
//!
//! # What else a Laplacian tells
//!
//! | question | answer | cost (n nodes, m weights) |
//! |---|---|---|
//! | how many parts? | [`components`] | O(n + m) |
//! | the k smallest eigenpairs | [`Laplacian::smallest`]: Lanczos on the inverse, null space known | one preparation, some 5–15 solves a pair, O(n·k²) |
//! | all eigenvalues | [`Laplacian::eigenvalues`] | O(n³) |
//! | ln det A | [`Prepared::log_det`] | O(n) after a factorisation |
//! | the same, estimated | [`Prepared::estimate_log_det`] | one solve a probe, error ∝ 1/√probes |
//! | the diagonal of A⁻¹ | [`Prepared::inverse_diagonal`] with [`InverseDiagonal::Exact`] | about the factorisation once more; n solves without a factor |
//! | the same, estimated | [`InverseDiagonal::Stochastic`] | `probes` solves, error ∝ 1/√probes |
//!
//! The smallest eigenvectors are the smoothest functions on the graph: constant on its parts,
//! then waves of growing frequency. A filter r(λ) on them, $`\sum_j r(\lambda_j) v_j v_j^\top`$,
//! is a kernel.
//!
//! # Why the answers can be trusted
//!
//! On a nearly disconnected graph, forming $`D - W`$ in floating point loses the weak links, and
//! a textbook solver returns a wrong number with a tiny residual. Here the excess is kept apart,
//! and since $`A\mathbf 1 = e`$ exactly, each solver is asked for solutions whose
//! sum must be 1 everywhere ([`SolveFacts::partition_error`]). If it is not, [`Solver::Auto`] turns to an elimination that
//! never subtracts and so cannot lose a link; a solver chosen by name returns
//! [`LaplacianError::IllConditioned`]. Parts without any ground are found by walking the graph,
//! before any arithmetic: [`LaplacianError::Singular`].
//!
//! ```
//! use gaussfield_graph::Graph;
//! use gaussfield_laplacian::{Boundary, Grounded, SolverOptions};
//! use ndarray::array;
//!
//! // A path 0 – 1 – 2 – 3 with its ends held at 0 and 1: the values between are 1/3 and 2/3.
//! let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])?;
//! let boundary = Boundary::new(4, &[0, 3])?;
//! let inflow = boundary.product(&graph, array![[0.0], [1.0]].view())?;
//! let system = Grounded::dirichlet(&graph, &boundary)?;
//! let solution = system.prepare(&SolverOptions::default())?.solve(inflow.view())?;
//! assert!((solution.values[[0, 0]] - 1.0 / 3.0).abs() < 1e-15);
//! assert!((solution.values[[1, 0]] - 2.0 / 3.0).abs() < 1e-15);
//! assert!(solution.facts.partition_error < 1e-15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod auto;
mod boundary;
mod certificate;
mod components;
mod coupling;
mod engine;
mod error;
mod estimate;
mod grounded;
mod inverse_diagonal;
mod operators;
mod prepared;
pub mod shared;
mod solver;
mod spectrum;
mod structure;
mod workbench;
mod workspace;

pub use boundary::Boundary;
pub use components::{Components, components, unreachable};
pub use error::LaplacianError;
pub use estimate::Estimate;
pub use grounded::{Grounded, normalising_degrees};
pub use inverse_diagonal::{DiagonalEstimate, InverseDiagonal};
pub use operators::Laplacian;
pub use prepared::Prepared;
pub use solver::{Preconditioner, Solution, SolveFacts, Solver, SolverOptions};
pub use spectrum::{LanczosOptions, Spectrum};
pub use workbench::{Work, Workbench};

//! The same graphs and the same solves, with rows on several machines.
//!
//! One machine serves some tens of millions of points. Beyond, the rows of the graph lie with the
//! *members* of a job: each holds a part, and they tell each other sums, maxima and the rows that
//! cross a border. Conjugate gradients are those of one machine
//! ([`shared`](gaussfield_laplacian::shared)), in difference form, with the same certificate; only the
//! preconditioner differs ([`Engine`]).
//!
//! | step | call | what goes over the wires |
//! |---|---|---|
//! | points to members | [`Placed::new`] | every point once, to the member that owns its cell |
//! | neighbours | [`Search::link`] | a query to each member that owns one of its nearest cells, and its list back |
//! | both directions | the same | every edge once |
//! | length scale | [`LearnScale::run`] | border rows in each iteration |
//! | weights | [`Part::weighted`] | nothing |
//! | fit | [`Method::fit`] | border rows in each iteration |
//! | decide | [`decide`] | a number a class; all scores for [`Decision::Counts`](gaussfield_labels::Decision) |
//! | new points | [`Search::predict`] | a query to each owner of a near cell, a row of scores for each neighbour |
//!
//! Members are threads of a process ([`together`]), or the ranks of an MPI job (`run`, with the
//! feature `mpi`). Results are the same for a given number of members, bit by bit; for another number
//! they agree within the tolerance of the solver.
//!
//! ```
//! use gaussfield_distributed::{Method, Part, SolveOptions, World, together};
//!
//! // A path of five rows, its ends labelled 0 and 1, on two members.
//! let scores = together(2, |world| {
//!     let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)];
//!     let own = if world.rank() == 0 { &edges[..2] } else { &edges[2..] };
//!     let part = Part::from_edges(world, 5, own)?;
//!     let fit = Method::Harmonic.fit(world, &part, &[(0, 0), (4, 1)], 2, &SolveOptions::default())?;
//!     Ok::<_, gaussfield_distributed::DistributedError>(fit.scores)
//! });
//! let second = scores[1].as_ref().map_err(ToString::to_string)?;
//! assert!((second[[0, 1]] - 0.5).abs() < 1e-9);
//! # Ok::<(), String>(())
//! ```

mod answers;
mod boundary;
mod cells;
mod columns;
mod crew;
mod decide;
mod dynamics;
mod engine;
mod error;
mod halo;
#[cfg(feature = "hypre")]
mod hypre;
mod learn;
mod lists;
mod method;
#[cfg(feature = "mpi")]
mod mpi;
mod packed;
mod part;
mod placed;
mod predict;
mod search;
mod shards;
mod stages;
mod system;
#[cfg(feature = "mpi")]
mod watch;
mod world;

pub use answers::{RowLabels, read_labels, write_answers};
pub use columns::Columns;
pub use crew::{Crew, together};
pub use decide::decide;
pub use engine::Engine;
pub use error::DistributedError;
pub use learn::{LearnScale, LearnedScale};
pub use method::{Fit, Method};
#[cfg(feature = "mpi")]
pub use mpi::{LastWords, Limits, Mpi, run};
pub use part::Part;
pub use placed::Placed;
pub use search::{Found, Search};
pub use shards::{OwnPoints, read_points};
pub use stages::{Stage, Stages};
pub use system::{SolveOptions, SolvedFacts};
pub use world::{World, agree, max, sum};

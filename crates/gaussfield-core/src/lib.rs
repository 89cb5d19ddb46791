//! What every gaussfield crate shares, and nothing about points, graphs or labels.
//!
//! - [`Parameters`]: one object-safe protocol for everything that can be learned. A weight family, a
//!   kernel, a prior, a likelihood, an objective each say what their parameters are called, where
//!   they stand and where they may lie, and take new values with a check.
//! - [`Budget`]: the memory of one whole call, handed on with what has been taken from it.
//! - [`OutOfRange`], [`SizeMismatch`], [`OverBudget`], [`NoSuchNode`], [`NotConverged`],
//!   [`Cancelled`]: the faults that all crates know, carried by each crate's own error type.
//! - [`Progress`]: who listens to long work, and the way to stop it at a safe point.
//! - [`Facts`]: how an answer was computed, for people and for files.
//! - [`blocks`]: fixed blocks of rows, so that sums come out the same on any number of threads.
//! - [`files`] (feature `files`): files that are there whole or not at all, and that tell by a checksum
//!   when they were changed.
//! - [`exponential`]: eˣ of many numbers by vector instructions.
//! - [`dense`] (feature `dense`): Cholesky factors, eigenvalues and linear systems, in pure Rust or,
//!   with the feature `openblas`, through LAPACK.
//!
//! ```
//! use gaussfield_core::{Parameters, parameters, Domain};
//!
//! #[derive(Debug, Clone)]
//! struct Bump {
//!     width: f64,
//! }
//! parameters!(Bump { width: Domain::Positive });
//!
//! let mut bump = Bump { width: 1.0 };
//! bump.set_parameters(&[2.5])?;
//! assert_eq!(bump.parameters()[0].name, "width");
//! let error = bump.set_parameters(&[-1.0]).unwrap_err();
//! assert_eq!(error.to_string(), "width is -1: it must be positive and finite");
//! # Ok::<(), gaussfield_core::ParameterError>(())
//! ```

pub mod blocks;
mod budget;
pub mod check;
#[cfg(feature = "dense")]
pub mod dense;
mod error;
pub mod exponential;
mod facts;
#[cfg(feature = "files")]
pub mod files;
mod parameters;
mod progress;

pub use budget::Budget;
pub use error::{Cancelled, NoSuchNode, NotConverged, OutOfRange, OverBudget, SizeMismatch, shown};
pub use facts::{Fact, FactValue, Facts};
pub use parameters::{Domain, Parameter, ParameterError, Parameters, check_values};
pub use progress::{Progress, Report, Stage};

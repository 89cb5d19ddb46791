//! Kernels on points: Gram matrices, cross matrices, and the way back to the parameters.
//!
//! # The idea
//!
//! Many methods need points only through inner products: support vector machines, regularised
//! least squares, Gaussian processes. Replace the inner product $`x^\top z`$ by a *kernel*
//! $`k(x, z)`$, and the same method works in another space, whose coordinates are never
//! computed. All that remains of n points is the *Gram matrix* $`K_{ij} = k(x_i, x_j)`$,
//! symmetric and positive semidefinite; all that a new point x needs is the row
//! $`k(x, x_1), \dots, k(x, x_n)`$ of the *cross matrix*.
//!
//! | kernel | k(x, z) | parameters |
//! |---|---|---|
//! | [`Kernel::Rbf`] | $`\exp(-\lVert x-z\rVert^2 / 2\,\mathrm{width}^2)`$ | width |
//! | [`Kernel::Linear`] | $`x^\top z`$ | |
//! | [`Kernel::Polynomial`] | $`(\mathrm{scale}\; x^\top z + \mathrm{offset})^{\mathrm{degree}}`$ | scale, offset |
//! | [`Kernel::Cosine`] | $`x^\top z / \lVert x\rVert\lVert z\rVert`$ | |
//!
//! Rows may be dense or sparse, and the two sides of a cross matrix may differ in that.
//!
//! # There and back
//!
//! [`Kernel::gram`] goes from parameters to the matrix. [`Kernel::pullback`] goes back: an
//! objective J (the evidence of a Gaussian process, say) gives its sensitivity
//! $`S = \partial J/\partial K`$, and the kernel turns it into $`\partial J/\partial\theta`$.
//! Neither needs to know the other.
//!
//! ```
//! use gaussfield_core::Budget;
//! use gaussfield_kernel::Kernel;
//! use gaussfield_points::Points;
//! use ndarray::{Array2, array};
//!
//! let points = Points::dense(array![[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]])?;
//! let kernel = Kernel::Rbf { width: 5.0 };
//! let gram = kernel.gram(&points, Budget::default())?;
//! assert!((gram[[0, 1]] - (-0.5_f64).exp()).abs() < 1e-15);
//! assert_eq!(gram[[0, 2]], 1.0); // duplicates, exactly
//!
//! // J = Σ K_ij, so ∂J/∂K_ij = 1. Four entries depend on the width: ∂K/∂width = K·25/125.
//! let gradient = kernel.pullback(&points, Array2::ones((3, 3)).view())?;
//! assert!((gradient[0] - 4.0 * (-0.5_f64).exp() * 0.2).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Accuracy
//!
//! Squared distances come from matrix products about the mean, ‖x‖² + ‖z‖² − 2xᵀz, which is fast
//! but cancels for close points. Where it does, they are taken from differences again. So a
//! squared distance is never negative, equal points are at distance exactly zero, and 1 − k of
//! close points keeps its digits as far as k itself can hold them.
//!
//! # Size
//!
//! An n × n matrix is dense. It is refused *before* the allocation if it takes more than the
//! [`Budget`](gaussfield_core::Budget) of the call has left. Queries come in batches with
//! [`Kernel::cross_rows`].

#![forbid(unsafe_code)]

mod error;
mod gradient;
mod kernel;
mod matrix;
mod pairs;

pub use error::KernelError;
pub use kernel::Kernel;

//! Support vector machines, least squares, their Laplacian forms, and cross-validation.

use openblas_src as _;

mod bad_input;
mod manifold;
mod quadratic;
mod supervised_gp;
mod svm;
mod svm_laws;
mod unseen;
mod validation;

//! Laws, known answers and bad input of every baseline.

mod bad_input;
mod bad_matrices;
mod classifiers;
mod manifold;
mod quadratic;
mod sample;
mod supervised_gp;
mod svm;
mod svm_laws;
mod unseen;
mod usps;

//! All tests of the crate from outside, in one binary.

mod bad_input;
mod estimate;
mod inverse_diagonal;
mod powers;
mod progress;
mod solvers_agree;
mod spectrum;
mod structure;
mod support;
mod weak_links;
mod wide_weights;
mod workbench;

//! All tests of the crate from outside, in one binary.

mod bad_input;
mod inverse_diagonal;
mod progress;
mod solvers_agree;
mod spectrum;
mod structure;
mod support;
mod weak_links;
mod workbench;

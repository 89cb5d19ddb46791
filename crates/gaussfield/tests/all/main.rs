//! Tests of the umbrella crate from the outside.

mod bad_descriptions;
mod contract;
mod descriptions;
mod families;
mod memory;
mod methods;
mod questions;
mod readme;
mod saved;

//! Tests of the umbrella crate from the outside.

mod bad_descriptions;
mod contract;
mod descriptions;
mod methods;
mod saved;

//! The laws of fields, what a kept factorisation answers, and what wrong input is told.

mod bad_input;
mod contracts;
mod dynamics;
mod interpolate;
mod kept;
mod poisson;
mod query;
mod relatives;
mod reweighted;
mod support;

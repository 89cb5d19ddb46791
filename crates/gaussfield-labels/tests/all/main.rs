//! The laws of labels, scores and decisions, and what wrong input is told.

mod bad_input;
mod laws;
mod reference;
mod validation;

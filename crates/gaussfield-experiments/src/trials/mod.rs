//! Trials: run in parallel, kept one by one, taken up again after an interruption.

mod experiment;
mod store;

pub use experiment::{Experiment, Trial};
pub use store::{Ran, Setting, TrialStore};

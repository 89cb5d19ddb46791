//! Laws, bad input and storage of mixtures.

mod backbone;
mod bad_input;
mod choose;
mod common;
mod discriminative;
mod em;
mod memberships;
mod model;
mod threads;

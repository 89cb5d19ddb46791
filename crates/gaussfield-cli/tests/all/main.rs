//! The program from the outside, as the real binary.

mod bad_input;
mod formats;
mod interrupted;
mod label;
mod models;
mod places;
mod readme;
mod support;
mod tables;

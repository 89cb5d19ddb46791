//! The program from the outside, as the real binary.

mod bad_input;
mod label;
mod support;

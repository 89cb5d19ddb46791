//! Shared graphs on threads: the same answers as one machine, for any number of members.

mod bad_input;
#[cfg(feature = "columnar")]
mod columnar;
mod learn;
mod one_machine;
mod points;
mod predict;
mod stages;
mod support;

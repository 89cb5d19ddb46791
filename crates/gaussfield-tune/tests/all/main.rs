//! All tests of the crate from outside, in one binary.

mod em;
mod evidence;
mod gradients;
mod memory;
mod searches;

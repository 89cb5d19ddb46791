//! The tests of this crate from the outside, in one program.

mod any_bytes;
mod bad_input;
mod binary;
mod catalog;
#[cfg(feature = "columnar")]
mod columnar;
mod csv;
mod documents;
#[cfg(feature = "fetch")]
mod fetch;
mod generate;
mod memory;
mod plain;
mod real_data;
mod split;
mod support;

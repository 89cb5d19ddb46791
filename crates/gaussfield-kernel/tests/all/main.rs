//! Kernels from the outside: their laws, their accuracy, and what they say to wrong input.

mod accuracy;
mod bad_input;
mod laws;
mod support;

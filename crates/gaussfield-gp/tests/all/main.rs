//! What the crate promises, one file for each part of it.

mod answers;
mod bad_input;
mod ep;
mod extremes;
mod flips;
mod gradients;
mod laplace;
mod memory;
mod predict_memory;
mod softmax;
mod spectral;
mod warped;

//! Labels.

mod error;
mod labels;

pub use error::LabelsError;
pub use labels::Labels;

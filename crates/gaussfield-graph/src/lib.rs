//! From points to graphs.

mod budget;
mod error;
mod gradient;
mod graph;

pub use budget::MemoryBudget;
pub use error::GraphError;
pub use gradient::EdgeGradient;
pub use graph::{Graph, SparseWeights, Weights};

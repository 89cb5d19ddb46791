//! The gradient of a log evidence.

use gaussfield_graph::EdgeGradient;

/// The gradient of a log evidence, in everything it depends on.
///
/// For Laplace it is [zhu2003gp (54)], corrected: with the report's formulas for ∂w/∂α and ∂G/∂σ a factor
/// of 2 would be missing. For expectation propagation it is exact at the fixed point.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceGradient {
    /// For each parameter of the prior, in its own order.
    pub prior: Vec<f64>,
    /// The change when the prior mean of all nodes is raised together.
    pub mean: f64,
    /// For each parameter of the likelihood, in its own order.
    pub likelihood: Vec<f64>,
    /// ∂/∂w on every edge, for a weight family to pull back; `None` for a prior without a graph.
    pub edges: Option<EdgeGradient>,
}

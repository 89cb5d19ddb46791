//! Local-and-global consistency.

use crate::problem::{Bench, Formula, check};
use crate::{Field, HarmonicError};
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels};
use gaussfield_laplacian::SolverOptions;
use serde::{Deserialize, Serialize};

/// Local-and-global consistency (Zhou, Bousquet, Lal, Weston, Schölkopf, NIPS 2003):
/// F = (1−α)(I − αS)⁻¹ Y with S = D^(−1/2) W D^(−1/2), each row then divided by its sum.
///
/// Unlike the harmonic function it does not clamp the labels. The system is solved by congruence as
/// D^(1/2) (D − αW)⁻¹ D^(1/2): the same family, symmetric and positive definite.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::Consistency;
/// use gaussfield_labels::{Decision, Labels, Transductive};
///
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 0.1), (2, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
/// let field = Consistency::default().fit(&graph, &labels)?;
/// assert_eq!(field.predictions(&Decision::Argmax)?.classes(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Consistency {
    /// How far labels spread, in (0, 1). Zhou et al. use 0.99.
    pub alpha: f64,
    /// What happens on parts of the graph without a label, where F = 0. Default: an error.
    pub islands: Islands,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl Default for Consistency {
    fn default() -> Self {
        Self { alpha: 0.99, islands: Islands::default(), solver: SolverOptions::default() }
    }
}

impl Consistency {
    /// F for every node and class.
    ///
    /// # Errors
    /// α outside (0, 1), no label, sizes that differ, parts without a label (unless
    /// [`Islands::Prior`]), a solver that failed.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<Field, HarmonicError> {
        check(graph, labels)?;
        gaussfield_core::check::fraction("α", self.alpha)?;
        // S has a zero row for a node without edges: F = (1−α)Y there.
        let degrees = graph.degrees();
        let tie = |d: f64| if d > 0.0 { (1.0 - self.alpha) * d } else { 1.0 };
        let root = degrees.mapv(|d| if d > 0.0 { d.sqrt() } else { 1.0 });
        let formula = Formula {
            method: "local and global consistency",
            scale: self.alpha,
            ties: degrees.mapv(tie).to_vec(),
            spoken: Some(root.mapv(|r| (1.0 - self.alpha) * r).to_vec()),
            root: Some(root),
            ..Formula::harmonic(0)
        };
        let bench = Bench { options: &self.solver, kept: None };
        Field::fit(graph, labels, formula, &self.islands, bench)
    }
}

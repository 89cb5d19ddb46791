//! The walk with jumps, and the gradient pulled back through it.

use crate::problem::{Bench, Formula, check};
use crate::{Field, HarmonicError};
use gaussfield_core::check as range;
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels};
use gaussfield_laplacian::{SolverOptions, Workbench};
use serde::{Deserialize, Serialize};

/// How the walk of the harmonic function is smoothed: P̃ = ε𝒰 + (1−ε)P, where 𝒰 jumps to any
/// node with equal probability (Zhu et al. 2003, section 6).
///
/// Rows scaled by the degrees d, the system reads A f_u = (1−ε) W_ul f_l + ε d m with the symmetric
/// A = D_uu − (1−ε) W_uu and m the mean of f over all nodes. The jumps are never formed as a
/// matrix: they are one more unknown, m, and one more right-hand side, ε d.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Smoothing {
    /// Probability of a jump, in [0, 1). Default 0: the plain harmonic function.
    pub epsilon: f64,
    /// Weight of a self-loop on every node, which P counts although the harmonic function does
    /// not; [zhu2003 (1)] read literally gives 1. Default 0.
    pub self_loop: f64,
    /// What happens to nodes that no label reaches; with jumps, nodes without any edge. Default: an
    /// error.
    pub islands: Islands,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl Smoothing {
    /// Solves for every class: one factorisation, C + 1 right-hand sides.
    ///
    /// # Errors
    /// ε outside [0, 1), a bad self-loop weight, no label or none missing, a node without any edge,
    /// parts without a label when ε = 0, a solver that failed.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<Field, HarmonicError> {
        self.solve(graph, labels, None)
    }

    /// [`Smoothing::fit`] on a workbench: where the pattern and the labelled nodes are those of the
    /// last fit, places, order and symbolic factor (or preconditioner) are not made again, and
    /// conjugate gradients start at the last field.
    ///
    /// # Errors
    /// As [`Smoothing::fit`].
    pub fn fit_on(
        &self,
        bench: &mut Workbench,
        graph: &Graph,
        labels: &Labels,
    ) -> Result<Field, HarmonicError> {
        self.solve(graph, labels, Some(bench))
    }

    fn solve(
        &self,
        graph: &Graph,
        labels: &Labels,
        kept: Option<&mut Workbench>,
    ) -> Result<Field, HarmonicError> {
        let epsilon = self.epsilon;
        let inside = (0.0..1.0).contains(&epsilon);
        range::range("the smoothing ε", epsilon, inside, "at least 0 and below 1")?;
        range::not_negative("the self-loop weight", self.self_loop)?;
        check(graph, labels)?;
        if labels.unlabelled().is_empty() {
            return Err(HarmonicError::AllLabelled);
        }
        let mut formula = Formula::harmonic(graph.nodes());
        if epsilon > 0.0 {
            formula.method = "the smoothed walk";
            formula.scale = 1.0 - epsilon;
            formula.ties = graph.degrees().mapv(|d| epsilon * (d + self.self_loop)).to_vec();
            formula.jumps = true;
        }
        let bench = Bench { options: &self.solver, kept };
        Field::fit(graph, labels, formula, &self.islands, bench)
    }
}

use crate::HarmonicError;
use crate::harmonic::same_nodes;
use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, LabelsError};
use gaussfield_laplacian::{Grounded, SolveFacts, SolverOptions};
use ndarray::{Array1, Array2, Axis};

/// Local-and-global consistency (Zhou, Bousquet, Lal, Weston, Schölkopf, NIPS 2003):
/// F = (1−α)(I − αS)⁻¹ Y with S = D^(−1/2) W D^(−1/2).
///
/// Unlike the harmonic function it does not clamp the labels, and it is defined on parts of the
/// graph without any label, where F = 0. The system is solved by congruence as
/// D^(1/2) (D − αW)⁻¹ D^(1/2): the same family, symmetric and positive definite.
#[derive(Debug, Clone)]
pub struct Consistency {
    /// How far labels spread, in (0, 1). Zhou et al. use 0.99.
    pub alpha: f64,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl Default for Consistency {
    fn default() -> Self {
        Self { alpha: 0.99, solver: SolverOptions::default() }
    }
}

/// What [`Consistency::fit`] gives: unnormalised class scores and solver facts.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsistentScores {
    /// F, n × C, not normalised; a row of zeros is a node that no label reaches.
    pub values: Array2<f64>,
    /// Which solver ran, how far it got.
    pub facts: SolveFacts,
}

impl Consistency {
    /// F for every node and class.
    ///
    /// # Errors
    /// α outside (0, 1), no label, sizes that differ, a solver that failed.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<ConsistentScores, HarmonicError> {
        same_nodes(graph, labels)?;
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return Err(HarmonicError::BadParameter {
                name: "α",
                value: self.alpha,
                range: "above 0 and below 1",
            });
        }
        if labels.labelled().is_empty() {
            return Err(LabelsError::NoLabels.into());
        }
        let degrees = graph.degrees();
        // S has a zero row for a node without edges: F = (1−α)Y there.
        let linked: Vec<usize> = (0..graph.nodes()).filter(|&i| degrees[i] > 0.0).collect();
        let excess = linked.iter().map(|&i| (1.0 - self.alpha) * degrees[i]).collect();
        let root: Array1<f64> = linked.iter().map(|&i| degrees[i].sqrt()).collect();
        let root = root.insert_axis(Axis(1));

        let mut values = Array2::zeros((graph.nodes(), labels.classes()));
        for (node, class) in labels.as_slice().iter().enumerate() {
            if let Some(class) = *class {
                values[[node, class]] = 1.0 - self.alpha;
            }
        }
        let right = values.select(Axis(0), &linked) * &root;
        let system = Grounded::new(graph, &linked, self.alpha, excess)?;
        let solution = system.prepare(&self.solver)?.solve(right.view())?;
        let spread = solution.values * &root;
        for (row, &node) in spread.rows().into_iter().zip(&linked) {
            values.row_mut(node).assign(&row);
        }
        Ok(ConsistentScores { values, facts: solution.facts })
    }
}

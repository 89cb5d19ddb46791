//! Gaussian belief propagation.

use crate::HarmonicError;
use gaussfield_core::{NotConverged, Progress};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use ndarray::Array2;

/// Gaussian belief propagation on the interior (Weiss & Freeman, Neural Computation 2001).
///
/// Every interior node sends each neighbour a Gaussian message: a precision and, per class, a
/// potential. At convergence the means are exactly the harmonic function, on trees and on graphs
/// with loops; the precisions are exact on trees only. The grounded Laplacian is an M-matrix, so
/// that the iteration converges on every graph whose parts all touch the boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeliefPropagation {
    /// Largest change of a mean between rounds at which to stop.
    pub tolerance: f64,
    /// Rounds after which to give up, as an error.
    pub max_rounds: usize,
}

impl Default for BeliefPropagation {
    fn default() -> Self {
        Self { tolerance: 1e-12, max_rounds: 100_000 }
    }
}

/// What [`BeliefPropagation::run`] gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// Means per interior node and class, nodes in increasing order.
    pub means: Array2<f64>,
    /// Precisions per interior node: exact on trees, approximate on loops.
    pub precisions: Vec<f64>,
    /// Rounds made.
    pub rounds: usize,
}

/// A directed edge between interior nodes.
struct Link {
    to: usize,
    weight: f64,
    /// Where the same edge stands in the other direction.
    back: usize,
}

impl BeliefPropagation {
    /// Passes messages until the means stand still. One round costs O(edges · C).
    ///
    /// # Errors
    /// No label; parts without a label; no convergence within `max_rounds`; the work was stopped.
    pub fn run(&self, graph: &Graph, labels: &Labels) -> Result<Beliefs, HarmonicError> {
        let boundary = crate::boundary_of(graph, labels)?;
        let islands = gaussfield_laplacian::unreachable(graph, &boundary);
        if !islands.is_empty() {
            return Err(HarmonicError::ComponentWithoutLabel { nodes: islands });
        }
        let interior = boundary.interior();
        let classes = labels.classes();
        let mut start = vec![0];
        let mut links: Vec<Link> = Vec::new();
        let mut precision = vec![0.0; interior.len()];
        let mut potential = Array2::<f64>::zeros((interior.len(), classes));
        for (i, &node) in interior.iter().enumerate() {
            graph.for_each_neighbour(node, |j, weight| {
                precision[i] += weight;
                if let Some(to) = boundary.interior_position(j) {
                    links.push(Link { to, weight, back: 0 });
                } else if let Some(class) = labels.get(j) {
                    potential[[i, class]] += weight;
                }
            });
            start.push(links.len());
        }
        for i in 0..interior.len() {
            for at in start[i]..start[i + 1] {
                let row = &links[start[links[at].to]..start[links[at].to + 1]];
                // Neighbours are visited in increasing order, and the graph is symmetric.
                let offset = row.partition_point(|link| link.to < i);
                links[at].back = start[links[at].to] + offset;
            }
        }

        let mut message_precision = vec![0.0; links.len()];
        let mut message_potential = Array2::<f64>::zeros((links.len(), classes));
        let mut means = Array2::<f64>::zeros((interior.len(), classes));
        let mut change = f64::INFINITY;
        let stage = Progress::stage("belief propagation", None);
        for rounds in 1..=self.max_rounds {
            stage.step()?;
            let mut belief_precision = precision.clone();
            let mut belief_potential = potential.clone();
            for i in 0..interior.len() {
                for at in start[i]..start[i + 1] {
                    let back = links[at].back;
                    belief_precision[i] += message_precision[back];
                    for c in 0..classes {
                        belief_potential[[i, c]] += message_potential[[back, c]];
                    }
                }
            }
            change = 0.0;
            for i in 0..interior.len() {
                for c in 0..classes {
                    let mean = belief_potential[[i, c]] / belief_precision[i];
                    change = f64::max(change, (mean - means[[i, c]]).abs());
                    means[[i, c]] = mean;
                }
            }
            if change <= self.tolerance {
                return Ok(Beliefs { means, precisions: belief_precision, rounds });
            }
            // The message i → j leaves out what j itself said.
            let mut next_precision = vec![0.0; links.len()];
            let mut next_potential = Array2::<f64>::zeros((links.len(), classes));
            for i in 0..interior.len() {
                for at in start[i]..start[i + 1] {
                    let Link { weight, back, .. } = links[at];
                    let cavity = belief_precision[i] - message_precision[back];
                    next_precision[at] = -weight * weight / cavity;
                    for c in 0..classes {
                        let cavity_potential =
                            belief_potential[[i, c]] - message_potential[[back, c]];
                        next_potential[[at, c]] = weight * cavity_potential / cavity;
                    }
                }
            }
            message_precision = next_precision;
            message_potential = next_potential;
        }
        Err(NotConverged {
            method: "belief propagation",
            iterations: self.max_rounds,
            measure: "the largest change of a mean",
            reached: change,
            tolerance: self.tolerance,
            remedy: "allow more rounds or use the direct solution",
        }
        .into())
    }
}

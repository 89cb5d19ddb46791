//! What was seen at some nodes.

use crate::GpError;
use gaussfield_labels::Labels;
use ndarray::{Array1, ArrayView1};
use std::collections::HashSet;

/// What was seen: a target t at each of some nodes, in any order. For the classification
/// likelihoods t is −1 or +1.
///
/// Invariant: at least one node, no node twice, finite targets. All targets may be of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    nodes: Vec<usize>,
    targets: Array1<f64>,
}

impl Observed {
    /// One target for each node.
    ///
    /// # Errors
    /// No node, a node named twice, another number of targets, a target that is not finite.
    pub fn new(nodes: &[usize], targets: &[f64]) -> Result<Self, GpError> {
        if nodes.len() != targets.len() {
            return Err(GpError::TargetCount { nodes: nodes.len(), targets: targets.len() });
        }
        if nodes.is_empty() {
            return Err(GpError::NoObservations);
        }
        let mut seen = HashSet::with_capacity(nodes.len());
        for (&node, &target) in nodes.iter().zip(targets) {
            if !seen.insert(node) {
                return Err(GpError::Repeated { node });
            }
            if !target.is_finite() {
                return Err(GpError::BadTarget { node, target, range: "finite" });
            }
        }
        Ok(Self { nodes: nodes.to_vec(), targets: Array1::from(targets.to_vec()) })
    }

    /// One class against the rest: +1 for `positive`, −1 for every other class.
    ///
    /// # Errors
    /// No labelled node, a class that the labels do not have.
    pub fn one_against_rest(labels: &Labels, positive: usize) -> Result<Self, GpError> {
        let classes = labels.classes();
        if positive >= classes {
            return Err(GpError::NoSuchClass { class: positive, classes });
        }
        let nodes = labels.labelled();
        let sign = |&node: &usize| if labels.get(node) == Some(positive) { 1.0 } else { -1.0 };
        let targets: Vec<f64> = nodes.iter().map(sign).collect();
        Self::new(&nodes, &targets)
    }

    /// The nodes, in the order given.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// Their targets.
    pub fn targets(&self) -> ArrayView1<'_, f64> {
        self.targets.view()
    }

    /// How many there are, l. Never zero.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
}

//! Which nodes are judged.

use crate::{Labels, LabelsError};
use gaussfield_core::{NoSuchNode, SizeMismatch};

/// Nodes to be judged, with their true classes: known to the judge, not shown to the method.
///
/// Invariant: at least one node, none twice, each with a class below the number of classes.
/// Predictions and scores are compared in the order of [`HeldOut::nodes`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOut {
    nodes: Vec<usize>,
    truth: Vec<usize>,
    names: Vec<String>,
}

impl HeldOut {
    /// All nodes whose class is in `truth` but not in `given`, in increasing order. Where the
    /// truth is complete these are exactly the unlabelled nodes, in the order of
    /// [`Labels::unlabelled`].
    ///
    /// # Errors
    /// Different numbers of nodes or other class names, or no node left to judge.
    pub fn new(truth: &Labels, given: &Labels) -> Result<Self, LabelsError> {
        SizeMismatch::check("given labels", truth.len(), given.len())?;
        SizeMismatch::check("classes of the given labels", truth.classes(), given.classes())?;
        if let Some((_, name)) = truth.names().iter().zip(given.names()).find(|(t, g)| t != g) {
            return Err(LabelsError::OtherName { name: name.clone() });
        }
        let hidden = |&node: &usize| truth.get(node).is_some() && given.get(node).is_none();
        let nodes: Vec<usize> = (0..truth.len()).filter(hidden).collect();
        Self::of(truth, &nodes)
    }

    /// The given nodes, in the given order.
    ///
    /// # Errors
    /// No node, a node past the end, named twice, or without a true class.
    pub fn of(truth: &Labels, nodes: &[usize]) -> Result<Self, LabelsError> {
        if nodes.is_empty() {
            return Err(LabelsError::NothingToJudge);
        }
        NoSuchNode::check(nodes, truth.len())?;
        let mut seen = vec![false; truth.len()];
        let mut classes = Vec::with_capacity(nodes.len());
        for &node in nodes {
            if std::mem::replace(&mut seen[node], true) {
                return Err(LabelsError::RepeatedNode { node });
            }
            classes.push(truth.get(node).ok_or(LabelsError::TruthUnknown { node })?);
        }
        Ok(Self { nodes: nodes.to_vec(), truth: classes, names: truth.names().to_vec() })
    }

    /// The nodes, in the order in which predictions are expected.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// The true class of each node of the set.
    pub fn truth(&self) -> &[usize] {
        &self.truth
    }

    /// The class names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of nodes, at least one.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.names.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labelled_nodes_and_nodes_without_truth_are_left_out() {
        let names = ["a", "b"].map(String::from).to_vec();
        let truth = Labels::new(vec![Some(0), Some(1), None, Some(1)], names).unwrap();
        let given = truth.keep(&[1]).unwrap();
        let held_out = HeldOut::new(&truth, &given).unwrap();
        assert_eq!(held_out.nodes(), [0, 3]);
        assert_eq!(held_out.truth(), [0, 1]);
        assert_eq!(held_out.len(), 2);
    }
}

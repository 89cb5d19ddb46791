//! What was seen at some nodes.

use crate::GpError;
use gaussfield_core::{NoSuchNode, SizeMismatch};
use gaussfield_labels::Labels;
use ndarray::{Array1, ArrayView1};
use std::collections::HashSet;

/// What was seen: a target t at each of some nodes, in any order.
///
/// Labels of two classes are made into targets by a fit itself: class 0 is −1 and class 1 is +1.
/// Targets of one's own are for regression.
///
/// Invariant: at least one node, no node twice, finite targets. All targets may be of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    nodes: Vec<usize>,
    targets: Array1<f64>,
    /// Of −1 and of +1.
    names: [String; 2],
    /// For how many nodes there were labels or `None`.
    of: Option<usize>,
}

impl Observed {
    /// One target for each node.
    ///
    /// # Errors
    /// No node, a node named twice, another number of targets, a target that is not finite.
    pub fn new(nodes: &[usize], targets: &[f64]) -> Result<Self, GpError> {
        SizeMismatch::check("targets of observed nodes", nodes.len(), targets.len())?;
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
        let targets = Array1::from(targets.to_vec());
        let names = ["−1", "+1"].map(String::from);
        Ok(Self { nodes: nodes.to_vec(), targets, names, of: None })
    }

    /// One class against the rest: +1 for `positive`, −1 for every other class.
    ///
    /// # Errors
    /// No labelled node, a class that the labels do not have.
    pub fn one_against_rest(labels: &Labels, positive: usize) -> Result<Self, GpError> {
        let classes = labels.classes();
        let Some(name) = labels.names().get(positive) else {
            return Err(GpError::NoSuchClass { class: positive, classes });
        };
        let names = [format!("not {name}"), name.clone()];
        Self::of_labels(labels, positive, names)
    }

    fn of_labels(labels: &Labels, positive: usize, names: [String; 2]) -> Result<Self, GpError> {
        let nodes = labels.labelled();
        let sign = |&node: &usize| if labels.get(node) == Some(positive) { 1.0 } else { -1.0 };
        let targets: Vec<f64> = nodes.iter().map(sign).collect();
        Ok(Self { names, of: Some(labels.len()), ..Self::new(&nodes, &targets)? })
    }

    /// Whether this can be seen on so many nodes.
    pub(crate) fn check(&self, nodes: usize) -> Result<(), GpError> {
        if let Some(of) = self.of {
            SizeMismatch::check("labels, one for each node or none", nodes, of)?;
        }
        Ok(NoSuchNode::check(&self.nodes, nodes)?)
    }

    /// The nodes, in the order given.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// Their targets.
    pub fn targets(&self) -> ArrayView1<'_, f64> {
        self.targets.view()
    }

    /// The names of what −1 and +1 stand for.
    pub fn class_names(&self) -> &[String] {
        &self.names
    }

    /// How many there are, l. Never zero.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// Labels of two classes: class 0 is −1, class 1 is +1.
impl TryFrom<&Labels> for Observed {
    type Error = GpError;

    fn try_from(labels: &Labels) -> Result<Self, GpError> {
        let [negative, positive] = labels.names() else {
            return Err(GpError::NotTwoClasses { classes: labels.classes() });
        };
        Self::of_labels(labels, 1, [negative.clone(), positive.clone()])
    }
}

impl From<&Self> for Observed {
    fn from(observed: &Self) -> Self {
        observed.clone()
    }
}

//! Classes of some nodes, with their names.

use crate::LabelsError;
use gaussfield_core::{Budget, NoSuchNode, OutOfRange, OverBudget};
use ndarray::Array2;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Per node a class or none, with the names of the classes.
///
/// Invariant: every class number is below the number of class names, and the names differ.
/// Unlabelled is `None`, never a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Labels {
    classes: Vec<Option<usize>>,
    names: Vec<String>,
}

#[derive(Deserialize)]
struct Unchecked {
    classes: Vec<Option<usize>>,
    names: Vec<String>,
}

impl TryFrom<Unchecked> for Labels {
    type Error = LabelsError;
    fn try_from(from: Unchecked) -> Result<Self, LabelsError> {
        Self::new(from.classes, from.names)
    }
}

impl Labels {
    /// Labels from class numbers and the names they stand for.
    ///
    /// # Errors
    /// A class number without a name, or a name given twice.
    pub fn new(classes: Vec<Option<usize>>, names: Vec<String>) -> Result<Self, LabelsError> {
        for (node, class) in classes.iter().enumerate() {
            if let Some(class) = *class
                && class >= names.len()
            {
                return Err(LabelsError::NoSuchClass { node, class, classes: names.len() });
            }
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(LabelsError::DuplicateClass { name: pair[0].clone() });
        }
        Ok(Self { classes, names })
    }

    /// Labels from text; the classes are the distinct names in order of first appearance.
    pub fn from_names<S: AsRef<str>>(labels: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut seen = std::collections::HashMap::new();
        let classes = labels
            .into_iter()
            .map(|label| {
                label.map(|label| {
                    *seen.entry(label.as_ref().to_owned()).or_insert_with(|| {
                        names.push(label.as_ref().to_owned());
                        names.len() - 1
                    })
                })
            })
            .collect();
        Self { classes, names }
    }

    /// Every node labelled, with classes named "0", "1", ….
    ///
    /// # Errors
    /// A class number of `classes` or more.
    pub fn numbered(all: &[usize], classes: usize) -> Result<Self, LabelsError> {
        let names = (0..classes).map(|c| c.to_string()).collect();
        Self::new(all.iter().map(|&c| Some(c)).collect(), names)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Number of classes, C.
    pub fn classes(&self) -> usize {
        self.names.len()
    }

    /// The class names, by class number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of a node, if it is labelled.
    ///
    /// # Panics
    /// If the node is past the end.
    pub fn get(&self, node: usize) -> Option<usize> {
        self.classes[node]
    }

    /// The class of every node.
    pub fn as_slice(&self) -> &[Option<usize>] {
        &self.classes
    }

    /// The labelled nodes, in increasing order: the boundary.
    pub fn labelled(&self) -> Vec<usize> {
        (0..self.len()).filter(|&i| self.classes[i].is_some()).collect()
    }

    /// The unlabelled nodes, in increasing order: the interior.
    pub fn unlabelled(&self) -> Vec<usize> {
        (0..self.len()).filter(|&i| self.classes[i].is_none()).collect()
    }

    /// Draws `count` unlabelled nodes without replacement, in increasing order.
    ///
    /// # Errors
    /// More than there are.
    pub fn draw_unlabelled(&self, count: usize, seed: u64) -> Result<Vec<usize>, LabelsError> {
        let mut nodes = self.unlabelled();
        if count > nodes.len() {
            let (name, value) = ("the number of unlabelled nodes to draw".into(), count as f64);
            let allowed = format!("at most {}", nodes.len()).into();
            return Err(OutOfRange { name, value, allowed }.into());
        }
        nodes.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        nodes.truncate(count);
        nodes.sort_unstable();
        Ok(nodes)
    }

    /// How many labelled nodes each class has.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes()];
        for class in self.classes.iter().flatten() {
            counts[*class] += 1;
        }
        counts
    }

    /// The same classes with only the given nodes keeping their label: one draw of a split.
    ///
    /// # Errors
    /// [`LabelsError::NoSuchNode`] for a node past the end.
    pub fn keep(&self, nodes: &[usize]) -> Result<Self, LabelsError> {
        NoSuchNode::check(nodes, self.len())?;
        let mut classes = vec![None; self.len()];
        for &node in nodes {
            classes[node] = self.classes[node];
        }
        Ok(Self { classes, names: self.names.clone() })
    }

    /// The labels of the given nodes, in the given order.
    ///
    /// # Errors
    /// [`LabelsError::NoSuchNode`] for a node past the end.
    pub fn select(&self, nodes: &[usize]) -> Result<Self, LabelsError> {
        NoSuchNode::check(nodes, self.len())?;
        let classes = nodes.iter().map(|&node| self.classes[node]).collect();
        Ok(Self { classes, names: self.names.clone() })
    }

    /// The same labels with one more, one fewer or another class at one node.
    ///
    /// # Errors
    /// [`LabelsError::NoSuchNode`] or [`LabelsError::NoSuchClass`].
    pub fn with(&self, node: usize, class: Option<usize>) -> Result<Self, LabelsError> {
        NoSuchNode::check(&[node], self.len())?;
        if let Some(class) = class.filter(|&class| class >= self.classes()) {
            return Err(LabelsError::NoSuchClass { node, class, classes: self.classes() });
        }
        let mut changed = self.clone();
        changed.classes[node] = class;
        Ok(changed)
    }

    /// Takes the memory of the scores of all nodes and classes off a budget: of what a method begins
    /// with, of what it finds, and of the answer. A column of numbers taken for classes has as many
    /// classes as labels, and n² scores.
    ///
    /// # Errors
    /// There is less left.
    pub fn take_scores(&self, budget: Budget) -> Result<Budget, OverBudget> {
        budget.matrix("the scores of all classes", self.len(), self.classes().saturating_mul(3))
    }

    /// n × C: a one at the class of each labelled node, zeros everywhere else.
    pub fn one_hot(&self) -> Array2<f64> {
        let mut values = Array2::zeros((self.len(), self.classes()));
        for (node, class) in self.classes.iter().enumerate() {
            if let Some(class) = *class {
                values[[node, class]] = 1.0;
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters() -> Labels {
        Labels::from_names([Some("b"), None, Some("a"), Some("b"), None])
    }

    #[test]
    fn names_are_numbered_by_first_appearance() {
        let labels = letters();
        assert_eq!(labels.names(), ["b", "a"]);
        assert_eq!(labels.as_slice(), [Some(0), None, Some(1), Some(0), None]);
        assert_eq!((labels.len(), labels.classes(), labels.is_empty()), (5, 2, false));
    }

    #[test]
    fn boundary_and_interior_share_the_nodes() {
        let labels = letters();
        assert_eq!(labels.labelled(), [0, 2, 3]);
        assert_eq!(labels.unlabelled(), [1, 4]);
        assert_eq!(labels.counts(), [2, 1]);
    }

    #[test]
    fn keep_hides_and_select_reorders() {
        let labels = letters();
        let kept = labels.keep(&[3, 1]).unwrap();
        assert_eq!(kept.as_slice(), [None, None, None, Some(0), None]);
        assert_eq!(kept.names(), labels.names());
        let selected = labels.select(&[2, 4, 0]).unwrap();
        assert_eq!(selected.as_slice(), [Some(1), None, Some(0)]);
    }

    #[test]
    fn json_round_trip_checks_again() {
        let labels = letters();
        let text = serde_json::to_string(&labels).unwrap();
        assert_eq!(serde_json::from_str::<Labels>(&text).unwrap(), labels);
        let bad = r#"{"classes":[0,null,2],"names":["x","y"]}"#;
        let error = serde_json::from_str::<Labels>(bad).unwrap_err().to_string();
        assert!(error.contains("node 2 has class 2"), "{error}");
    }
}

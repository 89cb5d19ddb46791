//! Labels that are not certain: shares, "one of these", "none of those".

use crate::{ClassPrior, Labels, LabelsError, Scores};
use gaussfield_core::{NoSuchNode, SizeMismatch};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is known about some nodes: a distribution over the classes for each.
///
/// Certain labels are distributions with all weight on one class. "One of these" and "none of
/// those" leave the weight to what a prior says of the classes that remain.
///
/// ```
/// use gaussfield_labels::{ClassPrior, Labels, SoftLabels};
///
/// let labels = Labels::from_names([Some("cat"), None, None, Some("dog"), Some("owl")]);
/// let even = ClassPrior::uniform(3)?;
/// let known = SoftLabels::from(&labels)
///     .none_of(1, &[2], &even)?            // no owl
///     .shares(2, &[0.7, 0.2, 0.1])?;
/// assert_eq!(known.row(1), Some(&[0.5, 0.5, 0.0][..]));
/// assert_eq!(known.nodes(), [0, 1, 2, 3, 4]);
/// # Ok::<(), gaussfield_labels::LabelsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct SoftLabels {
    len: usize,
    names: Vec<String>,
    rows: BTreeMap<usize, Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    len: usize,
    names: Vec<String>,
    rows: BTreeMap<usize, Vec<f64>>,
}

impl TryFrom<Unchecked> for SoftLabels {
    type Error = LabelsError;
    fn try_from(from: Unchecked) -> Result<Self, LabelsError> {
        // A list of nodes of any length in a file is no reason to take memory for it.
        let none = Labels::new(Vec::new(), from.names)?;
        let mut soft = Self { len: from.len, names: none.names().to_vec(), rows: BTreeMap::new() };
        for (node, row) in from.rows {
            soft = soft.shares(node, &row)?;
        }
        Ok(soft)
    }
}

impl From<&Labels> for SoftLabels {
    /// All of them certain.
    fn from(labels: &Labels) -> Self {
        let one_hot = |class: usize| {
            let mut row = vec![0.0; labels.classes()];
            row[class] = 1.0;
            row
        };
        let rows = labels.as_slice().iter().enumerate();
        let rows = rows.filter_map(|(node, class)| Some((node, one_hot((*class)?)))).collect();
        Self { len: labels.len(), names: labels.names().to_vec(), rows }
    }
}

impl SoftLabels {
    /// Says how probable each class is at a node, in place of what was said before.
    ///
    /// # Errors
    /// A node past the end, another number of classes, shares that are no distribution.
    pub fn shares(mut self, node: usize, shares: &[f64]) -> Result<Self, LabelsError> {
        NoSuchNode::check(&[node], self.len)?;
        SizeMismatch::check("classes of a soft label", self.classes(), shares.len())?;
        let row = Array2::from_shape_fn((1, shares.len()), |(_, class)| shares[class]);
        let at_node = |error| match error {
            LabelsError::BadScore { class, value, .. } => {
                LabelsError::BadScore { node, class, value }
            }
            LabelsError::RowSum { sum, .. } => LabelsError::RowSum { node, sum },
            other => other,
        };
        let row = Scores::new(row).map_err(at_node)?.into_values();
        self.rows.insert(node, row.row(0).to_vec());
        Ok(self)
    }

    /// Says that a node is of one of these classes, which share the weight as the prior has them.
    ///
    /// # Errors
    /// A node or class past the end, no class, a prior of another number of classes.
    pub fn one_of(
        self,
        node: usize,
        classes: &[usize],
        prior: &ClassPrior,
    ) -> Result<Self, LabelsError> {
        prior.check_classes(self.classes())?;
        self.check_listed(node, classes)?;
        let listed =
            |class: usize| if classes.contains(&class) { prior.as_slice()[class] } else { 0.0 };
        let sum: f64 = (0..self.classes()).map(listed).sum();
        if classes.is_empty() {
            return Err(LabelsError::NoClassLeft { node });
        }
        let row: Vec<f64> = (0..self.classes()).map(|class| listed(class) / sum).collect();
        self.shares(node, &row)
    }

    /// Says that a node is of none of these classes.
    ///
    /// # Errors
    /// As [`SoftLabels::one_of`]; all classes.
    pub fn none_of(
        self,
        node: usize,
        classes: &[usize],
        prior: &ClassPrior,
    ) -> Result<Self, LabelsError> {
        self.check_listed(node, classes)?;
        let left: Vec<usize> = (0..self.classes()).filter(|c| !classes.contains(c)).collect();
        self.one_of(node, &left, prior)
    }

    fn check_listed(&self, node: usize, classes: &[usize]) -> Result<(), LabelsError> {
        NoSuchNode::check(&[node], self.len)?;
        match classes.iter().find(|&&class| class >= self.classes()) {
            Some(&class) => Err(LabelsError::NoSuchClass { node, class, classes: self.classes() }),
            None => Ok(()),
        }
    }

    /// Number of nodes, of which something is known or not.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of classes, C.
    pub fn classes(&self) -> usize {
        self.names.len()
    }

    /// The class names, by class number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The nodes of which something is known, in increasing order: the boundary.
    pub fn nodes(&self) -> Vec<usize> {
        self.rows.keys().copied().collect()
    }

    /// What is known about a node.
    pub fn row(&self, node: usize) -> Option<&[f64]> {
        self.rows.get(&node).map(Vec::as_slice)
    }

    /// What is known, a row for each of [`SoftLabels::nodes`].
    pub fn values(&self) -> Array2<f64> {
        let mut values = Array2::zeros((self.rows.len(), self.classes()));
        for (mut to, row) in values.outer_iter_mut().zip(self.rows.values()) {
            to.iter_mut().zip(row).for_each(|(to, share)| *to = *share);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters() -> SoftLabels {
        SoftLabels::from(&Labels::from_names([Some("a"), None, Some("b"), None, Some("c")]))
    }

    #[test]
    fn what_is_left_is_shared_as_the_prior_has_it() {
        let prior = ClassPrior::given(vec![0.6, 0.3, 0.1]).unwrap();
        let known = letters().one_of(1, &[0, 1], &prior).unwrap();
        let row = known.row(1).unwrap();
        assert!((row[0] - 2.0 / 3.0).abs() < 1e-15 && row[2] == 0.0);
        let same = letters().none_of(1, &[2], &prior).unwrap();
        assert_eq!(same, known);
        assert_eq!(known.nodes(), [0, 1, 2, 4]);
        assert_eq!(known.values().dim(), (4, 3));
        assert_eq!(known.row(3), None);
    }

    #[test]
    fn a_file_is_checked() {
        let known = letters().shares(3, &[0.2, 0.3, 0.5]).unwrap();
        let text = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<SoftLabels>(&text).unwrap(), known);
        for (from, to, words) in [
            ("0.5", "0.9", "node 3"),
            ("\"len\":5", "\"len\":4", "node 4"),
            ("\"b\"", "\"a\"", "twice"),
        ] {
            let error = serde_json::from_str::<SoftLabels>(&text.replace(from, to)).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let even = ClassPrior::uniform(3).unwrap();
        for (result, words) in [
            (letters().shares(9, &[1.0, 0.0, 0.0]), "node 9"),
            (letters().shares(1, &[1.0]), "1 given where 3"),
            (letters().shares(1, &[0.5, 0.4, 0.0]), "node 1 sum to 0.9"),
            (letters().one_of(1, &[3], &even), "class 3"),
            (letters().one_of(1, &[], &even), "no class is left"),
            (letters().none_of(1, &[0, 1, 2], &even), "no class is left"),
            (letters().one_of(1, &[0], &ClassPrior::uniform(2).unwrap()), "2 given where 3"),
        ] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}

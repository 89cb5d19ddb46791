//! Repeated draws of labels to be held out, made for few labels.

use crate::{Labels, LabelsError};
use gaussfield_core::check;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Some labels of each class are held out, several times over. Every class keeps at least one.
///
/// ```
/// use gaussfield_labels::{HoldOut, Labels, LabelsError};
///
/// let labels = Labels::numbered(&[0, 0, 0, 0, 1, 1, 2], 3)?;
/// for held_out in HoldOut::default().draw(&labels)? {
///     // Half of each class, rounded down; the only label of class 2 stays.
///     assert_eq!(held_out.len(), 3);
///     assert!(!held_out.contains(&6));
/// }
/// # Ok::<(), LabelsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HoldOut {
    /// How often, at least 1. Default 10.
    pub repeats: usize,
    /// The share of the labels of each class that is held out, above 0 and below 1. Default ½.
    pub share: f64,
    /// Seed of the draws. Default 0.
    pub seed: u64,
}

impl Default for HoldOut {
    fn default() -> Self {
        Self { repeats: 10, share: 0.5, seed: 0 }
    }
}

impl HoldOut {
    /// The nodes held out in each repeat, in increasing order.
    ///
    /// # Errors
    /// No repeat, a share out of range, or so few labels that none can be spared.
    pub fn draw(&self, labels: &Labels) -> Result<Vec<Vec<usize>>, LabelsError> {
        check::at_least("the number of repeats", self.repeats, 1)?;
        check::fraction("the share of labels held out", self.share)?;
        let mut of_class = vec![Vec::new(); labels.classes()];
        for node in labels.labelled() {
            labels.get(node).into_iter().for_each(|class| of_class[class].push(node));
        }
        let spared = |count: usize| ((count as f64 * self.share) as usize).min(count.max(1) - 1);
        if of_class.iter().all(|nodes| spared(nodes.len()) == 0) {
            return Err(LabelsError::NothingToHoldOut { labelled: labels.labelled().len() });
        }
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut draw = || {
            let mut held_out = Vec::new();
            for nodes in &mut of_class {
                nodes.shuffle(&mut random);
                held_out.extend(nodes.iter().take(spared(nodes.len())));
            }
            held_out.sort_unstable();
            held_out
        };
        Ok((0..self.repeats).map(|_| draw()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_differ_and_depend_on_the_seed_alone() {
        let labels = Labels::numbered(&[0; 20].map(|_| 0), 1).unwrap();
        let draws = HoldOut::default().draw(&labels).unwrap();
        assert_eq!(draws, HoldOut::default().draw(&labels).unwrap());
        assert_ne!(draws, HoldOut { seed: 1, ..HoldOut::default() }.draw(&labels).unwrap());
        assert!(draws.iter().all(|draw| draw.len() == 10) && draws[0] != draws[1]);
    }

    #[test]
    fn single_labels_cannot_be_spared() {
        let labels = Labels::numbered(&[0, 1, 2], 3).unwrap();
        let error = HoldOut::default().draw(&labels).unwrap_err().to_string();
        assert!(error.contains("3 labels") && error.contains("leave-one-out"), "{error}");
        let wrong = HoldOut { share: 1.0, ..HoldOut::default() };
        assert!(wrong.draw(&labels).is_err());
        assert!(HoldOut { repeats: 0, ..HoldOut::default() }.draw(&labels).is_err());
    }
}

//! Thresholds chosen by rank.

use crate::LabelsError;
use gaussfield_core::check;
use ndarray::ArrayView1;

/// A threshold chosen so that a given share of the values is positive.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedThreshold {
    /// Half-way between the last positive and the first negative value; −∞ if all are positive,
    /// +∞ if none is.
    pub threshold: f64,
    /// Whether each value is among the positive ones. Where values tie at the threshold, this
    /// list decides, and the lower node comes first.
    pub positives: Vec<bool>,
}

impl TunedThreshold {
    /// How many values are positive.
    pub fn count(&self) -> usize {
        self.positives.iter().filter(|&&positive| positive).count()
    }
}

/// Known class proportions for two classes: the ⌊q·u + ½⌋ largest of the u values are positive;
/// ties go to the lower node.
///
/// The values may be probabilities or a Gaussian process's latent means: only their order counts.
/// CMU-CS-03-175, section 4 ("tuned"), leaves the rounding open; half a node is rounded up here.
/// O(u log u).
///
/// # Errors
/// A proportion outside [0, 1] or a value that is not finite.
pub fn tuned_threshold(
    values: ArrayView1<'_, f64>,
    proportion: f64,
) -> Result<TunedThreshold, LabelsError> {
    let count = positive_count(proportion, values.len())?;
    check_finite(values)?;
    let mut order: Vec<usize> = (0..values.len()).collect();
    // A stable sort leaves ties in increasing order of nodes.
    order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    let threshold = match (count.checked_sub(1).map(|last| order[last]), order.get(count)) {
        (Some(last), Some(&first)) => f64::midpoint(values[last], values[first]),
        (Some(_), None) => f64::NEG_INFINITY,
        (None, _) => f64::INFINITY,
    };
    let mut positives = vec![false; values.len()];
    for &i in &order[..count] {
        positives[i] = true;
    }
    Ok(TunedThreshold { threshold, positives })
}

/// ⌊q·u + ½⌋, the number of positives among u nodes.
pub(crate) fn positive_count(proportion: f64, nodes: usize) -> Result<usize, LabelsError> {
    let inside = (0.0..=1.0).contains(&proportion);
    check::range("the proportion of positives", proportion, inside, "between 0 and 1")?;
    Ok(((proportion * nodes as f64 + 0.5).floor() as usize).min(nodes))
}

/// The middle value, or half-way between the two middle ones; `None` without values. O(n log n).
///
/// # Errors
/// A value that is not finite.
pub fn median(values: ArrayView1<'_, f64>) -> Result<Option<f64>, LabelsError> {
    check_finite(values)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    Ok(match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[half]),
        _ => Some(f64::midpoint(sorted[half - 1], sorted[half])),
    })
}

/// Which values lie above their median: the decision of Zhu and Lafferty 2005, section 4.1, for two
/// classes of about equal size. A value equal to the median is not above it.
///
/// # Errors
/// A value that is not finite.
pub fn above_median(values: ArrayView1<'_, f64>) -> Result<Vec<bool>, LabelsError> {
    Ok(match median(values)? {
        Some(median) => values.iter().map(|&value| value > median).collect(),
        None => Vec::new(),
    })
}

fn check_finite(values: ArrayView1<'_, f64>) -> Result<(), LabelsError> {
    match values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((node, &value)) => Err(LabelsError::BadValue { node, value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    #[test]
    fn threshold_is_the_midpoint() {
        let tuned = tuned_threshold(array![-3.0, -1.0, -2.0, -5.0].view(), 0.5).unwrap();
        assert_eq!(tuned.positives, [false, true, true, false]);
        assert!((tuned.threshold + 2.5).abs() < 1e-15);
        assert_eq!(tuned.count(), 2);
    }

    #[test]
    fn halves_round_up_and_ties_go_to_the_lower_node() {
        let values = array![0.3, 0.3, 0.3];
        let tuned = tuned_threshold(values.view(), 0.5).unwrap();
        assert_eq!(tuned.positives, [true, true, false]);
        assert!((tuned.threshold - 0.3).abs() < 1e-15);
    }

    #[test]
    fn all_or_none_positive_has_an_infinite_threshold() {
        let values = array![0.1, 0.2];
        for (proportion, threshold) in [(0.0, f64::INFINITY), (1.0, f64::NEG_INFINITY)] {
            let tuned = tuned_threshold(values.view(), proportion).unwrap();
            assert_eq!(tuned.threshold.total_cmp(&threshold), std::cmp::Ordering::Equal);
            assert!(values.iter().zip(&tuned.positives).all(|(&v, &p)| (v > threshold) == p));
        }
        assert!(tuned_threshold(Array1::zeros(0).view(), 1.0).unwrap().positives.is_empty());
    }

    #[test]
    fn median_of_odd_even_and_none() {
        assert_eq!(median(array![3.0, 1.0, 2.0].view()).unwrap(), Some(2.0));
        assert_eq!(median(array![4.0, 1.0, 2.0, 3.0].view()).unwrap(), Some(2.5));
        assert_eq!(median(Array1::zeros(0).view()).unwrap(), None);
        assert_eq!(above_median(array![3.0, 1.0, 2.0].view()).unwrap(), [true, false, false]);
        assert!(above_median(Array1::zeros(0).view()).unwrap().is_empty());
    }
}

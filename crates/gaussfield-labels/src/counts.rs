//! Class multipliers that give every class its share of the nodes.

use crate::proportions::{Assignment, class_counts};
use crate::{ClassPrior, LabelsError, Scores};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// What balancing by counts gives.
#[derive(Debug, Clone, PartialEq)]
pub struct CountBalanced {
    /// The scores with every class multiplied by its number, each row divided by its sum. The
    /// largest entry of a row is the class decided for.
    pub scores: Scores,
    /// The natural logarithm of each class's multiplier.
    pub log_multipliers: Vec<f64>,
}

/// Units of a logarithm: 2⁻⁴⁰, so that ln of the smallest number fits 50 bits.
const UNITS: f64 = (1_i64 << 40) as f64;

/// By how much, as a logarithm, the class decided for stands out where multipliers leave a tie.
const NUDGE: f64 = 1e-9;

/// Multiplies the classes so that each wins exactly the nodes that [`class_counts`] says.
///
/// Among all assignments with these counts, one of largest Σ_i ln F_{i,c(i)}, which is what numbers
/// that multiply whole classes can decide: c(i) is a largest entry of F_{ic}·m_c. Whatever constant
/// a class is multiplied with beforehand changes nothing. Where class mass normalisation scales
/// masses, which a few sure nodes may hold, this counts nodes; and it trusts the prior fully.
///
/// The given scores are those of the *unlabelled* nodes. Scores of zero count as the smallest
/// positive number, so that the counts are met even then. Starts from class masses; time as
/// [`Decision::Proportions`](crate::Decision::Proportions), where s is now what masses leave to do.
///
/// ```
/// use gaussfield_labels::{ClassPrior, Scores, balance_counts};
/// use ndarray::array;
///
/// // Ranked well, but all of them close to class 1.
/// let scores = Scores::binary(array![0.70, 0.95, 0.80, 0.99].view())?;
/// let balanced = balance_counts(&scores, &ClassPrior::given(vec![0.75, 0.25])?)?;
/// assert_eq!(balanced.scores.argmax(), [0, 0, 0, 1]);
/// # Ok::<(), gaussfield_labels::LabelsError>(())
/// ```
///
/// # Errors
/// A prior of another number of classes.
pub fn balance_counts(scores: &Scores, prior: &ClassPrior) -> Result<CountBalanced, LabelsError> {
    prior.check_classes(scores.classes())?;
    let counts = class_counts(prior, scores.nodes());
    let logs = scores.values().mapv(|p| p.max(f64::MIN_POSITIVE).ln());
    let units = logs.mapv(|log| (log * UNITS).round() as i64);
    let start = mass_multipliers(scores.values(), prior.as_slice());
    let mut assignment = Assignment::new(units, &start);
    assignment.meet(&counts);
    let log_multipliers: Vec<f64> =
        assignment.prices().into_iter().map(|price| price as f64 / UNITS).collect();
    let scores = balanced_scores(logs, &log_multipliers, assignment.classes())?;
    Ok(CountBalanced { scores, log_multipliers })
}

/// ln(q_c / mass_c), in units: the multipliers of class mass normalisation.
fn mass_multipliers(values: ArrayView2<'_, f64>, prior: &[f64]) -> Vec<i64> {
    let masses = values.sum_axis(Axis(0));
    prior
        .iter()
        .zip(&masses)
        .map(|(q, mass)| ((q.ln() - mass.max(f64::MIN_POSITIVE).ln()) * UNITS).round() as i64)
        .collect()
}

/// e^(ln F + ln m) over its row's sum.
fn balanced_scores(
    mut logs: Array2<f64>,
    log_multipliers: &[f64],
    classes: &[usize],
) -> Result<Scores, LabelsError> {
    let multipliers = ArrayView1::from(log_multipliers);
    for (mut row, &class) in logs.outer_iter_mut().zip(classes) {
        row += &multipliers;
        let largest = row.fold(f64::NEG_INFINITY, |most: f64, &x| most.max(x));
        // Multipliers keep the decided class within rounding of the largest entry.
        row[class] = row[class].max(largest) + NUDGE;
        row.mapv_inplace(|x| (x - largest).exp());
    }
    Scores::normalised(logs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn ties_and_zeros_still_meet_the_counts() {
        let same = Scores::new(Array2::from_elem((6, 3), 1.0 / 3.0)).unwrap();
        let uneven = ClassPrior::given(vec![0.5, 1.0 / 3.0, 1.0 / 6.0]).unwrap();
        let zeros = Scores::one_hot(&[0; 6], 3).unwrap();
        for scores in [same, zeros] {
            let decided = balance_counts(&scores, &uneven).unwrap().scores.argmax();
            let count = |class| decided.iter().filter(|&&c| c == class).count();
            assert_eq!([count(0), count(1), count(2)], [3, 2, 1]);
        }
    }

    #[test]
    fn a_class_that_gets_no_node_is_no_trouble() {
        let scores = Scores::new(array![[0.2, 0.8], [0.6, 0.4]]).unwrap();
        let prior = ClassPrior::given(vec![0.9, 0.1]).unwrap();
        assert_eq!(balance_counts(&scores, &prior).unwrap().scores.argmax(), [0, 0]);
    }

    proptest! {
        /// The counts are met, multipliers alone put each node where it is, and what a column was
        /// multiplied with cancels.
        #[test]
        fn multipliers_explain_the_counts(
            entries in prop::collection::vec(1e-9_f64..1.0, 20 * 4),
            shares in prop::collection::vec(0.02_f64..1.0, 4),
            scales in prop::collection::vec(1e-6_f64..1.0, 4),
        ) {
            let values = Array2::from_shape_vec((20, 4), entries).unwrap();
            let sum: f64 = shares.iter().sum();
            let prior = ClassPrior::given(shares.iter().map(|s| s / sum).collect()).unwrap();
            let scores = Scores::normalised(values.clone()).unwrap();
            let balanced = balance_counts(&scores, &prior).unwrap();
            let decided = balanced.scores.argmax();
            for (class, &want) in class_counts(&prior, 20).iter().enumerate() {
                prop_assert_eq!(decided.iter().filter(|&&c| c == class).count(), want);
            }
            for (row, &class) in scores.values().outer_iter().zip(&decided) {
                let by = |c: usize| row[c].ln() + balanced.log_multipliers[c];
                prop_assert!((0..4).all(|c| by(c) <= by(class) + 1e-9));
            }
            // Nodes that tie may change places, but never to the worse.
            let scaled = Scores::normalised(&values * &ArrayView1::from(&scales)).unwrap();
            let again = balance_counts(&scaled, &prior).unwrap().scores.argmax();
            let total = |decided: &[usize]| -> f64 {
                decided.iter().enumerate().map(|(i, &c)| scores.values()[[i, c]].ln()).sum()
            };
            prop_assert!((total(&decided) - total(&again)).abs() < 1e-9);
        }
    }
}

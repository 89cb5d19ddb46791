//! Class mass normalisation.

use crate::scores::normalise_row;
use crate::{ClassPrior, LabelsError, Scores};
use ndarray::{Array2, ArrayView2, Axis};

/// What class mass normalisation gives.
#[derive(Debug, Clone, PartialEq)]
pub struct MassNormalised {
    /// The rescaled probabilities.
    pub scores: Scores,
    /// Classes without any mass in the given scores. They get no share, whatever their prior;
    /// a method should tell its user, for then the prior could not be met.
    pub zero_mass: Vec<usize>,
}

/// Class mass normalisation, binary and multi-class.
///
/// Each class is scaled so that its mass over the given nodes is its prior, then each row is
/// divided by its sum:
///
/// ```math
/// \tilde F_{ic} \propto q_c\, F_{ic} \Big/ \sum_i F_{ic}
/// ```
///
/// For two classes the larger entry of a row is class 1 exactly if [zhu2003 (9)] says so.
/// The given scores are those of the *unlabelled* nodes. O(nC).
///
/// A class of zero mass would be 0/0. It gets no share and is named in
/// [`MassNormalised::zero_mass`]. A row in which nothing is left (a prior so small that the share
/// underflows) keeps its scores as they were.
///
/// # Errors
/// A prior of another number of classes.
pub fn class_mass_normalise(
    scores: &Scores,
    prior: &ClassPrior,
) -> Result<MassNormalised, LabelsError> {
    prior.check_classes(scores.classes())?;
    let (values, zero_mass) = scale_to_masses(scores.values(), prior.as_slice());
    Ok(MassNormalised { scores: Scores::trusted(values), zero_mass })
}

/// The same for any non-negative columns. Dividing by the mass first keeps every number in
/// [0, 1]: q_c / mass alone could overflow.
fn scale_to_masses(values: ArrayView2<'_, f64>, prior: &[f64]) -> (Array2<f64>, Vec<usize>) {
    let masses = values.sum_axis(Axis(0));
    let zero_mass = (0..masses.len()).filter(|&c| masses[c] <= 0.0).collect();
    let mut scaled = Array2::zeros(values.raw_dim());
    for (from, mut to) in values.outer_iter().zip(scaled.outer_iter_mut()) {
        for c in 0..from.len() {
            if masses[c] > 0.0 {
                // [zhu2003 (9)]
                to[c] = prior[c] * (from[c] / masses[c]);
            }
        }
        if !normalise_row(to.view_mut()) {
            to.assign(&from);
        }
    }
    (scaled, zero_mass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn a_class_without_mass_gets_no_share_and_is_reported() {
        // One label on a connected graph: f = 1 everywhere, class 0 has no mass.
        let scores = Scores::binary(array![1.0, 1.0, 1.0].view()).unwrap();
        let prior = ClassPrior::given(vec![1.0 / 3.0, 2.0 / 3.0]).unwrap();
        let result = class_mass_normalise(&scores, &prior).unwrap();
        assert_eq!(result.scores, scores);
        assert_eq!(result.zero_mass, [0]);
    }

    #[test]
    fn a_row_whose_share_underflows_keeps_its_scores() {
        let scores = Scores::binary(array![1.0, 1.0, 1.0, 1.0].view()).unwrap();
        let prior = ClassPrior::given(vec![1.0, 5e-324]).unwrap();
        let result = class_mass_normalise(&scores, &prior).unwrap();
        assert_eq!(result.scores, scores);
    }

    #[test]
    fn no_overflow_when_a_mass_is_subnormal() {
        let scores = Scores::new(array![[1e-310, 1.0], [0.0, 1.0]]).unwrap();
        let prior = ClassPrior::uniform(2).unwrap();
        let result = class_mass_normalise(&scores, &prior).unwrap();
        // Shares of node 0: 1/2 · 1 and 1/2 · 1/2.
        assert!((result.scores.values()[[0, 0]] - 2.0 / 3.0).abs() < 1e-12);
        assert!(result.scores.values().iter().all(|p| p.is_finite()));
    }

    #[test]
    fn a_known_small_graph() {
        // A path 0 — 1 — 2 — 3 with unit weights, node 0 of class 0 and node 3 of class 1: the
        // harmonic function is 1/3 at node 1 and 2/3 at node 2. With q = 1/2 the masses are equal
        // already; with q = 3/4 node 1 has shares (1/4 · 2/3, 3/4 · 1/3).
        let scores = Scores::binary(array![1.0 / 3.0, 2.0 / 3.0].view()).unwrap();
        let even = class_mass_normalise(&scores, &ClassPrior::uniform(2).unwrap()).unwrap();
        for (got, want) in even.scores.values().iter().zip(scores.values()) {
            assert!((got - want).abs() < 1e-15);
        }
        let prior = ClassPrior::given(vec![0.25, 0.75]).unwrap();
        let more = class_mass_normalise(&scores, &prior).unwrap();
        assert!((more.scores.values()[[0, 1]] - 0.6).abs() < 1e-15);
        assert!((more.scores.values()[[1, 1]] - 6.0 / 7.0).abs() < 1e-15);
    }

    proptest! {
        /// Whatever constant a class is multiplied with cancels in F / ΣF.
        #[test]
        fn scaling_a_column_changes_nothing(
            entries in prop::collection::vec(1e-6_f64..1.0, 12),
            scales in prop::collection::vec(1e-6_f64..1e6, 3),
        ) {
            let values = Array2::from_shape_vec((4, 3), entries).unwrap();
            let scaled = &values * &ndarray::Array1::from(scales);
            let prior = [0.5, 0.3, 0.2];
            let (a, _) = scale_to_masses(values.view(), &prior);
            let (b, _) = scale_to_masses(scaled.view(), &prior);
            for (x, y) in a.iter().zip(&b) {
                prop_assert!((x - y).abs() < 1e-12);
            }
        }
    }
}

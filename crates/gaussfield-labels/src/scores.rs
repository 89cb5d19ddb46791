//! Probabilities of the classes at every node.

use crate::LabelsError;
use gaussfield_core::NoSuchNode;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// The probability of each class at each node: n × C, every row a distribution.
///
/// Invariant: at least one class; entries in [0, 1]; each row sums to one up to
/// [`Scores::TOLERANCE`]. Rows are checked, not rescaled: a column that a solver computed to full
/// relative accuracy (1 − f as small as 10⁻²⁰) stays as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Array2<f64>", into = "Array2<f64>")]
pub struct Scores {
    values: Array2<f64>,
}

impl TryFrom<Array2<f64>> for Scores {
    type Error = LabelsError;
    fn try_from(values: Array2<f64>) -> Result<Self, LabelsError> {
        Self::new(values)
    }
}

impl From<Scores> for Array2<f64> {
    fn from(scores: Scores) -> Self {
        scores.values
    }
}

impl Scores {
    /// How far a row sum may be from one, and an entry outside [0, 1], and still count as
    /// rounding or the error of an iterative solver.
    pub const TOLERANCE: f64 = 1e-6;

    /// Takes n × C probabilities. Entries that stand outside [0, 1] by no more than
    /// [`Scores::TOLERANCE`] are moved to the border. O(nC).
    ///
    /// # Errors
    /// No column, an entry that is not a probability, or a row that does not sum to one.
    pub fn new(mut values: Array2<f64>) -> Result<Self, LabelsError> {
        if values.ncols() == 0 {
            return Err(LabelsError::NoClasses);
        }
        for (node, mut row) in values.outer_iter_mut().enumerate() {
            for (class, value) in row.iter_mut().enumerate() {
                if !(-Self::TOLERANCE..=1.0 + Self::TOLERANCE).contains(value) {
                    return Err(LabelsError::BadScore { node, class, value: *value });
                }
                *value = value.clamp(0.0, 1.0);
            }
            let sum = row.sum();
            if (sum - 1.0).abs() > Self::TOLERANCE {
                return Err(LabelsError::RowSum { node, sum });
            }
        }
        Ok(Self { values })
    }

    /// Divides each row of non-negative numbers by its sum: for methods whose output ranks the
    /// classes but is no distribution, such as local and global consistency.
    ///
    /// # Errors
    /// No column, an entry that is negative or not finite, or a row of zeros.
    pub fn normalised(mut values: Array2<f64>) -> Result<Self, LabelsError> {
        if values.ncols() == 0 {
            return Err(LabelsError::NoClasses);
        }
        for (node, mut row) in values.outer_iter_mut().enumerate() {
            for (class, &value) in row.iter().enumerate() {
                if !(value.is_finite() && value >= 0.0) {
                    return Err(LabelsError::BadScore { node, class, value });
                }
            }
            if !normalise_row(row.view_mut()) {
                return Err(LabelsError::ZeroRow { node });
            }
        }
        Ok(Self { values })
    }

    /// Two classes from f, the probability of class 1. Column 0 is 1 − f, which keeps no digits
    /// of a tiny 1 − f; a solver that knows both columns should use [`Scores::new`].
    ///
    /// # Errors
    /// A value that is not a probability.
    pub fn binary(f: ArrayView1<'_, f64>) -> Result<Self, LabelsError> {
        for (node, &value) in f.iter().enumerate() {
            if !(-Self::TOLERANCE..=1.0 + Self::TOLERANCE).contains(&value) {
                return Err(LabelsError::BadScore { node, class: 1, value });
            }
        }
        let values = Array2::from_shape_fn((f.len(), 2), |(i, class)| {
            let f = f[i].clamp(0.0, 1.0);
            if class == 1 { f } else { 1.0 - f }
        });
        Ok(Self { values })
    }

    /// Certain scores: one for the class of each node, zero for the others.
    ///
    /// # Errors
    /// No class, or a class number past the last.
    pub fn one_hot(node_classes: &[usize], classes: usize) -> Result<Self, LabelsError> {
        if classes == 0 {
            return Err(LabelsError::NoClasses);
        }
        let mut values = Array2::zeros((node_classes.len(), classes));
        for (node, &class) in node_classes.iter().enumerate() {
            if class >= classes {
                return Err(LabelsError::NoSuchClass { node, class, classes });
            }
            values[[node, class]] = 1.0;
        }
        Ok(Self { values })
    }

    /// For results that hold the invariant by construction.
    pub(crate) fn trusted(values: Array2<f64>) -> Self {
        Self { values }
    }

    /// Number of nodes (rows).
    pub fn nodes(&self) -> usize {
        self.values.nrows()
    }

    /// Number of classes C (columns), at least one.
    pub fn classes(&self) -> usize {
        self.values.ncols()
    }

    /// All n × C probabilities.
    pub fn values(&self) -> ArrayView2<'_, f64> {
        self.values.view()
    }

    /// The probabilities of one class; of class 1 for the f of two classes.
    ///
    /// # Panics
    /// If the class is past the last.
    pub fn class(&self, class: usize) -> ArrayView1<'_, f64> {
        self.values.column(class)
    }

    /// The probabilities, taken out.
    pub fn into_values(self) -> Array2<f64> {
        self.values
    }

    /// The scores of the given nodes, in the given order: as a rule of the unlabelled ones.
    ///
    /// # Errors
    /// [`LabelsError::NoSuchNode`] for a node past the end.
    pub fn select(&self, nodes: &[usize]) -> Result<Self, LabelsError> {
        NoSuchNode::check(nodes, self.nodes())?;
        Ok(Self { values: self.values.select(Axis(0), nodes) })
    }

    /// The class of the largest score of each node; the lowest class wins a tie. For two classes
    /// this is "class 1 if and only if f > 1/2".
    pub fn argmax(&self) -> Vec<usize> {
        self.values.outer_iter().map(|row| row_argmax(row)).collect()
    }

    /// The largest score of each node: how sure [`Scores::argmax`] is.
    pub fn confidence(&self) -> Array1<f64> {
        self.values.map_axis(Axis(1), |row| row.fold(0.0, |best: f64, &p| best.max(p)))
    }

    /// The entropy −Σ_c F_ic ln F_ic of each node in nats, with 0 ln 0 = 0. Divide by ln 2 for bits.
    pub fn entropy(&self) -> Array1<f64> {
        self.values.map_axis(Axis(1), |row| {
            row.iter().map(|&p| if p > 0.0 { -p * p.ln() } else { 0.0 }).sum::<f64>().max(0.0)
        })
    }
}

/// Divides a row by its sum; false if the sum is zero. Scales by the largest entry first, so that
/// neither huge nor tiny entries overflow or vanish.
pub(crate) fn normalise_row(mut row: ndarray::ArrayViewMut1<'_, f64>) -> bool {
    let largest = row.fold(0.0, |best: f64, &x| best.max(x));
    if largest <= 0.0 {
        return false;
    }
    row.mapv_inplace(|x| x / largest);
    let sum = row.sum();
    row.mapv_inplace(|x| x / sum);
    true
}

/// The first of the largest entries.
fn row_argmax(row: ArrayView1<'_, f64>) -> usize {
    let mut best = 0;
    for (class, &value) in row.iter().enumerate() {
        if value > row[best] {
            best = class;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn binary_tie_goes_to_class_zero() {
        let scores = Scores::binary(array![0.5, 0.5 + f64::EPSILON, 0.2].view()).unwrap();
        assert_eq!(scores.argmax(), [0, 1, 0]);
    }

    #[test]
    fn multi_class_tie_goes_to_the_lowest_class() {
        let scores = Scores::new(array![[0.2, 0.4, 0.4], [0.25, 0.25, 0.5]]).unwrap();
        assert_eq!(scores.argmax(), [1, 2]);
    }

    #[test]
    fn rounding_is_clamped_and_tiny_entries_are_kept() {
        let scores = Scores::new(array![[-1e-9, 1.0 + 1e-9], [1e-20, 1.0]]).unwrap();
        assert_eq!(scores.values(), array![[0.0, 1.0], [1e-20, 1.0]]);
        let f = Scores::binary(array![1.0 + 1e-12].view()).unwrap();
        assert_eq!(f.values(), array![[0.0, 1.0]]);
    }

    #[test]
    fn entropy_of_certain_and_of_even_scores() {
        let scores = Scores::new(array![[1.0, 0.0], [0.5, 0.5]]).unwrap();
        let entropy = scores.entropy();
        assert!(entropy[0].abs() < 1e-15);
        assert!((entropy[1] - std::f64::consts::LN_2).abs() < 1e-15);
    }

    #[test]
    fn normalised_survives_extreme_sizes() {
        let scores = Scores::normalised(array![[1e308, 1e308], [1e-310, 3e-310], [0.0, 2.0]]);
        let values = scores.unwrap().into_values();
        assert!((values[[0, 0]] - 0.5).abs() < 1e-15);
        assert!((values[[1, 0]] - 0.25).abs() < 1e-12);
        assert!(values[[2, 0]].abs() < 1e-300);
    }

    #[test]
    fn one_hot_and_select_keep_order() {
        let scores = Scores::one_hot(&[2, 0, 1], 3).unwrap();
        assert_eq!(scores.argmax(), [2, 0, 1]);
        assert_eq!(scores.select(&[2, 0]).unwrap().argmax(), [1, 2]);
        assert_eq!(scores.confidence(), array![1.0, 1.0, 1.0]);
    }
}

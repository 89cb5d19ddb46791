//! How many nodes of each class are expected.

use crate::{Labels, LabelsError, Scores};
use gaussfield_core::SizeMismatch;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The proportions of the classes, given or estimated. (The prior *of a field*, a covariance, is
/// `Prior` in `gaussfield-gp`.)
///
/// Invariant: at least one class; every proportion is positive; they sum to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct ClassPrior {
    proportions: Vec<f64>,
}

impl TryFrom<Vec<f64>> for ClassPrior {
    type Error = LabelsError;
    fn try_from(proportions: Vec<f64>) -> Result<Self, LabelsError> {
        Self::given(proportions)
    }
}

impl From<ClassPrior> for Vec<f64> {
    fn from(prior: ClassPrior) -> Self {
        prior.proportions
    }
}

impl ClassPrior {
    /// Proportions known from elsewhere: the "oracle" of Zhu et al. 2003, section 4. For two
    /// classes, `[1 - q, q]`. They may miss the sum one by [`Scores::TOLERANCE`] and are then
    /// rescaled.
    ///
    /// # Errors
    /// No class, a proportion that is not a positive number, or a sum that is not one.
    pub fn given(proportions: Vec<f64>) -> Result<Self, LabelsError> {
        if proportions.is_empty() {
            return Err(LabelsError::NoClasses);
        }
        for (class, &value) in proportions.iter().enumerate() {
            if !(value.is_finite() && value > 0.0) {
                return Err(LabelsError::BadPrior { class, value });
            }
        }
        let sum: f64 = proportions.iter().sum();
        if (sum - 1.0).abs() > Scores::TOLERANCE {
            return Err(LabelsError::PriorSum { sum });
        }
        Ok(Self { proportions: proportions.into_iter().map(|p| p / sum).collect() })
    }

    /// Estimated from the labels with Laplace's add-one smoothing, (l_c + 1)/(l + C), as in
    /// section 7 of Zhu et al. 2003: a class without a label keeps a share, and no label at all
    /// gives the uniform prior.
    ///
    /// # Errors
    /// [`LabelsError::NoClasses`].
    pub fn add_one(labels: &Labels) -> Result<Self, LabelsError> {
        let counts = labels.counts();
        if counts.is_empty() {
            return Err(LabelsError::NoClasses);
        }
        let total = (counts.iter().sum::<usize>() + counts.len()) as f64;
        Ok(Self { proportions: counts.iter().map(|&l| (l + 1) as f64 / total).collect() })
    }

    /// Every class the same share, 1/C.
    ///
    /// # Errors
    /// [`LabelsError::NoClasses`].
    pub fn uniform(classes: usize) -> Result<Self, LabelsError> {
        if classes == 0 {
            return Err(LabelsError::NoClasses);
        }
        Ok(Self { proportions: vec![1.0 / classes as f64; classes] })
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.proportions.len()
    }

    /// The proportions, by class number.
    pub fn as_slice(&self) -> &[f64] {
        &self.proportions
    }

    /// That this prior counts as many classes as what it is used with.
    ///
    /// # Errors
    /// [`LabelsError::SizeMismatch`] if not.
    pub fn check_classes(&self, expected: usize) -> Result<(), LabelsError> {
        Ok(SizeMismatch::check("classes of the class prior", expected, self.classes())?)
    }
}

impl fmt::Display for ClassPrior {
    /// "uniform", or the shares by class number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let even = 1.0 / self.classes() as f64;
        if self.proportions.iter().all(|share| (share - even).abs() < 1e-12) {
            return f.write_str("uniform");
        }
        f.write_str("uneven,")?;
        self.proportions.iter().try_for_each(|share| write!(f, " {share:.3}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_one_smooths() {
        // Three of class 0, one of class 2, none of class 1: (3+1)/(4+3), (0+1)/7, (1+1)/7.
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let labels = Labels::new(vec![Some(0), None, Some(0), Some(2), Some(0)], names).unwrap();
        let prior = ClassPrior::add_one(&labels).unwrap();
        for (got, want) in prior.as_slice().iter().zip([4.0 / 7.0, 1.0 / 7.0, 2.0 / 7.0]) {
            assert!((got - want).abs() < 1e-15);
        }
        let none = labels.keep(&[]).unwrap();
        assert_eq!(ClassPrior::add_one(&none).unwrap(), ClassPrior::uniform(3).unwrap());
    }

    #[test]
    fn given_is_rescaled_within_the_tolerance_only() {
        let prior = ClassPrior::given(vec![0.3333333, 0.3333333, 0.3333333]).unwrap();
        assert!((prior.as_slice().iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!(matches!(ClassPrior::given(vec![0.3, 0.6]), Err(LabelsError::PriorSum { .. })));
    }
}

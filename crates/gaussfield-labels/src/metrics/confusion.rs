//! Which classes are taken for which.

use super::check_predictions;
use crate::{HeldOut, LabelsError};
use ndarray::{Array2, ArrayView2};
use serde::Serialize;
use std::fmt;

/// How often each true class was predicted as each class.
///
/// It prints as a table, a row for each true class:
///
/// ```
/// use gaussfield_labels::{HeldOut, Labels, metrics::ConfusionMatrix};
///
/// let truth = Labels::from_names([Some("cat"), Some("dog"), Some("dog")]);
/// let held_out = HeldOut::of(&truth, &[0, 1, 2])?;
/// let matrix = ConfusionMatrix::new(&held_out, &[0, 0, 1])?;
/// assert_eq!(matrix.to_string(), "\
/// true \\ predicted  cat  dog
/// cat                 1    0
/// dog                 1    1
/// ");
/// # Ok::<(), gaussfield_labels::LabelsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfusionMatrix {
    counts: Array2<usize>,
    names: Vec<String>,
}

impl ConfusionMatrix {
    /// Counts the predictions of a set. O(u + C²).
    ///
    /// # Errors
    /// Another number of predictions than nodes in the set, or a class past the last.
    pub fn new(held_out: &HeldOut, predicted: &[usize]) -> Result<Self, LabelsError> {
        check_predictions(held_out, predicted)?;
        let mut counts = Array2::zeros((held_out.classes(), held_out.classes()));
        for (&truth, &predicted) in held_out.truth().iter().zip(predicted) {
            counts[[truth, predicted]] += 1;
        }
        Ok(Self { counts, names: held_out.names().to_vec() })
    }

    /// C × C counts: entry (t, p) is how many nodes of class t were predicted as class p.
    pub fn counts(&self) -> ArrayView2<'_, usize> {
        self.counts.view()
    }

    /// The class names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The share on the diagonal.
    pub fn accuracy(&self) -> f64 {
        self.counts.diag().sum() as f64 / self.counts.sum() as f64
    }

    /// Of the nodes of each class, the share that was found; `None` for a class without nodes.
    pub fn recall(&self) -> Vec<Option<f64>> {
        self.shares(|class| self.counts.row(class).sum())
    }

    /// Of the nodes predicted as each class, the share that is right; `None` for a class never
    /// predicted.
    pub fn precision(&self) -> Vec<Option<f64>> {
        self.shares(|class| self.counts.column(class).sum())
    }

    /// F₁ = 2·right / (true + predicted) of each class; `None` for a class that neither occurs nor
    /// is predicted.
    pub fn f1(&self) -> Vec<Option<f64>> {
        let of = |class| self.counts.row(class).sum() + self.counts.column(class).sum();
        self.shares(of).into_iter().map(|share| share.map(|s| 2.0 * s)).collect()
    }

    /// The mean of [`ConfusionMatrix::f1`] over the classes that have one: every class counts the
    /// same, however few nodes it has.
    pub fn macro_f1(&self) -> f64 {
        let known: Vec<f64> = self.f1().into_iter().flatten().collect();
        known.iter().sum::<f64>() / known.len() as f64
    }

    fn shares(&self, of: impl Fn(usize) -> usize) -> Vec<Option<f64>> {
        let share = |class| match of(class) {
            0 => None,
            total => Some(self.counts[[class, class]] as f64 / total as f64),
        };
        (0..self.names.len()).map(share).collect()
    }
}

impl fmt::Display for ConfusionMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CORNER: &str = "true \\ predicted";
        let first = self.names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        let first = first.max(CORNER.len());
        let width = |class: usize| {
            let longest = self.counts.column(class).iter().max().map_or(0, |c| c.to_string().len());
            longest.max(self.names[class].chars().count())
        };
        write!(f, "{CORNER:<first$}")?;
        for (class, name) in self.names.iter().enumerate() {
            write!(f, "  {name:>width$}", width = width(class))?;
        }
        for (truth, name) in self.names.iter().enumerate() {
            write!(f, "\n{name:<first$}")?;
            for (class, count) in self.counts.row(truth).iter().enumerate() {
                write!(f, "  {count:>width$}", width = width(class))?;
            }
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Labels;

    #[test]
    fn recall_precision_and_f1_by_hand() {
        // Class 3 neither occurs nor is predicted; class 2 occurs and is never predicted.
        let truth = Labels::numbered(&[0, 0, 0, 1, 1, 2], 4).unwrap();
        let held_out = HeldOut::of(&truth, &[0, 1, 2, 3, 4, 5]).unwrap();
        let matrix = ConfusionMatrix::new(&held_out, &[0, 0, 1, 1, 1, 0]).unwrap();
        assert_eq!(matrix.recall(), [Some(2.0 / 3.0), Some(1.0), Some(0.0), None]);
        assert_eq!(matrix.precision(), [Some(2.0 / 3.0), Some(2.0 / 3.0), None, None]);
        let f1 = matrix.f1();
        assert!((f1[0].unwrap() - 2.0 / 3.0).abs() < 1e-15);
        assert!((f1[1].unwrap() - 0.8).abs() < 1e-15);
        assert_eq!((f1[2], f1[3]), (Some(0.0), None));
        assert!((matrix.macro_f1() - (2.0 / 3.0 + 0.8) / 3.0).abs() < 1e-15);
        assert!((matrix.accuracy() - 4.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn table_lines_up_with_long_names_and_counts() {
        let names = ["ä", "a rather long class name"].map(String::from).to_vec();
        let truth = Labels::new(vec![Some(0); 1200], names).unwrap();
        let nodes: Vec<usize> = (0..1200).collect();
        let held_out = HeldOut::of(&truth, &nodes).unwrap();
        let table = ConfusionMatrix::new(&held_out, &vec![0; 1200]).unwrap().to_string();
        let widths: Vec<usize> = table.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths, [widths[0]; 3]);
        assert!(table.contains("1200"));
    }
}

//! What every method gives in the end: a class by name and a probability for each row.

use crate::{Decision, LabelsError, Scores};
use gaussfield_core::{Facts, SizeMismatch};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An answer in classes that have names: what both kinds of answers share, so that a method can be
/// [`Transductive`] and [`Inductive`].
pub trait Named {
    /// The class names, by class number.
    fn class_names(&self) -> &[String];
}

/// The answer of a method that saw all nodes, labelled and unlabelled, at once.
///
/// ```
/// use gaussfield_core::Facts;
/// use gaussfield_labels::{Decision, Labels, LabelsError, Named, Scores, Transductive};
/// use ndarray::array;
///
/// /// Says the same about every node.
/// struct Flat {
///     scores: Scores,
///     interior: Vec<usize>,
///     names: Vec<String>,
/// }
///
/// impl Named for Flat {
///     fn class_names(&self) -> &[String] {
///         &self.names
///     }
/// }
///
/// impl Transductive for Flat {
///     fn scores(&self) -> &Scores {
///         &self.scores
///     }
///     fn interior(&self) -> &[usize] {
///         &self.interior
///     }
///     fn facts(&self) -> Facts {
///         Facts::default().with("method", "flat")
///     }
/// }
///
/// let labels = Labels::from_names([Some("cat"), None, Some("dog")]);
/// let flat = Flat {
///     scores: Scores::new(array![[1.0, 0.0], [0.3, 0.7], [0.0, 1.0]])?,
///     interior: labels.unlabelled(),
///     names: labels.names().to_vec(),
/// };
/// // Any method will do from here on.
/// let answer: &dyn Transductive = &flat;
/// let told = answer.predictions(&Decision::Argmax)?;
/// assert_eq!(told.to_string(), "1: dog (0.70)\n");
/// # Ok::<(), LabelsError>(())
/// ```
pub trait Transductive: Named {
    /// The probability of each class at every node, n × C. Labelled nodes hold what the method
    /// says of them: their label, unless it doubts labels.
    fn scores(&self) -> &Scores;

    /// The unlabelled nodes, in increasing order.
    fn interior(&self) -> &[usize];

    /// Nodes that no label reaches and that hold the prior instead, in increasing order. None unless
    /// [`Islands::Prior`](crate::Islands::Prior) was asked for, and of a method that does not tell.
    fn islands(&self) -> &[usize] {
        &[]
    }

    /// How the answer was computed.
    fn facts(&self) -> Facts;

    /// The scores of the unlabelled nodes, in the order of [`Transductive::interior`]: what
    /// decisions and metrics take.
    ///
    /// # Errors
    /// An interior that is not among the scores.
    fn interior_scores(&self) -> Result<Scores, LabelsError> {
        self.scores().select(self.interior())
    }

    /// The class of every unlabelled node. The decision sees these nodes together, and no others.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    fn predictions(&self, decision: &Decision) -> Result<Predictions, LabelsError> {
        let scores = self.interior_scores()?;
        Predictions::decide(&scores, self.interior(), self.class_names(), decision)
    }
}

/// The answer of a method that can be asked about points it has not seen.
pub trait Inductive<Query: ?Sized>: Named {
    /// What can go wrong.
    type Error: From<LabelsError>;

    /// The probability of each class at each point asked about, in their order.
    ///
    /// # Errors
    /// Points that the method was not made for.
    fn predict(&self, points: &Query) -> Result<Scores, Self::Error>;

    /// The class of each point asked about. The decision sees these points together.
    ///
    /// # Errors
    /// As [`Inductive::predict`] and [`Decision::decide`].
    fn predictions_at(
        &self,
        points: &Query,
        decision: &Decision,
    ) -> Result<Predictions, Self::Error> {
        let scores = self.predict(points)?;
        let rows: Vec<usize> = (0..scores.nodes()).collect();
        Ok(Predictions::decide(&scores, &rows, self.class_names(), decision)?)
    }
}

/// One row's class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prediction<'a> {
    /// The row: a node of the graph, or the place of a new point.
    pub row: usize,
    /// The name of the class decided for.
    pub class: &'a str,
    /// The number of that class.
    pub number: usize,
    /// The score of that class at this row. The decision may have been made by another measure:
    /// class mass and known proportions can choose a class whose score is not the largest.
    pub probability: f64,
}

impl fmt::Display for Prediction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({:.2})", self.row, self.class, self.probability)
    }
}

/// Decided classes with their names and probabilities, in increasing order of rows.
///
/// Invariant: rows increase; a class and a probability in [0, 1] for each; every class has a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Predictions {
    rows: Vec<usize>,
    classes: Vec<usize>,
    probabilities: Vec<f64>,
    names: Vec<String>,
}

#[derive(Deserialize)]
struct Unchecked {
    rows: Vec<usize>,
    classes: Vec<usize>,
    probabilities: Vec<f64>,
    names: Vec<String>,
}

impl TryFrom<Unchecked> for Predictions {
    type Error = LabelsError;
    fn try_from(from: Unchecked) -> Result<Self, LabelsError> {
        let Unchecked { rows, classes, probabilities, names } = from;
        SizeMismatch::check("classes of the predictions", rows.len(), classes.len())?;
        SizeMismatch::check("probabilities", rows.len(), probabilities.len())?;
        if let Some(pair) = rows.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(LabelsError::RowOrder { row: pair[1], before: pair[0] });
        }
        for ((&node, &class), &value) in rows.iter().zip(&classes).zip(&probabilities) {
            if class >= names.len() {
                return Err(LabelsError::NoSuchClass { node, class, classes: names.len() });
            }
            if !(0.0..=1.0).contains(&value) {
                return Err(LabelsError::BadScore { node, class, value });
            }
        }
        Ok(Self { rows, classes, probabilities, names })
    }
}

impl Predictions {
    /// Decides on `scores`, one row of them for each of `rows`.
    ///
    /// # Errors
    /// As [`Decision::decide`]; rows that do not increase; as many rows or names as scores are
    /// needed.
    pub fn decide(
        scores: &Scores,
        rows: &[usize],
        names: &[String],
        decision: &Decision,
    ) -> Result<Self, LabelsError> {
        SizeMismatch::check("rows to decide", scores.nodes(), rows.len())?;
        SizeMismatch::check("class names", scores.classes(), names.len())?;
        let classes = decision.decide(scores)?;
        let values = scores.values();
        let probabilities = classes.iter().enumerate().map(|(at, &c)| values[[at, c]]).collect();
        let (rows, names) = (rows.to_vec(), names.to_vec());
        Unchecked { rows, classes, probabilities, names }.try_into()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, increasing.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The number of the class of each row: what [`metrics`](crate::metrics) compare.
    pub fn classes(&self) -> &[usize] {
        &self.classes
    }

    /// The class names, by class number.
    pub fn class_names(&self) -> &[String] {
        &self.names
    }

    /// The prediction for a row, if it was decided. O(log n).
    pub fn get(&self, row: usize) -> Option<Prediction<'_>> {
        self.rows.binary_search(&row).ok().map(|at| self.at(at))
    }

    /// All predictions, in increasing order of rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Prediction<'_>> {
        (0..self.len()).map(|at| self.at(at))
    }

    fn at(&self, at: usize) -> Prediction<'_> {
        let number = self.classes[at];
        let (row, probability) = (self.rows[at], self.probabilities[at]);
        Prediction { row, class: &self.names[number], number, probability }
    }
}

/// One line a row.
impl fmt::Display for Predictions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|prediction| writeln!(f, "{prediction}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClassPrior;
    use ndarray::array;

    fn decided(decision: &Decision) -> Predictions {
        let scores = Scores::binary(array![0.70, 0.95, 0.80, 0.99].view()).unwrap();
        let names = ["no", "yes"].map(String::from);
        Predictions::decide(&scores, &[1, 4, 5, 8], &names, decision).unwrap()
    }

    #[test]
    fn the_probability_is_the_score_of_the_chosen_class() {
        let even = Decision::ClassMass(ClassPrior::uniform(2).unwrap());
        let told = decided(&even);
        assert_eq!(told.classes(), [0, 1, 0, 1]);
        assert_eq!((told.get(1).unwrap().class, told.get(2)), ("no", None));
        assert!((told.get(1).unwrap().probability - 0.3).abs() < 1e-15);
        assert_eq!(told.to_string(), "1: no (0.30)\n4: yes (0.95)\n5: no (0.20)\n8: yes (0.99)\n");
        assert_eq!(told.iter().map(|p| p.row).collect::<Vec<_>>(), told.rows());
    }

    #[test]
    fn a_file_is_checked_again() {
        let told = decided(&Decision::Argmax);
        let text = serde_json::to_string(&told).unwrap();
        assert_eq!(serde_json::from_str::<Predictions>(&text).unwrap(), told);
        for (from, to, says) in [
            ("[1,4,5,8]", "[1,4,4,8]", "row 4 follows row 4"),
            ("\"classes\":[1,1", "\"classes\":[1,2", "class 2"),
            ("0.95", "1.95", "1.95"),
            ("[1,4,5,8]", "[1,4,5]", "4 given where 3"),
        ] {
            let error = serde_json::from_str::<Predictions>(&text.replace(from, to)).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
    }

    #[test]
    fn what_does_not_belong_together_is_named() {
        let scores = Scores::binary(array![0.7, 0.9].view()).unwrap();
        let names = ["no", "yes"].map(String::from);
        let decide = |rows: &[usize], names: &[String]| {
            Predictions::decide(&scores, rows, names, &Decision::Argmax).unwrap_err().to_string()
        };
        assert!(decide(&[1], &names).starts_with("rows to decide: 1 given where 2"));
        assert!(decide(&[1, 2], &names[..1]).starts_with("class names: 1 given where 2"));
    }
}

//! Functions of kernel values, and the classes they stand for.

use crate::BaselineError;
use crate::gram::check_finite;
use gaussfield_core::SizeMismatch;
use gaussfield_labels::{Inductive, Labels, Named, Scores};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// A function of kernel values: what every kernel method fits.
///
/// By the representer theorem the best function of a kernel's space is a sum over the labelled
/// points,
///
/// ```math
/// f(x) = \sum_{j \in L} \beta_j\, k(x, x_j) + b,
/// ```
///
/// so a query needs nothing but its kernel values with them. Two classes have one such function,
/// positive for class 1; more classes have one each (one against the rest), and the largest wins.
/// A class without labels has the bias −∞: it is never predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Expansion {
    /// Nodes of the Gram matrix, labelled or not: columns of a cross matrix.
    nodes: usize,
    labelled: Vec<usize>,
    names: Vec<String>,
    coefficients: Array2<f64>,
    biases: Array1<f64>,
}

impl Expansion {
    /// One function for each entry of `columns`: its coefficients on the labelled nodes and its
    /// bias, or none for a class without labels.
    pub(crate) fn new(
        labels: &Labels,
        labelled: Vec<usize>,
        columns: Vec<Option<(Vec<f64>, f64)>>,
    ) -> Self {
        let mut coefficients = Array2::zeros((labelled.len(), columns.len()));
        let mut biases = Array1::from_elem(columns.len(), f64::NEG_INFINITY);
        for (c, column) in columns.into_iter().enumerate() {
            if let Some((betas, bias)) = column {
                coefficients.column_mut(c).assign(&Array1::from(betas));
                biases[c] = bias;
            }
        }
        let names = labels.names().to_vec();
        Self { nodes: labels.len(), labelled, names, coefficients, biases }
    }

    /// The labelled nodes of the fit, in increasing order: the rows of
    /// [`Expansion::coefficients`].
    pub fn labelled(&self) -> &[usize] {
        &self.labelled
    }

    /// β: one row for each labelled node, one column for each function.
    pub fn coefficients(&self) -> ArrayView2<'_, f64> {
        self.coefficients.view()
    }

    /// b of each function; −∞ for a class without labels.
    pub fn biases(&self) -> ArrayView1<'_, f64> {
        self.biases.view()
    }

    /// f of each query. `cross` has a row for each query and a column for each node of the Gram
    /// matrix of the fit; only the columns of labelled nodes are read. So rows of the Gram matrix
    /// itself give the values of its own nodes. O(queries · l · functions).
    ///
    /// # Errors
    /// A cross matrix with another number of columns, or an entry read that is not finite.
    pub fn decision_values(
        &self,
        cross: ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>, BaselineError> {
        SizeMismatch::check("columns of the cross matrix", self.nodes, cross.ncols())?;
        let all = self.labelled.len() == self.nodes;
        let read = if all { cross.into() } else { cross.select(Axis(1), &self.labelled).into() };
        let read: ndarray::CowArray<'_, f64, ndarray::Ix2> = read;
        check_finite("the cross matrix", read.view(), |i| i, |j| self.labelled[j])?;
        Ok(read.dot(&self.coefficients) + &self.biases)
    }

    /// Scores of decision values, one column for two classes, else one a class.
    pub(crate) fn soften(&self, values: ArrayView2<'_, f64>) -> Result<Scores, BaselineError> {
        let mut shares = Array2::zeros((values.nrows(), self.names.len()));
        for (values, mut shares) in values.outer_iter().zip(shares.outer_iter_mut()) {
            // Class 0 of two has −f; the soft maximum of (−f/2, f/2) is the logistic function of f.
            let value = |class: usize| match values.len() {
                1 if class == 0 => -0.5 * values[0],
                1 => 0.5 * values[0],
                _ => values[class],
            };
            let top = (0..shares.len()).map(value).fold(f64::NEG_INFINITY, f64::max);
            for (class, share) in shares.iter_mut().enumerate() {
                *share = (value(class) - top).exp();
            }
        }
        Ok(Scores::normalised(shares)?)
    }
}

impl Named for Expansion {
    fn class_names(&self) -> &[String] {
        &self.names
    }
}

/// Rows of a cross matrix, as [`Expansion::decision_values`] takes them.
impl Inductive<ArrayView2<'_, f64>> for Expansion {
    type Error = BaselineError;

    /// The logistic function of f for two classes, the soft maximum of all f for more: rows that sum
    /// to one and rank as f does (class 1 of two is ahead exactly if f is positive), but are not
    /// calibrated.
    fn predict(&self, cross: &ArrayView2<'_, f64>) -> Result<Scores, BaselineError> {
        self.soften(self.decision_values(*cross)?.view())
    }
}

impl AsRef<Expansion> for Expansion {
    fn as_ref(&self) -> &Expansion {
        self
    }
}

/// The classes that get a function of their own: class 1 of two, else every class.
pub(crate) fn positives(labels: &Labels) -> std::ops::Range<usize> {
    if labels.classes() == 2 { 1..2 } else { 0..labels.classes() }
}

/// +1 for labelled nodes of the class, −1 for the others; none if the class has no label.
pub(crate) fn signs(labels: &Labels, positive: usize) -> Option<Vec<f64>> {
    let classes = || labels.as_slice().iter().flatten();
    classes()
        .any(|&class| class == positive)
        .then(|| classes().map(|&class| if class == positive { 1.0 } else { -1.0 }).collect())
}

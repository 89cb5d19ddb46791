//! Support vector machines.

mod certificate;
mod smo;

pub use certificate::SvmCertificate;

use crate::expansion::{positives, signs};
use crate::gram::LabelledGram;
use crate::{BaselineError, Expansion, OnPoints};
use gaussfield_core::{OutOfRange, Progress, check};
use gaussfield_kernel::Kernel;
use gaussfield_labels::{Inductive, Labels, Named, Scores};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use smo::Smo;

/// A support vector machine with a soft margin and a bias (Cortes and Vapnik, Machine Learning
/// 20, 1995), solved by sequential minimal optimisation.
///
/// ```math
/// \min_{f, b}\; \tfrac12 \lVert f\rVert_K^2
/// + C \sum_{i \in L} \max\bigl(0,\, 1 - y_i (f(x_i) + b)\bigr)
/// ```
///
/// A wide margin costs little, a labelled point on the wrong side of it costs C times how far.
/// The dual problem has one number α_i for each labelled point,
///
/// ```math
/// \max_\alpha\; \sum_i \alpha_i
/// - \tfrac12 \sum_{i,j} \alpha_i\alpha_j y_i y_j K_{ij},
/// \qquad 0 \le \alpha_i \le C,\quad \sum_i y_i\alpha_i = 0,
/// ```
///
/// and needs the points only through K. It is solved two α at a time, the pair chosen by second
/// order information (Fan, Chen and Lin, JMLR 6, 2005, working set selection 2). How good the
/// answer is stands in its [`SvmCertificate`].
///
/// ```
/// use gaussfield_baselines::{Kernel, SupportVectorMachine};
/// use gaussfield_labels::{Inductive, Labels};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// // The margin is between −1 and 3; its middle is 1. The fourth point is not labelled.
/// let points = Points::dense(array![[-2.0], [-1.0], [3.0], [1.5]])?;
/// let labels = Labels::from_names([Some("low"), Some("low"), Some("high"), None]);
/// let machine = SupportVectorMachine::new(10.0).fit(&points, Kernel::Linear, &labels)?;
/// let values = machine.decision_values(&points)?;
/// assert!((values[[3, 0]] - 0.25).abs() < 1e-5); // f(x) = (x − 1)/2
/// assert_eq!(machine.predict(&points)?.argmax(), [0, 0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SupportVectorMachine {
    /// C, the price of an error, positive. A large C asks for few errors, a small one for a wide
    /// margin.
    pub price: f64,
    /// The largest violation of the optimality conditions to accept, positive, in units of the
    /// margin (f = ±1). Default 10⁻⁶.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
    /// The most steps to make for each class, at least 1. Default ten million.
    #[serde(default = "max_iterations")]
    pub max_iterations: usize,
}

pub(crate) fn tolerance() -> f64 {
    1e-6
}

pub(crate) fn max_iterations() -> usize {
    10_000_000
}

impl SupportVectorMachine {
    /// A machine with a price, the other settings at their defaults.
    pub fn new(price: f64) -> Self {
        Self { price, tolerance: tolerance(), max_iterations: max_iterations() }
    }

    /// Fits to a Gram matrix of any kernel: n × n, a row and a column for each of the n labels,
    /// of which only those of labelled nodes are read. O(l) a step; the number of steps grows
    /// with C and with how much the classes overlap. Classes are fitted on threads of their own.
    ///
    /// # Errors
    /// C, the tolerance or the number of steps out of range; a Gram matrix of another shape, not
    /// finite, not symmetric or visibly not positive semidefinite; no label, or labels of one
    /// class only; [`BaselineError::NotConverged`].
    pub fn fit_gram(
        &self,
        gram: ArrayView2<'_, f64>,
        labels: &Labels,
    ) -> Result<SvmModel, BaselineError> {
        self.check()?;
        let gram = LabelledGram::new(gram, labels)?;
        let stage = Progress::stage("support vector machine", None);
        let solutions: Vec<Option<smo::Solution>> = positives(labels)
            .into_par_iter()
            .map(|positive| {
                signs(labels, positive)
                    .map(|signs| {
                        Smo::new(gram.matrix.view(), &signs, self.price).solve(
                            self.tolerance,
                            self.max_iterations,
                            &stage,
                        )
                    })
                    .transpose()
            })
            .collect::<Result<_, _>>()?;
        let certificates = solutions.iter().map(|s| s.as_ref().map(|s| s.certificate)).collect();
        let columns = solutions.into_iter().map(|s| s.map(|s| (s.coefficients, s.bias))).collect();
        let expansion = Expansion::new(labels, gram.nodes, columns);
        Ok(SvmModel { expansion, certificates })
    }

    /// Fits to points with a kernel. O(l²d) for the Gram matrix, then as
    /// [`SupportVectorMachine::fit_gram`].
    ///
    /// # Errors
    /// As [`SupportVectorMachine::fit_gram`]; labels for another number of points; a kernel out of
    /// range.
    pub fn fit(
        &self,
        points: &Points,
        kernel: Kernel,
        labels: &Labels,
    ) -> Result<OnPoints<SvmModel>, BaselineError> {
        self.check()?;
        OnPoints::fit(points, kernel, labels, |gram, labels| self.fit_gram(gram, labels))
    }

    fn check(&self) -> Result<(), OutOfRange> {
        check::positive("the price C of a support vector machine", self.price)?;
        check::positive("the tolerance", self.tolerance)?;
        check::at_least("the largest number of iterations", self.max_iterations, 1)
    }
}

/// A fitted [`SupportVectorMachine`]: an [`Expansion`] whose coefficients are y_i·α_i, and a
/// certificate for each class.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmModel {
    expansion: Expansion,
    certificates: Vec<Option<SvmCertificate>>,
}

impl SvmModel {
    /// The coefficients y_i·α_i and the biases.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    /// How good each function is: one for two classes, else one a class, none for a class without
    /// labels.
    pub fn certificates(&self) -> &[Option<SvmCertificate>] {
        &self.certificates
    }

    /// The labelled nodes with a coefficient that is not zero for some class: the support vectors.
    pub fn support(&self) -> Vec<usize> {
        let coefficients = self.expansion.coefficients();
        let supports = |row: ndarray::ArrayView1<'_, f64>| row.iter().any(|&beta| beta != 0.0);
        let nodes = self.expansion.labelled().iter().zip(coefficients.outer_iter());
        nodes.filter(|(_, row)| supports(*row)).map(|(&node, _)| node).collect()
    }

    /// [`Expansion::decision_values`].
    ///
    /// # Errors
    /// As there.
    pub fn decision_values(
        &self,
        cross: ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>, BaselineError> {
        self.expansion.decision_values(cross)
    }
}

impl Named for SvmModel {
    fn class_names(&self) -> &[String] {
        self.expansion.class_names()
    }
}

/// As [`Expansion`].
impl Inductive<ArrayView2<'_, f64>> for SvmModel {
    type Error = BaselineError;

    fn predict(&self, cross: &ArrayView2<'_, f64>) -> Result<Scores, BaselineError> {
        self.expansion.predict(cross)
    }
}

impl AsRef<Expansion> for SvmModel {
    fn as_ref(&self) -> &Expansion {
        &self.expansion
    }
}

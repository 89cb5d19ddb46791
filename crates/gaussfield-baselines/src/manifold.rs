//! Laplacian regularised least squares and support vector machines.

use crate::svm::{max_iterations, tolerance};
use crate::training::labelled;
use crate::{
    BaselineError, Expansion, OnPrior, RegularisedLeastSquares, SupportVectorMachine, SvmModel,
};
use gaussfield_core::{OutOfRange, check};
use gaussfield_gp::InductivePrior;
use gaussfield_labels::Labels;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// Laplacian regularised least squares (Belkin, Niyogi and Sindhwani, JMLR 7, 2006) on a
/// data-dependent kernel.
///
/// # The problem
///
/// Two norms at once: γ_A punishes a function that is rough in space, γ_I one that is rough along
/// the graph of all n points, labelled or not.
///
/// ```math
/// \min_{f\in H_K}\; \frac1l\sum_{i\in L}(y_i - f(x_i))^2 + \gamma_A\lVert f\rVert_K^2
/// + \gamma_I\, \mathbf f^\top L^p\, \mathbf f
/// ```
///
/// (that paper writes γ_I/n² for this γ_I). By the representer theorem f = Σ_j a_j k(·, x_j) over
/// all n points, and with J = diag(1 for labelled, else 0) and Y = y on labelled points, else 0,
///
/// ```math
/// a = (JK + \gamma_A l\, I + \gamma_I l\, L^p K)^{-1}\, Y .
/// ```
///
/// # The same with l unknowns
///
/// The two norms together are one norm, γ_A‖f‖²_K̃, of another kernel's space (Sindhwani, Niyogi
/// and Belkin, ICML 2005). With M = (γ_I/γ_A)·Lᵖ,
///
/// ```math
/// \tilde K = K - K (I + MK)^{-1} M K = K (I + MK)^{-1} .
/// ```
///
/// So it is plain regularised least squares with kernel K̃ and λ = γ_A:
///
/// ```math
/// f = \tilde K_{:L}\,\beta,\qquad (\tilde K_{LL} + \gamma_A l\, I)\,\beta = y_L .
/// ```
///
/// Indeed put β̄ for β with zeros on unlabelled points. Then a = (I + MK)⁻¹β̄ gives Ka = K̃β̄ on
/// the one hand, and (JK + γ_A l (I + MK))a = JK̃β̄ + γ_A l β̄ = Y on the other. The unlabelled
/// points work through K̃ alone, the system has l unknowns instead of n, and a new point needs its
/// row of K̃ only.
///
/// K̃ is the caller's (it needs a graph and a factorisation, which this crate leaves to others).
/// The data-dependent covariance of a Gaussian process is K̃/γ_A: for that matrix γ_A is 1 here.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LaplacianLeastSquares {
    /// The ambient weight γ_A, positive. γ_I is in K̃.
    pub ambient: f64,
}

impl LaplacianLeastSquares {
    /// Fits to K̃ on all n nodes; only its labelled rows and columns are read. For the values of
    /// all nodes hand the same matrix to [`Expansion::decision_values`]. O(l³).
    ///
    /// # Errors
    /// γ_A out of range; else as [`RegularisedLeastSquares::fit_gram`].
    pub fn fit_gram(
        &self,
        gram: ArrayView2<'_, f64>,
        labels: &Labels,
    ) -> Result<Expansion, BaselineError> {
        check_ambient(self.ambient)?;
        RegularisedLeastSquares { ridge: self.ambient }.fit_gram(gram, labels)
    }

    /// Fits to a prior that covers all of space, so that new points can be predicted. Its
    /// covariance is K̃/γ_A: with another γ_A than 1 in the prior, γ_A is 1 here.
    ///
    /// # Errors
    /// As [`LaplacianLeastSquares::fit_gram`]; labels for another number of nodes; a prior that fails to
    /// give its columns.
    pub fn fit_on<P: InductivePrior>(
        &self,
        prior: P,
        labels: &Labels,
    ) -> Result<OnPrior<P, Expansion>, BaselineError> {
        OnPrior::fit(prior, labels, |gram, labels| self.fit_gram(gram, labels))
    }
}

/// The Laplacian support vector machine (Belkin, Niyogi and Sindhwani, JMLR 7, 2006) on a
/// data-dependent kernel.
///
/// [`LaplacianLeastSquares`] with the hinge loss, and with a bias that no norm punishes:
///
/// ```math
/// \min_{f, b}\; \frac1l\sum_{i\in L}\max\bigl(0, 1 - y_i(f(x_i) + b)\bigr)
/// + \gamma_A\lVert f\rVert_K^2 + \gamma_I\, \mathbf f^\top L^p\, \mathbf f .
/// ```
///
/// The two norms are γ_A‖f‖²_K̃ as there; divided by 2γ_A the objective is that of a
/// [`SupportVectorMachine`] with kernel K̃ and
///
/// ```math
/// C = \frac{1}{2\,\gamma_A\, l} .
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LaplacianSvm {
    /// The ambient weight γ_A, positive. γ_I is in K̃.
    pub ambient: f64,
    /// As [`SupportVectorMachine::tolerance`].
    #[serde(default = "tolerance")]
    pub tolerance: f64,
    /// As [`SupportVectorMachine::max_iterations`].
    #[serde(default = "max_iterations")]
    pub max_iterations: usize,
}

impl LaplacianSvm {
    /// With an ambient weight, the other settings at their defaults.
    pub fn new(ambient: f64) -> Self {
        Self { ambient, tolerance: tolerance(), max_iterations: max_iterations() }
    }

    /// The machine this is for a number of labels: C = 1/(2·γ_A·l).
    ///
    /// # Errors
    /// γ_A out of range, or no label.
    pub fn machine(&self, labels: &Labels) -> Result<SupportVectorMachine, BaselineError> {
        check_ambient(self.ambient)?;
        let labelled = labelled(labels)?.len() as f64;
        let price = 1.0 / (2.0 * self.ambient * labelled);
        let Self { tolerance, max_iterations, .. } = *self;
        Ok(SupportVectorMachine { price, tolerance, max_iterations })
    }

    /// Fits to K̃ on all n nodes; only its labelled rows and columns are read. For the values of
    /// all nodes hand the same matrix to [`SvmModel::decision_values`].
    ///
    /// # Errors
    /// γ_A out of range; else as [`SupportVectorMachine::fit_gram`].
    pub fn fit_gram(
        &self,
        gram: ArrayView2<'_, f64>,
        labels: &Labels,
    ) -> Result<SvmModel, BaselineError> {
        self.machine(labels)?.fit_gram(gram, labels)
    }

    /// Fits to a prior that covers all of space, so that new points can be predicted. Its
    /// covariance is K̃/γ_A: with another γ_A than 1 in the prior, γ_A is 1 here.
    ///
    /// ```
    /// use gaussfield_baselines::{Kernel, LaplacianSvm};
    /// use gaussfield_gp::{PriorFamily, Warp, WarpedPrior};
    /// use gaussfield_graph::Graph;
    /// use gaussfield_labels::{Inductive, Labels};
    /// use gaussfield_points::Points;
    /// use ndarray::array;
    ///
    /// // Two chains of three points; the end of each is labelled.
    /// let points = Points::dense(array![[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]])?;
    /// let graph = Graph::from_edges(6, [(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0), (4, 5, 1.0)])?;
    /// let labels = Labels::from_names([Some("left"), None, None, None, None, Some("right")]);
    /// let warp = Warp { gamma_a: 1.0, gamma_i: 10.0, power: 1 };
    /// let prior = WarpedPrior::new(&points, Kernel::Rbf { width: 1.0 }, warp).on(&graph)?;
    /// let machine = LaplacianSvm::new(0.01).fit_on(prior, &labels)?;
    /// let new = Points::dense(array![[1.5], [4.5]])?;
    /// assert_eq!(machine.predict(&new)?.argmax(), [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`LaplacianSvm::fit_gram`]; labels for another number of nodes; a prior that fails to give
    /// its columns.
    pub fn fit_on<P: InductivePrior>(
        &self,
        prior: P,
        labels: &Labels,
    ) -> Result<OnPrior<P, SvmModel>, BaselineError> {
        OnPrior::fit(prior, labels, |gram, labels| self.fit_gram(gram, labels))
    }
}

fn check_ambient(ambient: f64) -> Result<(), OutOfRange> {
    check::positive("the ambient weight γ_A", ambient)
}

//! Inference on the labelled block: from K_LL, a likelihood and targets to a Gaussian.

mod ep;
mod laplace;
mod precise;

pub(crate) use ep::lower_root;
pub use ep::{Cavity, EpFit, ExpectationPropagation, Schedule, Sites};
pub use laplace::{Laplace, LaplaceFit};

use crate::{GpError, Likelihood};
use gaussfield_core::dense::Spd;
use gaussfield_core::{Budget, Facts, OverBudget};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip};
use std::fmt::Debug;

/// The problem on the labelled nodes: prior N(μ_L, K_LL), targets, likelihood. What lies outside
/// the block does not matter until its result is carried to the other nodes.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a, L> {
    /// K_LL, exactly symmetric.
    pub gram: &'a Array2<f64>,
    /// μ_L.
    pub mean: ArrayView1<'a, f64>,
    /// t_L.
    pub targets: ArrayView1<'a, f64>,
    /// p(t|y).
    pub likelihood: &'a L,
}

/// A way to replace the posterior on a block by a Gaussian.
pub trait Inference<L: Likelihood>: Debug + Clone + Send + Sync {
    /// What it finds.
    type Fit: BlockFit<L>;

    /// Runs on a block. A search that can begin at Gaussian sites begins at those given, such as
    /// those of a fit at nearby parameters ([`BlockFit::resume`]).
    ///
    /// # Errors
    /// Settings out of range, no convergence, a matrix that cannot be factorised, another number of
    /// sites than labels; stopped on request.
    fn run(&self, block: &Block<'_, L>, start: Option<&Sites>) -> Result<Self::Fit, GpError>;

    /// The memory that the matrices of the block may take. Default: that of [`Budget`].
    fn budget(&self) -> Budget {
        Budget::default()
    }
}

/// Matrices of a labelled block that a fit and its gradient have at one time.
pub(crate) const MATRICES: usize = 8;

/// Takes so many l × l matrices off a budget.
pub(crate) fn take_block(
    budget: Budget,
    size: usize,
    matrices: usize,
) -> Result<Budget, OverBudget> {
    let all = size.saturating_mul(matrices);
    budget.matrix("the matrices of the labelled points", size, all)
}

/// A Gaussian in the place of the posterior on a block.
pub trait BlockFit<L>: Debug {
    /// a = K_LL⁻¹(m − μ): what carries the mean to every node, m(x) = μ(x) + K(x, L) a.
    fn dual(&self) -> ArrayView1<'_, f64>;
    /// The mean (for Laplace: the mode) on the block.
    fn latent(&self) -> ArrayView1<'_, f64>;
    /// The approximate log p(t_L).
    fn log_evidence(&self) -> f64;
    /// What carries the covariance to every node.
    fn shrinkage(&self) -> &Shrinkage;
    /// How the log evidence reacts. O(l³).
    fn sensitivity(&self, block: &Block<'_, L>) -> Sensitivity;
    /// Which inference, and how far it got.
    fn facts(&self) -> Facts;
    /// Gaussian sites at which a search at nearby parameters may begin, if there are any.
    fn resume(&self) -> Option<&Sites> {
        None
    }
}

/// How a log evidence reacts to its block.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// M = ∂/∂K_LL, symmetric.
    pub gram: Array2<f64>,
    /// ∂/∂μ_L.
    pub mean: Array1<f64>,
    /// For each parameter of the likelihood.
    pub likelihood: Vec<f64>,
}

/// R with posterior covariance K − K\[:, L\] R K\[L, :\]: R = (K_LL + T⁻¹)⁻¹ for the precisions T
/// that inference found. Symmetric; positive unless a precision is negative.
#[derive(Debug)]
pub struct Shrinkage {
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// R = T½ B⁻¹ T½ with B = I + T½ K T½: nothing is lost for wide priors.
    Factored { root: Array1<f64>, factor: Spd },
    /// Some precision is negative.
    Plain(Array2<f64>),
}

impl Shrinkage {
    /// From non-negative precisions, as their square roots. `None` where B is not positive
    /// definite after rounding.
    pub(crate) fn from_roots(gram: &Array2<f64>, root: Array1<f64>) -> Option<Self> {
        let factor = Spd::factorise(shifted_identity(gram.view(), root.view())).ok()?;
        Some(Self { form: Form::Factored { root, factor } })
    }

    pub(crate) fn plain(matrix: Array2<f64>) -> Self {
        Self { form: Form::Plain(matrix) }
    }

    /// diag(C R Cᵀ) for rows C = K\[nodes, L\]: by how much the labels shrink each variance.
    pub(crate) fn explained(&self, rows: &Array2<f64>) -> Array1<f64> {
        match &self.form {
            Form::Factored { .. } => {
                let half = self.half(rows);
                half.map_axis(Axis(0), |column| column.dot(&column))
            }
            Form::Plain(matrix) => (&rows.dot(matrix) * rows).sum_axis(Axis(1)),
        }
    }

    /// C R Cᵀ.
    pub(crate) fn explained_covariance(&self, rows: &Array2<f64>) -> Array2<f64> {
        match &self.form {
            Form::Factored { .. } => {
                let half = self.half(rows);
                half.t().dot(&half)
            }
            Form::Plain(matrix) => rows.dot(matrix).dot(&rows.t()),
        }
    }

    /// R itself.
    pub fn matrix(&self) -> Array2<f64> {
        match &self.form {
            Form::Factored { root, factor } => {
                let half = factor.half_solve(Array2::from_diag(root));
                half.t().dot(&half)
            }
            Form::Plain(matrix) => matrix.clone(),
        }
    }

    /// Λ⁻¹ T½ Cᵀ with B = ΛΛᵀ; for factored forms.
    fn half(&self, rows: &Array2<f64>) -> Array2<f64> {
        match &self.form {
            Form::Factored { root, factor } => {
                let scaled = rows * &root.view().insert_axis(Axis(0));
                factor.half_solve(scaled.reversed_axes())
            }
            Form::Plain(_) => Array2::zeros((0, rows.nrows())),
        }
    }

    /// ln |I + T K|; `None` for the plain form, whose owner knows it.
    pub(crate) fn log_det(&self) -> Option<f64> {
        match &self.form {
            Form::Factored { factor, .. } => Some(factor.log_det()),
            Form::Plain(_) => None,
        }
    }

    /// a − R K a for the dual of Newton's method: T½ B⁻¹ T½ x.
    pub(crate) fn apply(&self, x: &Array1<f64>) -> Array1<f64> {
        match &self.form {
            Form::Factored { root, factor } => root * &factor.solve_vector(&(root * x)),
            Form::Plain(matrix) => matrix.dot(x),
        }
    }
}

/// I + T½ K T½, from T½.
pub(crate) fn shifted_identity(
    gram: ArrayView2<'_, f64>,
    root: ArrayView1<'_, f64>,
) -> Array2<f64> {
    let mut matrix = gram.to_owned();
    Zip::indexed(&mut matrix).for_each(|(i, j), entry| {
        *entry = *entry * root[i] * root[j] + if i == j { 1.0 } else { 0.0 };
    });
    matrix
}

//! Regularised least squares.

use crate::expansion::{positives, signs};
use crate::gram::LabelledGram;
use crate::{BaselineError, Expansion, OnPoints};
use gaussfield_core::dense::Spd;
use gaussfield_core::{OutOfRange, check};
use gaussfield_kernel::Kernel;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::{Array1, ArrayView2};
use serde::{Deserialize, Serialize};

/// Regularised least squares: a ridge regression on the labels ±1, with a kernel and no bias.
///
/// ```math
/// \min_f\; \frac1l \sum_{i \in L} (y_i - f(x_i))^2 + \lambda \lVert f\rVert_K^2
/// \quad\Longrightarrow\quad f(x) = \sum_{j\in L} \beta_j k(x, x_j),\quad
/// (K_{LL} + \lambda l I)\,\beta = y_L .
/// ```
///
/// One Cholesky factorisation serves all classes. The model is an [`Expansion`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RegularisedLeastSquares {
    /// λ, positive.
    pub ridge: f64,
}

impl RegularisedLeastSquares {
    /// Fits to a Gram matrix of any kernel: n × n, a row and a column for each of the n labels,
    /// of which only those of labelled nodes are read. O(l³).
    ///
    /// # Errors
    /// λ out of range; a Gram matrix of another shape, not finite, not symmetric or not positive
    /// semidefinite; no label, or labels of one class only.
    pub fn fit_gram(
        &self,
        gram: ArrayView2<'_, f64>,
        labels: &Labels,
    ) -> Result<Expansion, BaselineError> {
        self.check()?;
        let LabelledGram { nodes, mut matrix } = LabelledGram::new(gram, labels)?;
        let added = self.ridge * nodes.len() as f64;
        matrix.diag_mut().mapv_inplace(|entry| entry + added);
        let factor = Spd::factorise(matrix).map_err(|_| BaselineError::NoCholesky { added })?;
        let solve = |signs: Vec<f64>| (factor.solve_vector(&Array1::from(signs)).to_vec(), 0.0);
        let columns = positives(labels).map(|class| signs(labels, class).map(solve)).collect();
        Ok(Expansion::new(labels, nodes, columns))
    }

    /// Fits to points with a kernel. O(l²d + l³).
    ///
    /// # Errors
    /// As [`RegularisedLeastSquares::fit_gram`]; labels for another number of points; a kernel
    /// out of range.
    pub fn fit(
        &self,
        points: &Points,
        kernel: Kernel,
        labels: &Labels,
    ) -> Result<OnPoints<Expansion>, BaselineError> {
        self.check()?;
        OnPoints::fit(points, kernel, labels, |gram, labels| self.fit_gram(gram, labels))
    }

    fn check(&self) -> Result<(), OutOfRange> {
        check::positive("the ridge λ of least squares", self.ridge)
    }
}

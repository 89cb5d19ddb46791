//! What graph and labels do not determine, and whether it matters.

use super::Backbone;
use crate::MixtureError;
use gaussfield_core::dense::{Spd, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

/// A pivot of the scaled matrix below this asks for a closer look by eigenvalues.
const SMALL_PIVOT: f64 = 1e-9;

/// Eigenvalues of the scaled matrix below this, beside the largest, are taken as zero.
const ZERO_EIGENVALUE: f64 = 1e-12;

/// A component whose diagonal entry of A is below this, beside the largest, has less than about
/// 10⁻¹² of every point with a weight: its membership is lost in rounding.
const NEGLIGIBLE: f64 = 1e-24;

/// A share of a point below which a membership changes no prediction.
const SMALL_SHARE: f64 = 1e-6;

/// Σ_i d_i (Rv)_i² for a null vector with Σ_m A_mm v_m² = 1. A part of the graph without a label
/// has at least ½; redundant components have what rounding left.
const MATTERS: f64 = 0.05;

/// What happens to the membership of a component that graph and labels do not determine: because
/// its share of every point is negligible, because components are redundant, or because no label
/// reaches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Undetermined {
    /// [`MixtureError::Undetermined`] if a prediction on the graph depends on it. Else, for
    /// redundant or negligible components, any choice predicts the same and the most even one is
    /// taken. The default.
    #[default]
    Error,
    /// As near as possible to even, 1/C: not known.
    Even,
    /// As near as possible to class 0: the pseudo-inverse of the paper, which gives the λ_m =
    /// p(y = 1 | m) of least norm.
    ClassZero,
}

impl Undetermined {
    /// The membership of class `c` out of `classes`.
    pub(super) fn reference(self, c: usize, classes: usize) -> f64 {
        match self {
            Self::Error | Self::Even => 1.0 / classes as f64,
            Self::ClassZero => f64::from(c == 0),
        }
    }

    /// The error, if one is asked for and some components are unknown.
    pub(crate) fn refuse(self, unknown: &[usize]) -> Result<(), MixtureError> {
        match (self, unknown.first()) {
            (Self::Error, Some(&example)) => {
                Err(MixtureError::Undetermined { count: unknown.len(), example })
            }
            _ => Ok(()),
        }
    }
}

/// Which entries of a diagonal are not negligible.
pub(crate) fn counts(diagonal: ArrayView1<'_, f64>) -> Vec<bool> {
    let top = diagonal.fold(0.0_f64, |top, &a| top.max(a));
    diagonal.iter().map(|&a| a > NEGLIGIBLE * top).collect()
}

/// The part of a symmetric positive semi-definite matrix that counts, scaled to unit diagonal:
/// rare components count as any other.
pub(super) struct Scaled {
    pub(super) alive: Vec<usize>,
    pub(super) scale: Array1<f64>,
    pub(super) matrix: Array2<f64>,
}

/// A scaled matrix made ready to solve with.
pub(super) enum Apart {
    /// Positive definite beyond doubt.
    Factor(Spd),
    /// Eigenvalues, those taken as zero set to zero, and eigenvectors.
    Spectrum(Array1<f64>, Array2<f64>),
}

impl Scaled {
    pub(super) fn new(matrix: ArrayView2<'_, f64>) -> Self {
        let counts = counts(matrix.diag());
        let alive: Vec<usize> = (0..counts.len()).filter(|&i| counts[i]).collect();
        let scale: Array1<f64> = alive.iter().map(|&i| 1.0 / matrix[[i, i]].sqrt()).collect();
        let scaled = Array2::from_shape_fn((alive.len(), alive.len()), |(i, j)| {
            matrix[[alive[i], alive[j]]] * scale[i] * scale[j]
        });
        Self { alive, scale, matrix: scaled }
    }

    /// O(M³/3), or a few times M³ for a matrix that is or may be singular.
    ///
    /// # Errors
    /// Eigenvalues that were not found.
    pub(super) fn take_apart(&self) -> Result<Apart, MixtureError> {
        if let Ok(factor) = Spd::factorise(self.matrix.clone())
            && factor.pivots().iter().all(|&pivot| pivot > SMALL_PIVOT)
        {
            return Ok(Apart::Factor(factor));
        }
        let (mut values, vectors) = symmetric_eigen(self.matrix.clone())?;
        let top = values.iter().fold(0.0_f64, |top, &v| top.max(v));
        values.mapv_inplace(|v| if v <= ZERO_EIGENVALUE * top { 0.0 } else { v });
        Ok(Apart::Spectrum(values, vectors))
    }
}

impl Apart {
    /// A basis of the null space in the scaled unknowns, one vector a column.
    pub(super) fn null(&self) -> Option<Array2<f64>> {
        let Self::Spectrum(values, vectors) = self else { return None };
        let zero: Vec<usize> = (0..values.len()).filter(|&i| values[i] <= 0.0).collect();
        (!zero.is_empty()).then(|| vectors.select(ndarray::Axis(1), &zero))
    }
}

/// Rows of a basis that take part in it.
pub(super) fn taking_part(basis: &Array2<f64>) -> Vec<usize> {
    let rows = basis.rows().into_iter().enumerate();
    rows.filter(|(_, row)| row.dot(row) > 1e-8).map(|(at, _)| at).collect()
}

impl Backbone {
    /// Components that predictions on the graph depend on although the scaled matrix leaves them
    /// open, by increasing number.
    pub(super) fn unknown(
        &self,
        scaled: &Scaled,
        null: Option<&Array2<f64>>,
    ) -> Result<Vec<usize>, MixtureError> {
        let mut is_alive = vec![false; self.components()];
        scaled.alive.iter().for_each(|&m| is_alive[m] = true);
        let mut unknown: Vec<usize> = (0..self.components())
            .filter(|&m| !is_alive[m] && self.largest[m] > SMALL_SHARE)
            .collect();
        if let Some(null) = null {
            // Which directions of the null space change RΛ: those the sketch sees.
            let sketch = self.sketch.select(ndarray::Axis(0), &scaled.alive);
            let seen = (&sketch * &scaled.scale.view().insert_axis(ndarray::Axis(1))).t().dot(null);
            let probes = seen.nrows() as f64;
            let (sizes, ways) = symmetric_eigen(seen.dot(&seen.t()))?;
            let matter: Vec<usize> =
                (0..sizes.len()).filter(|&k| sizes[k] / probes > MATTERS).collect();
            if !matter.is_empty() {
                let ways = ways.select(ndarray::Axis(1), &matter);
                let mut directions = null.dot(&seen.t().dot(&ways));
                for mut way in directions.columns_mut() {
                    let length = way.dot(&way).sqrt();
                    way /= length;
                }
                unknown.extend(taking_part(&directions).into_iter().map(|at| scaled.alive[at]));
            }
        }
        unknown.sort_unstable();
        Ok(unknown)
    }

    /// Components that predictions depend on although (1 − α) of the energy and α of the
    /// likelihood together leave them open. The likelihood of a labelled point i bends at least by
    /// R_i R_iᵀ, since p_i ≤ 1.
    ///
    /// # Errors
    /// Eigenvalues that were not found.
    pub(crate) fn unknown_with(&self, alpha: f64) -> Result<Vec<usize>, MixtureError> {
        let mut matrix = (1.0 - alpha) * &self.laplacian;
        matrix.scaled_add(alpha, &self.labelled.t().dot(&self.labelled));
        let scaled = Scaled::new(matrix.view());
        self.unknown(&scaled, scaled.take_apart()?.null().as_ref())
    }
}

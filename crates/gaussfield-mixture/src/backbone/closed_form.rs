//! The memberships of least energy without regard to bounds.

use super::undetermined::{Apart, Scaled, taking_part};
use super::{Backbone, Undetermined, row_sum_error};
use crate::MixtureError;
use gaussfield_core::dense::Spd;
use ndarray::{Array1, Array2, Axis, s};

/// The minimiser of the energy without regard to bounds, [zhu2005 (5)].
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedForm {
    /// Λ* = −A⁻¹B, M × C. Rows add up to one, but entries may leave [0, 1].
    pub lambda: Array2<f64>,
    /// The rank of A: M, unless components are redundant or unreached by labels.
    pub rank: usize,
    /// Components whose membership the graph and the labels do not determine.
    pub undetermined: Vec<usize>,
    /// Those of them that predictions on the graph depend on.
    pub unknown: Vec<usize>,
    /// How far the rows are from adding up to one: the digits lost in the solve.
    pub partition_error: f64,
}

impl Backbone {
    /// Λ* = −(RᵀΔ_UU R)⁻¹RᵀΔ_UL F_L, [zhu2005 (5)]. O(M³/3), or a few times M³ where A is singular.
    ///
    /// If A is singular, the minimiser closest to the memberships that `undetermined` names is
    /// returned. With [`Undetermined::ClassZero`] that is the paper's pseudo-inverse: the column of
    /// class 1 is the solution of least norm.
    ///
    /// # Errors
    /// [`MixtureError::Undetermined`] if asked for, eigenvalues that were not found.
    pub fn closed_form(&self, undetermined: Undetermined) -> Result<ClosedForm, MixtureError> {
        let closed = self.nearest_minimum(undetermined)?;
        undetermined.refuse(&closed.unknown)?;
        Ok(closed)
    }

    /// The closed form, whatever is unknown.
    pub(crate) fn nearest_minimum(
        &self,
        undetermined: Undetermined,
    ) -> Result<ClosedForm, MixtureError> {
        let (m, classes) = self.inflow.dim();
        let reference: Array1<f64> =
            (0..classes).map(|c| undetermined.reference(c, classes)).collect();
        let scaled = Scaled::new(self.laplacian.view());
        let Scaled { alive, scale, .. } = &scaled;
        // Deviations X from the reference q: A X = −B − A·1qᵀ, and A·1 = −B·1, since the rows of
        // [zhu2005 (6)] sum to zero.
        let rhs = Array2::from_shape_fn((alive.len(), classes), |(i, c)| {
            let row = self.inflow.row(alive[i]);
            scale[i] * (reference[c] * row.sum() - row[c])
        });
        let apart = scaled.take_apart()?;
        let null = apart.null();
        let solved = match &apart {
            Apart::Factor(factor) => refined(&scaled.matrix, factor, &rhs),
            Apart::Spectrum(values, vectors) => {
                let mut weights = vectors.t().dot(&rhs);
                for (mut row, &value) in weights.rows_mut().into_iter().zip(values) {
                    if value > 0.0 { row /= value } else { row.fill(0.0) }
                }
                vectors.dot(&weights)
            }
        };
        let scale = scale.view().insert_axis(Axis(1));
        let mut deviations = solved * scale;
        if let Some(null) = &null {
            // The scaled solve is the least in another norm.
            remove(&mut deviations, null * &scale);
        }
        let mut lambda = Array2::from_shape_fn((m, classes), |(_, c)| reference[c]);
        for (&i, deviation) in alive.iter().zip(deviations.rows()) {
            lambda.row_mut(i).scaled_add(1.0, &deviation);
        }
        let mut undetermined: Vec<usize> = (0..m).filter(|i| !alive.contains(i)).collect();
        undetermined.extend(null.iter().flat_map(taking_part).map(|at| alive[at]));
        undetermined.sort_unstable();
        Ok(ClosedForm {
            rank: alive.len() - null.as_ref().map_or(0, Array2::ncols),
            unknown: self.unknown(&scaled, null.as_ref())?,
            partition_error: row_sum_error(lambda.view()),
            undetermined,
            lambda,
        })
    }
}

/// Takes out of every column its part in the span of the `basis`.
fn remove(columns: &mut Array2<f64>, mut basis: Array2<f64>) {
    for at in 0..basis.ncols() {
        // Twice, so that vectors of very different lengths still end up orthogonal.
        for before in (0..at).chain(0..at) {
            let (done, mut own) = basis.multi_slice_mut((s![.., before], s![.., at]));
            let part = done.dot(&own);
            own.scaled_add(-part, &done);
        }
        let mut own = basis.column_mut(at);
        let length = own.dot(&own).sqrt();
        own /= length;
        for mut column in columns.columns_mut() {
            let part = own.dot(&column);
            column.scaled_add(-part, &own);
        }
    }
}

/// A solve with one step of iterative refinement.
fn refined(matrix: &Array2<f64>, factor: &Spd, rhs: &Array2<f64>) -> Array2<f64> {
    let first = factor.solve(rhs.view());
    let correction = factor.solve((rhs - &matrix.dot(&first)).view());
    first + correction
}

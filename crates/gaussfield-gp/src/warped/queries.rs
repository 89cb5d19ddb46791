//! New points as warped kernels see them.

use super::{Ambient, WarpedKernel, squared_columns};
use crate::{GpError, Queries};
use gaussfield_points::Points;
use ndarray::{Array1, Array2};
use std::sync::Arc;

/// New points as a base kernel sees them, in the graph's eigenvectors: what every ratio γ_I/γ_A
/// and power shares. Made by [`Ambient::queries`]; two q × n matrices.
#[derive(Debug)]
pub struct AmbientQueries {
    ambient: Arc<Ambient>,
    /// K(x, x).
    own: Array1<f64>,
    /// K_xD.
    cross: Arc<Array2<f64>>,
    /// UᵀK_Dx.
    turned: Array2<f64>,
}

impl Ambient {
    /// New points made ready for every warp of this kernel. O(q·n·(n + d)).
    ///
    /// # Errors
    /// Queries of another dimension, out of the kernel's range or over the budget.
    pub fn queries(self: &Arc<Self>, queries: &Points) -> Result<AmbientQueries, GpError> {
        let own = self.kernel.diagonal(queries)?;
        let cross = self.kernel.cross(queries, &self.points, self.budget)?;
        let turned = self.geometry.vectors.t().dot(&cross.t());
        Ok(AmbientQueries { ambient: Arc::clone(self), own, cross: Arc::new(cross), turned })
    }
}

impl WarpedKernel {
    /// New points made ready for every set of labels. One triangular solve, O(q·n²).
    ///
    /// # Errors
    /// Queries made for another base kernel.
    pub fn queries(&self, queries: &AmbientQueries) -> Result<Queries, GpError> {
        if !Arc::ptr_eq(&queries.ambient, self.ambient()) {
            return Err(GpError::ForeignQueries);
        }
        Ok(self.bend(Arc::clone(&queries.cross), &queries.own, queries.turned.clone()))
    }

    /// From K_xD, K(x, x) and UᵀK_Dx.
    pub(super) fn bend(
        &self,
        cross: Arc<Array2<f64>>,
        own: &Array1<f64>,
        turned: Array2<f64>,
    ) -> Queries {
        let variances = match self.half(turned) {
            Some(half) => own - &squared_columns(&half),
            None => own.clone(),
        };
        let variances = variances.mapv(|v| v.max(0.0) / self.warp().gamma_a);
        Queries::new(cross, variances)
    }
}

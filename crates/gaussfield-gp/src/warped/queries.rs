//! New points as warped kernels see them.

use super::{Ambient, WarpedKernel, squared_columns};
use crate::GpError;
use gaussfield_core::Budget;
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

/// New points made ready for a prior: all of a prediction that does not depend on the labels, so
/// that many sets of labels share it.
#[derive(Debug, Clone)]
pub struct Queries {
    features: Arc<Array2<f64>>,
    variances: Array1<f64>,
}

impl Queries {
    /// From features φ(x), one row for each query, with which K(x, L) = φ(x)·E for the E of
    /// [`InductivePrior::extend`](super::InductivePrior::extend), and the prior variances K(x, x).
    pub fn new(features: impl Into<Arc<Array2<f64>>>, variances: Array1<f64>) -> Self {
        Self { features: features.into(), variances }
    }

    /// The prior variance of each query.
    pub fn variances(&self) -> &Array1<f64> {
        &self.variances
    }

    /// K(x, L), one row for each query, from what
    /// [`InductivePrior::extend`](super::InductivePrior::extend) returned. O(q·n·l).
    ///
    /// # Errors
    /// An extension of a prior with another number of features.
    pub fn covariances(&self, extension: &Array2<f64>) -> Result<Array2<f64>, GpError> {
        let (nodes, got) = (extension.nrows(), self.features.ncols());
        if nodes != got {
            return Err(GpError::NodeCount { what: "the set of queries", nodes, got });
        }
        Ok(self.features.dot(extension))
    }
}

impl Ambient {
    /// New points made ready for every warp of this kernel. O(q·n·(n + d)).
    ///
    /// # Errors
    /// Queries of another dimension or out of the kernel's range.
    pub fn queries(self: &Arc<Self>, queries: &Points) -> Result<AmbientQueries, GpError> {
        let own = self.kernel.diagonal(queries)?;
        let cross = self.kernel.cross(queries, &self.points, Budget::default())?;
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
        Queries { features: cross, variances }
    }
}

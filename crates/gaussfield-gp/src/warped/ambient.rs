//! What warped kernels on one graph share: its eigenvectors, and a base kernel in them.

use super::kernel::WarpedKernel;
use super::{Warp, WarpTerm, symmetrise};
use crate::GpError;
use gaussfield_core::dense::symmetric_eigen;
use gaussfield_core::{Budget, OverBudget, SizeMismatch};
use gaussfield_graph::Graph;
use gaussfield_kernel::Kernel;
use gaussfield_laplacian::{Laplacian, normalising_degrees};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, Axis};
use std::sync::Arc;

/// Takes the dense n × n matrices that a warped kernel keeps: U, K, UᵀK, UᵀKU and a Cholesky factor.
fn take(nodes: usize, budget: Budget) -> Result<Budget, OverBudget> {
    let what = "the five n × n matrices of a warped kernel (a LandmarkKernel keeps n × m)";
    budget.matrix(what, 5 * nodes, nodes)
}

/// The eigendecomposition L = UΛUᵀ of a graph's Laplacian: what every width, ratio and power
/// shares. O(n³) once, n × n memory.
#[derive(Debug)]
pub struct Geometry {
    pub(super) laplacian: Laplacian,
    /// Λ, none below zero.
    pub(super) values: Array1<f64>,
    /// U.
    pub(super) vectors: Array2<f64>,
    pub(super) degrees: Array1<f64>,
}

impl Geometry {
    /// Of the combinatorial or the symmetric normalised Laplacian.
    ///
    /// # Errors
    /// The random-walk Laplacian, which is not symmetric; five n × n matrices, which a warped
    /// kernel keeps, over the budget; eigenvalues that cannot be found.
    pub fn new(graph: &Graph, laplacian: Laplacian, budget: Budget) -> Result<Arc<Self>, GpError> {
        if laplacian == Laplacian::RandomWalk {
            return Err(gaussfield_laplacian::LaplacianError::NotSymmetric.into());
        }
        take(graph.nodes(), budget)?;
        let matrix = laplacian.dense(graph, budget)?;
        let degrees = normalising_degrees(graph);
        let (values, vectors) = symmetric_eigen(matrix)?;
        let values = values.mapv(|lambda| lambda.max(0.0));
        let vectors = vectors.as_standard_layout().into_owned();
        Ok(Arc::new(Self { laplacian, values, vectors, degrees }))
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.values.len()
    }

    /// Lᵃ x.
    pub(super) fn power(&self, x: &Array2<f64>, power: u32) -> Array2<f64> {
        let weights = self.values.mapv(|lambda| lambda.powi(power as i32)).insert_axis(Axis(1));
        self.vectors.dot(&(self.vectors.t().dot(x) * weights))
    }
}

/// A base kernel on the points of a graph, turned into the graph's eigenvectors: what every ratio
/// γ_I/γ_A and power shares. O(n³) for each kernel, three n × n matrices.
#[derive(Debug)]
pub struct Ambient {
    pub(super) geometry: Arc<Geometry>,
    pub(super) points: Points,
    pub(super) kernel: Kernel,
    /// K.
    pub(super) gram: Array2<f64>,
    /// UᵀK.
    pub(super) turned: Array2<f64>,
    /// UᵀKU.
    pub(super) spectral: Array2<f64>,
    /// Of matrices between other points and the nodes.
    pub(super) budget: Budget,
}

impl Ambient {
    /// A base kernel on the points behind the nodes.
    ///
    /// # Errors
    /// Points that are not the graph's, a kernel out of range, five n × n matrices over the
    /// budget.
    pub fn new(
        geometry: &Arc<Geometry>,
        points: &Points,
        kernel: Kernel,
        budget: Budget,
    ) -> Result<Arc<Self>, GpError> {
        SizeMismatch::check("points behind the nodes", geometry.nodes(), points.len())?;
        take(points.len(), budget)?;
        let gram = kernel.gram(points, budget)?;
        let turned = geometry.vectors.t().dot(&gram);
        let mut spectral = turned.dot(&geometry.vectors);
        symmetrise(&mut spectral);
        let (geometry, points) = (Arc::clone(geometry), points.clone());
        Ok(Arc::new(Self { geometry, points, kernel, gram, turned, spectral, budget }))
    }

    /// The kernel warped by the graph. O(n³/3).
    ///
    /// # Errors
    /// γ_A ≤ 0, γ_I < 0, p out of its range, numbers past the largest one.
    pub fn warp(self: &Arc<Self>, warp: Warp) -> Result<WarpedKernel, GpError> {
        self.warp_by(warp, &[])
    }

    /// The kernel warped by a polynomial of the Laplacian: a warp and further terms. O(n³/3).
    ///
    /// # Errors
    /// As [`Ambient::warp`], and a further term out of its range.
    pub fn warp_by(
        self: &Arc<Self>,
        warp: Warp,
        further: &[WarpTerm],
    ) -> Result<WarpedKernel, GpError> {
        WarpedKernel::new(Arc::clone(self), warp, further)
    }

    /// The base kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }
}

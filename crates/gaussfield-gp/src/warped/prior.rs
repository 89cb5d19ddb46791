use super::{Ambient, Geometry, Warp, WarpedKernel, parameter_names};
use crate::GpError;
use crate::prior::PriorFamily;
use gaussfield_graph::{Graph, MemoryBudget};
use gaussfield_kernel::Kernel;
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use std::sync::Arc;

/// The warped kernel as a function of its parameters: the base kernel's, γ_A and γ_I.
#[derive(Debug, Clone)]
pub struct WarpedPrior {
    /// The points behind the nodes.
    pub points: Arc<Points>,
    /// The base kernel.
    pub kernel: Kernel,
    /// Which Laplacian.
    pub laplacian: Laplacian,
    /// What bends the kernel. γ_I must be positive to be learned.
    pub warp: Warp,
    /// The geometry of the graph, if that stays the same: its eigenvectors are then not computed
    /// again for every value of the parameters, and the graph given to
    /// [`PriorFamily::on`] is not looked at.
    pub geometry: Option<Arc<Geometry>>,
    /// Largest dense matrix.
    pub budget: MemoryBudget,
}

impl WarpedPrior {
    /// On points, with the combinatorial Laplacian and the default budget.
    pub fn new(points: impl Into<Arc<Points>>, kernel: Kernel, warp: Warp) -> Self {
        let laplacian = Laplacian::Combinatorial;
        let (points, budget) = (points.into(), MemoryBudget::default());
        Self { points, kernel, laplacian, warp, geometry: None, budget }
    }

    /// With another Laplacian.
    #[must_use]
    pub fn with_laplacian(mut self, laplacian: Laplacian) -> Self {
        self.laplacian = laplacian;
        self.geometry = None;
        self
    }

    /// On one graph that stays: its eigenvectors are computed now.
    ///
    /// # Errors
    /// As [`Geometry::new`].
    pub fn fixed_on(mut self, graph: &Graph) -> Result<Self, GpError> {
        self.geometry = Some(Geometry::new(graph, self.laplacian, self.budget)?);
        Ok(self)
    }
}

impl PriorFamily for WarpedPrior {
    type On = WarpedKernel;

    fn parameters(&self) -> Vec<f64> {
        let mut parameters = self.kernel.parameters();
        parameters.extend([self.warp.gamma_a, self.warp.gamma_i]);
        parameters
    }

    fn parameter_names(&self) -> Vec<&'static str> {
        parameter_names(self.kernel)
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GpError> {
        let (expected, got) = (self.parameters().len(), parameters.len());
        if expected != got {
            return Err(GpError::ParameterCount { expected, got });
        }
        let (kernel, warp) = parameters.split_at(expected - 2);
        let mut moved = self.clone();
        moved.kernel = self.kernel.with_parameters(kernel)?;
        moved.warp = Warp { gamma_a: warp[0], gamma_i: warp[1], power: self.warp.power };
        Ok(moved)
    }

    fn on(&self, graph: &Graph) -> Result<WarpedKernel, GpError> {
        let geometry = match &self.geometry {
            Some(geometry) => Arc::clone(geometry),
            None => Geometry::new(graph, self.laplacian, self.budget)?,
        };
        let points = Arc::clone(&self.points);
        Ambient::new(&geometry, points, self.kernel, self.budget)?.warp(self.warp)
    }
}

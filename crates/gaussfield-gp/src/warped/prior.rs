//! The warped kernel as a family of priors.

use super::{Ambient, Geometry, Warp, WarpedKernel};
use crate::GpError;
use crate::prior::PriorFamily;
use gaussfield_core::{Budget, Parameter, Parameters as _};
use gaussfield_graph::Graph;
use gaussfield_kernel::Kernel;
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// The warped kernel as a function of its parameters: the base kernel's, γ_A and γ_I.
#[derive(Debug, Clone)]
pub struct WarpedPrior {
    /// The points behind the nodes.
    pub points: Points,
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
    /// Most memory of all dense matrices.
    pub budget: Budget,
    /// The base kernel in the eigenvectors of a fixed graph, at the last width: γ_A, γ_I and the
    /// noise move without it. Shared with the same prior at other parameters.
    known: Arc<Mutex<Option<Arc<Ambient>>>>,
}

impl WarpedPrior {
    /// On points, with the combinatorial Laplacian and the default budget.
    pub fn new(points: &Points, kernel: Kernel, warp: Warp) -> Self {
        let laplacian = Laplacian::Combinatorial;
        let (points, budget) = (points.clone(), Budget::default());
        let known = Arc::default();
        Self { points, kernel, laplacian, warp, geometry: None, budget, known }
    }

    /// With another Laplacian.
    #[must_use]
    pub fn with_laplacian(mut self, laplacian: Laplacian) -> Self {
        self.laplacian = laplacian;
        self.geometry = None;
        self
    }

    /// On one graph that stays: its eigenvectors are computed now, and the evidence has no gradient
    /// on its edges.
    ///
    /// # Errors
    /// As [`Geometry::new`].
    pub fn fixed_on(mut self, graph: &Graph) -> Result<Self, GpError> {
        self.geometry = Some(Geometry::new(graph, self.laplacian, self.budget)?);
        Ok(self)
    }

    /// The base kernel on a fixed graph; made anew only where something it depends on has moved.
    fn ambient(&self, geometry: &Arc<Geometry>) -> Result<Arc<Ambient>, GpError> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&Arc<Ambient>| {
            Arc::ptr_eq(&known.geometry, geometry)
                && known.points.is_same(&self.points)
                && known.kernel == self.kernel
        };
        if let Some(ambient) = known().as_ref().filter(same) {
            return Ok(Arc::clone(ambient));
        }
        let ambient = Ambient::new(geometry, &self.points, self.kernel, self.budget)?;
        *known() = Some(Arc::clone(&ambient));
        Ok(ambient)
    }
}

impl PriorFamily for WarpedPrior {
    type On = WarpedKernel;

    fn parameters(&self) -> Vec<f64> {
        let mut parameters = self.kernel.values();
        parameters.extend([self.warp.gamma_a, self.warp.gamma_i]);
        parameters
    }

    fn parameter_names(&self) -> Vec<&'static str> {
        let own = |parameter: Parameter| match parameter.name {
            Cow::Borrowed(name) => Some(name),
            Cow::Owned(_) => None,
        };
        let mut names: Vec<_> = self.kernel.parameters().into_iter().filter_map(own).collect();
        names.extend(["gamma_a", "gamma_i"]);
        names
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, GpError> {
        let (expected, got) = (self.parameters().len(), parameters.len());
        if expected != got {
            return Err(GpError::ParameterCount { expected, got });
        }
        let (kernel, warp) = parameters.split_at(expected - 2);
        let mut moved = self.clone();
        moved.kernel.set_parameters(kernel)?;
        moved.warp = Warp { gamma_a: warp[0], gamma_i: warp[1], power: self.warp.power };
        Ok(moved)
    }

    fn follows_graph(&self) -> bool {
        self.geometry.is_none()
    }

    fn on(&self, graph: &Graph) -> Result<WarpedKernel, GpError> {
        if let Some(geometry) = &self.geometry {
            return Ok(self.ambient(geometry)?.warp(self.warp)?.on_fixed_graph());
        }
        let geometry = Geometry::new(graph, self.laplacian, self.budget)?;
        Ambient::new(&geometry, &self.points, self.kernel, self.budget)?.warp(self.warp)
    }
}

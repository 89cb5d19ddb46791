//! The warped kernel and its landmark form as families of priors.

use super::{Ambient, Geometry, LandmarkKernel, Warp, WarpTerm, WarpedKernel};
use crate::prior::PriorFamily;
use crate::{GpError, Memory};
use gaussfield_core::{
    Budget, Domain, OutOfRange, Parameter, ParameterError, Parameters, SizeMismatch,
};
use gaussfield_graph::Graph;
use gaussfield_kernel::Kernel;
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use std::sync::Arc;

/// The warped kernel as a function of its parameters: the base kernel's, γ_A, γ_I and the β of further
/// terms. The process
/// with this covariance is the one given the graph [sindhwani2007 (conditioned)].
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
    /// Further terms of M, for a polynomial of the Laplacian. Default none.
    pub further: Vec<WarpTerm>,
    /// The geometry of the graph, if that stays the same: its eigenvectors are then not computed
    /// again for every value of the parameters, and the graph given to
    /// [`PriorFamily::on`] is not looked at.
    pub geometry: Option<Arc<Geometry>>,
    /// Most memory of all dense matrices.
    pub budget: Budget,
}

impl WarpedPrior {
    /// On points, with the combinatorial Laplacian and the default budget.
    pub fn new(points: &Points, kernel: Kernel, warp: Warp) -> Self {
        let laplacian = Laplacian::Combinatorial;
        let (points, budget) = (points.clone(), Budget::default());
        Self { points, kernel, laplacian, warp, further: Vec::new(), geometry: None, budget }
    }

    /// With further terms of M.
    #[must_use]
    pub fn with_terms(mut self, further: &[WarpTerm]) -> Self {
        self.further = further.to_vec();
        self
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

    fn ambient(&self, geometry: &Arc<Geometry>) -> Result<Arc<Ambient>, GpError> {
        Ambient::new(geometry, &self.points, self.kernel, self.budget)
    }

    /// Whether a base kernel on a fixed graph is this one's: only its width moves it.
    fn knows(&self, ambient: &Ambient, geometry: &Arc<Geometry>) -> bool {
        Arc::ptr_eq(&ambient.geometry, geometry)
            && ambient.points.is_same(&self.points)
            && ambient.kernel == self.kernel
    }
}

impl Parameters for WarpedPrior {
    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = of_both(&self.kernel, self.warp);
        parameters.extend(self.further.iter().map(WarpTerm::parameter));
        parameters
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        let own = of_both(&self.kernel, self.warp).len();
        SizeMismatch::check("parameters", own + self.further.len(), values.len())?;
        let (of_both, betas) = values.split_at(own);
        let betas = self.further.iter().zip(betas);
        let further: Vec<WarpTerm> =
            betas.map(|(term, &beta)| WarpTerm { beta, ..*term }).collect();
        further.iter().try_for_each(WarpTerm::check)?;
        set_both(&mut self.kernel, &mut self.warp, of_both)?;
        self.further = further;
        Ok(())
    }

    fn check_parameters(&self) -> Result<(), OutOfRange> {
        self.kernel.check_parameters()?;
        self.warp.check()?;
        self.further.iter().try_for_each(WarpTerm::check)
    }
}

/// Those of the base kernel, γ_A and γ_I.
fn of_both(kernel: &Kernel, warp: Warp) -> Vec<Parameter> {
    let mut parameters = kernel.parameters();
    parameters.push(Parameter::new("gamma_a", warp.gamma_a, Domain::Positive));
    parameters.push(Parameter::new("gamma_i", warp.gamma_i, Domain::Positive));
    parameters
}

fn set_both(kernel: &mut Kernel, warp: &mut Warp, values: &[f64]) -> Result<(), ParameterError> {
    let own = kernel.parameters().len();
    SizeMismatch::check("parameters", own + 2, values.len())?;
    let (of_kernel, of_warp) = values.split_at(own);
    let next = Warp { gamma_a: of_warp[0], gamma_i: of_warp[1], power: warp.power };
    next.check()?;
    kernel.set_parameters(of_kernel)?;
    *warp = next;
    Ok(())
}

impl PriorFamily for WarpedPrior {
    type On = WarpedKernel;

    fn follows_graph(&self) -> bool {
        self.geometry.is_none()
    }

    fn on_with(&self, graph: &Graph, memory: &mut Memory) -> Result<WarpedKernel, GpError> {
        let Some(geometry) = &self.geometry else {
            let geometry = Geometry::new(graph, self.laplacian, self.budget)?;
            return self.ambient(&geometry)?.warp_by(self.warp, &self.further);
        };
        let ambient = match memory.ambient.take().filter(|known| self.knows(known, geometry)) {
            Some(known) => known,
            None => self.ambient(geometry)?,
        };
        memory.ambient = Some(Arc::clone(&ambient));
        Ok(ambient.warp_by(self.warp, &self.further)?.on_fixed_graph())
    }
}

/// The landmark form of the warped kernel as a function of its parameters: the base kernel's, γ_A and
/// γ_I. n × m matrices for m landmarks, where [`WarpedPrior`] has n × n ones.
#[derive(Debug, Clone)]
pub struct LandmarkPrior {
    /// The points behind the nodes.
    pub points: Points,
    /// The base kernel.
    pub kernel: Kernel,
    /// Which Laplacian.
    pub laplacian: Laplacian,
    /// What bends the kernel. γ_I must be positive to be learned.
    pub warp: Warp,
    /// The nodes that are landmarks.
    pub landmarks: Vec<usize>,
    /// Most memory of all dense matrices.
    pub budget: Budget,
}

impl Parameters for LandmarkPrior {
    fn parameters(&self) -> Vec<Parameter> {
        of_both(&self.kernel, self.warp)
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        set_both(&mut self.kernel, &mut self.warp, values)
    }

    fn check_parameters(&self) -> Result<(), OutOfRange> {
        self.kernel.check_parameters()?;
        self.warp.check()
    }
}

impl PriorFamily for LandmarkPrior {
    type On = LandmarkKernel;

    fn on_with(&self, graph: &Graph, _: &mut Memory) -> Result<LandmarkKernel, GpError> {
        let Self { points, kernel, laplacian, warp, landmarks, budget } = self;
        LandmarkKernel::new(points, graph, *laplacian, *kernel, *warp, landmarks, *budget)
    }
}

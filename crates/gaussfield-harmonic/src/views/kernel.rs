//! Green's function and the heat kernel of the interior, by its spectrum.

use crate::HarmonicError;
use gaussfield_core::{Budget, check, dense};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::{Boundary, Grounded};
use ndarray::{Array2, Axis};

/// 𝒢 = Δ_uu⁻¹, the Green's function of the interior, u × u in the order of
/// [`Boundary::interior`] [zhu2003 (6)]. O(u³) time, dense memory.
///
/// Computed from the spectrum {1/λᵢ} of its integral over time, a different road from the solvers'.
///
/// # Errors
/// A dense matrix over the budget; parts of the graph without a boundary.
pub fn green_function(
    graph: &Graph,
    boundary: &Boundary,
    budget: Budget,
) -> Result<Array2<f64>, HarmonicError> {
    let islands = gaussfield_laplacian::unreachable(graph, boundary);
    if !islands.is_empty() {
        return Err(HarmonicError::ComponentWithoutLabel { nodes: islands });
    }
    spectral(graph, boundary, budget, |eigenvalue| 1.0 / eigenvalue)
}

/// K′_t = exp(−tΔ_uu): heat on the interior with the boundary held at zero, u × u in the order of
/// [`Boundary::interior`] (Zhu et al. 2003, section 3.2). O(u³) time, dense memory.
///
/// # Errors
/// t negative or not finite; a dense matrix over the budget.
pub fn heat_kernel(
    graph: &Graph,
    boundary: &Boundary,
    time: f64,
    budget: Budget,
) -> Result<Array2<f64>, HarmonicError> {
    check::not_negative("the diffusion time t", time)?;
    spectral(graph, boundary, budget, |eigenvalue| (-time * eigenvalue).exp())
}

/// The harmonic function as a kernel classifier: f_u = 𝒢 W_ul f_l, [zhu2003 (7)],
/// u × C in the order of [`Boundary::interior`].
///
/// # Errors
/// As [`green_function`]; no label.
pub fn harmonic_by_green_function(
    graph: &Graph,
    labels: &Labels,
    budget: Budget,
) -> Result<Array2<f64>, HarmonicError> {
    let boundary = crate::boundary_of(graph, labels)?;
    let green = green_function(graph, &boundary, budget)?;
    let one_hot = labels.one_hot().select(Axis(0), boundary.boundary());
    Ok(green.dot(&boundary.product(graph, one_hot.view())?))
}

/// V r(Λ) Vᵀ of the interior Laplacian.
fn spectral(
    graph: &Graph,
    boundary: &Boundary,
    budget: Budget,
    transform: impl Fn(f64) -> f64,
) -> Result<Array2<f64>, HarmonicError> {
    let n = boundary.interior().len();
    budget.matrix("the kernel matrix of the graph", n, n)?;
    let laplacian = Grounded::dirichlet(graph, boundary)?.apply(Array2::eye(n).view());
    let (values, vectors) = dense::symmetric_eigen(laplacian)?;
    let scaled = &vectors * &values.mapv(transform).insert_axis(Axis(0));
    Ok(scaled.dot(&vectors.t()))
}

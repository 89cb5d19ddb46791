use crate::HarmonicError;
use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::Boundary;
use ndarray::{Array1, Array2, Axis};
use ndarray_linalg::{Eigh, UPLO};

/// 𝒢 = Δ_uu⁻¹, the Green's function of the interior, u × u in the order of
/// [`Boundary::interior`] (Zhu et al. 2003, eq. (6)). O(u³) time, dense memory.
///
/// Computed from the spectrum {1/λᵢ} of eq. (6)'s integral, a different road from the solvers'.
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
    if !(time.is_finite() && time >= 0.0) {
        return Err(HarmonicError::BadParameter {
            name: "the diffusion time t",
            value: time,
            range: "finite and not negative",
        });
    }
    spectral(graph, boundary, budget, |eigenvalue| (-time * eigenvalue).exp())
}

/// The harmonic function as a kernel classifier: f_u = 𝒢 W_ul f_l (Zhu et al. 2003, eq. (7)),
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
    let mut one_hot = Array2::zeros((boundary.boundary().len(), labels.classes()));
    for (row, &node) in boundary.boundary().iter().enumerate() {
        if let Some(class) = labels.get(node) {
            one_hot[[row, class]] = 1.0;
        }
    }
    Ok(green.dot(&boundary.product(graph, one_hot.view())?))
}

/// V r(Λ) Vᵀ of the interior Laplacian.
fn spectral(
    graph: &Graph,
    boundary: &Boundary,
    budget: Budget,
    transform: impl Fn(f64) -> f64,
) -> Result<Array2<f64>, HarmonicError> {
    let interior = boundary.interior();
    let n = interior.len();
    budget.matrix("the kernel matrix of the graph", n, n)?;
    let mut laplacian = Array2::<f64>::zeros((n, n));
    for (row, &node) in interior.iter().enumerate() {
        graph.for_each_neighbour(node, |j, w| {
            laplacian[[row, row]] += w;
            if let Some(column) = boundary.interior_position(j) {
                laplacian[[row, column]] -= w;
            }
        });
    }
    if n == 0 {
        return Ok(laplacian);
    }
    let (values, vectors) = laplacian
        .eigh(UPLO::Lower)
        .map_err(|error| HarmonicError::Decomposition { n, reason: error.to_string() })?;
    let transformed: Array1<f64> = values.mapv(transform);
    let scaled = &vectors * &transformed.insert_axis(Axis(0));
    Ok(scaled.dot(&vectors.t()))
}

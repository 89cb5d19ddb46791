//! The part of EM's bound that the prior decides.

use crate::TuneError;
use gaussfield_core::Budget;
use gaussfield_gp::{GpError, GraphPrior, Regularisation};
use gaussfield_graph::{EdgeGradient, Graph};
use gaussfield_laplacian::{Workbench, normalising_degrees};
use ndarray::{Array1, Array2, Axis};

/// E_q log p(y) of a graph prior, up to a constant: G = ½ ln|Z| − ½ tr(Z S), with the prior's
/// precision Z and the second moments S of q. This is the part of the EM bound that the M-step
/// maximises over the prior and the weights, q standing still.
#[derive(Debug)]
pub(super) struct PriorTerm {
    pub(super) value: f64,
    /// By each parameter of the prior.
    pub(super) parameters: Vec<f64>,
    /// On every edge.
    pub(super) edges: EdgeGradient,
}

impl PriorTerm {
    /// The value alone: one factorisation, O(m) for the trace.
    pub(super) fn value(
        system: &mut Workbench,
        prior: &GraphPrior,
        graph: &Graph,
        moments: &Array2<f64>,
    ) -> Result<f64, TuneError> {
        let log_det = prior.prepare_on(system, graph)?.log_det().map_err(GpError::from)?;
        Ok(value(prior.regularisation, graph, moments, log_det))
    }

    /// With gradients: all n columns of the inverse, as in the paper's formulas
    /// ½ tr(Z⁻¹ ∂Z) − ½ ȳᵀ∂Zȳ − ½ tr(∂Z Σ). O(n³).
    pub(super) fn new(
        system: &mut Workbench,
        prior: &GraphPrior,
        graph: &Graph,
        moments: &Array2<f64>,
        budget: Budget,
    ) -> Result<Self, TuneError> {
        let nodes = graph.nodes();
        budget.matrix("the inverse of the precision", nodes, nodes)?;
        let prepared = prior.prepare_on(system, graph)?;
        let log_det = prepared.log_det().map_err(GpError::from)?;
        let inverse = prepared.solve(Array2::eye(nodes).view()).map_err(GpError::from)?.values;
        let value = value(prior.regularisation, graph, moments, log_det);
        let trace: f64 = moments.diag().sum();
        let (parameters, edges) = match prior.regularisation {
            Regularisation::Regularised { beta, sigma } => {
                let gap = &inverse - moments;
                let free: f64 = gap.diag().sum();
                // ∂Z/∂β = Z/β, with tr(Z⁻¹Z) = n; ∂Z/∂σ = −2β/σ³ I.
                let by_beta = 0.5 * (nodes as f64 - quadratic(prior, graph, moments)) / beta;
                let by_sigma = -beta / sigma.powi(3) * free;
                (vec![by_beta, by_sigma], edges(gap, beta, Array1::zeros(nodes)))
            }
            Regularisation::Shifted { .. } => {
                let gap = &inverse - moments;
                let by_delta = 0.5 * gap.diag().sum();
                (vec![by_delta], edges(gap, 1.0, Array1::zeros(nodes)))
            }
            Regularisation::Normalised { delta } => {
                let degrees = normalising_degrees(graph);
                let by_delta = 0.5 * (inverse.diag().dot(&degrees) - trace);
                let scaled = scaled_moments(moments, &degrees);
                let own = overlaps(graph, &scaled);
                let node_terms = Array1::from_shape_fn(nodes, |i| {
                    0.5 * (delta * inverse[[i, i]] + scaled[[i, i]] - (1.0 + own[i]) / degrees[i])
                });
                (vec![by_delta], edges(inverse - scaled, 1.0, node_terms))
            }
        };
        Ok(Self { value, parameters, edges })
    }
}

/// gᵢⱼ = ½·scale·(Pᵢᵢ + Pⱼⱼ − 2Pᵢⱼ) + sᵢ + sⱼ.
fn edges(gap: Array2<f64>, scale: f64, node_terms: Array1<f64>) -> EdgeGradient {
    let nodes = gap.nrows();
    EdgeGradient { potentials: gap * (-0.5 * scale), adjoints: Array2::eye(nodes), node_terms }
}

fn value(kind: Regularisation, graph: &Graph, moments: &Array2<f64>, log_det: f64) -> f64 {
    let log_det = match kind {
        // |Z| = |D½ Z D½| / |D|.
        Regularisation::Normalised { .. } => {
            log_det - normalising_degrees(graph).iter().map(|d| d.ln()).sum::<f64>()
        }
        _ => log_det,
    };
    0.5 * (log_det - trace_with(kind, graph, moments))
}

fn quadratic(prior: &GraphPrior, graph: &Graph, moments: &Array2<f64>) -> f64 {
    trace_with(prior.regularisation, graph, moments)
}

/// tr(Z S).
fn trace_with(kind: Regularisation, graph: &Graph, moments: &Array2<f64>) -> f64 {
    let trace: f64 = moments.diag().sum();
    // tr(Δ S) = Σ over edges of wᵢⱼ (Sᵢᵢ + Sⱼⱼ − 2Sᵢⱼ), both directions counted and halved.
    let differences = || {
        let row = |i: usize| {
            let mut sum = 0.0;
            graph.for_each_neighbour(i, |j, w| {
                sum += w * (moments[[i, i]] + moments[[j, j]] - 2.0 * moments[[i, j]]);
            });
            sum
        };
        0.5 * (0..graph.nodes()).map(row).sum::<f64>()
    };
    match kind {
        Regularisation::Regularised { beta, sigma } => {
            beta * (differences() + trace / (sigma * sigma))
        }
        Regularisation::Shifted { delta } => differences() + delta * trace,
        Regularisation::Normalised { delta } => {
            let degrees = graph.degrees();
            let linked = degrees.iter().zip(moments.diag()).filter(|(d, _)| **d > 0.0);
            let own: f64 = linked.map(|(_, s)| s).sum();
            let scaled = scaled_moments(moments, &normalising_degrees(graph));
            own + delta * trace - overlaps(graph, &scaled).sum()
        }
    }
}

/// D^−½ S D^−½.
fn scaled_moments(moments: &Array2<f64>, degrees: &Array1<f64>) -> Array2<f64> {
    let roots = degrees.mapv(|d| 1.0 / d.sqrt());
    let mut scaled = moments * &roots.view().insert_axis(Axis(1));
    scaled *= &roots.view().insert_axis(Axis(0));
    scaled
}

/// cᵢ = Σⱼ wᵢⱼ S̃ᵢⱼ.
fn overlaps(graph: &Graph, scaled: &Array2<f64>) -> Array1<f64> {
    Array1::from_shape_fn(graph.nodes(), |i| {
        let mut sum = 0.0;
        graph.for_each_neighbour(i, |j, w| sum += w * scaled[[i, j]]);
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gaussfield_core::Parameters as _;

    fn graph(change: f64) -> Graph {
        let weight = |i: usize, j: usize| 0.2 + 0.1 * ((i * 5 + j * 3) % 7) as f64;
        let edges = (0..8).flat_map(|i| (0..i).map(move |j| (i, j)));
        let edges = edges.filter(|(i, j)| (i + 2 * j) % 3 != 1).map(|(i, j)| {
            let moved = if (i, j) == (5, 2) { change } else { 0.0 };
            (i, j, weight(i, j) + moved)
        });
        Graph::from_edges(8, edges).unwrap()
    }

    fn moments() -> Array2<f64> {
        let root = Array2::from_shape_fn((8, 8), |(i, j)| ((i * 7 + j * 3) as f64).sin());
        root.dot(&root.t())
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let priors = [
            GraphPrior::regularised(0.7, 2.0),
            GraphPrior::shifted(0.3),
            GraphPrior::normalised(0.2),
        ];
        let moments = moments();
        for prior in priors {
            let at = |prior: &GraphPrior, change: f64| {
                PriorTerm::value(&mut Workbench::new(), prior, &graph(change), &moments).unwrap()
            };
            let term = PriorTerm::new(
                &mut Workbench::new(),
                &prior,
                &graph(0.0),
                &moments,
                Budget::default(),
            )
            .unwrap();
            assert!((term.value - at(&prior, 0.0)).abs() < 1e-12);
            let step = 1e-6;
            let slope = (at(&prior, step) - at(&prior, -step)) / (2.0 * step);
            let exact = term.edges.at(5, 2);
            assert!((slope - exact).abs() < 1e-7 * (1.0 + exact.abs()), "{slope} {exact}");
            for (i, exact) in term.parameters.iter().enumerate() {
                let moved = |by: f64| {
                    let mut values = prior.values();
                    values[i] += by;
                    let mut there = prior.clone();
                    there.set_parameters(&values).unwrap();
                    at(&there, 0.0)
                };
                let slope = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((slope - exact).abs() < 1e-6 * (1.0 + exact.abs()), "{slope} {exact}");
            }
        }
    }
}

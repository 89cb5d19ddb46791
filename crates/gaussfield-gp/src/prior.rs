use crate::GpError;
use crate::error::{check_nodes, check_positive};
use gaussfield_graph::Graph;
use gaussfield_laplacian::{Grounded, Prepared, SolverOptions};
use ndarray::Array2;

/// The prior covariance G = [β(Δ + I/σ²)]⁻¹ of CMU-CS-03-175, section 2.
///
/// β scales the whole precision: large β, small values. 1/σ² ties every node to the mean:
/// without it the constant function would be free. Parts of the graph without a label have the
/// prior mean.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphPrior {
    /// Inverse temperature. Positive; the paper's experiments use 0.1.
    pub beta: f64,
    /// Scale of the tie to the mean. Positive; the paper's experiments use 1000.
    pub sigma: f64,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl GraphPrior {
    /// With the solver chosen by size and density.
    pub fn new(beta: f64, sigma: f64) -> Self {
        Self { beta, sigma, solver: SolverOptions::default() }
    }

    /// The columns G\[:, nodes\]: n × k, by one factorisation and k solves.
    ///
    /// # Errors
    /// β or σ out of range, a node past the end, a system that cannot be solved.
    pub fn columns(&self, graph: &Graph, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        self.prepare(graph)?.columns(nodes)
    }

    pub(crate) fn prepare(&self, graph: &Graph) -> Result<PreparedPrior, GpError> {
        check_positive("β", self.beta)?;
        check_positive("σ", self.sigma)?;
        let system = Grounded::regularised(graph, self.beta, self.sigma)?;
        let prepared = system.prepare(&self.solver)?;
        Ok(PreparedPrior { beta: self.beta, sigma: self.sigma, nodes: graph.nodes(), prepared })
    }
}

/// The prior on one graph, factorised.
#[derive(Debug)]
pub(crate) struct PreparedPrior {
    pub(crate) beta: f64,
    pub(crate) sigma: f64,
    pub(crate) nodes: usize,
    prepared: Prepared,
}

impl PreparedPrior {
    /// G\[:, nodes\].
    pub(crate) fn columns(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        check_nodes(nodes, self.nodes)?;
        let mut units = Array2::zeros((self.nodes, nodes.len()));
        for (column, &node) in nodes.iter().enumerate() {
            units[[node, column]] = 1.0;
        }
        Ok(self.prepared.solve(units.view())?.values)
    }
}

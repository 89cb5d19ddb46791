//! A prior whose precision is a graph Laplacian.

use super::{Columns, Prior, PriorGradient};
use crate::GpError;
use gaussfield_core::{
    Domain, Facts, NoSuchNode, Parameter, ParameterError, Parameters, check_values,
};
use gaussfield_graph::{EdgeGradient, Graph};
use gaussfield_laplacian::{
    DiagonalEstimate, Grounded, InverseDiagonal, Prepared, Solution, SolveFacts, SolverOptions,
    normalising_degrees,
};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// How the spectrum of a graph Laplacian is kept away from zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regularisation {
    /// K⁻¹ = β(Δ + I/σ²) with the combinatorial Δ (Zhu, Lafferty and Ghahramani 2003, section 2).
    ///
    /// β scales the whole precision: large β, small values. 1/σ² ties every node to the mean.
    Regularised {
        /// Inverse temperature. Positive; the report's experiments use 0.1.
        beta: f64,
        /// Scale of the tie to the mean. Positive; the report's experiments use 1000.
        sigma: f64,
    },
    /// K⁻¹ = Δ + δI with the combinatorial Δ: EP-CL of Kapoor et al. 2005.
    Shifted {
        /// δ, positive.
        delta: f64,
    },
    /// K⁻¹ = I − D^−½WD^−½ + δI, the normalised Laplacian: EP-NL of Kapoor et al. 2005.
    Normalised {
        /// δ, positive.
        delta: f64,
    },
}

/// A prior made from the Laplacian of a graph: linked nodes have like values. Without
/// regularisation the constant function would be free. Parts of the graph without a label keep
/// the prior mean.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphPrior {
    /// Which matrix is the precision.
    pub regularisation: Regularisation,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl GraphPrior {
    /// K⁻¹ = β(Δ + I/σ²), the solver chosen by size and density.
    pub fn regularised(beta: f64, sigma: f64) -> Self {
        Self::new(Regularisation::Regularised { beta, sigma })
    }

    /// K⁻¹ = Δ + δI.
    pub fn shifted(delta: f64) -> Self {
        Self::new(Regularisation::Shifted { delta })
    }

    /// K⁻¹ = I − D^−½WD^−½ + δI.
    pub fn normalised(delta: f64) -> Self {
        Self::new(Regularisation::Normalised { delta })
    }

    fn new(regularisation: Regularisation) -> Self {
        Self { regularisation, solver: SolverOptions::default() }
    }

    /// The same prior with another solver.
    #[must_use]
    pub fn with_solver(mut self, solver: SolverOptions) -> Self {
        self.solver = solver;
        self
    }

    /// The prior on a graph: one factorisation (or the set-up of an iterative solver), after
    /// which each column of the covariance is one solve, for any labels.
    ///
    /// # Errors
    /// A parameter out of range, a system that cannot be solved.
    pub fn on(&self, graph: &Graph) -> Result<GraphCovariance, GpError> {
        self.check_parameters()?;
        let (system, roots) = match self.regularisation {
            Regularisation::Regularised { beta, sigma } => {
                (Grounded::regularised(graph, beta, sigma)?, None)
            }
            Regularisation::Shifted { delta } => (Grounded::shifted(graph, delta)?, None),
            Regularisation::Normalised { delta } => {
                let roots = normalising_degrees(graph).mapv(f64::sqrt);
                (Grounded::normalised_shifted(graph, delta)?, Some(roots))
            }
        };
        let prepared = system.prepare(&self.solver)?;
        let regularisation = self.regularisation;
        Ok(GraphCovariance { regularisation, nodes: graph.nodes(), roots, prepared })
    }
}

/// β and σ, or δ.
impl Parameters for Regularisation {
    fn parameters(&self) -> Vec<Parameter> {
        let positive = |name, value| Parameter::new(name, value, Domain::Positive);
        match *self {
            Self::Regularised { beta, sigma } => {
                vec![positive("beta", beta), positive("sigma", sigma)]
            }
            Self::Shifted { delta } | Self::Normalised { delta } => vec![positive("delta", delta)],
        }
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        check_values(&self.parameters(), values)?;
        match (self, values) {
            (Self::Regularised { beta, sigma }, &[to_beta, to_sigma]) => {
                (*beta, *sigma) = (to_beta, to_sigma);
            }
            (Self::Shifted { delta } | Self::Normalised { delta }, &[to]) => *delta = to,
            _ => {}
        }
        Ok(())
    }
}

impl Parameters for GraphPrior {
    fn parameters(&self) -> Vec<Parameter> {
        self.regularisation.parameters()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        self.regularisation.set_parameters(values)
    }
}

/// A [`GraphPrior`] on one graph, made ready for any labels. Made by [`GraphPrior::on`].
#[derive(Debug)]
pub struct GraphCovariance {
    regularisation: Regularisation,
    nodes: usize,
    /// √d for the normalised Laplacian, which is solved by congruence.
    roots: Option<Array1<f64>>,
    prepared: Prepared,
}

impl GraphCovariance {
    /// The prior variances of all nodes at once, exactly or by random probes, as named: see
    /// [`InverseDiagonal`] for the cost of each.
    ///
    /// # Errors
    /// No probes, a solver that failed.
    pub fn all_variances(&self, how: InverseDiagonal) -> Result<DiagonalEstimate, GpError> {
        let mut estimate = self.prepared.inverse_diagonal(how)?;
        // K = D½ A⁻¹ D½ for the normalised Laplacian.
        if let Some(roots) = &self.roots {
            let degrees = roots * roots;
            estimate.values *= &degrees;
            if let Some(errors) = &mut estimate.standard_errors {
                *errors *= &degrees;
            }
        }
        Ok(estimate)
    }

    /// The solver that runs.
    pub fn solver(&self) -> gaussfield_laplacian::Solver {
        self.prepared.solver()
    }
}

impl Prior for GraphCovariance {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError> {
        NoSuchNode::check(nodes, self.nodes)?;
        let mut units = Array2::zeros((self.nodes, nodes.len()));
        for (column, &node) in nodes.iter().enumerate() {
            units[[node, column]] = self.roots.as_ref().map_or(1.0, |roots| roots[node]);
        }
        let Solution { mut values, facts } = self.prepared.solve(units.view())?;
        if let Some(roots) = &self.roots {
            values *= &roots.view().insert_axis(Axis(1));
        }
        Ok(Columns { values, extension: None, facts: solve_facts(&facts) })
    }

    /// With the precision Q and Z = K\[:, L\], ∂J/∂Q = −Z M Zᵀ: no solve beyond the columns.
    /// O(n l²), and O(m·l) for the pullback of the edges.
    fn pullback(
        &self,
        nodes: &[usize],
        columns: &Columns,
        by_gram: &Array2<f64>,
    ) -> Result<PriorGradient, GpError> {
        let columns = &columns.values;
        // tr(M K_LL) and tr(M [K²]_LL).
        let gram = columns.select(Axis(0), nodes);
        let by_scale: f64 = (by_gram * &gram).sum();
        let by_square: f64 = (&columns.dot(by_gram) * columns).sum();
        Ok(match self.regularisation {
            Regularisation::Regularised { beta, sigma } => PriorGradient {
                // ∂K/∂β = −K/β; ∂K/∂σ = (2β/σ³) K², the report's formula with its missing 2.
                parameters: vec![-by_scale / beta, 2.0 * beta / sigma.powi(3) * by_square],
                edges: Some(edge_gradient(columns, by_gram, beta)),
            },
            Regularisation::Shifted { .. } => PriorGradient {
                parameters: vec![-by_square],
                edges: Some(edge_gradient(columns, by_gram, 1.0)),
            },
            Regularisation::Normalised { delta } => PriorGradient {
                parameters: vec![-by_square],
                edges: Some(self.normalised_edges(nodes, columns, by_gram, delta)),
            },
        })
    }
}

impl GraphCovariance {
    /// K_LL = Eᵀ D½ A⁻¹ D½ E with A = D − W + δD. The weight of an edge changes A as before, with
    /// the columns D^−½Z in the place of Z, and the degree of both ends: δ in A, and D½ outside.
    fn normalised_edges(
        &self,
        nodes: &[usize],
        columns: &Array2<f64>,
        by_gram: &Array2<f64>,
        delta: f64,
    ) -> EdgeGradient {
        let ones = Array1::ones(self.nodes);
        let roots = self.roots.as_ref().unwrap_or(&ones);
        let scaled = columns / &roots.view().insert_axis(Axis(1));
        let pulled = scaled.dot(by_gram);
        let mut gradient = edge_gradient(&scaled, by_gram, 1.0);
        gradient.node_terms = (&pulled * &scaled).sum_axis(Axis(1)) * -delta;
        for (at, &node) in nodes.iter().enumerate() {
            gradient.node_terms[node] += pulled[[node, at]] / roots[node];
        }
        gradient
    }
}

/// gᵢⱼ = −scale·(zᵢ − zⱼ)ᵀ M (zᵢ − zⱼ).
fn edge_gradient(columns: &Array2<f64>, by_gram: &Array2<f64>, scale: f64) -> EdgeGradient {
    // A constant added to a column of Z changes no difference across an edge. Taking its mean
    // off keeps the differences exact where the columns are large and nearly constant.
    let centre = columns.mean_axis(Axis(0));
    let centred = centre.map_or_else(|| columns.clone(), |mean| columns - &mean);
    EdgeGradient {
        potentials: centred.dot(by_gram) * scale,
        node_terms: Array1::zeros(columns.nrows()),
        adjoints: centred,
    }
}

/// What a solver did, for the facts of a posterior.
fn solve_facts(facts: &SolveFacts) -> Facts {
    Facts::default()
        .with("solver", facts.solver.to_string())
        .with("unknowns", facts.unknowns)
        .with("right-hand sides", facts.columns)
        .with("iterations of the solver", facts.iterations)
        .with("relative residual", facts.relative_residual)
        .with("partition error", facts.partition_error)
}

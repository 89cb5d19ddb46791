//! A prior whose precision is a graph Laplacian.

use super::{Columns, Prior, PriorFamily, PriorGradient};
use crate::{GpError, Memory};
use gaussfield_core::{
    Budget, Domain, Facts, NoSuchNode, Parameter, ParameterError, Parameters, check, check_values,
};
use gaussfield_graph::{EdgeGradient, Graph};
use gaussfield_laplacian::{
    DiagonalEstimate, InverseDiagonal, Prepared, Solution, SolveFacts, SolverOptions, Workbench,
    normalising_degrees,
};
use ndarray::{Array1, Array2, Axis, Zip};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How the spectrum of a graph Laplacian is kept away from zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Regularisation {
    /// K⁻¹ = β(Δ + I/σ²) with the combinatorial Δ, that is β r(Δ) with r(λ) = λ + 1/σ²
    /// ([zhu2003gp (3)]).
    ///
    /// β scales the whole precision: large β, small values. 1/σ² ties every node to the mean.
    Regularised {
        /// Inverse temperature. Positive; the report's experiments use 0.1.
        beta: f64,
        /// Scale of the tie to the mean. Positive; the report's experiments use 1000.
        sigma: f64,
    },
    /// K⁻¹ = Δ + δI with the combinatorial Δ, [kapoor2005 (2)]: EP-CL of Kapoor et al. 2005.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphPrior {
    /// Which matrix is the precision.
    pub regularisation: Regularisation,
    /// Which solver, how exact.
    #[serde(default)]
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
        self.on_with(graph, &mut Memory::default())
    }

    /// The system that is solved in the place of the precision, made ready on a workbench: the
    /// precision itself, or D½ K⁻¹ D½ for the normalised Laplacian.
    ///
    /// # Errors
    /// As [`GraphPrior::on`].
    pub fn prepare_on(
        &self,
        workbench: &mut Workbench,
        graph: &Graph,
    ) -> Result<Arc<Prepared>, GpError> {
        self.check_parameters()?;
        let nodes: Vec<usize> = (0..graph.nodes()).collect();
        let (scale, excess) = self.regularisation.terms(graph)?;
        Ok(Arc::clone(workbench.prepare(graph, &nodes, scale, excess, &self.solver)?))
    }
}

impl PriorFamily for GraphPrior {
    type On = GraphCovariance;

    fn on_with(&self, graph: &Graph, memory: &mut Memory) -> Result<GraphCovariance, GpError> {
        let prepared = self.prepare_on(&mut memory.system, graph)?;
        let regularisation = self.regularisation;
        let roots = matches!(regularisation, Regularisation::Normalised { .. })
            .then(|| normalising_degrees(graph).mapv(f64::sqrt));
        let (nodes, budget) = (graph.nodes(), self.solver.budget);
        Ok(GraphCovariance { regularisation, nodes, roots, prepared, budget })
    }
}

impl Regularisation {
    /// The factor of the Laplacian, and what every node has on the diagonal besides: the precision
    /// β(Δ + I/σ²) of [zhu2003gp (4)], Δ + δI, or D½(L + δI)D½ = Δ + δD.
    fn terms(&self, graph: &Graph) -> Result<(f64, Vec<f64>), GpError> {
        Ok(match *self {
            Self::Regularised { beta, sigma } => {
                let tie = beta / sigma / sigma;
                let sound = tie.is_finite() && tie > 0.0;
                let allowed = "positive and finite: choose a less extreme σ";
                check::range("β/σ²", tie, sound, allowed)?;
                (beta, vec![tie; graph.nodes()])
            }
            Self::Shifted { delta } => (1.0, vec![delta; graph.nodes()]),
            Self::Normalised { delta } => {
                (1.0, normalising_degrees(graph).mapv(|degree| delta * degree).to_vec())
            }
        })
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
    prepared: Arc<Prepared>,
    /// For columns.
    budget: Budget,
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
        let units = self.units(nodes)?;
        Ok(self.solved(self.prepared.solve(units.view())?))
    }

    fn columns_with(&self, nodes: &[usize], memory: &mut Memory) -> Result<Columns, GpError> {
        let own = |prepared: &Arc<Prepared>| Arc::ptr_eq(prepared, &self.prepared);
        if !memory.system.prepared().is_some_and(own) {
            return self.columns(nodes);
        }
        let units = self.units(nodes)?;
        Ok(self.solved(memory.system.solve("columns of the covariance", units.view())?))
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
        // tr(M K_LL).
        let gram = columns.select(Axis(0), nodes);
        let by_scale: f64 = (by_gram * &gram).sum();
        let scaled = self.roots.as_ref().map(|roots| columns / &roots.view().insert_axis(Axis(1)));
        let pulled = Pulled::new(scaled.as_ref().unwrap_or(columns), by_gram);
        Ok(match self.regularisation {
            // ∂K/∂β = −K/β; ∂K/∂σ = (2β/σ³) K², the report's formula with its missing 2.
            Regularisation::Regularised { beta, sigma } => {
                let by_square = pulled.squares.sum();
                PriorGradient {
                    parameters: vec![-by_scale / beta, 2.0 * beta / sigma.powi(3) * by_square],
                    edges: Some(pulled.edges(beta)),
                }
            }
            Regularisation::Shifted { .. } => PriorGradient {
                parameters: vec![-pulled.squares.sum()],
                edges: Some(pulled.edges(1.0)),
            },
            Regularisation::Normalised { delta } => self.normalised(nodes, pulled, delta),
        })
    }
}

impl GraphCovariance {
    /// The right-hand sides whose solutions are columns.
    fn units(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes)?;
        // These, the columns, and what follows from them.
        self.budget.matrix("the columns of the covariance", self.nodes, 3 * nodes.len())?;
        let mut units = Array2::zeros((self.nodes, nodes.len()));
        for (column, &node) in nodes.iter().enumerate() {
            units[[node, column]] = self.roots.as_ref().map_or(1.0, |roots| roots[node]);
        }
        Ok(units)
    }

    fn solved(&self, solution: Solution) -> Columns {
        let Solution { mut values, facts } = solution;
        if let Some(roots) = &self.roots {
            values *= &roots.view().insert_axis(Axis(1));
        }
        Columns { values, extension: None, facts: solve_facts(&facts) }
    }

    /// K_LL = Eᵀ D½ A⁻¹ D½ E with A = D − W + δD. The weight of an edge changes A as before, with
    /// the columns D^−½Z in the place of Z, and the degree of both ends: δ in A, and D½ outside.
    fn normalised(&self, nodes: &[usize], pulled: Pulled, delta: f64) -> PriorGradient {
        let ones = Array1::ones(self.nodes);
        let roots = self.roots.as_ref().unwrap_or(&ones);
        let by_square: f64 =
            pulled.squares.iter().zip(roots).map(|(square, root)| square * root * root).sum();
        let mut node_terms = &pulled.squares * -delta;
        for (at, &node) in nodes.iter().enumerate() {
            node_terms[node] += (pulled.centred[[node, at]] + pulled.mean[at]) / roots[node];
        }
        let edges = EdgeGradient { node_terms, ..pulled.edges(1.0) };
        PriorGradient { parameters: vec![-by_square], edges: Some(edges) }
    }
}

/// Columns Z, and Z M: one product serves all parameters and all edges.
struct Pulled {
    /// Z without the mean of each column. A constant added to a column changes no difference across
    /// an edge: taking its mean off keeps the differences exact where columns are large and nearly
    /// constant.
    columns: Array2<f64>,
    /// The product of these with M.
    centred: Array2<f64>,
    /// That of the means.
    mean: Array1<f64>,
    /// zᵢᵀ M zᵢ of every node, whose sum is tr(M \[K²\]_LL).
    squares: Array1<f64>,
}

impl Pulled {
    /// O(n l²).
    fn new(columns: &Array2<f64>, by_gram: &Array2<f64>) -> Self {
        let means = columns.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(columns.ncols()));
        let mean = means.dot(by_gram);
        let away = columns - &means;
        let centred = away.dot(by_gram);
        let squares = Zip::from(columns.rows())
            .and(centred.rows())
            .map_collect(|column, pulled| column.dot(&pulled) + column.dot(&mean));
        Self { columns: away, centred, mean, squares }
    }

    /// gᵢⱼ = −scale·(zᵢ − zⱼ)ᵀ M (zᵢ − zⱼ).
    fn edges(self, scale: f64) -> EdgeGradient {
        let node_terms = Array1::zeros(self.columns.nrows());
        EdgeGradient { potentials: self.centred * scale, adjoints: self.columns, node_terms }
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

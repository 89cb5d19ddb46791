use crate::HarmonicError;
use gaussfield_graph::{EdgeGradient, Graph};
use gaussfield_labels::Labels;
use gaussfield_laplacian::{Grounded, Prepared, SolveFacts, SolverOptions};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// How the walk of the harmonic function is smoothed: P̃ = ε𝒰 + (1−ε)P, where 𝒰 jumps to any
/// node with equal probability (Zhu et al. 2003, section 6).
#[derive(Debug, Clone)]
pub struct Smoothing {
    /// Probability of a jump, in [0, 1). Default 0: the plain harmonic function.
    pub epsilon: f64,
    /// Weight of a self-loop on every node, which P counts although the harmonic function does
    /// not; eq. (1) read literally gives 1. Default 0.
    pub self_loop: f64,
    /// Which solver, how exact.
    pub solver: SolverOptions,
}

impl Default for Smoothing {
    fn default() -> Self {
        Self { epsilon: 0.0, self_loop: 0.0, solver: SolverOptions::default() }
    }
}

/// The harmonic function of the smoothed walk, kept with its factorisation so that gradients can
/// be pulled back through it.
///
/// Rows scaled by the degrees d, the system reads
/// (A − (ε/n) d 1ᵀ) f_u = (1−ε) W_ul f_l + (ε/n) d (1ᵀ f_l) with the symmetric
/// A = D_uu − (1−ε) W_uu. The rank-one term is never formed: Sherman–Morrison on A, one more
/// right-hand side.
#[derive(Debug)]
pub struct SmoothedField {
    /// All nodes, labels clamped.
    values: Array2<f64>,
    interior: Vec<usize>,
    degrees: Array1<f64>,
    epsilon: f64,
    prepared: Prepared,
    facts: SolveFacts,
}

impl Smoothing {
    /// Solves for every class: one factorisation, C + 1 right-hand sides.
    ///
    /// # Errors
    /// ε outside [0, 1), a bad self-loop weight, no label, a node without any edge, parts without
    /// a label when ε = 0, a solver that failed.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<SmoothedField, HarmonicError> {
        let epsilon = self.epsilon;
        if !(0.0..1.0).contains(&epsilon) {
            return Err(HarmonicError::BadParameter {
                name: "the smoothing ε",
                value: epsilon,
                range: "at least 0 and below 1",
            });
        }
        if !(self.self_loop.is_finite() && self.self_loop >= 0.0) {
            return Err(HarmonicError::BadSelfLoop { weight: self.self_loop });
        }
        let boundary = crate::boundary_of(graph, labels)?;
        let interior = boundary.interior().to_vec();
        if interior.is_empty() {
            return Err(HarmonicError::AllLabelled);
        }
        let unreached: Vec<usize> = if epsilon > 0.0 {
            // A jump always finds a label, but P has no row for a node without an edge.
            let degrees = graph.degrees();
            let stuck = |&i: &usize| degrees[i] + self.self_loop <= 0.0;
            interior.iter().copied().filter(stuck).collect()
        } else {
            gaussfield_laplacian::unreachable(graph, &boundary)
        };
        if !unreached.is_empty() {
            return Err(HarmonicError::ComponentWithoutLabel { nodes: unreached });
        }

        let n = graph.nodes() as f64;
        let mut values = Array2::zeros((graph.nodes(), labels.classes()));
        for (node, class) in labels.as_slice().iter().enumerate() {
            if let Some(class) = *class {
                values[[node, class]] = 1.0;
            }
        }
        let clamped = values.select(Axis(0), boundary.boundary());
        let mut right = boundary.product(graph, clamped.view())? * (1.0 - epsilon);
        let to_boundary = right.sum_axis(Axis(1));
        let degrees = graph.degrees().select(Axis(0), &interior) + self.self_loop;
        let excess = (&to_boundary + &(&degrees * epsilon)).to_vec();
        let boundary_mass = clamped.sum_axis(Axis(0));
        for (mut row, d) in right.rows_mut().into_iter().zip(&degrees) {
            row.scaled_add(epsilon / n * d, &boundary_mass);
        }
        let classes = labels.classes();
        let right = if epsilon > 0.0 { with_column(&right, degrees.view()) } else { right };

        let system = Grounded::new(graph, &interior, 1.0 - epsilon, excess)?;
        let prepared = system.prepare(&self.solver)?;
        let solution = prepared.solve(right.view())?;
        let jumps = Jumps::of(&solution.values, classes, epsilon / n, |column| column.sum());
        for c in 0..classes {
            let column = solution.values.column(c);
            for (at, &node) in interior.iter().enumerate() {
                values[[node, c]] = (column[at] + jumps.after(c, at)).max(0.0);
            }
        }
        for &node in &interior {
            let sum = values.row(node).sum();
            values.row_mut(node).mapv_inplace(|f| f / sum);
        }
        let facts = solution.facts;
        Ok(SmoothedField { values, interior, degrees, epsilon, prepared, facts })
    }
}

impl SmoothedField {
    /// n × C values, labels clamped; rows sum to one.
    pub fn values(&self) -> ArrayView2<'_, f64> {
        self.values.view()
    }

    /// The unlabelled nodes, in increasing order.
    pub fn interior(&self) -> &[usize] {
        &self.interior
    }

    /// Which solver ran, how far it got.
    pub fn facts(&self) -> &SolveFacts {
        &self.facts
    }

    /// The gradient on the edges of any objective J of the interior values, from ∂J/∂F (u × C in
    /// the order of [`SmoothedField::interior`]).
    ///
    /// With the adjoint μ = (A − (ε/n) 1 dᵀ)⁻¹ λ, zero on the boundary, and S = Σᵢ fᵢ over all
    /// nodes, the gradient on edge (i, j) is
    /// −(1−ε)(μᵢ−μⱼ)(fᵢ−fⱼ) + εμᵢ(S/n − fᵢ) + εμⱼ(S/n − fⱼ).
    /// Since the classes sum to one, C − 1 adjoints suffice: O(C) solves with the factorisation
    /// at hand, whatever the number of hyperparameters.
    ///
    /// # Errors
    /// A solver that failed.
    ///
    /// # Panics
    /// If `sensitivity` is not u × C.
    pub fn edge_gradient(
        &self,
        sensitivity: ArrayView2<'_, f64>,
    ) -> Result<EdgeGradient, HarmonicError> {
        let (nodes, classes) = self.values.dim();
        let unknowns = self.interior.len();
        assert_eq!(sensitivity.dim(), (unknowns, classes), "one row per unlabelled node");
        let n = nodes as f64;
        let free = classes - 1;
        let base = sensitivity.column(0).insert_axis(Axis(1));
        let right = &sensitivity.slice(ndarray::s![.., 1..]) - &base;
        let ones = Array1::ones(unknowns);
        let right = if self.epsilon > 0.0 { with_column(&right, ones.view()) } else { right };
        let solved = self.prepared.solve(right.view())?.values;
        let degrees = self.degrees.view();
        let jumps = Jumps::of(&solved, free, self.epsilon / n, |column| dot(degrees, column));

        let mut potentials = Array2::zeros((nodes, free));
        let mut node_terms = Array1::zeros(nodes);
        for c in 0..free {
            let column = solved.column(c);
            let mean = self.values.column(c + 1).sum() / n;
            for (at, &node) in self.interior.iter().enumerate() {
                let adjoint = column[at] + jumps.after(c, at);
                potentials[[node, c]] = (1.0 - self.epsilon) * adjoint;
                node_terms[node] += self.epsilon * adjoint * (mean - self.values[[node, c + 1]]);
            }
        }
        let adjoints = self.values.slice(ndarray::s![.., 1..]).to_owned();
        Ok(EdgeGradient { potentials, adjoints, node_terms })
    }
}

/// Sherman–Morrison: what the rank-one term adds to each solution of the symmetric system.
///
/// The last column solved for is the response to the jumps; a column gets it times
/// r·φ(column)/(1 − r·φ(response)), where φ is the other side of the rank-one term. Without jumps
/// there is no such column.
struct Jumps {
    response: Option<Array1<f64>>,
    factors: Vec<f64>,
}

impl Jumps {
    fn of(
        solved: &Array2<f64>,
        columns: usize,
        rate: f64,
        functional: impl Fn(ArrayView1<'_, f64>) -> f64,
    ) -> Self {
        if solved.ncols() == columns {
            return Self { response: None, factors: Vec::new() };
        }
        let response = solved.column(columns);
        let share = 1.0 - rate * functional(response);
        let factor = |c: usize| rate * functional(solved.column(c)) / share;
        Self { response: Some(response.to_owned()), factors: (0..columns).map(factor).collect() }
    }

    fn after(&self, column: usize, at: usize) -> f64 {
        self.response.as_ref().map_or(0.0, |response| self.factors[column] * response[at])
    }
}

fn with_column(matrix: &Array2<f64>, column: ArrayView1<'_, f64>) -> Array2<f64> {
    let mut wider = Array2::zeros((matrix.nrows(), matrix.ncols() + 1));
    wider.slice_mut(ndarray::s![.., ..matrix.ncols()]).assign(matrix);
    wider.column_mut(matrix.ncols()).assign(&column);
    wider
}

fn dot(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

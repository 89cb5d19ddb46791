use crate::{Dongles, Field, HarmonicError};
use gaussfield_core::NoSuchNode;
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, LabelsError};
use gaussfield_laplacian::{Grounded, SolveFacts, SolverOptions};
use ndarray::{Array1, Array2};

/// Harmonic energy minimisation: the field that equals the labels on the boundary and the average
/// of its neighbours everywhere else.
///
/// f_u = (D_uu − W_uu)⁻¹ W_ul f_l (Zhu et al. 2003, eq. (5)), for each class at once: one
/// factorisation, C right-hand sides.
///
/// ```
/// # use openblas_src as _;
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::Harmonic;
/// use gaussfield_labels::Labels;
///
/// // A path 0 – 1 – 2 – 3 with its ends labelled: the values go linearly from end to end.
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("left"), None, None, Some("right")]);
/// let field = Harmonic::default().fit(&graph, &labels)?;
/// assert!((field.class(1)[1] - 1.0 / 3.0).abs() < 1e-12);
/// assert!((field.class(1)[2] - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Harmonic {
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// Which solver, how exact. Default: chosen by size and density.
    pub solver: SolverOptions,
}

impl Harmonic {
    /// The harmonic function of every class.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, parts without a label (unless
    /// [`Islands::Prior`]), a solver that could not reach its accuracy.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<Field, HarmonicError> {
        let interior = labels.unlabelled();
        let anchors = Anchors::none(graph.nodes(), labels.classes());
        self.solve(graph, labels, interior, anchors)
    }

    /// The harmonic function on the graph augmented with dongles: outside predictions on
    /// unlabelled nodes, and labelled nodes whose label is doubted (Zhu et al. 2003, section 5).
    ///
    /// # Errors
    /// As [`Harmonic::fit`], and dongles that do not fit the labels.
    pub fn fit_with_dongles(
        &self,
        graph: &Graph,
        labels: &Labels,
        dongles: &Dongles,
    ) -> Result<Field, HarmonicError> {
        same_nodes(graph, labels)?;
        let anchors = dongles.anchors(graph, labels)?;
        let free = if dongles.doubts_labels() {
            (0..graph.nodes()).collect()
        } else {
            labels.unlabelled()
        };
        self.solve(graph, labels, free, anchors)
    }

    /// Solves on the nodes `free`, all others clamped to their label, with anchors as extra
    /// edges to fixed values: L(W_FF) + diag(boundary weight + anchor weight).
    fn solve(
        &self,
        graph: &Graph,
        labels: &Labels,
        free: Vec<usize>,
        anchors: Anchors,
    ) -> Result<Field, HarmonicError> {
        same_nodes(graph, labels)?;
        if labels.labelled().is_empty() {
            return Err(LabelsError::NoLabels.into());
        }
        if let Islands::Prior(prior) = &self.islands
            && prior.as_slice().len() != labels.classes()
        {
            return Err(HarmonicError::PriorShape {
                prior: prior.as_slice().len(),
                labels: labels.classes(),
            });
        }
        let mut values = Array2::zeros((graph.nodes(), labels.classes()));
        let mut is_free = vec![false; graph.nodes()];
        for &node in &free {
            is_free[node] = true;
        }
        for node in 0..graph.nodes() {
            if let (false, Some(class)) = (is_free[node], labels.get(node)) {
                values[[node, class]] = 1.0;
            }
        }

        // An anchor without any edge decides alone: f = h (only its dongle to walk to).
        let pull = Pull::of(graph, labels, &is_free, &anchors);
        let islands = unreached(graph, &is_free, &pull.weight);
        if !islands.is_empty() {
            let Islands::Prior(prior) = &self.islands else {
                return Err(HarmonicError::ComponentWithoutLabel { nodes: islands });
            };
            for &node in &islands {
                is_free[node] = false;
                values.row_mut(node).assign(&Array1::from(prior.as_slice().to_vec()));
            }
        }

        let solved: Vec<usize> = free.into_iter().filter(|&node| is_free[node]).collect();
        let excess: Vec<f64> = solved.iter().map(|&node| pull.weight[node]).collect();
        let right = pull.target.select(ndarray::Axis(0), &solved);
        let system = Grounded::new(graph, &solved, 1.0, excess)?;
        let solution = system.prepare(&self.solver)?.solve(right.view())?;
        for (row, &node) in solution.values.rows().into_iter().zip(&solved) {
            // Every column is solved for, and rounding alone separates their sum from one
            // (the solver's partition certificate): share it out and stay inside [0, 1].
            let row = row.mapv(|f| f.max(0.0));
            let sum = row.sum();
            values.row_mut(node).assign(&(row / sum));
        }
        Ok(Field { values, interior: labels.unlabelled(), islands, facts: solution.facts })
    }

    /// The covariance 𝒢/(2β) of the Gaussian field between chosen unlabelled nodes (rows and
    /// columns in the order of `nodes`), where 𝒢 = Δ_uu⁻¹: one solve per chosen node.
    ///
    /// The field's precision is 2βΔ here, βΔ in CMU-CS-03-175.
    ///
    /// # Errors
    /// β not positive; a chosen node that is labelled or past the end; as [`Harmonic::fit`].
    pub fn covariance(
        &self,
        graph: &Graph,
        labels: &Labels,
        nodes: &[usize],
        beta: f64,
    ) -> Result<(Array2<f64>, SolveFacts), HarmonicError> {
        same_nodes(graph, labels)?;
        if !(beta.is_finite() && beta > 0.0) {
            return Err(HarmonicError::BadParameter {
                name: "β",
                value: beta,
                range: "finite and positive",
            });
        }
        let boundary = crate::boundary_of(graph, labels)?;
        let mut at = Vec::with_capacity(nodes.len());
        for &node in nodes {
            at.push(
                boundary
                    .interior_position(node)
                    .ok_or(NoSuchNode { node, nodes: boundary.interior().len() })
                    .map_err(LabelsError::from)?,
            );
        }
        let mut right = Array2::zeros((boundary.interior().len(), nodes.len()));
        for (column, &row) in at.iter().enumerate() {
            right[[row, column]] = 1.0;
        }
        let islands = gaussfield_laplacian::unreachable(graph, &boundary);
        if !islands.is_empty() {
            return Err(HarmonicError::ComponentWithoutLabel { nodes: islands });
        }
        let system = Grounded::dirichlet(graph, &boundary)?;
        let solution = system.prepare(&self.solver)?.solve(right.view())?;
        let covariance = solution.values.select(ndarray::Axis(0), &at) / (2.0 * beta);
        Ok((covariance, solution.facts))
    }
}

pub(crate) fn same_nodes(graph: &Graph, labels: &Labels) -> Result<(), HarmonicError> {
    if graph.nodes() != labels.len() {
        return Err(HarmonicError::NodeCount { graph: graph.nodes(), labels: labels.len() });
    }
    Ok(())
}

/// Extra edges to fixed values: weight aᵢ to a node that holds hᵢ.
pub(crate) struct Anchors {
    /// aᵢ ≥ 0, one per node.
    pub(crate) weight: Vec<f64>,
    /// hᵢ, n × C, rows sum to one where the weight is positive.
    pub(crate) value: Array2<f64>,
}

impl Anchors {
    fn none(nodes: usize, classes: usize) -> Self {
        Self { weight: vec![0.0; nodes], value: Array2::zeros((nodes, classes)) }
    }
}

/// What pulls a free node: the total weight to fixed values and the weighted sum of them.
struct Pull {
    weight: Vec<f64>,
    target: Array2<f64>,
}

impl Pull {
    fn of(graph: &Graph, labels: &Labels, is_free: &[bool], anchors: &Anchors) -> Self {
        let mut weight = anchors.weight.clone();
        let mut target = anchors.value.clone();
        for (mut row, &a) in target.rows_mut().into_iter().zip(&anchors.weight) {
            row *= a;
        }
        for node in (0..graph.nodes()).filter(|&node| is_free[node]) {
            graph.for_each_neighbour(node, |j, w| {
                if let (false, Some(class)) = (is_free[j], labels.get(j)) {
                    weight[node] += w;
                    target[[node, class]] += w;
                }
            });
        }
        Self { weight, target }
    }
}

/// Free nodes from which no walk over free nodes reaches a pull, in increasing order.
fn unreached(graph: &Graph, is_free: &[bool], pull: &[f64]) -> Vec<usize> {
    let mut reached: Vec<bool> = (0..graph.nodes()).map(|i| is_free[i] && pull[i] > 0.0).collect();
    let mut stack: Vec<usize> = (0..graph.nodes()).filter(|&i| reached[i]).collect();
    while let Some(node) = stack.pop() {
        graph.for_each_neighbour(node, |j, _| {
            if is_free[j] && !reached[j] {
                reached[j] = true;
                stack.push(j);
            }
        });
    }
    (0..graph.nodes()).filter(|&i| is_free[i] && !reached[i]).collect()
}

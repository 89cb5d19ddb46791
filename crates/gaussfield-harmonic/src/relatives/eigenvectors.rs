//! Least squares on the smoothest eigenvectors.

use super::Ground;
use crate::HarmonicError;
use gaussfield_core::{Facts, OutOfRange, dense};
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, NodeScores};
use gaussfield_laplacian::{LanczosOptions, Laplacian, components};
use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

/// Least squares on the p smoothest eigenvectors of the Laplacian (Belkin and Niyogi 2002; Zhu et
/// al. 2003, section 3.2).
///
/// Functions on the graph are restricted to the span of the p eigenvectors of Δ with the smallest
/// eigenvalues; the one nearest to the labels decides. Other than the harmonic function, which holds
/// the labels, it need not fit them: [`SmoothFit::residual`] says how far it is off. The cost is that
/// of the eigenvectors, by [`Laplacian::smallest`].
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::relatives::Eigenvectors;
/// use gaussfield_labels::{Labels, Transductive};
///
/// let graph = Graph::from_edges(5, [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 0.1), (3, 4, 1.0)])?;
/// let labels = Labels::from_names([Some("cat"), None, None, None, Some("dog")]);
/// let fit = Eigenvectors { count: 2, ..Eigenvectors::default() }.fit(&graph, &labels)?;
/// assert_eq!(fit.scores().argmax(), [0, 0, 0, 1, 1]);
/// assert!(fit.residual() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Eigenvectors {
    /// p: at least one for every part of the graph with a label, at most as many as labels.
    /// Default 2.
    pub count: usize,
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// How the eigenvectors are found.
    pub search: LanczosOptions,
}

impl Default for Eigenvectors {
    fn default() -> Self {
        let (islands, search) = Default::default();
        Self { count: 2, islands, search }
    }
}

/// What [`Eigenvectors::fit`] gives: [`values`](Self::values) as probabilities, where what is below
/// zero counts as zero.
#[derive(Debug, Clone)]
pub struct SmoothFit {
    answer: NodeScores,
    values: Array2<f64>,
    residual: f64,
}

impl SmoothFit {
    /// The fitted functions, a column for each class; 0 where no label reaches.
    pub fn values(&self) -> &Array2<f64> {
        &self.values
    }

    /// The largest difference between a label and what was fitted there.
    pub fn residual(&self) -> f64 {
        self.residual
    }
}

impl AsRef<NodeScores> for SmoothFit {
    fn as_ref(&self) -> &NodeScores {
        &self.answer
    }
}

/// Smaller eigenvalues of EᵀE, centred, than this share of the trace of EᵀE are zero.
const RANK: f64 = 1e-12;

impl Eigenvectors {
    /// The functions in the span of p eigenvectors that are nearest to the labels.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, parts without a label (unless
    /// [`Islands::Prior`]), p out of its range, scores over the budget of the search, eigenvectors
    /// that are not found.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<SmoothFit, HarmonicError> {
        let ground = Ground::new(graph, labels, &self.islands)?;
        labels.take_scores(self.search.solver.budget)?;
        let reached: Vec<usize> = (0..graph.nodes()).filter(|&node| ground.reaches(node)).collect();
        let part = part_of(graph, &reached)?;
        let labelled: Vec<usize> =
            (0..reached.len()).filter(|&at| labels.get(reached[at]).is_some()).collect();
        let (least, most) = (components(&part).count, labelled.len());
        if !(least..=most).contains(&self.count) {
            let allowed = format!("from {least}, the parts of the graph, to {most}, the labels");
            let (name, value) = ("the number of eigenvectors".into(), self.count as f64);
            return Err(OutOfRange { name, value, allowed: allowed.into() }.into());
        }

        let smooth = Laplacian::Combinatorial.smallest(&part, self.count, &self.search)?.vectors;
        let given: Vec<usize> = labelled.iter().map(|&at| reached[at]).collect();
        let targets = labels.one_hot().select(Axis(0), &given);
        let fitted = least_squares(&smooth, &labelled, &targets)?;

        let gaps = &fitted.select(Axis(0), &labelled) - &targets;
        let residual = gaps.iter().fold(0.0_f64, |most, gap| most.max(gap.abs()));
        let mut values = Array2::zeros((graph.nodes(), labels.classes()));
        for (at, &node) in reached.iter().enumerate() {
            values.row_mut(node).assign(&fitted.row(at));
        }
        let even = 1.0 / labels.classes() as f64;
        let mut scores = values.mapv(|value: f64| value.max(0.0));
        for mut row in scores.rows_mut() {
            let total = row.sum();
            row.mapv_inplace(|value| if total > 0.0 { value / total } else { even });
        }
        let facts = Facts::default()
            .with("method", "least squares on eigenvectors")
            .with("eigenvectors", self.count)
            .with("largest residual on a label", residual);
        Ok(SmoothFit { answer: ground.answer(scores, facts)?, values, residual })
    }
}

/// The graph of some nodes, by their places.
fn part_of(graph: &Graph, nodes: &[usize]) -> Result<Graph, HarmonicError> {
    if nodes.len() == graph.nodes() {
        return Ok(graph.clone());
    }
    let mut edges = Vec::new();
    for (at, &node) in nodes.iter().enumerate() {
        graph.for_each_neighbour(node, |to, weight| {
            if let (true, Ok(other)) = (to > node, nodes.binary_search(&to)) {
                edges.push((at, other, weight));
            }
        });
    }
    Ok(Graph::from_edges(nodes.len(), edges)?)
}

/// Of the functions in the span that are nearest to the labels the one nearest to a constant: its
/// values at every row. The constant is in the span, and where the labelled rows do not tell the others
/// apart it must not be shortened with them: rows of what is fitted to a partition sum to one.
fn least_squares(
    smooth: &Array2<f64>,
    labelled: &[usize],
    targets: &Array2<f64>,
) -> Result<Array2<f64>, HarmonicError> {
    let mut seen = smooth.select(Axis(0), labelled);
    let trace = seen.iter().map(|x| x * x).sum::<f64>();
    let share = 1.0 / labelled.len() as f64;
    let (middle, level) = (seen.sum_axis(Axis(0)) * share, targets.sum_axis(Axis(0)) * share);
    seen -= &middle;
    let (values, vectors) = dense::symmetric_eigen(seen.t().dot(&seen))?;
    let least = RANK * trace;
    let inverse = values.mapv(|value| if value > least { 1.0 / value } else { 0.0 });
    let scaled = &vectors * &inverse.insert_axis(Axis(0));
    let mut slopes = scaled.dot(&vectors.t()).dot(&seen.t().dot(&(targets - &level)));
    // Those of all classes together are zero, but for rounding that the smallest values enlarge.
    for mut row in slopes.rows_mut() {
        row -= row.sum() / targets.ncols() as f64;
    }
    Ok((smooth - &middle).dot(&slopes) + &level)
}

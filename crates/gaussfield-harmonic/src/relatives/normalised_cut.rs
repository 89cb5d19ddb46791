//! Normalised cut with a grouping bias.

use super::Ground;
use crate::HarmonicError;
use gaussfield_core::{Budget, Facts, dense};
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, NodeScores};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// The normalised cut of Shi and Malik (2000), with labels of one class held together (Yu and Shi
/// 2001; Zhu et al. 2003, section 3.3).
///
/// f minimises the Rayleigh quotient fᵀΔf / fᵀDf, [zhu2003 (8)], among functions orthogonal to the
/// degrees that are equal on all labels of a class: the second eigenvector of the graph whose labels
/// of a class are one node. Its values are then cut where cut/volume of both sides together is least,
/// among all places between the two classes.
///
/// Unlike the harmonic function it asks for sides of similar weight. Two classes; O(n³) time and a
/// dense n × n matrix, for comparisons on up to a few thousand nodes.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::relatives::NormalisedCut;
/// use gaussfield_labels::{Labels, Transductive};
///
/// // Two triangles by a weak edge, labelled close to it.
/// let triangle = |a: usize| [(a, a + 1, 1.0), (a + 1, a + 2, 1.0), (a, a + 2, 1.0)];
/// let edges = triangle(0).into_iter().chain(triangle(3)).chain([(2, 3, 0.2)]);
/// let graph = Graph::from_edges(6, edges)?;
/// let labels = Labels::from_names([None, None, Some("left"), Some("right"), None, None]);
/// let cut = NormalisedCut::default().fit(&graph, &labels)?;
/// assert_eq!(cut.scores().argmax(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NormalisedCut {
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// Memory for the dense matrix and its eigenvectors. Default 4 GiB.
    pub budget: Budget,
}

/// What [`NormalisedCut::fit`] gives: the side of every node, with probability one.
#[derive(Debug, Clone)]
pub struct NormalisedCutFit {
    answer: NodeScores,
    values: Array1<f64>,
    quotient: f64,
    cost: f64,
}

impl NormalisedCutFit {
    /// f before it is cut, larger towards the second class; 0 where no label reaches.
    pub fn values(&self) -> &Array1<f64> {
        &self.values
    }

    /// The Rayleigh quotient of [`values`](Self::values): the least among functions that are equal
    /// on the labels of a class.
    pub fn quotient(&self) -> f64 {
        self.quotient
    }

    /// cut/volume of one side plus cut/volume of the other.
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

impl AsRef<NodeScores> for NormalisedCutFit {
    fn as_ref(&self) -> &NodeScores {
        &self.answer
    }
}

impl NormalisedCut {
    /// Parts the nodes.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, another number of classes than two or
    /// one without a label, parts without a label (unless [`Islands::Prior`]), a matrix over the
    /// budget.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<NormalisedCutFit, HarmonicError> {
        let ground = Ground::between_two(graph, labels, &self.islands, "the normalised cut")?;
        // Places 0 and 1 hold all labels of a class, the rest one node each.
        let mut places: Vec<Option<usize>> = labels.as_slice().to_vec();
        let mut size = 2;
        for node in labels.unlabelled() {
            if ground.reaches(node) {
                places[node] = Some(size);
                size += 1;
            }
        }
        self.budget.matrix("the joined graph and its eigenvectors", size, 3 * size)?;
        let (weights, degrees) = joined(graph, &places, size);
        let (vector, quotient) = second_vector(&weights, &degrees)?;
        let towards = if vector[1] < vector[0] { -1.0 } else { 1.0 };
        let vector = vector * towards;
        let (second, cost) = best_split(&weights, &degrees, &vector);
        let mut values = labels.one_hot();
        let mut f = Array1::zeros(graph.nodes());
        for (node, place) in places.iter().enumerate() {
            if let Some(place) = *place {
                let class = usize::from(second[place]);
                values[[node, class]] = 1.0;
                values[[node, 1 - class]] = 0.0;
                f[node] = vector[place];
            }
        }
        let facts = Facts::default()
            .with("method", "the normalised cut")
            .with("Rayleigh quotient", quotient)
            .with("normalised cut", cost);
        Ok(NormalisedCutFit { answer: ground.answer(values, facts)?, values: f, quotient, cost })
    }
}

/// Weights between places and the degrees of places, in which weights within a place count: D is
/// that of the graph itself, summed.
fn joined(graph: &Graph, places: &[Option<usize>], size: usize) -> (Array2<f64>, Array1<f64>) {
    let (mut weights, mut degrees) = (Array2::zeros((size, size)), Array1::zeros(size));
    for (node, place) in places.iter().enumerate() {
        let Some(place) = *place else { continue };
        graph.for_each_neighbour(node, |to, weight| {
            if let Some(other) = places[to] {
                degrees[place] += weight;
                if other != place {
                    weights[[place, other]] += weight;
                }
            }
        });
    }
    (weights, degrees)
}

/// f and its quotient: the least eigenpair of D^−½ΔD^−½ off D^½1.
fn second_vector(
    weights: &Array2<f64>,
    degrees: &Array1<f64>,
) -> Result<(Array1<f64>, f64), HarmonicError> {
    // A place without an edge is a label alone: any weight of its own will do.
    let root = degrees.mapv(|d: f64| if d > 0.0 { d.sqrt() } else { 1.0 });
    let norm = root.dot(&root).sqrt();
    let mut matrix = Array2::zeros(weights.raw_dim());
    for i in 0..root.len() {
        for j in 0..root.len() {
            // Eigenvalues are at most 2: 3 on the constant moves it out of the way.
            let off = 3.0 * root[i] * root[j] / (norm * norm);
            matrix[[i, j]] = off - weights[[i, j]] / (root[i] * root[j]);
        }
        matrix[[i, i]] += weights.row(i).sum() / (root[i] * root[i]);
    }
    let (values, vectors) = dense::symmetric_eigen(matrix)?;
    Ok((&vectors.column(0) / &root, values[0].max(0.0)))
}

/// Which places are on the side of the second class where the values are cut at the least cost, and
/// that cost.
fn best_split(
    weights: &Array2<f64>,
    degrees: &Array1<f64>,
    values: &Array1<f64>,
) -> (Vec<bool>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    // The two classes stand at the outer ends of their ties.
    let tie = |place: usize| match place {
        0 => 0,
        1 => 2,
        _ => 1,
    };
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(tie(a).cmp(&tie(b))));
    let all = degrees.sum();
    let mut low = vec![false; values.len()];
    let (mut cut, mut volume) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for (at, &place) in order.iter().enumerate() {
        for (other, &weight) in weights.row(place).iter().enumerate() {
            cut += if low[other] { -weight } else { weight };
        }
        low[place] = true;
        volume += degrees[place];
        let cost = part(cut, volume) + part(cut, all - volume);
        if low[0] && !low[1] && cost < best.0 {
            best = (cost, at + 1);
        }
    }
    let mut second = vec![true; values.len()];
    order[..best.1].iter().for_each(|&place| second[place] = false);
    (second, best.0)
}

/// cut/volume; nothing is cut from a side without edges.
fn part(cut: f64, volume: f64) -> f64 {
    if volume > 0.0 { cut.max(0.0) / volume } else { 0.0 }
}

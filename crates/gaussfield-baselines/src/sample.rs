//! The 'sample' baseline: a harmonic function on the labelled points and a sample of the others.

use crate::BaselineError;
use crate::training::labelled;
use gaussfield_core::{Facts, SizeMismatch, check};
use gaussfield_graph::Graph;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{Inductive, Islands, Labels, NodeScores, Scores};
use gaussfield_laplacian::Boundary;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Harmonic function on a sample, weighted averages elsewhere (Delalleau, Bengio and Le Roux 2005;
/// 'sample' in Zhu and Lafferty 2005):
///
/// f_j = Σ_i w_ij f_i / Σ_i w_ij over the labelled and sampled points i.
///
/// ```
/// use gaussfield_baselines::SampleBaseline;
/// use gaussfield_graph::Graph;
/// use gaussfield_labels::{Inductive, Labels, Transductive};
/// use ndarray::array;
///
/// // Two labelled points, a sampled one between them, and one that hangs on it.
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (1, 3, 1.0)])?;
/// let labels = Labels::from_names([Some("a"), None, Some("b"), None]);
/// let fit = SampleBaseline::default().fit(&graph, &labels, &[1])?;
/// assert!((fit.scores().class(1)[1] - 0.5).abs() < 1e-12);
/// assert!((fit.scores().class(1)[3] - 0.5).abs() < 1e-12);
/// // A new point with weights 3 and 1 to the middle and the right end.
/// let new = fit.predict(&array![[0.0, 3.0, 1.0]].view())?;
/// assert!((new.class(1)[0] - 0.625).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SampleBaseline {
    /// The harmonic function on the small graph. Its islands policy also says what a point gets
    /// that has no positive weight to any labelled or sampled one.
    pub harmonic: Harmonic,
}

/// A fitted [`SampleBaseline`]: for all nodes of its graph, and for new points by their weights.
#[derive(Debug, Clone)]
pub struct SampleFit {
    answer: NodeScores,
    /// Of the labelled and sampled nodes, by increasing node.
    known: Scores,
    islands: Islands,
}

impl SampleBaseline {
    /// The nodes of `sample` and the labelled ones keep the weights among each other, all other
    /// nodes are averaged.
    ///
    /// # Errors
    /// Graph and labels of different size; no label; a sampled node past the end, named twice or
    /// labelled; nodes that no label or no weight reaches (unless [`Islands::Prior`]); a failure of
    /// the solver.
    pub fn fit(
        &self,
        graph: &Graph,
        labels: &Labels,
        sample: &[usize],
    ) -> Result<SampleFit, BaselineError> {
        SizeMismatch::check("labels, one for each node", graph.nodes(), labels.len())?;
        let mut chosen = labelled(labels)?;
        chosen.extend_from_slice(sample);
        chosen.sort_unstable();
        // Checks that nodes exist and are named once.
        let split = Boundary::new(graph.nodes(), &chosen)?;
        let field = if split.interior().is_empty() {
            self.harmonic.fit(graph, labels)?
        } else {
            self.harmonic.fit(&among(graph, &split)?, &labels.select(&chosen)?)?
        };
        let known = Scores::new(field.values().to_owned())?;
        let mut values = Array2::zeros((graph.nodes(), labels.classes()));
        for (&node, row) in chosen.iter().zip(known.values().rows()) {
            values.row_mut(node).assign(&row);
        }
        let mut totals = vec![1.0; graph.nodes()];
        for &node in split.interior() {
            let mut row = values.row_mut(node);
            totals[node] = 0.0;
            graph.for_each_neighbour(node, |other, weight| {
                if let Some(at) = split.boundary_position(other) {
                    row.scaled_add(weight, &known.values().row(at));
                    totals[node] += weight;
                }
            });
        }
        let islands = self.harmonic.islands.clone();
        let scores = averages(values, &totals, &islands)?;
        let facts = Facts::default()
            .with("method", "harmonic function on a sample")
            .with("labelled and sampled nodes", known.nodes());
        let lost = (0..graph.nodes()).filter(|&node| totals[node] <= 0.0);
        let mut unreached: Vec<usize> =
            field.islands().iter().map(|&at| chosen[at]).chain(lost).collect();
        unreached.sort_unstable();
        let answer = NodeScores::new(labels, scores, facts)?.on_islands(unreached);
        Ok(SampleFit { answer, known, islands })
    }
}

/// The graph of the boundary nodes alone.
fn among(graph: &Graph, split: &Boundary) -> Result<Graph, BaselineError> {
    let mut edges = Vec::new();
    for (at, &node) in split.boundary().iter().enumerate() {
        graph.for_each_neighbour(node, |other, weight| {
            if let Some(to) = split.boundary_position(other).filter(|&to| to > at) {
                edges.push((at, to, weight));
            }
        });
    }
    Ok(Graph::from_edges(split.boundary().len(), edges)?)
}

/// Sums divided by the total weight of each row.
fn averages(
    mut sums: Array2<f64>,
    totals: &[f64],
    islands: &Islands,
) -> Result<Scores, BaselineError> {
    let lost: Vec<usize> = (0..totals.len()).filter(|&i| totals[i] <= 0.0).collect();
    if let (Islands::Error, Some(&example)) = (islands, lost.first()) {
        return Err(BaselineError::Unreached { count: lost.len(), example });
    }
    for (mut row, &total) in sums.rows_mut().into_iter().zip(totals) {
        match islands {
            Islands::Prior(prior) if total <= 0.0 => {
                row.iter_mut().zip(prior.as_slice()).for_each(|(out, &p)| *out = p);
            }
            _ => row /= total,
        }
    }
    Ok(Scores::new(sums)?)
}

impl AsRef<NodeScores> for SampleFit {
    fn as_ref(&self) -> &NodeScores {
        &self.answer
    }
}

impl Inductive<ArrayView2<'_, f64>> for SampleFit {
    type Error = BaselineError;

    /// Weighted averages for other points: a row for each of them, and a column for each labelled or
    /// sampled node, by increasing node.
    fn predict(&self, weights: &ArrayView2<'_, f64>) -> Result<Scores, BaselineError> {
        SizeMismatch::check("weights of a point", self.known.nodes(), weights.ncols())?;
        for &weight in weights {
            check::not_negative("a weight", weight)?;
        }
        let totals: Vec<f64> = weights.rows().into_iter().map(|row| row.sum()).collect();
        averages(weights.dot(&self.known.values()), &totals, &self.islands)
    }
}

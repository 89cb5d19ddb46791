//! The 'sample' baseline: a small graph on the labelled points and a sample of the others.

use crate::MixtureError;
use crate::error::{check, check_length};
use gaussfield_graph::Graph;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Islands, Labels, LabelsError, Scores};
use gaussfield_laplacian::{Boundary, SolverOptions};
use ndarray::{Array2, ArrayView2};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// What a point gets that the labels do not reach: one without a positive weight to any sampled or
/// labelled point, or a sampled one in a part of the small graph without a label.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Unreached {
    /// [`MixtureError::Unreached`] or [`MixtureError::Harmonic`]. The default: there is no average
    /// over nothing.
    #[default]
    Error,
    /// The class prior.
    Prior(ClassPrior),
}

/// Harmonic function on a sample, weighted averages elsewhere (Delalleau, Bengio and Le Roux 2005;
/// 'sample' in Zhu and Lafferty 2005):
///
/// f_j = Σ_i w_ij f_i / Σ_i w_ij over the labelled and sampled points i.
///
/// ```
/// # use openblas_src as _;
/// use gaussfield_graph::Graph;
/// use gaussfield_labels::Labels;
/// use gaussfield_mixture::SampleBaseline;
///
/// // Two labelled points and a sampled one between them.
/// let small = Graph::from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)])?;
/// let labels = Labels::from_names([Some("a"), None, Some("b")]);
/// let fit = SampleBaseline::default().fit(&small, &labels)?;
/// assert!((fit.scores().class(1)[1] - 0.5).abs() < 1e-12);
/// // A new point with weights 3 and 1 to the middle and the right end.
/// let new = fit.average(ndarray::array![[0.0, 3.0, 1.0]].view())?;
/// assert!((new.class(1)[0] - 0.625).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SampleBaseline {
    /// What points get that the sample does not reach. Default: an error.
    pub unreached: Unreached,
    /// The solver of the small system.
    pub solver: SolverOptions,
}

/// The harmonic function on the labelled and sampled points.
#[derive(Debug, Clone)]
pub struct SampleFit {
    scores: Scores,
    unreached: Unreached,
}

impl SampleBaseline {
    /// The harmonic function on a small graph whose nodes are the labelled and sampled points.
    ///
    /// # Errors
    /// Graph and labels of different size, no label, sampled points that no label reaches (unless
    /// [`Unreached::Prior`]), a failure of the solver.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<SampleFit, MixtureError> {
        let islands = match &self.unreached {
            Unreached::Error => Islands::Error,
            Unreached::Prior(prior) => Islands::Prior(prior.clone()),
        };
        let harmonic = Harmonic { islands, solver: self.solver };
        let scores = Scores::new(harmonic.fit(graph, labels)?.values().to_owned())?;
        Ok(SampleFit { scores, unreached: self.unreached.clone() })
    }

    /// The whole baseline on one graph: the nodes of `sample` and the labelled ones keep the
    /// weights among each other, all other nodes are averaged. Scores for all nodes.
    ///
    /// # Errors
    /// As [`SampleBaseline::fit`]; a sampled node past the end, named twice or labelled; other
    /// nodes without a weight to these (unless [`Unreached::Prior`]).
    pub fn fit_graph(
        &self,
        graph: &Graph,
        labels: &Labels,
        sample: &[usize],
    ) -> Result<Scores, MixtureError> {
        check_length("labels, one for each node of the graph", graph.nodes(), labels.len())?;
        let mut chosen = labels.labelled();
        if chosen.is_empty() {
            return Err(LabelsError::NoLabels.into());
        }
        chosen.extend_from_slice(sample);
        // Checks that nodes exist and are named once.
        let split = Boundary::new(graph.nodes(), &chosen)?;
        let mut edges = Vec::new();
        for (at, &node) in chosen.iter().enumerate() {
            graph.for_each_neighbour(node, |other, weight| {
                if let Some(to) = split.boundary_position(other).filter(|&to| to > at) {
                    edges.push((at, to, weight));
                }
            });
        }
        let small = Graph::from_edges(chosen.len(), edges)?;
        let fit = self.fit(&small, &labels.select(&chosen)?)?;
        let known = fit.scores.values();
        let mut values = Array2::zeros((graph.nodes(), labels.classes()));
        for (at, &node) in chosen.iter().enumerate() {
            values.row_mut(node).assign(&known.row(at));
        }
        let mut totals = vec![1.0; graph.nodes()];
        for &node in split.interior() {
            let mut row = values.row_mut(node);
            totals[node] = 0.0;
            graph.for_each_neighbour(node, |other, weight| {
                if let Some(at) = split.boundary_position(other) {
                    row.scaled_add(weight, &known.row(at));
                    totals[node] += weight;
                }
            });
        }
        fit.finish(values, &totals)
    }
}

impl SampleFit {
    /// The class probabilities of the labelled and sampled points.
    pub fn scores(&self) -> &Scores {
        &self.scores
    }

    /// Weighted averages for other points: `weights` has a row for each of them and a column for
    /// each labelled or sampled point, in the order of the small graph.
    ///
    /// # Errors
    /// Another number of columns, weights that are negative or not finite, rows of zeros (unless
    /// [`Unreached::Prior`]).
    pub fn average(&self, weights: ArrayView2<'_, f64>) -> Result<Scores, MixtureError> {
        check_length("weights of a point", self.scores.nodes(), weights.ncols())?;
        for &w in &weights {
            check("a weight", w, w >= 0.0 && w.is_finite(), "finite and not negative")?;
        }
        let values = weights.dot(&self.scores.values());
        let totals: Vec<f64> = weights.rows().into_iter().map(|row| row.sum()).collect();
        self.finish(values, &totals)
    }

    /// Divides sums by the total weight of each row.
    fn finish(&self, mut values: Array2<f64>, totals: &[f64]) -> Result<Scores, MixtureError> {
        let lost: Vec<usize> = (0..totals.len()).filter(|&i| totals[i] <= 0.0).collect();
        if let (Unreached::Error, Some(&example)) = (&self.unreached, lost.first()) {
            return Err(MixtureError::Unreached { count: lost.len(), example });
        }
        for (mut row, &total) in values.rows_mut().into_iter().zip(totals) {
            match &self.unreached {
                Unreached::Prior(prior) if total <= 0.0 => {
                    row.iter_mut().zip(prior.as_slice()).for_each(|(out, &p)| *out = p);
                }
                _ => row /= total,
            }
        }
        Ok(Scores::new(values)?)
    }
}

/// Draws `count` unlabelled nodes without replacement, in increasing order.
///
/// # Errors
/// More than there are.
pub fn draw_sample(labels: &Labels, count: usize, seed: u64) -> Result<Vec<usize>, MixtureError> {
    let mut nodes = labels.unlabelled();
    if count > nodes.len() {
        let (name, range) = ("the size of the sample", "at most the number of unlabelled points");
        return Err(MixtureError::BadParameter { name, value: count as f64, range });
    }
    nodes.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    nodes.truncate(count);
    nodes.sort_unstable();
    Ok(nodes)
}

//! A Markov walk of so many steps.

use super::Ground;
use crate::HarmonicError;
use gaussfield_core::{Budget, Facts, Progress, check};
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, NodeScores};
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// Classification by a Markov walk of t steps (Szummer and Jaakkola 2001; Zhu et al. 2003, section
/// 3.1).
///
/// A node stands for where a walk of t steps ended. Each place where it may have begun has its own
/// distribution of classes, and the class of a node is their mean over where the walk to it began,
/// all beginnings alike. These distributions are fitted to the labels by EM, whose objective is
/// concave.
///
/// Other than with the harmonic function labels are not held, and the answer hangs on t: after few
/// steps most nodes have not heard of a label, after many all have heard the same. O(t·m·(l + C))
/// and memory for n·l numbers.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_harmonic::relatives::MarkovWalk;
/// use gaussfield_labels::{Labels, Transductive};
///
/// let graph = Graph::from_edges(5, [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 0.1), (3, 4, 1.0)])?;
/// let labels = Labels::from_names([Some("cat"), None, None, None, Some("dog")]);
/// let walk = MarkovWalk { steps: 3, ..MarkovWalk::default() };
/// assert_eq!(walk.fit(&graph, &labels)?.scores().argmax(), [0, 0, 0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MarkovWalk {
    /// t, the steps of the walk, at least 1. Default 8.
    pub steps: usize,
    /// The weight of staying where one is, which a graph has no edge for. Default 1, that of a point
    /// to itself by exp(−d²/σ²).
    pub self_weight: f64,
    /// Most iterations of EM. Default 200.
    pub max_iterations: usize,
    /// EM ends where an iteration gains less of the log-likelihood of a label. Default 1e-6.
    pub tolerance: f64,
    /// What happens on parts of the graph without a label. Default: an error.
    pub islands: Islands,
    /// Memory for the walks of all labels. Default 4 GiB.
    pub budget: Budget,
}

impl Default for MarkovWalk {
    fn default() -> Self {
        let (islands, budget) = Default::default();
        Self { steps: 8, self_weight: 1.0, max_iterations: 200, tolerance: 1e-6, islands, budget }
    }
}

impl MarkovWalk {
    /// The probability of every class at every node, labelled ones too.
    ///
    /// # Errors
    /// Graph and labels of different size, no label at all, parts without a label (unless
    /// [`Islands::Prior`]), an option out of its range, walks over the budget; the work was stopped.
    pub fn fit(&self, graph: &Graph, labels: &Labels) -> Result<NodeScores, HarmonicError> {
        check::at_least("the number of steps", self.steps, 1)?;
        check::not_negative("the weight of staying", self.self_weight)?;
        check::at_least("the number of iterations", self.max_iterations, 1)?;
        check::not_negative("the tolerance", self.tolerance)?;
        let ground = Ground::new(graph, labels, &self.islands)?;
        let (labelled, classes) = (labels.labelled(), labels.classes());
        let columns = 2 * labelled.len() + 4 * classes;
        self.budget.matrix("the walks of all labels", graph.nodes(), columns)?;
        let walk = Lazy { graph, degrees: graph.degrees(), stay: self.self_weight };

        // Where a walk that ended at a label may have begun: columns of Pᵗ, scaled to one.
        let mut began = Array2::zeros((graph.nodes(), labelled.len()));
        for (column, &node) in labelled.iter().enumerate() {
            began[[node, column]] = 1.0;
        }
        let mut began = walk.steps(began, self.steps)?;
        for mut column in began.columns_mut() {
            let total = column.sum();
            column.mapv_inplace(|share| if total > 0.0 { share / total } else { 0.0 });
        }
        let of: Vec<usize> = labelled.iter().filter_map(|&node| labels.get(node)).collect();
        let (each, iterations) = self.fit_beginnings(&began, &of, classes)?;

        // (Pᵀ)ᵗ is D Pᵗ D⁻¹ with the weight of staying in D, for W is symmetric.
        let with_stay = |node: usize| walk.degrees[node] + self.self_weight;
        let mut scaled = each;
        for (node, mut row) in scaled.rows_mut().into_iter().enumerate() {
            let by = with_stay(node);
            row.mapv_inplace(|value| if by > 0.0 { value / by } else { value });
        }
        let mut values = walk.steps(scaled, self.steps)?;
        for mut row in values.rows_mut() {
            let total = row.sum();
            let even = 1.0 / classes as f64;
            row.mapv_inplace(|value| if total > 0.0 { value / total } else { even });
        }
        let facts = Facts::default()
            .with("method", "the Markov walk")
            .with("steps", self.steps)
            .with("iterations of EM", iterations);
        ground.answer(values, facts)
    }

    /// The classes of beginnings, n × C, by EM from even ones, and how many iterations it took. A
    /// node at which no walk to a label began stays even.
    fn fit_beginnings(
        &self,
        began: &Array2<f64>,
        of: &[usize],
        classes: usize,
    ) -> Result<(Array2<f64>, usize), HarmonicError> {
        let nodes = began.nrows();
        let mut each = Array2::from_elem((nodes, classes), 1.0 / classes as f64);
        let mut before = f64::NEG_INFINITY;
        let stage = Progress::stage("EM of the Markov walk", Some(self.max_iterations as u64));
        for iteration in 1..=self.max_iterations {
            stage.step()?;
            let mut next = Array2::<f64>::zeros((nodes, classes));
            let mut likelihood = 0.0;
            for (column, &class) in of.iter().enumerate() {
                let share = &began.column(column) * &each.column(class);
                let total = share.sum();
                if total > 0.0 {
                    likelihood += total.ln() / of.len() as f64;
                    next.column_mut(class).scaled_add(1.0 / total, &share);
                }
            }
            for (mut row, mut old) in next.rows_mut().into_iter().zip(each.rows_mut()) {
                let total = row.sum();
                if total > 0.0 {
                    row.mapv_inplace(|value| value / total);
                    old.assign(&row);
                }
            }
            if likelihood - before < self.tolerance {
                return Ok((each, iteration));
            }
            before = likelihood;
        }
        Ok((each, self.max_iterations))
    }
}

/// The walk P = (D + s)⁻¹(W + s), which may stay.
struct Lazy<'a> {
    graph: &'a Graph,
    degrees: Array1<f64>,
    stay: f64,
}

impl Lazy<'_> {
    /// Pᵗ times the values; every row is summed in the order of its neighbours, whatever the number
    /// of threads.
    fn steps(&self, mut values: Array2<f64>, steps: usize) -> Result<Array2<f64>, HarmonicError> {
        let mut next = Array2::zeros(values.raw_dim());
        let stage = Progress::stage("steps of the Markov walk", Some(steps as u64));
        for _ in 0..steps {
            stage.step()?;
            next.axis_iter_mut(Axis(0)).into_par_iter().enumerate().for_each(|(node, mut row)| {
                let out = self.degrees[node] + self.stay;
                row.assign(&values.row(node));
                if out > 0.0 {
                    row *= self.stay / out;
                    self.graph.for_each_neighbour(node, |to, weight| {
                        row.scaled_add(weight / out, &values.row(to));
                    });
                }
            });
            std::mem::swap(&mut values, &mut next);
        }
        Ok(values)
    }
}

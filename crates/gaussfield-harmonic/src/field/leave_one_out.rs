//! What the other labels say of each labelled node, in closed form.

use super::respond::{Outside, respond};
use super::{Field, HarmonicError};
use gaussfield_core::Progress;
use gaussfield_labels::Scores;
use ndarray::{Array2, ArrayView1, Axis};

/// Labels solved for at once: as many as make so many numbers, of which a solver holds about ten times as
/// many, but at least and at most so many.
const NUMBERS: usize = 8_000_000;
const LEAST: usize = 8;
const MOST: usize = 256;

/// How many labels are solved for at once in a problem of so many nodes.
pub(super) fn at_once(nodes: usize) -> usize {
    (NUMBERS / nodes.max(1)).clamp(LEAST, MOST)
}

/// The labelled nodes as the other labels see them.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// The labelled nodes, in increasing order.
    pub nodes: Vec<usize>,
    /// The scores of each as if it were unlabelled.
    pub scores: Scores,
    /// Nodes that no other label reaches and that hold the prior, in increasing order.
    pub islands: Vec<usize>,
}

impl Field {
    /// The scores of every labelled node as if it were unlabelled: what as many fits would give.
    ///
    /// All methods here are linear in the labels. With P the influence of each label on every node,
    /// the node k that is freed gets the pull Σⱼ Pₖⱼ yⱼ of the other labels through its neighbours,
    /// normalised: the Schur complement of the Laplacian on the labelled nodes. Where labels are
    /// not clamped, label k just falls silent. A column for each label, in blocks; memory for n × C
    /// and some ten times eight million numbers, or eight columns where these are more.
    ///
    /// # Errors
    /// A label that no other label reaches (unless
    /// [`Islands::Prior`](gaussfield_labels::Islands::Prior)); a solver that failed.
    pub fn leave_one_out(&self) -> Result<LeftOut, HarmonicError> {
        let (problem, changes) = (&*self.problem, &*self.changes);
        let nodes = self.labels.labelled();
        let classes = self.labels.classes();
        let mut pulls = Array2::<f64>::zeros((nodes.len(), classes));
        let size = at_once(problem.nodes());
        let stage = Progress::stage("leaving labels out", Some(nodes.len() as u64));
        for (block, chosen) in nodes.chunks(size).enumerate() {
            let mut given = Array2::zeros((problem.nodes(), chosen.len()));
            for (column, &node) in chosen.iter().enumerate() {
                given[[node, column]] = 1.0;
            }
            let (values, _) = respond(problem, changes, given, None, None)?;
            let seen = self.as_if_free(&nodes, &values);
            for (column, &node) in chosen.iter().enumerate() {
                let Some(class) = self.labels.get(node) else { continue };
                let own = block * size + column;
                for k in (0..nodes.len()).filter(|&k| k != own) {
                    pulls[[k, class]] += seen[[k, column]];
                }
            }
            stage.advance(chosen.len() as u64)?;
        }
        let fill = self.fill_of_left_out()?;
        if problem.formula.outside.is_some() || (problem.formula.jumps && !self.islands.is_empty())
        {
            let nothing = Array2::zeros((problem.nodes(), classes));
            let outside = Outside { islands: self.islands.len(), fill: &fill.row };
            let (mut values, _) = respond(problem, changes, nothing, Some(outside), None)?;
            for &node in &self.islands {
                values.row_mut(node).assign(&ArrayView1::from(&fill.row));
            }
            pulls += &self.as_if_free(&nodes, &values);
            if let Some(lead) = &problem.formula.outside {
                pulls += &lead.select(Axis(0), &nodes);
            }
        }
        for (mut row, node) in pulls.rows_mut().into_iter().zip(&nodes) {
            if fill.nodes.binary_search(node).is_ok() {
                row.assign(&ArrayView1::from(&fill.row));
            }
        }
        let scores = Scores::normalised(pulls.mapv(|pull| pull.max(0.0)))?;
        Ok(LeftOut { nodes, scores, islands: fill.nodes })
    }

    /// What values at all nodes say of labelled nodes that are let go.
    fn as_if_free(&self, nodes: &[usize], values: &Array2<f64>) -> Array2<f64> {
        let (problem, changes) = (&*self.problem, &*self.changes);
        if problem.formula.spoken.is_some() {
            return values.select(Axis(0), nodes);
        }
        let mut seen = Array2::zeros((nodes.len(), values.ncols()));
        let mean = values.sum_axis(Axis(0)) / values.nrows() as f64;
        for (mut row, &node) in seen.rows_mut().into_iter().zip(nodes) {
            for &(i, weight) in changes.row(problem, node) {
                row.scaled_add(weight, &values.row(i as usize));
            }
            if problem.formula.jumps {
                row.scaled_add(problem.formula.ties[node], &mean);
            }
        }
        seen
    }

    /// Labels that stand alone in their part of the graph, and what fills them once they go.
    fn fill_of_left_out(&self) -> Result<Fill, HarmonicError> {
        let problem = &*self.problem;
        let none = self.labels.keep(&[])?;
        let spoken_of = problem.spoken_of(&none);
        let labelled = self.labels.labelled();
        let parts: Vec<usize> = labelled.iter().map(|&node| problem.part(node)).collect();
        let mut count = std::collections::HashMap::new();
        parts.iter().for_each(|part| *count.entry(*part).or_insert(0_usize) += 1);
        let alone = |&(_, part): &(usize, usize)| !spoken_of[part] && count[&part] == 1;
        let nodes: Vec<usize> =
            labelled.into_iter().zip(parts).filter(alone).map(|(node, _)| node).collect();
        let row = problem.fill(&self.labels, &nodes)?;
        Ok(Fill { nodes, row })
    }
}

struct Fill {
    nodes: Vec<usize>,
    row: Vec<f64>,
}

//! The one result of all methods of this crate, with the factorisation it came from.

mod audit;
mod change;
mod covariance;
mod gradient;
mod influence;
mod judges;
mod leave_one_out;
mod respond;
mod what_if;

pub use audit::{Audited, Verdict};
pub use influence::Influence;
pub(crate) use judges::Judge;
pub use leave_one_out::LeftOut;
pub use what_if::WhatIf;

pub(crate) use respond::respond;

use crate::changes::Changes;
use crate::problem::{Bench, Formula, Problem};
use crate::{HarmonicError, energy};
use gaussfield_core::Facts;
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, LabelsError, Named, Scores, Transductive};
use gaussfield_laplacian::{SolveFacts, SolverOptions, Workbench};
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use std::sync::Arc;

/// Rows given to one task.
const ROWS_PER_TASK: usize = 1024;

/// The probability of every class at every node, with how it was computed and what it takes to ask
/// on.
///
/// Of the harmonic function row i holds, for each class, the probability that a random walk from
/// node i first meets a label of that class [zhu2003 (5)], section 3.1. Labelled nodes hold their
/// own label unless it was made doubtful.
///
/// A field keeps its factorised system, so that these cost a few solves and no factorisation:
///
/// | question | method | columns solved for |
/// |---|---|---|
/// | other classes on the same nodes | [`Field::relabelled`] | C |
/// | one label more or less | [`Field::with_label`], [`Field::without_label`] | C + 2 |
/// | each label as if it were not known | [`Field::leave_one_out`] | l |
/// | which labels do the others doubt? | [`Field::audit`] | l |
/// | what if a node were labelled? | [`Field::what_if`] | one a candidate |
/// | how sure is the field? | [`Field::variances`], [`Field::covariance`] | one a node |
/// | which labels decide at a node? | [`Field::influence`] | 1 to 3 |
///
/// Cloning is cheap but for the scores.
#[derive(Debug, Clone)]
pub struct Field {
    problem: Arc<Problem>,
    changes: Arc<Changes>,
    labels: Labels,
    scores: Scores,
    /// What the rows were divided by, for methods that give no distribution; zero on islands.
    sums: Option<Array1<f64>>,
    interior: Vec<usize>,
    islands: Vec<usize>,
    facts: SolveFacts,
}

impl Field {
    /// The field of a problem as it was made.
    pub(crate) fn fit(
        graph: &Graph,
        labels: &Labels,
        formula: Formula,
        islands: &Islands,
        bench: Bench<'_>,
    ) -> Result<Self, HarmonicError> {
        // Refused before any of it is there; conjugate gradients count their sides and solutions too.
        let (nodes, classes) = (graph.nodes(), labels.classes());
        let budget = bench.options.budget;
        budget.matrix("values, right-hand sides and solutions of a field", nodes, 3 * classes)?;
        let budget = budget.matrix("the values of a field", nodes, classes)?;
        let options = SolverOptions { budget, ..*bench.options };
        let mut bench = Bench { options: &options, kept: bench.kept };
        let problem = Problem::new(graph, labels, formula, islands, &mut bench)?;
        let changes = Arc::new(Changes::none(&problem));
        Self::new(Arc::new(problem), changes, labels.clone(), bench.kept)
    }

    /// The field of a problem with these labels and the changes that lead to them.
    fn new(
        problem: Arc<Problem>,
        changes: Arc<Changes>,
        labels: Labels,
        bench: Option<&mut Workbench>,
    ) -> Result<Self, HarmonicError> {
        let (islands, fill) = problem.islands(&labels)?;
        let outside = respond::Outside { islands: islands.len(), fill: &fill };
        let (mut values, facts) =
            respond(&problem, &changes, labels.one_hot(), Some(outside), bench)?;
        for &node in &islands {
            values.row_mut(node).assign(&ArrayView1::from(&fill));
        }
        let mut sums = share_out(&mut values)?;
        islands.iter().for_each(|&node| sums[node] = 0.0);
        let scores = Scores::new(values)?;
        let interior = labels.unlabelled();
        let sums = problem.formula.root.is_some().then_some(sums);
        Ok(Self { problem, changes, labels, scores, sums, interior, islands, facts })
    }

    /// n × C values; every row sums to one.
    pub fn values(&self) -> ArrayView2<'_, f64> {
        self.scores.values()
    }

    /// The values of one class on all nodes: the paper's f for `class` = 1 of two.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn class(&self, class: usize) -> ArrayView1<'_, f64> {
        self.scores.class(class)
    }

    /// The unlabelled nodes, in increasing order.
    pub fn interior(&self) -> &[usize] {
        &self.interior
    }

    /// Nodes that no label reaches and that hold the prior instead, in increasing order. Empty
    /// unless [`Islands::Prior`](gaussfield_labels::Islands::Prior) was asked for.
    pub fn islands(&self) -> &[usize] {
        &self.islands
    }

    /// What each row of a method that gives no distribution summed to before it was divided, zero
    /// on islands: for [`Consistency`](crate::Consistency) how strongly labels reach a node.
    pub fn mass(&self) -> Option<ArrayView1<'_, f64>> {
        self.sums.as_ref().map(|sums| sums.view())
    }

    /// The labels of this field.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Which solver ran, how far it got.
    pub fn solve_facts(&self) -> &SolveFacts {
        &self.facts
    }

    /// E(f) = ½ Σᵢⱼ wᵢⱼ (fᵢ − fⱼ)² of each class [zhu2003 (2)]. O(edges · C).
    ///
    /// # Panics
    /// If the graph has another number of nodes.
    pub fn energies(&self, graph: &Graph) -> Array1<f64> {
        self.values().columns().into_iter().map(|f| energy(graph, f)).collect()
    }

    /// Refuses a question that this field's method has no answer to.
    fn refuse(&self, what: &'static str) -> HarmonicError {
        HarmonicError::NotOfThisMethod { what, method: self.problem.formula.method }
    }
}

impl Named for Field {
    fn class_names(&self) -> &[String] {
        self.labels.names()
    }
}

impl Transductive for Field {
    fn scores(&self) -> &Scores {
        &self.scores
    }

    fn interior(&self) -> &[usize] {
        &self.interior
    }

    fn islands(&self) -> &[usize] {
        &self.islands
    }

    fn facts(&self) -> Facts {
        let SolveFacts { solver, unknowns, iterations, relative_residual, partition_error, .. } =
            &self.facts;
        Facts::default()
            .with("method", self.problem.formula.method)
            .with("solver", solver.to_string())
            .with("unknowns", *unknowns)
            .with("iterations", *iterations)
            .with("relative residual", *relative_residual)
            .with("partition error", *partition_error)
            .with("islands", self.islands.len())
            .with("labels changed", self.changes.held().len() + self.changes.freed().len())
    }
}

/// Divides each row by its sum, and gives the sums. Every column was solved for, so that rounding
/// alone separates a row from a distribution (the solver's partition certificate); a method that
/// gives no distribution becomes one.
fn share_out(values: &mut Array2<f64>) -> Result<Array1<f64>, LabelsError> {
    let mut sums = Array1::zeros(values.nrows());
    values
        .axis_chunks_iter_mut(Axis(0), ROWS_PER_TASK)
        .into_par_iter()
        .zip(sums.axis_chunks_iter_mut(Axis(0), ROWS_PER_TASK))
        .for_each(|(mut values, mut sums)| {
            for (mut row, sum) in values.rows_mut().into_iter().zip(&mut sums) {
                row.mapv_inplace(|f| f.max(0.0));
                *sum = row.sum();
                row /= *sum;
            }
        });
    match sums.iter().position(|&sum| sum.is_nan() || sum <= 0.0) {
        Some(node) => Err(LabelsError::ZeroRow { node }),
        None => Ok(sums),
    }
}

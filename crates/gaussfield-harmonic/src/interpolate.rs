//! Numbers and distributions at the boundary, instead of classes.

use crate::changes::Changes;
use crate::field::respond;
use crate::problem::{Bench, Formula, Problem, check, fill_islands};
use crate::{Harmonic, HarmonicError};
use gaussfield_core::{Facts, NoSuchNode, SizeMismatch};
use gaussfield_graph::Graph;
use gaussfield_labels::{Labels, LabelsError, NodeScores, Scores, SoftLabels};
use gaussfield_laplacian::{SolveFacts, unreachable};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// Real values at all nodes, from those at some: regression on a graph.
#[derive(Debug, Clone)]
pub struct Interpolation {
    values: Array2<f64>,
    interior: Vec<usize>,
    islands: Vec<usize>,
    facts: SolveFacts,
}

impl Interpolation {
    /// A row for each node, a column for each quantity; given rows are as they were given.
    pub fn values(&self) -> ArrayView2<'_, f64> {
        self.values.view()
    }

    /// The nodes without a given value, in increasing order.
    pub fn interior(&self) -> &[usize] {
        &self.interior
    }

    /// Nodes that no given value reaches and that hold the prior instead, in increasing order.
    pub fn islands(&self) -> &[usize] {
        &self.islands
    }

    /// Which solver ran, how far it got.
    pub fn solve_facts(&self) -> &SolveFacts {
        &self.facts
    }
}

impl Harmonic {
    /// The harmonic function of numbers given at some nodes, a row for each of them: the smoothest
    /// values in between, each the weighted mean of its neighbours. Classes are no part of it.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_harmonic::Harmonic;
    /// use ndarray::array;
    ///
    /// let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])?;
    /// let temperatures = array![[20.0], [-10.0]];
    /// let all = Harmonic::default().interpolate(&graph, &[0, 3], temperatures.view())?;
    /// assert!((all.values()[[1, 0]] - 10.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A node past the end or named twice, another number of rows than nodes, a value that is not
    /// finite, no node at all; parts of the graph without a given value, unless
    /// [`Islands::Prior`](gaussfield_labels::Islands::Prior) has a row of this length to fill them
    /// with; a solver that could not reach its accuracy.
    pub fn interpolate(
        &self,
        graph: &Graph,
        nodes: &[usize],
        values: ArrayView2<'_, f64>,
    ) -> Result<Interpolation, HarmonicError> {
        NoSuchNode::check(nodes, graph.nodes())?;
        SizeMismatch::check("rows of given values", nodes.len(), values.nrows())?;
        let mut given = Array2::zeros((graph.nodes(), values.ncols()));
        let mut of = vec![None; graph.nodes()];
        for (row, &node) in values.outer_iter().zip(nodes) {
            if let Some(&value) = row.iter().find(|value| !value.is_finite()) {
                return Err(LabelsError::BadValue { node, value }.into());
            }
            if of[node].replace(0).is_some() {
                return Err(LabelsError::RepeatedNode { node }.into());
            }
            given.row_mut(node).assign(&row);
        }
        let labels = Labels::new(of, vec!["given".to_owned()])?;
        check(graph, &labels)?;
        let islands = unreachable(graph, &crate::boundary_of(graph, &labels)?);
        let fill = fill_islands(&self.islands, values.ncols(), &islands)?;
        let mut bench = Bench { options: &self.solver, kept: None };
        let formula = Formula::harmonic(graph.nodes());
        let problem = Problem::new(graph, &labels, formula, &self.islands, &mut bench)?;
        let (mut values, facts) = respond(&problem, &Changes::none(&problem), given, None, None)?;
        for &node in &islands {
            values.row_mut(node).assign(&ArrayView1::from(&fill));
        }
        Ok(Interpolation { values, interior: labels.unlabelled(), islands, facts })
    }

    /// The harmonic function of labels that may be uncertain or negative: each is a row of the
    /// boundary, held as it is, and the answer between is their mean by the walk that meets them
    /// first.
    ///
    /// ```
    /// use gaussfield_graph::Graph;
    /// use gaussfield_harmonic::Harmonic;
    /// use gaussfield_labels::{ClassPrior, Decision, Labels, SoftLabels, Transductive};
    ///
    /// let graph = Graph::from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)])?;
    /// let names = ["cat", "dog", "owl"].map(String::from).to_vec();
    /// let labels = Labels::new(vec![Some(0), None, None], names)?;
    /// // Whatever node 2 is, it is no owl.
    /// let known = SoftLabels::from(&labels).none_of(2, &[2], &ClassPrior::uniform(3)?)?;
    /// let field = Harmonic::default().fit_soft(&graph, &known)?;
    /// assert!((field.scores().values()[[1, 0]] - 0.75).abs() < 1e-12);
    /// assert_eq!(field.predictions(&Decision::Argmax)?.to_string(), "1: cat (0.75)\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Harmonic::fit`].
    pub fn fit_soft(&self, graph: &Graph, known: &SoftLabels) -> Result<NodeScores, HarmonicError> {
        let len = "labels, one for each node of the graph,";
        SizeMismatch::check(len, graph.nodes(), known.len())?;
        let known_values = known.values();
        let field = self.interpolate(graph, &known.nodes(), known_values.view())?;
        let mut facts = Facts::default().with("method", "the harmonic function of soft labels");
        facts.extend(field.facts.facts());
        facts.add("islands", field.islands.len());
        let scores = Scores::normalised(field.values.mapv_into(|f| f.max(0.0)))?;
        // Whatever is known of a node, it is not among the unlabelled ones.
        let told = |node| known.row(node).map(|_| 0);
        let labels = Labels::new((0..known.len()).map(told).collect(), known.names().to_vec())?;
        Ok(NodeScores::new(&labels, scores, facts)?.on_islands(field.islands))
    }
}

//! One boundary problem: the equations that every method of this crate solves.

use crate::HarmonicError;
use gaussfield_core::SizeMismatch;
use gaussfield_graph::Graph;
use gaussfield_labels::{Islands, Labels, LabelsError};
use gaussfield_laplacian::{
    LaplacianError, Prepared, Solution, SolverOptions, Workbench, components,
};
use ndarray::{Array1, Array2, ArrayView2};
use rayon::prelude::*;
use std::sync::Arc;

/// How a method writes its equations. At every free node i
///
/// Σⱼ s·wᵢⱼ (fᵢ − fⱼ) + tᵢ (fᵢ − gᵢ) = 0,
///
/// where a *tie* of weight tᵢ leads to gᵢ: another classifier's word, the node's own doubted label,
/// the mean of all nodes, or zero.
#[derive(Debug)]
pub(crate) struct Formula {
    /// The method, as it follows "with".
    pub(crate) method: &'static str,
    /// s.
    pub(crate) scale: f64,
    /// tᵢ, one per node of the graph; of a clamped node what it has once it is freed.
    pub(crate) ties: Vec<f64>,
    /// tᵢgᵢ for ties that lead outside, n × C.
    pub(crate) outside: Option<Array2<f64>>,
    /// Whether the ties lead to the mean of all nodes.
    pub(crate) jumps: bool,
    /// Labels are not clamped; that of node i pulls at its own node with this weight.
    pub(crate) spoken: Option<Vec<f64>>,
    /// What the solution is multiplied with, node by node.
    pub(crate) root: Option<Array1<f64>>,
}

impl Formula {
    /// Labels clamped, nothing else: the harmonic function.
    pub(crate) fn harmonic(nodes: usize) -> Self {
        Self {
            method: "the harmonic function",
            scale: 1.0,
            ties: vec![0.0; nodes],
            outside: None,
            jumps: false,
            spoken: None,
            root: None,
        }
    }
}

/// Where a node stands in a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// This row of the system.
    Unknown(u32),
    /// This row of the clamped nodes.
    Clamped(u32),
    /// In a part without any ground.
    Absent,
}

/// Neighbours with s·wᵢⱼ, in increasing order.
pub(crate) type Row = Vec<(u32, f64)>;

/// A formula on a graph, factorised: what a fit keeps.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) formula: Formula,
    pub(crate) islands: Islands,
    /// The free nodes, in increasing order: the rows of the system.
    pub(crate) unknowns: Vec<usize>,
    /// The nodes that were labelled when the problem was made and are clamped, increasing.
    pub(crate) clamped: Vec<usize>,
    /// The neighbours of each clamped node.
    rows: Vec<Row>,
    places: Vec<Place>,
    /// The part of the graph in which each node lies.
    parts: Vec<usize>,
    part_count: usize,
    pub(crate) prepared: Arc<Prepared>,
}

impl Problem {
    /// Assembles and factorises. Beside the system itself only the rows of clamped nodes are
    /// looked at: O(n + m) for the parts of the graph, O(l · degree) for the rest.
    pub(crate) fn new(
        graph: &Graph,
        labels: &Labels,
        formula: Formula,
        islands: &Islands,
        bench: &mut Bench<'_>,
    ) -> Result<Self, HarmonicError> {
        let parts = components(graph);
        let clamps = |node: usize| formula.spoken.is_none() && labels.get(node).is_some();
        let mut grounded = vec![false; parts.count];
        for node in 0..graph.nodes() {
            grounded[parts.of[node]] |= clamps(node) || formula.ties[node] > 0.0;
        }
        let (mut unknowns, mut clamped) = (Vec::new(), Vec::new());
        let places: Vec<Place> = (0..graph.nodes())
            .map(|node| {
                if clamps(node) {
                    clamped.push(node);
                    Place::Clamped(clamped.len() as u32 - 1)
                } else if grounded[parts.of[node]] {
                    unknowns.push(node);
                    Place::Unknown(unknowns.len() as u32 - 1)
                } else {
                    Place::Absent
                }
            })
            .collect();
        let rows: Vec<Row> = clamped
            .par_iter()
            .map(|&node| {
                let mut row = Row::new();
                graph.for_each_neighbour(node, |j, w| row.push((j as u32, formula.scale * w)));
                row
            })
            .collect();
        let mut excess: Vec<f64> = unknowns.iter().map(|&node| formula.ties[node]).collect();
        for &(node, weight) in rows.iter().flatten() {
            if let Place::Unknown(at) = places[node as usize] {
                excess[at as usize] += weight;
            }
        }
        let prepared = bench.prepare(graph, &unknowns, formula.scale, excess)?;
        let (part_count, parts) = (parts.count, parts.of);
        let islands = islands.clone();
        Ok(Self { formula, islands, unknowns, clamped, rows, places, parts, part_count, prepared })
    }

    /// Number of nodes, n.
    pub(crate) fn nodes(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn place(&self, node: usize) -> Place {
        self.places[node]
    }

    /// The row of the system that belongs to a node.
    pub(crate) fn unknown(&self, node: usize) -> Option<usize> {
        match self.places[node] {
            Place::Unknown(at) => Some(at as usize),
            _ => None,
        }
    }

    /// The neighbours of a clamped node; none of any other.
    pub(crate) fn row(&self, node: usize) -> &[(u32, f64)] {
        match self.places[node] {
            Place::Clamped(at) => &self.rows[at as usize],
            _ => &[],
        }
    }

    /// Whether something is said about each part of the graph: by a label or by a tie.
    pub(crate) fn spoken_of(&self, labels: &Labels) -> Vec<bool> {
        let formula = &self.formula;
        let leads = formula.jumps || formula.outside.is_some();
        let mut spoken_of = vec![false; self.part_count];
        for (node, label) in labels.as_slice().iter().enumerate() {
            let speaks = match label {
                Some(_) => formula.spoken.as_ref().is_none_or(|weight| weight[node] > 0.0),
                None => leads && formula.ties[node] > 0.0,
            };
            spoken_of[self.parts[node]] |= speaks;
        }
        spoken_of
    }

    /// The part of the graph in which a node lies.
    pub(crate) fn part(&self, node: usize) -> usize {
        self.parts[node]
    }

    /// Nodes about which nothing is said, in increasing order, and the row that fills them.
    pub(crate) fn islands(&self, labels: &Labels) -> Result<(Vec<usize>, Vec<f64>), HarmonicError> {
        let spoken_of = self.spoken_of(labels);
        let clamped = |node: usize| self.formula.spoken.is_none() && labels.get(node).is_some();
        let nodes: Vec<usize> = (0..self.nodes())
            .filter(|&node| !spoken_of[self.parts[node]] && !clamped(node))
            .collect();
        let fill = self.fill(labels, &nodes)?;
        Ok((nodes, fill))
    }

    /// What fills the given nodes, about which nothing is said.
    pub(crate) fn fill(&self, labels: &Labels, nodes: &[usize]) -> Result<Vec<f64>, HarmonicError> {
        fill_islands(&self.islands, labels.classes(), nodes)
    }
}

/// The row that fills the given nodes, which no label reaches.
pub(crate) fn fill_islands(
    islands: &Islands,
    classes: usize,
    nodes: &[usize],
) -> Result<Vec<f64>, HarmonicError> {
    match islands {
        Islands::Prior(prior) => {
            prior.check_classes(classes)?;
            Ok(prior.as_slice().to_vec())
        }
        _ if nodes.is_empty() => Ok(Vec::new()),
        _ => Err(HarmonicError::ComponentWithoutLabel { nodes: nodes.to_vec() }),
    }
}

/// What every method asks of its input.
pub(crate) fn check(graph: &Graph, labels: &Labels) -> Result<(), HarmonicError> {
    SizeMismatch::check("labels, one for each node of the graph,", graph.nodes(), labels.len())?;
    if labels.labelled().is_empty() {
        return Err(LabelsError::NoLabels.into());
    }
    Ok(())
}

/// Where systems are prepared and solved: on a workbench that remembers, or afresh.
pub(crate) struct Bench<'a> {
    pub(crate) options: &'a SolverOptions,
    pub(crate) kept: Option<&'a mut Workbench>,
}

impl Bench<'_> {
    fn prepare(
        &mut self,
        graph: &Graph,
        nodes: &[usize],
        scale: f64,
        excess: Vec<f64>,
    ) -> Result<Arc<Prepared>, LaplacianError> {
        Ok(match &mut self.kept {
            Some(bench) => Arc::clone(bench.prepare(graph, nodes, scale, excess, self.options)?),
            None => Arc::new(Prepared::new(graph, nodes, scale, excess, self.options)?),
        })
    }
}

/// Solves with a prepared system; on the workbench that prepared it, conjugate gradients start at
/// the last solution of the slot.
pub(crate) fn solve(
    prepared: &Arc<Prepared>,
    bench: Option<&mut Workbench>,
    slot: &'static str,
    right: ArrayView2<'_, f64>,
) -> Result<Solution, LaplacianError> {
    match bench {
        Some(bench) if bench.prepared().is_some_and(|own| Arc::ptr_eq(own, prepared)) => {
            bench.solve(slot, right)
        }
        _ => prepared.solve(right),
    }
}

//! Which nodes a system is made of, and where the weights of a graph go in it.

use crate::LaplacianError;
use crate::boundary::Selection;
use crate::coupling::{Coupling, SparsePattern, SparseRows};
use gaussfield_core::{Budget, blocks};
use gaussfield_graph::{Graph, SparseWeights, Weights};
use ndarray::Array2;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows that one task assembles: fixed, so that work is cut alike for any number of threads.
const ROWS: usize = 1024;

/// A choice of nodes, and the places of a sparse graph's weights between them. It serves every
/// graph with the same pattern.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) nodes: Arc<[usize]>,
    selection: Selection,
    /// Whether the nodes stand in increasing order, so that rows need no sorting.
    increasing: bool,
    /// None for a graph that stores all pairs.
    pattern: Option<Arc<SparsePattern>>,
}

impl Structure {
    /// The places, and the weights of this graph in them, times `scale`.
    pub(crate) fn new(
        graph: &Graph,
        nodes: &[usize],
        scale: f64,
        memory: Vec<f64>,
    ) -> Result<(Self, Coupling), LaplacianError> {
        let selection = Selection::new(graph.nodes(), nodes)?;
        let increasing = nodes.is_sorted();
        let mut structure = Self { nodes: nodes.into(), selection, increasing, pattern: None };
        let coupling = match graph.weights() {
            Weights::Dense(weights) => structure.full(weights, scale, memory)?,
            Weights::Sparse(weights) => {
                let rows = structure.rows(weights, scale);
                structure.pattern = Some(Arc::clone(&rows.pattern));
                Coupling::Sparse(rows)
            }
        };
        Ok((structure, coupling))
    }

    /// Refuses weights that do not fit the budget, before they are copied.
    pub(crate) fn check_room(
        graph: &Graph,
        nodes: &[usize],
        budget: Budget,
    ) -> Result<(), LaplacianError> {
        let what = "the weights of the system";
        match graph.weights() {
            Weights::Dense(_) => budget.matrix(what, nodes.len(), nodes.len())?,
            Weights::Sparse(weights) => {
                let places = weights.indptr();
                let known = nodes.iter().filter(|&&node| node < graph.nodes());
                let stored: usize = known.map(|&node| places.outer_inds_sz(node).len()).sum();
                budget.take(what, 12 * stored as u64)?
            }
        };
        Ok(())
    }

    /// Whether it was made for these nodes of a graph of this size and storage.
    pub(crate) fn fits(&self, graph: &Graph, nodes: &[usize]) -> bool {
        let sparse = matches!(graph.weights(), Weights::Sparse(_));
        self.selection.len() == graph.nodes()
            && self.pattern.is_some() == sparse
            && *self.nodes == *nodes
    }

    /// The weights of another graph in the same places, times `scale`, written into `memory`.
    /// `None` where that graph stores weights in other places.
    pub(crate) fn refill(
        &self,
        graph: &Graph,
        scale: f64,
        mut memory: Vec<f64>,
    ) -> Result<Option<Coupling>, LaplacianError> {
        match (graph.weights(), &self.pattern) {
            (Weights::Dense(weights), None) => self.full(weights, scale, memory).map(Some),
            (Weights::Sparse(weights), Some(pattern)) => {
                memory.resize(pattern.columns.len(), 0.0);
                let same = self.refill_rows(weights, scale, pattern, &mut memory);
                let rows = SparseRows { pattern: Arc::clone(pattern), weights: memory };
                Ok(same.then_some(Coupling::Sparse(rows)))
            }
            _ => Ok(None),
        }
    }

    /// All pairs, rows in parallel.
    fn full(
        &self,
        weights: &Array2<f64>,
        scale: f64,
        mut memory: Vec<f64>,
    ) -> Result<Coupling, LaplacianError> {
        let n = self.nodes.len();
        memory.resize(n * n, 0.0);
        memory.par_chunks_mut(n.max(1)).zip(&self.nodes[..]).for_each(|(row, &i)| {
            let source = weights.row(i);
            for (a, &j) in row.iter_mut().zip(&self.nodes[..]) {
                *a = scale * source[j];
            }
        });
        let block = Array2::from_shape_vec((n, n), memory);
        block.map(Coupling::Dense).map_err(|error| LaplacianError::Library {
            routine: "the assembly of a system",
            reason: error.to_string(),
        })
    }

    /// The stored pairs, blocks of rows in parallel: counted first, then written in place.
    fn rows(&self, graph: &SparseWeights, scale: f64) -> SparseRows {
        let blocks = blocks::split(self.nodes.len(), ROWS);
        let count = |i: usize| {
            let (neighbours, _) = self.neighbours(graph, i);
            neighbours.iter().filter(|&&j| self.selection.position(j as usize).is_some()).count()
        };
        let lengths: Vec<Vec<usize>> =
            blocks.par_iter().map(|rows| rows.clone().map(count).collect()).collect();
        let mut starts = Vec::with_capacity(self.nodes.len() + 1);
        let mut end = 0;
        starts.push(end);
        for length in lengths.iter().flatten() {
            end += length;
            starts.push(end);
        }
        let (mut columns, mut weights) = (vec![0; end], vec![0.0; end]);
        let tasks = blocks.into_iter().zip(self.cut(&starts, &mut columns));
        let tasks: Vec<_> = tasks.zip(self.cut(&starts, &mut weights)).collect();
        tasks.into_par_iter().for_each(|((rows, columns), weights)| {
            let mut row = Vec::new();
            let mut target = columns.iter_mut().zip(weights);
            for i in rows {
                self.row(graph, i, &mut row);
                for (&(column, weight), (to, at)) in row.iter().zip(&mut target) {
                    (*to, *at) = (column, scale * weight);
                }
            }
        });
        SparseRows { pattern: Arc::new(SparsePattern { starts, columns }), weights }
    }

    /// False where a row does not have the columns of the pattern.
    fn refill_rows(
        &self,
        graph: &SparseWeights,
        scale: f64,
        pattern: &SparsePattern,
        weights: &mut [f64],
    ) -> bool {
        let blocks = blocks::split(self.nodes.len(), ROWS);
        let tasks: Vec<_> = blocks.into_iter().zip(self.cut(&pattern.starts, weights)).collect();
        tasks.into_par_iter().all(|(rows, weights)| {
            let mut row = Vec::new();
            let mut target = weights.iter_mut();
            for i in rows {
                self.row(graph, i, &mut row);
                let columns = pattern.row(i).iter().copied();
                if !columns.eq(row.iter().map(|entry| entry.0)) {
                    return false;
                }
                for (&(_, weight), to) in row.iter().zip(&mut target) {
                    *to = scale * weight;
                }
            }
            true
        })
    }

    /// The entries of each block of rows.
    fn cut<'a, T>(&self, starts: &[usize], mut entries: &'a mut [T]) -> Vec<&'a mut [T]> {
        let mut parts = Vec::new();
        for rows in blocks::split(self.nodes.len(), ROWS) {
            let (own, rest) = entries.split_at_mut(starts[rows.end] - starts[rows.start]);
            parts.push(own);
            entries = rest;
        }
        parts
    }

    /// The neighbours of node i of the system in the graph, with their weights.
    fn neighbours<'a>(&self, graph: &'a SparseWeights, i: usize) -> (&'a [u32], &'a [f64]) {
        let places = graph.indptr().outer_inds_sz(self.nodes[i]);
        (&graph.indices()[places.clone()], &graph.data()[places])
    }

    /// Row i of the system: positions and the graph's weights, positions increasing.
    fn row(&self, graph: &SparseWeights, i: usize, row: &mut Vec<(u32, f64)>) {
        row.clear();
        let (neighbours, weights) = self.neighbours(graph, i);
        for (&j, &weight) in neighbours.iter().zip(weights) {
            if let Some(column) = self.selection.position(j as usize) {
                row.push((column, weight));
            }
        }
        if !self.increasing {
            row.sort_unstable_by_key(|entry| entry.0);
        }
    }
}

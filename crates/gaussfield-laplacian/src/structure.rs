//! Which nodes a system is made of, and where the weights of a graph go in it.

use crate::LaplacianError;
use crate::boundary::Selection;
use crate::coupling::{Coupling, SparsePattern, SparseRows};
use gaussfield_core::blocks;
use gaussfield_graph::{Graph, SparseWeights, Weights};
use ndarray::Array2;
use rayon::prelude::*;
use std::ops::Range;
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

    /// The stored pairs, blocks of rows in parallel.
    fn rows(&self, graph: &SparseWeights, scale: f64) -> SparseRows {
        let block = |rows: &Range<usize>| {
            let (mut lengths, mut columns, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            let mut row = Vec::new();
            for i in rows.clone() {
                self.row(graph, i, &mut row);
                lengths.push(row.len());
                columns.extend(row.iter().map(|entry| entry.0));
                weights.extend(row.iter().map(|entry| scale * entry.1));
            }
            (lengths, columns, weights)
        };
        let blocks = blocks::split(self.nodes.len(), ROWS);
        let blocks: Vec<(Vec<usize>, Vec<u32>, Vec<f64>)> = blocks.par_iter().map(block).collect();
        let stored = blocks.iter().map(|block| block.1.len()).sum();
        let (mut columns, mut weights) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        let mut starts = Vec::with_capacity(self.nodes.len() + 1);
        let mut end = 0;
        starts.push(end);
        for block in &blocks {
            for length in &block.0 {
                end += length;
                starts.push(end);
            }
            columns.extend_from_slice(&block.1);
            weights.extend_from_slice(&block.2);
        }
        SparseRows { pattern: Arc::new(SparsePattern { starts, columns }), weights }
    }

    /// False where a row does not have the columns of the pattern.
    fn refill_rows(
        &self,
        graph: &SparseWeights,
        scale: f64,
        pattern: &SparsePattern,
        mut target: &mut [f64],
    ) -> bool {
        let mut tasks = Vec::new();
        for rows in blocks::split(self.nodes.len(), ROWS) {
            let length = pattern.starts[rows.end] - pattern.starts[rows.start];
            let (own, rest) = target.split_at_mut(length);
            tasks.push((rows, own));
            target = rest;
        }
        tasks.into_par_iter().all(|(rows, target)| {
            let first = pattern.starts[rows.start];
            let mut row = Vec::new();
            for i in rows {
                let range = pattern.starts[i]..pattern.starts[i + 1];
                self.row(graph, i, &mut row);
                let columns = pattern.columns[range.clone()].iter().copied();
                if !columns.eq(row.iter().map(|entry| entry.0)) {
                    return false;
                }
                let target = &mut target[range.start - first..range.end - first];
                for (target, &(_, weight)) in target.iter_mut().zip(&row) {
                    *target = scale * weight;
                }
            }
            true
        })
    }

    /// Row i of the system: positions and the graph's weights, positions increasing.
    fn row(&self, graph: &SparseWeights, i: usize, row: &mut Vec<(u32, f64)>) {
        row.clear();
        let places = graph.indptr().outer_inds_sz(self.nodes[i]);
        let (neighbours, weights) = (&graph.indices()[places.clone()], &graph.data()[places]);
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

//! The weighted graph: symmetric, non-negative, without self-loops.

use crate::GraphError;
use crate::checks::{check_dense_symmetry, check_node_count, check_sparse_symmetry, check_weight};
use gaussfield_core::{Budget, NoSuchNode};
use ndarray::{Array1, Array2, Axis};
use sprs::CsMatI;
use std::sync::Arc;

/// Compressed sparse rows with 32-bit column indices: three quarters of the memory traffic of
/// 64-bit ones in every product.
pub type SparseWeights = CsMatI<f64, u32, usize>;

/// How the weights of a [`Graph`] are stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// All n × n numbers: complete graphs.
    Dense(Array2<f64>),
    /// Only the edges, in both directions, columns sorted within a row.
    Sparse(SparseWeights),
}

/// A weighted undirected graph.
///
/// Invariant, checked by every constructor: the weights are finite, non-negative and exactly
/// symmetric, and no node is its own neighbour. A stored weight of zero is no edge (an
/// underflowed weight links nothing), but keeps its place in the pattern. Clones share the weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    weights: Arc<Weights>,
}

/// Bytes of an edge in a list, and of each of its two directions in a graph.
const ENTRY: u64 = 16;
const STORED: u64 = 12;

impl Graph {
    /// A graph from undirected edges `(i, j, weight)`, each given once in either direction, or in
    /// both directions with the same weight. O(m log m).
    ///
    /// # Errors
    /// An endpoint past `nodes`, a self-loop, a weight that is negative or not finite, two
    /// different weights for one pair, or so many nodes or edges that a list of them passes the default
    /// [`Budget`]: rows compressed by the caller go to [`Graph::from_sparse`].
    pub fn from_edges(
        nodes: usize,
        edges: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, GraphError> {
        check_node_count(nodes)?;
        let budget = Budget::default();
        let budget = budget.matrix("the rows of a graph of so many nodes", nodes, 2)?;
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        for (i, j, weight) in edges {
            if entries.len() == entries.capacity() {
                // The list doubles, while the old one is still there; then come both directions.
                let most = (2 * entries.len()).max(4) as u64;
                budget.take("so many edges", most.saturating_mul(ENTRY + 2 * STORED))?;
            }
            NoSuchNode::check(&[i, j], nodes)?;
            check_weight(i, j, weight)?;
            if i == j {
                return Err(GraphError::SelfLoop { node: i, weight });
            }
            entries.push((i.min(j) as u32, i.max(j) as u32, weight + 0.0));
        }
        entries.sort_by_key(|a| (a.0, a.1));
        for pair in entries.windows(2) {
            let ((i, j, first), (k, l, second)) = (pair[0], pair[1]);
            if (i, j) == (k, l) && first.to_bits() != second.to_bits() {
                return Err(GraphError::Asymmetric {
                    i: i as usize,
                    j: j as usize,
                    forward: first,
                    backward: second,
                });
            }
        }
        entries.dedup_by_key(|e| (e.0, e.1));

        let mut indptr = vec![0_usize; nodes + 1];
        for &(i, j, _) in &entries {
            indptr[i as usize + 1] += 1;
            indptr[j as usize + 1] += 1;
        }
        for i in 0..nodes {
            indptr[i + 1] += indptr[i];
        }
        let mut next = indptr.clone();
        let mut indices = vec![0_u32; 2 * entries.len()];
        let mut data = vec![0.0; 2 * entries.len()];
        let mut put = |row: u32, column: u32, weight: f64| {
            let at = &mut next[row as usize];
            indices[*at] = column;
            data[*at] = weight;
            *at += 1;
        };
        // Row i first receives its smaller neighbours, then its larger ones: columns stay sorted.
        for &(i, j, weight) in &entries {
            put(j, i, weight);
        }
        for &(i, j, weight) in &entries {
            put(i, j, weight);
        }
        let weights = CsMatI::new((nodes, nodes), indptr, indices, data);
        Ok(Self::trusted(Weights::Sparse(weights)))
    }

    /// A graph from a sparse matrix; both triangles must be present and equal.
    ///
    /// # Errors
    /// A matrix that is not square, a self-loop, an asymmetric pair, a weight that is negative or
    /// not finite.
    pub fn from_sparse(weights: SparseWeights) -> Result<Self, GraphError> {
        let (rows, columns) = weights.shape();
        if rows != columns {
            return Err(GraphError::NotSquare { rows, columns });
        }
        check_node_count(rows)?;
        let weights = if weights.is_csr() { weights } else { weights.to_csr() };
        let mut has_diagonal = false;
        for (i, row) in weights.outer_iterator().enumerate() {
            for (j, &weight) in row.iter() {
                check_weight(i, j, weight)?;
                if i == j && weight > 0.0 {
                    return Err(GraphError::SelfLoop { node: i, weight });
                }
                has_diagonal |= i == j;
            }
        }
        let paired = check_sparse_symmetry(&weights)?;
        if has_diagonal || !paired {
            let edges = weights.iter().filter(|&(_, (i, j))| i != j);
            let edges: Vec<_> =
                edges.map(|(&w, (i, j))| (i as usize, j as usize, w + 0.0)).collect();
            return Self::from_edges(rows, edges);
        }
        Ok(Self::trusted(Weights::Sparse(weights)))
    }

    /// A graph from a full matrix.
    ///
    /// # Errors
    /// As [`Graph::from_sparse`].
    pub fn from_dense(weights: Array2<f64>) -> Result<Self, GraphError> {
        let (rows, columns) = weights.dim();
        if rows != columns {
            return Err(GraphError::NotSquare { rows, columns });
        }
        check_node_count(rows)?;
        for ((i, j), &weight) in weights.indexed_iter() {
            check_weight(i, j, weight)?;
            if i == j && weight > 0.0 {
                return Err(GraphError::SelfLoop { node: i, weight });
            }
        }
        check_dense_symmetry(&weights)?;
        Ok(Self::trusted(Weights::Dense(weights)))
    }

    /// For this crate's weight families, whose output holds the invariant by construction.
    pub(crate) fn trusted(weights: Weights) -> Self {
        Self { weights: Arc::new(weights) }
    }

    /// The number of nodes, n.
    pub fn nodes(&self) -> usize {
        match &*self.weights {
            Weights::Dense(w) => w.nrows(),
            Weights::Sparse(w) => w.rows(),
        }
    }

    /// The number of undirected edges of positive weight. O(stored entries).
    pub fn edges(&self) -> usize {
        let positive = match &*self.weights {
            Weights::Dense(w) => w.iter().filter(|&&w| w > 0.0).count(),
            Weights::Sparse(w) => w.data().iter().filter(|&&w| w > 0.0).count(),
        };
        positive / 2
    }

    /// The storage, to match on.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// dᵢ = Σⱼ wᵢⱼ.
    pub fn degrees(&self) -> Array1<f64> {
        match &*self.weights {
            Weights::Dense(w) => w.sum_axis(Axis(1)),
            Weights::Sparse(w) => w.outer_iterator().map(|r| r.data().iter().sum()).collect(),
        }
    }

    /// The weight between two nodes; zero where there is no edge.
    ///
    /// # Panics
    /// If a node is past the end.
    pub fn weight(&self, i: usize, j: usize) -> f64 {
        match &*self.weights {
            Weights::Dense(w) => w[[i, j]],
            Weights::Sparse(w) => w.get(i, j).copied().unwrap_or(0.0),
        }
    }

    /// Calls `visit(j, w_ij)` for every neighbour of `i` by a positive weight, in increasing order.
    ///
    /// # Panics
    /// If the node is past the end.
    pub fn for_each_neighbour(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match &*self.weights {
            Weights::Dense(w) => {
                for (j, &weight) in w.row(i).iter().enumerate() {
                    if weight > 0.0 {
                        visit(j, weight);
                    }
                }
            }
            Weights::Sparse(w) => {
                let range = w.indptr().outer_inds_sz(i);
                for at in range {
                    if w.data()[at] > 0.0 {
                        visit(w.indices()[at] as usize, w.data()[at]);
                    }
                }
            }
        }
    }

    /// The full n × n matrix, if it fits the budget.
    ///
    /// # Errors
    /// A matrix over the budget.
    pub fn to_dense(&self, budget: Budget) -> Result<Array2<f64>, GraphError> {
        budget.matrix("the weights as a dense matrix", self.nodes(), self.nodes())?;
        Ok(match &*self.weights {
            Weights::Dense(w) => w.clone(),
            Weights::Sparse(w) => {
                let mut dense = Array2::zeros(w.shape());
                for (&weight, (i, j)) in w {
                    dense[[i as usize, j as usize]] = weight;
                }
                dense
            }
        })
    }
}

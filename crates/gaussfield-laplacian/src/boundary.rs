//! The split of nodes into boundary and interior.

use crate::LaplacianError;
use gaussfield_core::{NoSuchNode, SizeMismatch};
use gaussfield_graph::Graph;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, Axis};

/// No position: the other side of the split.
const NONE: u32 = u32::MAX;

/// Which nodes are boundary (fixed, labelled: L) and which interior (free, unlabelled: U).
///
/// Invariant: the boundary is not empty, and every node is on exactly one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    boundary: Vec<usize>,
    interior: Vec<usize>,
    /// Per node its position in `boundary`, or [`NONE`].
    boundary_position: Vec<u32>,
    /// Per node its position in `interior`, or [`NONE`].
    interior_position: Vec<u32>,
}

impl Boundary {
    /// Splits `nodes` nodes; `boundary` keeps its order. O(n).
    ///
    /// # Errors
    /// An empty boundary, a node past the end, a node named twice.
    pub fn new(nodes: usize, boundary: &[usize]) -> Result<Self, LaplacianError> {
        if boundary.is_empty() {
            return Err(LaplacianError::NoBoundary);
        }
        let boundary_position = positions(nodes, boundary)?;
        let interior: Vec<usize> = (0..nodes).filter(|&i| boundary_position[i] == NONE).collect();
        let interior_position = positions(nodes, &interior)?;
        Ok(Self { boundary: boundary.to_vec(), interior, boundary_position, interior_position })
    }

    /// The number of nodes on both sides together.
    pub fn nodes(&self) -> usize {
        self.boundary_position.len()
    }

    /// The boundary nodes, in the order given.
    pub fn boundary(&self) -> &[usize] {
        &self.boundary
    }

    /// The interior nodes, increasing. May be empty.
    pub fn interior(&self) -> &[usize] {
        &self.interior
    }

    /// Where a node stands in [`interior`](Self::interior); `None` for a boundary node and for a
    /// node past the end.
    pub fn interior_position(&self, node: usize) -> Option<usize> {
        position(&self.interior_position, node)
    }

    /// Where a node stands in [`boundary`](Self::boundary); `None` for an interior node and for a
    /// node past the end.
    pub fn boundary_position(&self, node: usize) -> Option<usize> {
        position(&self.boundary_position, node)
    }

    /// W_UL · values: what the boundary sends into the interior. `values` has a row per boundary
    /// node (in the order given), the result one per interior node (increasing). O(m·C).
    ///
    /// # Errors
    /// A graph with another number of nodes, or a wrong number of rows.
    pub fn product(
        &self,
        graph: &Graph,
        values: ArrayView2<f64>,
    ) -> Result<Array2<f64>, LaplacianError> {
        self.check(graph)?;
        SizeMismatch::check("rows of the boundary values", self.boundary.len(), values.nrows())?;
        let mut product = Array2::zeros((self.interior.len(), values.ncols()));
        product.axis_iter_mut(Axis(0)).into_par_iter().zip(self.interior.par_iter()).for_each(
            |(mut row, &i)| {
                graph.for_each_neighbour(i, |j, weight| {
                    if let Some(at) = self.boundary_position(j) {
                        row.scaled_add(weight, &values.row(at));
                    }
                });
            },
        );
        Ok(product)
    }

    /// Σ over boundary nodes j of w_ij, for every interior node i.
    pub(crate) fn attachment(&self, graph: &Graph) -> Vec<f64> {
        self.interior
            .par_iter()
            .map(|&i| {
                let mut sum = 0.0;
                graph.for_each_neighbour(i, |j, weight| {
                    if self.boundary_position(j).is_some() {
                        sum += weight;
                    }
                });
                sum
            })
            .collect()
    }

    /// Refuses a graph with another number of nodes.
    pub(crate) fn check(&self, graph: &Graph) -> Result<(), LaplacianError> {
        Ok(SizeMismatch::check("nodes of the graph of this boundary", self.nodes(), graph.nodes())?)
    }
}

fn position(positions: &[u32], node: usize) -> Option<usize> {
    match positions.get(node) {
        Some(&at) if at != NONE => Some(at as usize),
        _ => None,
    }
}

/// Per node of the graph its position in `chosen`, or [`NONE`].
fn positions(nodes: usize, chosen: &[usize]) -> Result<Vec<u32>, LaplacianError> {
    let mut positions = vec![NONE; nodes];
    for (at, &node) in chosen.iter().enumerate() {
        let slot = positions.get_mut(node).ok_or(NoSuchNode { node, nodes })?;
        if *slot != NONE {
            return Err(LaplacianError::DuplicateNode { node });
        }
        *slot = at as u32;
    }
    Ok(positions)
}

/// A choice of nodes, in any order: positions that a coupling is renumbered by.
#[derive(Debug)]
pub(crate) struct Selection {
    positions: Vec<u32>,
}

impl Selection {
    pub(crate) fn new(nodes: usize, chosen: &[usize]) -> Result<Self, LaplacianError> {
        Ok(Self { positions: positions(nodes, chosen)? })
    }

    /// The number of nodes chosen from.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(crate) fn position(&self, node: usize) -> Option<u32> {
        self.positions.get(node).copied().filter(|&at| at != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_product_is_the_block_of_the_weight_matrix_times_the_values() {
        let edges = [(0, 1, 2.0), (1, 2, 3.0), (2, 3, 5.0), (0, 3, 7.0)];
        let graph = Graph::from_edges(4, edges).unwrap();
        let boundary = Boundary::new(4, &[3, 1]).unwrap();
        assert_eq!(boundary.boundary(), [3, 1]);
        assert_eq!(boundary.interior(), [0, 2]);
        assert_eq!(boundary.interior_position(2), Some(1));
        assert_eq!(boundary.interior_position(3), None);
        assert_eq!(boundary.interior_position(9), None);
        let product = boundary.product(&graph, array![[1.0, 0.0], [0.0, 1.0]].view()).unwrap();
        assert_eq!(product, array![[7.0, 2.0], [5.0, 3.0]]);
    }
}

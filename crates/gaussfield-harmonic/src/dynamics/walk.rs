//! Steps of the random walk on all nodes at once.

use gaussfield_graph::Graph;
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, Axis};

/// Rows given to one task.
const ROWS_PER_TASK: usize = 512;

/// The walk P = D⁻¹W; a node without an edge stays where it is.
pub(crate) struct Walk<'a> {
    graph: &'a Graph,
    degrees: Array1<f64>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        Self { graph, degrees: graph.degrees() }
    }

    /// Pˢ times the values, n × C. O(s·m·C); every row is summed in the order of its neighbours,
    /// whatever the number of threads.
    pub(crate) fn steps(&self, mut values: Array2<f64>, steps: usize) -> Array2<f64> {
        let mut next = Array2::zeros(values.raw_dim());
        for _ in 0..steps {
            next.axis_chunks_iter_mut(Axis(0), ROWS_PER_TASK).into_par_iter().enumerate().for_each(
                |(task, mut rows)| {
                    for (at, mut row) in rows.rows_mut().into_iter().enumerate() {
                        let node = task * ROWS_PER_TASK + at;
                        if self.degrees[node] > 0.0 {
                            row.fill(0.0);
                            self.graph.for_each_neighbour(node, |j, w| {
                                row.scaled_add(w / self.degrees[node], &values.row(j));
                            });
                        } else {
                            row.assign(&values.row(node));
                        }
                    }
                },
            );
            std::mem::swap(&mut values, &mut next);
        }
        values
    }
}

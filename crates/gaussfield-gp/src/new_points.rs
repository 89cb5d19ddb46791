//! New points by their nearest node.

use crate::{BlockFit, GpError, Likelihood, Posterior, Prior};
use gaussfield_core::SizeMismatch;
use gaussfield_graph::{Metric, Neighbours, Search};
use gaussfield_points::Points;
use ndarray::Array1;

/// What a posterior says of points that are not in its graph.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPoints {
    /// The nearest node of the graph, labelled or not; ties go to the lower index.
    pub nearest: Vec<usize>,
    /// Its mode.
    pub mode: Array1<f64>,
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Posterior<P, L, F> {
    /// New points take the mode of their nearest neighbour among all nodes ([zhu2003gp (7)],
    /// [zhu2003gp (8)]). `points` are those of the graph. Cost: one neighbour search.
    ///
    /// # Errors
    /// Points that are not the graph's, or queries of another dimension.
    pub fn at_new_points(
        &self,
        points: &Points,
        queries: &Points,
        metric: Metric,
    ) -> Result<NewPoints, GpError> {
        SizeMismatch::check("points behind the nodes", self.latent.len(), points.len())?;
        let lists = Neighbours::query(points, queries, metric, 1, Search::default())?;
        let nearest: Vec<usize> = (0..lists.len())
            .filter_map(|i| lists.indices(i).first())
            .map(|&j| j as usize)
            .collect();
        let mode = nearest.iter().map(|&node| self.latent[node]).collect();
        Ok(NewPoints { nearest, mode })
    }
}

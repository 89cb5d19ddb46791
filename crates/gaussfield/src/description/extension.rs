//! New points beside a graph that is fitted: the rule for methods that know its nodes only.

use gaussfield_core::Budget;
use gaussfield_graph::{
    FamilyChoice, GraphError, Later, Metric, Neighbours, PatternChoice, Search, SearchOptions,
    WeightFamily as _,
};
use gaussfield_labels::Scores;
use gaussfield_points::Points;
use ndarray::Array2;
use std::sync::Arc;

/// Neighbours of a new point where the pattern is none of nearest neighbours.
const USUAL: usize = 10;

/// Local scales, one a point.
pub(super) type Scales = Arc<[f64]>;

/// Each new point gets edges to its k nearest of the points fitted, of the weights that the family
/// gives, and the value that is harmonic there: the weighted mean of their scores. New points do not
/// see each other, and nothing that was fitted changes.
#[derive(Debug, Clone)]
pub(super) struct Extension {
    /// The points fitted, prepared.
    pub(super) points: Points,
    pub(super) metric: Metric,
    pub(super) k: usize,
    pub(super) weights: FamilyChoice,
    /// The local scales of the points fitted, where weights are on local scales.
    pub(super) scales: Option<Scales>,
}

impl Extension {
    pub(super) fn new(
        points: &Points,
        pattern: &PatternChoice,
        weights: &FamilyChoice,
        scales: Option<Scales>,
    ) -> Self {
        let k = match *pattern {
            PatternChoice::Knn { k, .. } => k,
            _ => USUAL,
        };
        let (k, metric) = (k.min(points.len()), pattern.metric());
        Self { points: points.clone(), metric, k, weights: weights.clone(), scales }
    }

    /// The rule in words.
    pub(super) fn words(&self) -> String {
        format!("the weighted mean of the scores of their {} nearest points", self.k)
    }

    /// The scores of new points, prepared as the others were: rows that sum to one.
    pub(super) fn predict(
        &self,
        scores: &Scores,
        new: &Points,
        budget: Budget,
    ) -> Result<Array2<f64>, GraphError> {
        let far = self.weights.local_scale().map_or(self.k, |far| far.min(self.points.len()));
        // A file may say of the graph what no fit would have taken.
        if self.k.min(far) == 0 {
            let points = self.points.len();
            return Err(GraphError::BadNeighbourCount { k: 0, points, most: points });
        }
        let options = SearchOptions { search: Search::Auto, budget };
        let found = Neighbours::query(&self.points, new, self.metric, self.k.max(far), options)?;
        let mut values = Array2::zeros((new.len(), scores.classes()));
        for (i, mut row) in values.outer_iter_mut().enumerate() {
            let near = &found.indices(i)[..self.k];
            let (distances, scale) = (&found.distances(i)[..self.k], found.distances(i)[far - 1]);
            let logs = self.log_weights((new, i), near, distances, scale)?;
            let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let shares: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
            let sum: f64 = shares.iter().sum();
            for (&j, share) in near.iter().zip(&shares) {
                row.scaled_add(share / sum, &scores.values().row(j as usize));
            }
        }
        Ok(values)
    }

    /// ln of the weights of a new point's edges.
    fn log_weights(
        &self,
        (among, row): (&Points, usize),
        nodes: &[u32],
        distances: &[f64],
        scale: f64,
    ) -> Result<Vec<f64>, GraphError> {
        let (points, scales) = (&self.points, self.scales.as_deref());
        self.weights.log_weights(&Later { points, scales, nodes, distances, scale, among, row })
    }
}

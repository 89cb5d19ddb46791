//! New points beside a graph that is fitted: the rule for methods that know its nodes only.

use gaussfield_core::{Budget, SizeMismatch};
use gaussfield_graph::{
    FamilyChoice, GraphError, Metric, Neighbours, PatternChoice, Search, SearchOptions,
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
        let (k, metric) = match *pattern {
            PatternChoice::Knn { k, metric, .. } => (k, metric),
            PatternChoice::Ball { metric, .. } | PatternChoice::Complete { metric } => {
                (USUAL, metric)
            }
            _ => (USUAL, Metric::default()),
        };
        let k = k.min(points.len());
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
        let far = match &self.weights {
            FamilyChoice::SelfTuning(family) => family.neighbour.min(self.points.len()),
            _ => self.k,
        };
        self.check(far)?;
        let options = SearchOptions { search: Search::Auto, budget };
        let found = Neighbours::query(&self.points, new, self.metric, self.k.max(far), options)?;
        let mut values = Array2::zeros((new.len(), scores.classes()));
        for (i, mut row) in values.outer_iter_mut().enumerate() {
            let near = &found.indices(i)[..self.k];
            let distances = found.distances(i);
            let logs = self.log_weights((new, i), near, distances, distances[far - 1])?;
            let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let shares: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
            let sum: f64 = shares.iter().sum();
            for (&j, share) in near.iter().zip(&shares) {
                row.scaled_add(share / sum, &scores.values().row(j as usize));
            }
        }
        Ok(values)
    }

    /// A file may say of the graph what no fit would have taken.
    fn check(&self, far: usize) -> Result<(), GraphError> {
        if self.k.min(far) == 0 {
            let points = self.points.len();
            return Err(GraphError::BadNeighbourCount { k: 0, points, most: points });
        }
        if let FamilyChoice::ExponentialPerDimension(family) = &self.weights {
            let what = "length scales, one for each dimension";
            SizeMismatch::check(what, self.points.dim(), family.sigmas.len())?;
        }
        Ok(())
    }

    /// ln of the weights of a new point's edges. Far from all points every weight is zero; their
    /// logarithms still tell them apart.
    fn log_weights(
        &self,
        (new, i): (&Points, usize),
        near: &[u32],
        distances: &[f64],
        own_scale: f64,
    ) -> Result<Vec<f64>, GraphError> {
        let of = |log: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
            near.iter().zip(distances).map(|(&j, &d)| log(j as usize, d).max(-f64::MAX)).collect()
        };
        Ok(match &self.weights {
            FamilyChoice::Exponential(family) => of(&|_, d| -(d / family.sigma).powi(2)),
            FamilyChoice::CosineExponential(family) => of(&|_, d| -d / family.scale),
            FamilyChoice::Tanh(family) => of(&|_, d| {
                let z = 2.0 * family.a1 * (d - family.a2);
                z.min(0.0) - (-z.abs()).exp().ln_1p()
            }),
            FamilyChoice::SelfTuning(family) => {
                let least = |scale: f64| if scale > 0.0 { scale } else { f64::MIN_POSITIVE.sqrt() };
                let own = least(own_scale) * family.factor;
                of(&|j, d| {
                    let other = self.scales.as_ref().and_then(|scales| scales.get(j).copied());
                    -(d / own) * (d / (least(other.unwrap_or(own_scale)) * family.factor))
                })
            }
            FamilyChoice::ExponentialPerDimension(family) => {
                let nodes: Vec<usize> = near.iter().map(|&j| j as usize).collect();
                let (old, new) = (self.points.select(&nodes)?.to_dense(), new.select(&[i])?);
                let new = new.to_dense();
                let apart = |row: ndarray::ArrayView1<'_, f64>| {
                    let sum: f64 = row
                        .iter()
                        .zip(new.row(0))
                        .zip(&family.sigmas)
                        .map(|((x, y), sigma)| ((x - y) / sigma).powi(2))
                        .sum();
                    (-sum).max(-f64::MAX)
                };
                old.outer_iter().map(apart).collect()
            }
            // Every edge counts the same.
            _ => vec![0.0; near.len()],
        })
    }
}

//! Nearest labelled points.

use crate::training::Training;
use crate::{BaselineError, Prediction};
use gaussfield_graph::{Metric, Neighbours, Search};
use gaussfield_labels::{Labels, Scores};
use gaussfield_points::Points;
use ndarray::Array2;

/// The class of the nearest labelled points.
///
/// With k = 1 (the "1NN" of Zhu et al. 2003, section 7) the class of the nearest one; otherwise
/// the class of most of the k nearest. At equal distance the lower labelled row is nearer. At
/// equal votes the class whose nearest point is nearest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearestNeighbours {
    k: usize,
    metric: Metric,
}

impl NearestNeighbours {
    /// The nearest labelled point alone.
    pub fn one(metric: Metric) -> Self {
        Self::new(1, metric)
    }

    /// The majority of the k nearest labelled points. 1 ≤ k ≤ labelled points, checked at the fit.
    pub fn new(k: usize, metric: Metric) -> Self {
        Self { k, metric }
    }

    /// Keeps the labelled points. O(their numbers).
    ///
    /// # Errors
    /// Labels for another number of points, no label, k = 0 or more than the labelled points.
    pub fn fit(&self, points: &Points, labels: &Labels) -> Result<NearestModel, BaselineError> {
        let training = Training::new(points, labels)?;
        let (k, labelled) = (self.k, training.len());
        if k == 0 || k > labelled {
            return Err(BaselineError::BadNeighbourCount { k, labelled });
        }
        Ok(NearestModel { rule: *self, training })
    }
}

/// The labelled points [`NearestNeighbours`] looks among.
#[derive(Debug, Clone)]
pub struct NearestModel {
    rule: NearestNeighbours,
    training: Training,
}

impl NearestModel {
    /// Predicts each query; a labelled point among them finds itself first. The search is exact:
    /// O(queries · labelled · d) at most. The soft scores are the shares of the k votes.
    ///
    /// # Errors
    /// Queries of another dimension; a row of zeros under the cosine metric.
    pub fn predict(&self, queries: &Points) -> Result<Prediction, BaselineError> {
        self.training.check_dimension(queries)?;
        let NearestNeighbours { k, metric } = self.rule;
        let found = Neighbours::query(&self.training.points, queries, metric, k, Search::Auto)?;
        let mut votes = Array2::zeros((queries.len(), self.training.names.len()));
        let mut classes = Vec::with_capacity(queries.len());
        for (query, mut row) in votes.outer_iter_mut().enumerate() {
            // From near to far.
            let near: Vec<usize> =
                found.indices(query).iter().map(|&j| self.training.classes[j as usize]).collect();
            for &class in &near {
                row[class] += 1.0;
            }
            let mut winner = near[0];
            for &class in &near {
                if row[class] > row[winner] {
                    winner = class;
                }
            }
            classes.push(winner);
        }
        Ok(Prediction::new(classes, Scores::normalised(votes)?))
    }
}

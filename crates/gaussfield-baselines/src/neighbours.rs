//! Nearest labelled points.

use crate::BaselineError;
use crate::training::Training;
use gaussfield_core::OutOfRange;
use gaussfield_graph::{Metric, Neighbours, Search};
use gaussfield_labels::{Inductive, Labels, Named, Scores};
use gaussfield_points::Points;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// The class of the nearest labelled points.
///
/// With k = 1 (the "1NN" of Zhu et al. 2003, section 7) the class of the nearest one; otherwise
/// the class of most of the k nearest. At equal distance the lower labelled row is nearer. At
/// equal votes the class whose nearest point is nearest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearestNeighbours {
    /// How near is near. Default: Euclidean.
    #[serde(default)]
    pub metric: Metric,
    /// How many labelled points have a vote, from 1 to all of them.
    pub k: usize,
}

impl NearestNeighbours {
    /// The nearest labelled point alone.
    pub fn one(metric: Metric) -> Self {
        Self { metric, k: 1 }
    }

    /// Keeps the labelled points. O(their numbers).
    ///
    /// # Errors
    /// Labels for another number of points, no label, k = 0 or more than the labelled points.
    pub fn fit(&self, points: &Points, labels: &Labels) -> Result<NearestModel, BaselineError> {
        let training = Training::new(points, labels)?;
        let labelled = training.len();
        if !(1..=labelled).contains(&self.k) {
            let (name, value) = ("k, the number of nearest labelled points,".into(), self.k as f64);
            let allowed = format!("at least 1 and at most {labelled}, as many as are labelled");
            return Err(OutOfRange { name, value, allowed: allowed.into() }.into());
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

/// By how much the class of the nearest point is ahead where votes are equal: enough for every rule
/// that takes the largest score, and next to nothing as a share.
const AHEAD: f64 = 1e-9;

impl Named for NearestModel {
    fn class_names(&self) -> &[String] {
        &self.training.names
    }
}

impl Inductive<Points> for NearestModel {
    type Error = BaselineError;

    /// The shares of the k votes; a labelled point among the queries finds itself first. The search
    /// is exact: O(queries · labelled · d) at most.
    fn predict(&self, queries: &Points) -> Result<Scores, BaselineError> {
        self.training.check_dimension(queries)?;
        let NearestNeighbours { k, metric } = self.rule;
        let found = Neighbours::query(&self.training.points, queries, metric, k, Search::Auto)?;
        let mut votes = Array2::zeros((queries.len(), self.training.names.len()));
        for (query, mut row) in votes.outer_iter_mut().enumerate() {
            // From near to far.
            let near = || found.indices(query).iter().map(|&j| self.training.classes[j as usize]);
            near().for_each(|class| row[class] += 1.0);
            let winner =
                near().reduce(|best, class| if row[class] > row[best] { class } else { best });
            if let Some(winner) = winner
                && near().any(|class| class != winner && row[class] >= row[winner])
            {
                row[winner] += AHEAD;
            }
        }
        Ok(Scores::normalised(votes)?)
    }
}

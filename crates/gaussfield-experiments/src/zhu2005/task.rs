//! What every method of section 4 is given: points, a graph, a kind of mixture.

use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, Symmetry, WeightFamily as _};
use gaussfield_labels::Labels;
use gaussfield_mixture::{Covariance, Em, Family, Floor};
use gaussfield_points::Points;
use ndarray::Array2;
use serde::Serialize;

/// The weights of a data set: w = exp(−d²/σ²), on all pairs or among nearest neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Kernel {
    /// Links i and j if one is among so many nearest of the other; `None` links all.
    pub(super) neighbours: Option<usize>,
    /// σ.
    pub(super) sigma: f64,
}

impl Kernel {
    /// The pairs that are linked.
    pub(super) fn pattern(&self, points: &Points) -> Result<Pattern> {
        Ok(match self.neighbours {
            None => Pattern::complete(points, Metric::Euclidean)?,
            Some(k) => {
                let k = k.min(points.len().saturating_sub(1)).max(1);
                Pattern::knn(points, Metric::Euclidean, k, Symmetry::Either)?
            }
        })
    }

    /// The graph of some points.
    pub(super) fn graph(&self, points: &Points) -> Result<Graph> {
        Self::weigh(&self.pattern(points)?, self.sigma)
    }

    /// Weights for given pairs.
    pub(super) fn weigh(pattern: &Pattern, sigma: f64) -> Result<Graph> {
        Ok(Exponential { sigma }.graph(pattern, Budget::default())?)
    }

    /// The weights between each of `from` and each of `to`, all pairs linked.
    pub(super) fn weights(&self, from: &Points, to: &Points) -> Array2<f64> {
        Array2::from_shape_fn((from.len(), to.len()), |(i, j)| {
            (-from.squared_distance_to(i, to, j) / (self.sigma * self.sigma)).exp()
        })
    }
}

/// A data set of section 4, parted into what the graph sees and what it does not.
#[derive(Debug)]
pub(super) struct Task {
    /// L ∪ U: the nodes of the graph.
    pub(super) points: Points,
    /// Their true classes, two of them.
    pub(super) truth: Labels,
    /// Points kept aside, and their classes.
    pub(super) unseen: Points,
    pub(super) unseen_truth: Vec<usize>,
    /// What the mixture sees of both, where it is not the points themselves: word counts.
    pub(super) counts: Option<(Points, Points)>,
    pub(super) kernel: Kernel,
    pub(super) graph: Graph,
    /// How mixtures are fitted; M and seed are set by each trial.
    pub(super) em: Em,
}

impl Task {
    /// What the mixture sees of L ∪ U.
    pub(super) fn mixture_points(&self) -> &Points {
        self.counts.as_ref().map_or(&self.points, |counts| &counts.0)
    }

    /// What the mixture sees of the points kept aside.
    pub(super) fn mixture_unseen(&self) -> &Points {
        self.counts.as_ref().map_or(&self.unseen, |counts| &counts.1)
    }
}

/// EM for Gaussian components. The floor under every variance is 10⁻⁴ of the points' own, so that
/// it means the same for pixels and for coordinates.
pub(super) fn gaussian_em(covariance: Covariance) -> Em {
    let family = Family::Gaussian { covariance, reg: Floor::Share(1e-4) };
    Em { tolerance: 1e-5, ..Em::new(family, 1) }
}

/// The classes of points that all have one.
pub(super) fn all_classes(labels: &Labels) -> Vec<usize> {
    labels.as_slice().iter().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn weights_between_sets_are_those_of_the_graph() {
        let points = Points::dense(array![[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]).unwrap();
        let kernel = Kernel { neighbours: None, sigma: 1.5 };
        let graph = kernel.graph(&points).unwrap();
        let weights = kernel.weights(&points, &points);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            assert!((graph.weight(i, j) - weights[[i, j]]).abs() < 1e-15);
        }
        let few = Kernel { neighbours: Some(10), sigma: 1.5 };
        assert_eq!(few.graph(&points).unwrap().edges(), 3);
    }
}

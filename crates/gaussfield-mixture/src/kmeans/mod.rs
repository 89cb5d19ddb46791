//! k-means: prototypes by Lloyd's iteration from a k-means++ start.

mod assign;
mod seeding;

pub(crate) use assign::{distances, nearest};

use crate::error::{check_count, check_dimension, check_finite};
use crate::{MixtureError, Stop};
use assign::{Pass, pass};
use gaussfield_core::{Budget, Progress, SizeMismatch};
use gaussfield_points::Points;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// k-means clustering. Deterministic for a seed, whatever the number of threads.
///
/// ```
/// use gaussfield_mixture::KMeans;
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// let points = Points::dense(array![[0.0], [0.2], [5.0], [5.4]])?;
/// let clusters = KMeans::new(2).fit(&points)?;
/// assert_eq!(clusters.assignment[0], clusters.assignment[1]);
/// assert_ne!(clusters.assignment[0], clusters.assignment[2]);
/// assert!((clusters.inertia - 0.1).abs() < 1e-12);
/// # Ok::<(), gaussfield_mixture::MixtureError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KMeans {
    /// The number of clusters M, from 1 to the number of points.
    pub clusters: usize,
    /// Most rounds of Lloyd's iteration. Default 100.
    #[serde(default = "max_iterations")]
    pub max_iterations: usize,
    /// Seed of the k-means++ start. Default 0.
    #[serde(default)]
    pub seed: u64,
    /// Memory for the centres and their sums. Default: 4 GiB.
    #[serde(default)]
    pub budget: Budget,
}

fn max_iterations() -> usize {
    100
}

/// Clusters, and how they were reached.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeansFit {
    /// M × d means of the clusters.
    pub centres: Array2<f64>,
    /// The nearest centre of each point; ties go to the lower index.
    pub assignment: Vec<usize>,
    /// Points of each cluster.
    pub counts: Vec<usize>,
    /// Σ ‖x_i − c(i)‖².
    pub inertia: f64,
    /// Rounds made.
    pub iterations: usize,
    /// Why it ended.
    pub stop: Stop,
}

impl KMeans {
    /// M clusters with the other settings at their defaults.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, max_iterations: max_iterations(), seed: 0, budget: Budget::default() }
    }

    /// Clusters from a k-means++ start (Arthur and Vassilvitskii 2007): each next centre is a point
    /// drawn with probability proportional to its squared distance from the centres so far.
    /// O(nMd) for the start and for each round.
    ///
    /// # Errors
    /// M = 0 or M > n, centres over the budget, features too large for their squares.
    pub fn fit(&self, points: &Points) -> Result<KMeansFit, MixtureError> {
        check_count(self.clusters, points.len())?;
        self.budget.matrix("the dense centres", 4 * self.clusters, points.dim())?;
        let chosen = seeding::plus_plus(points, self.clusters, self.seed)?;
        self.fit_from(points, points.select(&chosen)?.to_dense())
    }

    /// Lloyd's iteration from given centres, until no point changes its cluster. A cluster that
    /// loses all its points moves to the point farthest from its own centre.
    ///
    /// # Errors
    /// M = 0 or M > n, centres of another number or dimension, features too large for their
    /// squares.
    pub fn fit_from(
        &self,
        points: &Points,
        mut centres: Array2<f64>,
    ) -> Result<KMeansFit, MixtureError> {
        check_count(self.clusters, points.len())?;
        SizeMismatch::check("centres", self.clusters, centres.nrows())?;
        check_dimension(points.dim(), centres.ncols())?;
        self.budget.matrix("the dense centres", 4 * self.clusters, points.dim())?;
        check_finite("a coordinate of a centre", &centres)?;
        let stage = Progress::stage("k-means", Some(self.max_iterations as u64));
        let mut now = pass(points, &centres)?;
        let mut iterations = 0;
        let mut stop = Stop::IterationLimit;
        while iterations < self.max_iterations {
            stage.step()?;
            iterations += 1;
            move_centres(points, &now, &mut centres);
            let next = pass(points, &centres)?;
            let settled = next.assignment == now.assignment;
            now = next;
            if settled {
                stop = Stop::Converged;
                break;
            }
        }
        let inertia = now.squared.iter().sum();
        let (assignment, counts) = (now.assignment, now.counts);
        Ok(KMeansFit { centres, assignment, counts, inertia, iterations, stop })
    }
}

/// Each centre to the mean of its points; one without points to the farthest point.
fn move_centres(points: &Points, now: &Pass, centres: &mut Array2<f64>) {
    let mut farthest: Option<Vec<usize>> = None;
    let mut taken = 0;
    for (m, &count) in now.counts.iter().enumerate() {
        if count > 0 {
            centres.row_mut(m).assign(&(&now.sums.row(m) / count as f64));
            continue;
        }
        let order = farthest.get_or_insert_with(|| {
            let mut order: Vec<usize> = (0..points.len()).collect();
            order.sort_by(|&i, &j| now.squared[j].total_cmp(&now.squared[i]).then(i.cmp(&j)));
            order
        });
        // As many points as clusters at least: there is always a next one.
        if let Some(&point) = order.get(taken)
            && now.squared[point] > 0.0
        {
            centres.row_mut(m).assign(&crate::rows::dense_row(points, point));
        }
        taken += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use sprs::CsMat;

    fn points() -> Array2<f64> {
        Array2::from_shape_fn((700, 3), |(i, k)| {
            let cluster = (i % 4) as f64;
            4.0 * cluster * (k as f64 - 1.0) + ((i * (k + 3) * 7919) % 101) as f64 / 101.0
        })
    }

    #[test]
    fn four_separate_clusters_are_found_dense_and_sparse() {
        let rows = points();
        let sparse = Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
        let dense = Points::dense(rows).unwrap();
        let fit = KMeans::new(4).fit(&dense).unwrap();
        assert_eq!(fit.stop, Stop::Converged);
        assert_eq!(fit.counts, [175; 4]);
        assert!((0..700).all(|i| fit.assignment[i] == fit.assignment[i % 4]));
        let other = KMeans::new(4).fit(&sparse).unwrap();
        assert_eq!(other.assignment, fit.assignment);
        assert!((other.inertia - fit.inertia).abs() < 1e-9 * fit.inertia);
    }

    #[test]
    fn an_empty_cluster_moves_to_the_farthest_point() {
        let points = Points::dense(array![[0.0], [1.0], [10.0]]).unwrap();
        let fit = KMeans::new(2).fit_from(&points, array![[0.0], [100.0]]).unwrap();
        assert_eq!(fit.assignment, [0, 0, 1]);
        // More centres than distinct points: the surplus stays empty, nothing breaks.
        let same = Points::dense(Array2::ones((3, 2))).unwrap();
        let fit = KMeans::new(3).fit(&same).unwrap();
        assert_eq!(fit.counts.iter().sum::<usize>(), 3);
        assert!(fit.inertia.abs() < 1e-20);
    }

    #[test]
    fn bad_input_is_refused() {
        let points = Points::dense(array![[0.0], [1.0]]).unwrap();
        for clusters in [0, 3] {
            let error = KMeans::new(clusters).fit(&points).unwrap_err().to_string();
            assert!(error.contains(&format!("is {clusters}")), "{error}");
            assert!(error.contains("at least 1 and at most 2"), "{error}");
        }
        let from = |centres| KMeans::new(1).fit_from(&points, centres).unwrap_err();
        assert!(matches!(from(array![[0.0, 1.0]]), MixtureError::Points(_)));
        assert!(matches!(from(array![[0.0], [1.0]]), MixtureError::SizeMismatch(_)));
        assert!(matches!(from(array![[f64::NAN]]), MixtureError::OutOfRange(_)));
        let huge = Points::dense(array![[1e200], [-1e200], [0.0]]).unwrap();
        let error = KMeans::new(2).fit(&huge).unwrap_err();
        assert!(matches!(error, MixtureError::NotFinite { .. }), "{error}");
    }
}

//! Responsibilities from a discriminative model: multinomial logistic regression on clusters.

use crate::error::{check_clusters, check_dimension, check_finite};
use crate::responsibilities::{ByBlocks, Kept};
use crate::rows::{BLOCK, centred, mean, mean_variance};
use crate::{Keep, MixtureError, Responsibilities};
use gaussfield_core::blocks::{blocks, parts};
use gaussfield_core::dense::Spd;
use gaussfield_core::exponential::normalise;
use gaussfield_core::{Budget, NotConverged, Progress, SizeMismatch, check};
use gaussfield_points::Points;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis, s};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How a [`Discriminative`] model is trained.
///
/// Penalised multinomial logistic regression, whose objective is convex. The second derivative is
/// bounded by half the covariance of the features (Böhning 1992), which is factorised once; steps by
/// this bound are accelerated (Nesterov 1983) and begin anew where the objective rises.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LogisticRegression {
    /// What half the squared length of the weights counts beside the mean loss of a point, in features
    /// of mean variance one. Positive: clusters of k-means can be parted without error, and without a
    /// penalty every point would be wholly in one. Default 10⁻³.
    pub penalty: f64,
    /// The largest slope of the objective to accept, positive. Default 10⁻⁶.
    pub tolerance: f64,
    /// Most steps, each of which goes through all points once. Default 2000.
    pub max_iterations: usize,
    /// Memory for matrices of d × d and d × M numbers. Default 4 GiB.
    pub budget: Budget,
}

impl Default for LogisticRegression {
    fn default() -> Self {
        let budget = Budget::default();
        Self { penalty: 1e-3, tolerance: 1e-6, max_iterations: 2000, budget }
    }
}

/// p(m | x) ∝ exp(w_m·x + b_m): what shares a point among M components without a density of any of
/// them. Trained on clusters, such as those of k-means, it is the way to R that section 4.4 of Zhu and
/// Lafferty (2005) leaves open.
///
/// ```
/// use gaussfield_mixture::{KMeans, Keep, LogisticRegression};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// let points = Points::dense(array![[0.0], [0.1], [0.2], [1.0], [1.1], [1.3]])?;
/// let clusters = KMeans::new(2).fit(&points)?;
/// let model = LogisticRegression::default().fit(&points, &clusters.assignment, 2)?;
/// let shares = model.responsibilities(&points, Keep::All)?.to_dense();
/// assert!(shares[[0, clusters.assignment[0]]] > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Discriminative {
    /// The mean of the features.
    centre: Array1<f64>,
    /// d × M.
    weights: Array2<f64>,
    offsets: Array1<f64>,
}

/// Weights and offsets, or the slopes by them.
#[derive(Debug, Clone)]
struct Linear {
    weights: Array2<f64>,
    offsets: Array1<f64>,
}

impl Linear {
    fn zeros(dim: usize, components: usize) -> Self {
        Self { weights: Array2::zeros((dim, components)), offsets: Array1::zeros(components) }
    }

    /// self + factor·(self − before).
    fn ahead(&self, before: &Self, factor: f64) -> Self {
        Self {
            weights: &self.weights + &(factor * (&self.weights - &before.weights)),
            offsets: &self.offsets + &(factor * (&self.offsets - &before.offsets)),
        }
    }

    fn dot(&self, other: &Self) -> f64 {
        (&self.weights * &other.weights).sum() + self.offsets.dot(&other.offsets)
    }

    fn largest(&self) -> f64 {
        self.weights.iter().chain(&self.offsets).fold(0.0, |most, x| f64::max(most, x.abs()))
    }
}

/// The features, less their mean and by their root mean variance.
struct Scaled<'a> {
    points: &'a Points,
    centre: Array1<f64>,
    scale: f64,
}

impl Scaled<'_> {
    fn block(&self, rows: Range<usize>) -> Array2<f64> {
        centred(self.points, rows, self.centre.view()) * self.scale
    }

    /// Half the covariance of the features, d × d, and the penalty.
    fn bound(&self, penalty: f64) -> Array2<f64> {
        let (n, d) = (self.points.len(), self.points.dim());
        let of_part = |part: Range<usize>| {
            let mut sum = Array2::zeros((d, d));
            for rows in blocks(part, BLOCK) {
                let block = self.block(rows);
                general_mat_mul(1.0, &block.t(), &block, 1.0, &mut sum);
            }
            sum
        };
        let found: Vec<Array2<f64>> =
            parts(n, BLOCK, 8 * d * d).into_par_iter().map(of_part).collect();
        let mut bound = Array2::zeros((d, d));
        found.iter().for_each(|part| bound += part);
        bound *= 0.5 / n as f64;
        bound.diag_mut().mapv_inplace(|entry| entry + penalty);
        bound
    }

    /// The objective and its slopes.
    fn evaluate(&self, at: &Linear, clusters: &[usize], penalty: f64) -> (f64, Linear) {
        let (n, d) = (self.points.len(), self.points.dim());
        let components = at.offsets.len();
        let of_part = |part: Range<usize>| {
            let (mut loss, mut slope) = (0.0, Linear::zeros(d, components));
            for rows in blocks(part, BLOCK) {
                let block = self.block(rows.clone());
                let mut shares = block.dot(&at.weights) + &at.offsets;
                for (row, mut shares) in rows.zip(shares.rows_mut()) {
                    let own = shares[clusters[row]];
                    loss -= own - shares.as_slice_mut().map_or(f64::NAN, normalise);
                    shares[clusters[row]] -= 1.0;
                }
                general_mat_mul(1.0, &block.t(), &shares, 1.0, &mut slope.weights);
                slope.offsets += &shares.sum_axis(Axis(0));
            }
            (loss, slope)
        };
        let found: Vec<(f64, Linear)> =
            parts(n, BLOCK, 8 * d * components).into_par_iter().map(of_part).collect();
        let (mut loss, mut slope) = (0.0, Linear::zeros(d, components));
        for (part, by_part) in &found {
            loss += part;
            slope.weights += &by_part.weights;
            slope.offsets += &by_part.offsets;
        }
        let share = 1.0 / n.max(1) as f64;
        slope.weights *= share;
        slope.offsets *= share;
        slope.weights.scaled_add(penalty, &at.weights);
        let squares: f64 = at.weights.iter().map(|w| w * w).sum();
        (share * loss + 0.5 * penalty * squares, slope)
    }
}

impl LogisticRegression {
    /// A model of which of `components` clusters a point belongs to; `clusters` has the one of every
    /// point. O(nd² + d³), and O(ndM) a step. The same result on any number of threads.
    ///
    /// # Errors
    /// A setting out of its range, no point, clusters for another number of points or past the last,
    /// matrices over the budget, a search that did not reach the tolerance or was stopped.
    pub fn fit(
        &self,
        points: &Points,
        clusters: &[usize],
        components: usize,
    ) -> Result<Discriminative, MixtureError> {
        check::positive("the penalty", self.penalty)?;
        check::positive("the tolerance", self.tolerance)?;
        check::at_least("the number of points", points.len(), 1)?;
        check::at_least("the number of components", components, 1)?;
        SizeMismatch::check("clusters, one for each point", points.len(), clusters.len())?;
        check_clusters(clusters, components)?;
        let dim = points.dim();
        let what = "the matrices of a logistic regression (fewer features take less)";
        self.budget.matrix(what, 3 * dim + 6 * components, dim)?;
        let spread = mean_variance(points).sqrt();
        if !spread.is_finite() {
            return Err(MixtureError::NotFinite { row: 0, value: spread });
        }
        let scale = if spread > 0.0 { spread.recip() } else { 1.0 };
        let scaled = Scaled { points, centre: mean(points), scale };
        let factor = Spd::factorise(scaled.bound(self.penalty))?;
        // Shares sum to one, so that the slopes of an offset bend by at most one half.
        let step = |from: &Linear, slope: &Linear| Linear {
            weights: &from.weights - &factor.solve(slope.weights.view()),
            offsets: &from.offsets - &(2.0 * &slope.offsets),
        };
        let stage = Progress::stage("logistic regression", Some(self.max_iterations as u64));
        let mut here = Linear::zeros(dim, components);
        let (mut ahead, mut age) = (here.clone(), 0.0);
        let mut reached = f64::INFINITY;
        for _ in 0..self.max_iterations {
            stage.step()?;
            let (value, slope) = scaled.evaluate(&ahead, clusters, self.penalty);
            reached = slope.largest();
            if !value.is_finite() {
                return Err(MixtureError::NotFinite { row: 0, value });
            }
            if reached <= self.tolerance {
                return Ok(Discriminative {
                    weights: ahead.weights * scale,
                    offsets: ahead.offsets,
                    centre: scaled.centre,
                });
            }
            let next = step(&ahead, &slope);
            // Where the step goes against the last move, that was too far.
            let moved = Linear {
                weights: &next.weights - &here.weights,
                offsets: &next.offsets - &here.offsets,
            };
            age = if slope.dot(&moved) > 0.0 { 0.0 } else { age + 1.0 };
            ahead = next.ahead(&here, age / (age + 3.0));
            here = next;
        }
        Err(MixtureError::NotConverged(NotConverged {
            method: "the logistic regression",
            iterations: self.max_iterations,
            measure: "the largest slope",
            reached,
            tolerance: self.tolerance,
            remedy: "allow more steps, a larger tolerance or a larger penalty",
        }))
    }
}

impl Discriminative {
    /// The number of components, M.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether there is none; never true.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// That what was stored belongs together.
    pub(crate) fn check(&self) -> Result<(), MixtureError> {
        check::at_least("the number of components", self.len(), 1)?;
        SizeMismatch::check(
            "rows of weights, one for each feature",
            self.centre.len(),
            self.weights.nrows(),
        )?;
        SizeMismatch::check(
            "columns of weights, one for each component",
            self.len(),
            self.weights.ncols(),
        )?;
        let numbers = self.centre.iter().chain(&self.weights).chain(&self.offsets);
        Ok(check_finite("a number of a discriminative model", numbers)?)
    }

    /// R for any points. O(ndM).
    ///
    /// # Errors
    /// Points of another dimension, features too large for the weights, r = 0.
    pub fn responsibilities(
        &self,
        points: &Points,
        keep: Keep,
    ) -> Result<Responsibilities, MixtureError> {
        self.gathered(self.len(), points, keep)
    }
}

impl ByBlocks for Discriminative {
    fn each_block<T: Send>(
        &self,
        points: &Points,
        keep: Keep,
        take: impl Fn(Kept) -> T + Sync,
    ) -> Result<Vec<T>, MixtureError> {
        keep.check()?;
        check_dimension(self.centre.len(), points.dim())?;
        let of_block = |rows: Range<usize>| -> Result<T, MixtureError> {
            let block = centred(points, rows.clone(), self.centre.view());
            let mut shares = block.dot(&self.weights) + &self.offsets;
            for (row, mut shares) in rows.zip(shares.rows_mut()) {
                let value = shares.as_slice_mut().map_or(f64::NAN, normalise);
                if !value.is_finite() {
                    return Err(MixtureError::NotFinite { row, value });
                }
            }
            Ok(take(keep.block(shares.slice(s![.., ..]))))
        };
        let all: Vec<Range<usize>> = blocks(0..points.len(), BLOCK).collect();
        all.into_par_iter().map(of_block).collect()
    }
}

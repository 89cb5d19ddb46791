//! Which pairs have an edge, with their distances.

use crate::checks::check_node_count;
use crate::lists::{sparse, symmetric as both_ways};
use crate::metric::{Space, TINY};
use crate::neighbours::{self, Meter};
use crate::{Cells, GraphError, Metric, Neighbours, Recall, Search, SearchOptions, SparseWeights};
use gaussfield_core::{Budget, Cancelled, OverBudget, Progress, check};
use gaussfield_points::Points;
use gaussfield_points::pairs::{Scale, Side, cancelled, symmetric};
use ndarray::Array2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// When two points are neighbours of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Symmetry {
    /// If either is among the k nearest of the other: every point has at least k edges. The
    /// default.
    #[default]
    Either,
    /// Only if both are: every point has at most k edges, perhaps none.
    Both,
}

/// Which pairs of points have an edge, with their distances: all of a graph but its weights.
///
/// Tuning changes weights only, so a pattern is made once and used for every value of the
/// hyperparameters. Cloning is cheap: clones share points and distances.
#[derive(Debug, Clone)]
pub struct Pattern {
    points: Points,
    metric: Metric,
    /// Distances of the edges in both directions; `None` for a complete pattern.
    edges: Option<Arc<SparseWeights>>,
    /// Every row surely holds this many of its nearest points.
    nearest: usize,
    /// How its neighbours were looked for, where that was not exact.
    approximate: Option<(Cells, Recall)>,
    known: Arc<Known>,
}

/// What is computed at first use and kept until [`Pattern::forget`].
#[derive(Debug, Default)]
struct Known {
    /// All distances of a complete pattern.
    distances: OnceLock<Array2<f64>>,
    /// The local scales asked for first: which neighbour, and its distances.
    scales: OnceLock<(usize, Arc<[f64]>)>,
}

/// The distances of a pattern, to match on.
#[derive(Debug, Clone, Copy)]
pub enum Distances<'a> {
    /// All n × n distances of a complete pattern.
    Complete(&'a Array2<f64>),
    /// The distances of the edges, stored in both directions.
    Sparse(&'a SparseWeights),
}

impl Pattern {
    /// k nearest neighbours, found with [`Search::Auto`](crate::Search::Auto).
    ///
    /// # Errors
    /// As [`Neighbours::search`].
    pub fn knn(
        points: &Points,
        metric: Metric,
        k: usize,
        symmetry: Symmetry,
    ) -> Result<Self, GraphError> {
        Self::knn_by(points, metric, k, symmetry, SearchOptions::default())
    }

    /// k nearest neighbours, found as the options say.
    ///
    /// # Errors
    /// As [`Neighbours::search`].
    pub fn knn_by(
        points: &Points,
        metric: Metric,
        k: usize,
        symmetry: Symmetry,
        options: impl Into<SearchOptions>,
    ) -> Result<Self, GraphError> {
        let mut options = options.into();
        // The lists turned round, and the compressed rows made of both.
        let each = 40_u64.saturating_mul(k as u64).saturating_add(24);
        let edges = each.saturating_mul(points.len() as u64);
        options.budget = options.budget.take("the edges to nearest neighbours", edges)?;
        Neighbours::search(points, metric, k, options)?.pattern(k, symmetry)
    }

    /// All pairs at distance `d ≤ eps`, found with [`Search::Auto`](crate::Search::Auto).
    ///
    /// # Errors
    /// A radius that is not positive and finite, a zero row under the cosine metric, or more pairs
    /// than the budget holds.
    pub fn ball(points: &Points, metric: Metric, eps: f64) -> Result<Self, GraphError> {
        Self::ball_by(points, metric, eps, SearchOptions::default())
    }

    /// All pairs at distance `d ≤ eps`, found as the options say.
    ///
    /// # Errors
    /// As [`Pattern::ball`], or a method that does not read the storage of the points.
    pub fn ball_by(
        points: &Points,
        metric: Metric,
        eps: f64,
        options: impl Into<SearchOptions>,
    ) -> Result<Self, GraphError> {
        check::positive("the radius of the ε-ball", eps)?;
        check_node_count(points.len())?;
        let lists = neighbours::ball(points, metric, eps, options.into())?;
        let nearest = lists.iter().map(Vec::len).min().unwrap_or(0);
        let edges = sparse(points.len(), lists);
        Ok(Self::new(points.clone(), metric, Some(edges), nearest))
    }

    /// All pairs. The n × n distances are computed only when a weight family asks for them.
    ///
    /// # Errors
    /// A zero row under the cosine metric, or too many points.
    pub fn complete(points: &Points, metric: Metric) -> Result<Self, GraphError> {
        check_node_count(points.len())?;
        if let (Metric::Cosine, Some(row)) = (metric, points.first_zero_row()) {
            return Err(GraphError::ZeroRow { which: "point", row });
        }
        let nearest = points.len().saturating_sub(1);
        Ok(Self::new(points.clone(), metric, None, nearest))
    }

    /// The first k of lists found before; k is at least 1 and at most as long as the lists.
    pub(crate) fn from_neighbours(neighbours: &Neighbours, k: usize, symmetry: Symmetry) -> Self {
        let edges = both_ways(neighbours, k, symmetry);
        let nearest = if symmetry == Symmetry::Either { k } else { 0 };
        let mut pattern =
            Self::new(neighbours.points().clone(), neighbours.metric(), Some(edges), nearest);
        pattern.approximate = neighbours.approximate();
        pattern
    }

    /// How many of the true neighbours an approximate search found; `None` where the pattern is
    /// exact.
    pub fn recall(&self) -> Option<Recall> {
        self.approximate.map(|(_, recall)| recall)
    }

    /// The pairs of this pattern at distance `d ≤ eps`, without a new search: radii of a whole
    /// range are cut from one pattern that reaches as far as the longest. O(m); for a complete
    /// pattern its n × n distances are computed once and kept.
    ///
    /// # Errors
    /// A radius that is not positive and finite; distances or pairs over the budget.
    pub fn within(&self, eps: f64, budget: Budget) -> Result<Self, GraphError> {
        check::positive("the radius of the ε-ball", eps)?;
        let short = |&(distance, _): &(f64, u32)| distance <= eps;
        let (distances, rest) = self.take_distances(budget)?;
        let meter = Meter::new(rest);
        let lists: Result<Vec<Vec<(f64, u32)>>, OverBudget> = match distances {
            Distances::Complete(distances) => (0..self.nodes())
                .into_par_iter()
                .map(|i| {
                    let row = distances.row(i);
                    let others = row.iter().copied().zip(0_u32..);
                    let others = others.filter(|&(_, j)| j as usize != i).filter(short);
                    meter.kept(others.collect())
                })
                .collect(),
            Distances::Sparse(edges) => edges
                .outer_iterator()
                .map(|row| {
                    let all = row.iter().map(|(j, &distance)| (distance, j as u32));
                    meter.kept(all.filter(short).collect())
                })
                .collect(),
        };
        let edges = sparse(self.nodes(), lists?);
        let mut pattern = Self::new(self.points.clone(), self.metric, Some(edges), 0);
        pattern.approximate = self.approximate;
        Ok(pattern)
    }

    fn new(points: Points, metric: Metric, edges: Option<SparseWeights>, nearest: usize) -> Self {
        let edges = edges.map(Arc::new);
        Self { points, metric, edges, nearest, approximate: None, known: Arc::default() }
    }

    /// The number of nodes, n.
    pub fn nodes(&self) -> usize {
        self.points.len()
    }

    /// The points behind the nodes.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The metric of the distances.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Whether all pairs have an edge and weights are stored densely.
    pub fn is_complete(&self) -> bool {
        self.edges.is_none()
    }

    /// The number of undirected edges.
    pub fn edges(&self) -> usize {
        match &self.edges {
            Some(edges) => edges.nnz() / 2,
            None => self.nodes() * self.nodes().saturating_sub(1) / 2,
        }
    }

    /// The distances of the edges in both directions, unless the pattern is complete.
    pub fn sparse_distances(&self) -> Option<&SparseWeights> {
        self.edges.as_deref()
    }

    /// The distances of the edges. Those of a complete pattern are computed once, O(n²d), and
    /// kept.
    ///
    /// Distances of complete patterns over dense points come from matrix products, and where
    /// these would cancel (d² below a hundredth of the squared norms about the mean) from
    /// differences: their relative error is about 10⁻¹³ at worst.
    ///
    /// # Errors
    /// Distances of a complete pattern over the budget.
    pub fn distances(&self, budget: Budget) -> Result<Distances<'_>, GraphError> {
        Ok(self.take_distances(budget)?.0)
    }

    /// The distances, and what they leave of the budget, whether they were known before or not.
    pub(crate) fn take_distances(
        &self,
        budget: Budget,
    ) -> Result<(Distances<'_>, Budget), GraphError> {
        if let Some(edges) = &self.edges {
            return Ok((Distances::Sparse(edges), budget));
        }
        let rest = budget.matrix("all distances", self.nodes(), self.nodes())?;
        let distances = match self.known.distances.get() {
            Some(distances) => distances,
            None => {
                neighbours::reserve_copies(&self.points, rest)?;
                let space = Space::new(&self.points, self.metric)?;
                let found = distance_matrix(&space)?;
                self.known.distances.get_or_init(|| found)
            }
        };
        Ok((Distances::Complete(distances), rest))
    }

    /// The mean distance over the edges, each counted once; 0 if there is no edge.
    pub fn mean_distance(&self) -> f64 {
        if self.edges() == 0 {
            return 0.0;
        }
        let sums: Vec<f64> = match (&self.edges, Space::new(&self.points, self.metric)) {
            (Some(edges), _) => edges.outer_iterator().map(|row| row.data().iter().sum()).collect(),
            (None, Ok(space)) => (0..self.nodes())
                .into_par_iter()
                .map(|i| 2.0 * (0..i).map(|j| space.distance(i, &space, j)).sum::<f64>())
                .collect(),
            // Constructors have checked that the space exists.
            (None, Err(_)) => Vec::new(),
        };
        sums.iter().sum::<f64>() / (2 * self.edges()) as f64
    }

    /// sᵢ: the distance from each point to its `neighbour`-th nearest other point, whether that
    /// pair has an edge or not. Read off the pattern where it holds enough neighbours, else searched
    /// for as the pattern's own neighbours were; those asked for first are kept.
    ///
    /// # Errors
    /// `neighbour` = 0 or ≥ n; a search over the budget.
    pub fn local_scales(&self, neighbour: usize, budget: Budget) -> Result<Arc<[f64]>, GraphError> {
        if let Some((known, scales)) = self.known.scales.get()
            && *known == neighbour
        {
            return Ok(Arc::clone(scales));
        }
        let scales: Arc<[f64]> = match &self.edges {
            Some(edges) if neighbour > 0 && neighbour <= self.nearest => edges
                .outer_iterator()
                .map(|row| {
                    let mut distances = row.data().to_vec();
                    *distances.select_nth_unstable_by(neighbour - 1, f64::total_cmp).1
                })
                .collect(),
            _ => {
                let search =
                    self.approximate.map_or(Search::Auto, |(cells, _)| Search::Cells(cells));
                let options = SearchOptions { search, budget };
                let found = Neighbours::search(&self.points, self.metric, neighbour, options)?;
                (0..self.nodes()).map(|i| found.distances(i)[neighbour - 1]).collect()
            }
        };
        self.known.scales.get_or_init(|| (neighbour, Arc::clone(&scales)));
        Ok(scales)
    }

    /// The local scales that are known: which neighbour, and its distances.
    pub(crate) fn known_scales(&self) -> Option<(usize, &[f64])> {
        self.known.scales.get().map(|(neighbour, scales)| (*neighbour, &**scales))
    }

    /// This pattern on more points, with other edges. Its rows need no longer hold the nearest.
    pub(crate) fn regrown(
        &self,
        points: Points,
        edges: SparseWeights,
        approximate: Option<(Cells, Recall)>,
        scales: Option<(usize, Arc<[f64]>)>,
    ) -> Self {
        let mut pattern = Self::new(points, self.metric, Some(edges), 0);
        pattern.approximate = self.approximate.or(approximate);
        if let Some(scales) = scales {
            pattern.known.scales.get_or_init(|| scales);
        }
        pattern
    }

    /// Drops the n × n distances of a complete pattern and the local scales, should they be known;
    /// the next family that needs them computes them again. Clones keep theirs.
    pub fn forget(&mut self) {
        self.known = Arc::default();
    }
}

/// All distances: from matrix products for dense points, pair by pair for sparse ones.
fn distance_matrix(space: &Space) -> Result<Array2<f64>, Cancelled> {
    let stage = Progress::stage("all distances", Some(space.len() as u64));
    let dense = space.points().as_dense().is_some();
    let side = dense.then(|| Side::alone(space.points(), Scale::One));
    symmetric(space.len(), |rows, mut out| {
        stage.advance(rows.len() as u64)?;
        if let Some(side) = &side {
            side.squared(rows.clone(), side, out.view_mut(), cancelled);
        }
        for (i, mut row) in rows.zip(out.rows_mut()) {
            for (j, entry) in row.iter_mut().enumerate().take(i) {
                *entry = if dense && *entry >= TINY {
                    space.distance_of_squared(*entry)
                } else {
                    space.distance(i, space, j)
                };
            }
            row[i] = 0.0;
        }
        Ok(())
    })
}

//! The part that all scanning searches share: cheap keys choose candidates, exact distances rank
//! them, and a bound on the keys' error proves that no neighbour was missed.

use super::Meter;
use crate::GraphError;
use crate::metric::Space;
use gaussfield_core::Progress;
use gaussfield_core::blocks::split;
use ndarray::Array2;
use rayon::prelude::*;
use std::ops::Range;

/// Candidates beyond k that are kept by key before the exact ranking.
const MARGIN: usize = 16;

/// A found neighbour: (distance, index).
pub(crate) type Found = (f64, u32);

/// Approximate squared distances, up to a constant for each query.
pub(super) trait Screen: Sync {
    /// Queries and points handled at once.
    fn tile(&self) -> (usize, usize);
    /// Writes the keys of a tile into the leading part of `out`.
    fn keys(&self, queries: Range<usize>, points: Range<usize>, out: &mut Array2<f32>);
    /// A key above this belongs to a point whose squared distance (between the stored rows) is
    /// surely more than `squared`.
    fn limit(&self, query: usize, squared: f64) -> f64;
}

/// The lists of all queries, found by blocks of rows on all threads; who listens hears how far it is.
pub(super) fn by_blocks(
    queries: usize,
    height: usize,
    find: impl Fn(Range<usize>) -> Result<Vec<Vec<Found>>, GraphError> + Sync,
) -> Result<Vec<Vec<Found>>, GraphError> {
    let stage = Progress::stage("neighbour search", Some(queries as u64));
    let block = |rows: Range<usize>| {
        let found = find(rows.clone())?;
        stage.advance(rows.len() as u64)?;
        Ok(found)
    };
    let found: Result<Vec<Vec<Vec<Found>>>, GraphError> =
        split(queries, height).into_par_iter().map(block).collect();
    Ok(found?.into_iter().flatten().collect())
}

/// The k nearest points of each query by (distance, index), exact.
///
/// With `self_search` the queries are the points, and no point is its own neighbour.
pub(super) fn k_nearest(
    screen: &impl Screen,
    points: &Space,
    queries: &Space,
    k: usize,
    self_search: bool,
) -> Result<Vec<Vec<Found>>, GraphError> {
    let (height, width) = screen.tile();
    let keep = k + (k / 2).max(MARGIN) + usize::from(self_search);
    by_blocks(queries.len(), height, |rows| {
        let mut best: Vec<Best> = rows.clone().map(|_| Best::new(keep)).collect();
        let mut keys = Array2::zeros((rows.len(), width));
        for columns in split(points.len(), width) {
            screen.keys(rows.clone(), columns.clone(), &mut keys);
            for (best, keys) in best.iter_mut().zip(keys.rows()) {
                if let Some(keys) = keys.to_slice() {
                    best.offer(columns.start, &keys[..columns.len()]);
                }
            }
        }
        let ranked = rows.clone().zip(best).map(|(i, best)| {
            let other = |&j: &u32| !(self_search && j as usize == i);
            let (candidates, least_left_out) = best.finish();
            let mut found: Vec<Found> = candidates
                .into_iter()
                .filter(other)
                .map(|j| (queries.distance(i, points, j as usize), j))
                .collect();
            rank(&mut found, k);
            if let (Some(key), Some(&(kth, _))) = (least_left_out, found.last())
                && f64::from(key) <= screen.limit(i, points.stored_squared(kth))
            {
                // The keys could hide a neighbour (ties, duplicates, very close points): look
                // at every point that is not surely further than the k-th found so far.
                found = within(screen, points, queries, i..i + 1, kth).remove(0);
                found.retain(|(_, j)| other(j));
                rank(&mut found, k);
            }
            found
        });
        Ok(ranked.collect())
    })
}

/// All points within `eps` of each query, by increasing index; a point finds itself too.
pub(super) fn within_radius(
    screen: &impl Screen,
    points: &Space,
    queries: &Space,
    eps: f64,
    meter: &Meter,
) -> Result<Vec<Vec<Found>>, GraphError> {
    by_blocks(queries.len(), screen.tile().0, |rows| {
        let lists = within(screen, points, queries, rows, eps);
        Ok(lists.into_iter().map(|list| meter.kept(list)).collect::<Result<_, _>>()?)
    })
}

fn within(
    screen: &impl Screen,
    points: &Space,
    queries: &Space,
    rows: Range<usize>,
    radius: f64,
) -> Vec<Vec<Found>> {
    let (width, squared) = (screen.tile().1, points.stored_squared(radius));
    let mut found: Vec<Vec<Found>> = vec![Vec::new(); rows.len()];
    let mut keys = Array2::zeros((rows.len(), width));
    for columns in split(points.len(), width) {
        screen.keys(rows.clone(), columns.clone(), &mut keys);
        for ((i, found), keys) in rows.clone().zip(&mut found).zip(keys.rows()) {
            let limit = screen.limit(i, squared);
            for (j, &key) in columns.clone().zip(keys) {
                if f64::from(key) <= limit {
                    let distance = queries.distance(i, points, j);
                    if distance <= radius {
                        found.push((distance, j as u32));
                    }
                }
            }
        }
    }
    found
}

/// Sorts by (distance, index) and keeps the first k.
pub(super) fn rank(found: &mut Vec<Found>, k: usize) {
    found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    found.truncate(k);
}

/// The `keep` smallest keys seen so far, in a buffer of twice that.
struct Best {
    keep: usize,
    kept: Vec<(f32, u32)>,
    threshold: f32,
}

impl Best {
    fn new(keep: usize) -> Self {
        Self { keep, kept: Vec::with_capacity(2 * keep), threshold: f32::INFINITY }
    }

    fn offer(&mut self, start: usize, keys: &[f32]) {
        const RUN: usize = 16;
        for (run, keys) in keys.chunks(RUN).enumerate() {
            // Most runs hold no candidate; their minimum is cheap.
            let least = keys.iter().fold(f32::INFINITY, |least, &key| least.min(key));
            if least >= self.threshold {
                continue;
            }
            for (at, &key) in keys.iter().enumerate() {
                if key < self.threshold {
                    self.kept.push((key, (start + run * RUN + at) as u32));
                    if self.kept.len() == 2 * self.keep {
                        self.shrink();
                    }
                }
            }
        }
    }

    fn shrink(&mut self) {
        if self.kept.len() > self.keep {
            self.kept.select_nth_unstable_by(self.keep - 1, |a, b| a.0.total_cmp(&b.0));
            self.threshold = self.kept[self.keep - 1].0;
            self.kept.truncate(self.keep);
        }
    }

    /// The candidates, and a lower bound of the keys left out, if any was.
    fn finish(mut self) -> (Vec<u32>, Option<f32>) {
        self.shrink();
        let left_out = self.threshold.is_finite().then_some(self.threshold);
        (self.kept.into_iter().map(|(_, j)| j).collect(), left_out)
    }
}

/// Turns a squared distance into a limit on keys `‖z‖² − 2x·z` of rows scaled to norms of at most
/// one.
#[derive(Debug)]
pub(super) struct KeyScale {
    /// Stored rows times this are the scaled rows.
    pub(super) scale: f64,
    /// ‖x‖² of each scaled query.
    query_norms: Vec<f64>,
    /// Absolute bound on the error of a key.
    error: f64,
    /// Relative bound on the rounding of an exact squared distance.
    rounding: f64,
}

impl KeyScale {
    /// From the squared norms of the stored queries and the error bound of the scaled keys.
    pub(super) fn new(space: &Space, scale: f64, query_norms: &[f64], error: f64) -> Self {
        let rounding = space.rounding();
        let query_norms = query_norms.iter().map(|norm| norm * scale * scale).collect();
        Self { scale, query_norms, error: error + 4.0 * rounding, rounding }
    }

    pub(super) fn limit(&self, query: usize, squared: f64) -> f64 {
        squared * self.scale * self.scale * (1.0 + self.rounding) - self.query_norms[query]
            + self.error
    }
}

/// The factor that brings the largest norm to one.
pub(super) fn unit_scale<'a>(squared_norms: impl Iterator<Item = &'a f64>) -> f64 {
    let largest = squared_norms.fold(0.0_f64, |largest, &norm| largest.max(norm));
    if largest > 0.0 { largest.sqrt().recip() } else { 1.0 }
}

//! Keys for sparse rows from an inverted index: only points that share a feature with the query
//! are touched.

use super::screen::{KeyScale, Screen, unit_scale};
use crate::metric::Space;
use ndarray::Array2;
use rayon::prelude::*;
use sprs::CsMat;
use std::ops::Range;

/// For each feature the points that have it, scaled to norms of at most one.
#[derive(Debug)]
pub(super) struct InvertedScreen<'a> {
    /// The features that a point has, in increasing order.
    features: Vec<usize>,
    /// Where the postings of each of them begin; one more at the end.
    starts: Vec<usize>,
    /// (point, value), by feature. `f32` halves the memory traffic, which is the cost.
    postings: Vec<(u32, f32)>,
    queries: &'a CsMat<f64>,
    point_norms: Vec<f32>,
    scale: KeyScale,
}

impl<'a> InvertedScreen<'a> {
    pub(super) fn new(space: &Space, points: &CsMat<f64>, queries: &'a CsMat<f64>) -> Self {
        let squared = |rows: &CsMat<f64>| -> Vec<f64> {
            rows.outer_iterator().map(|row| row.data().iter().map(|x| x * x).sum()).collect()
        };
        let (point_norms, query_norms) = (squared(points), squared(queries));
        let scale = unit_scale(point_norms.iter().chain(&query_norms));
        let mut features = points.indices().to_vec();
        features.sort_unstable();
        features.dedup();
        // Those that occur: their numbers may be as large as they like.
        let place = |feature: &usize| features.partition_point(|known| known < feature);
        let places: Vec<usize> = points.indices().par_iter().map(place).collect();
        let mut starts = vec![0; features.len() + 1];
        places.iter().for_each(|&at| starts[at + 1] += 1);
        for at in 0..features.len() {
            starts[at + 1] += starts[at];
        }
        let (mut next, mut postings) = (starts.clone(), vec![(0, 0.0); places.len()]);
        for (point, row) in points.indptr().iter_outer_sz().enumerate() {
            for at in row {
                let posting = &mut next[places[at]];
                postings[*posting] = (point as u32, (points.data()[at] * scale) as f32);
                *posting += 1;
            }
        }
        // As for matrix products (see `frame`), with the longest query as the number of terms.
        let terms = queries.outer_iterator().map(|row| row.nnz()).max().unwrap_or(0) as f64;
        let error = (2.0 * terms + 8.0) * f64::from(f32::EPSILON);
        Self {
            features,
            starts,
            postings,
            queries,
            point_norms: point_norms.iter().map(|norm| (norm * scale * scale) as f32).collect(),
            scale: KeyScale::new(space, scale, &query_norms, error),
        }
    }
}

impl Screen for InvertedScreen<'_> {
    fn tile(&self) -> (usize, usize) {
        (16, self.point_norms.len().max(1))
    }

    /// The tile is always as wide as all the points.
    fn keys(&self, queries: Range<usize>, _points: Range<usize>, out: &mut Array2<f32>) {
        for (i, mut out) in queries.zip(out.rows_mut()) {
            let Some(keys) = out.as_slice_mut() else { continue };
            keys.copy_from_slice(&self.point_norms);
            for at in self.queries.indptr().outer_inds_sz(i) {
                let Ok(feature) = self.features.binary_search(&self.queries.indices()[at]) else {
                    continue;
                };
                let value = (-2.0 * self.queries.data()[at] * self.scale.scale) as f32;
                for &(point, other) in
                    &self.postings[self.starts[feature]..self.starts[feature + 1]]
                {
                    keys[point as usize] += value * other;
                }
            }
        }
    }

    fn limit(&self, query: usize, squared: f64) -> f64 {
        self.scale.limit(query, squared)
    }
}

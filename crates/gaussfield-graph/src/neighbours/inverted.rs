//! Keys for sparse rows from an inverted index: only points that share a feature with the query
//! are touched.

use super::screen::{KeyScale, Screen, unit_scale};
use crate::metric::Space;
use ndarray::Array2;
use sprs::CsMat;
use std::ops::Range;

/// For each feature the points that have it, scaled to norms of at most one.
#[derive(Debug)]
pub(super) struct InvertedScreen<'a> {
    /// Where the postings of each feature begin; one more at the end.
    starts: Vec<usize>,
    /// (point, value), by feature. `f32` halves the memory traffic, which is the cost.
    postings: Vec<(u32, f32)>,
    queries: &'a CsMat<f64>,
    point_norms: Vec<f32>,
    scale: KeyScale,
}

impl<'a> InvertedScreen<'a> {
    pub(super) fn new(space: &Space<'_>, points: &CsMat<f64>, queries: &'a CsMat<f64>) -> Self {
        let squared = |rows: &CsMat<f64>| -> Vec<f64> {
            rows.outer_iterator().map(|row| row.data().iter().map(|x| x * x).sum()).collect()
        };
        let (point_norms, query_norms) = (squared(points), squared(queries));
        let scale = unit_scale(point_norms.iter().chain(&query_norms));
        let by_feature = points.to_csc();
        let (starts, indices, data) = by_feature.into_raw_storage();
        // As for matrix products (see `gemm`), with the longest query as the number of terms.
        let terms = queries.outer_iterator().map(|row| row.nnz()).max().unwrap_or(0) as f64;
        let error = (2.0 * terms + 8.0) * f64::from(f32::EPSILON);
        Self {
            starts,
            postings: indices
                .into_iter()
                .zip(data)
                .map(|(point, value)| (point as u32, (value * scale) as f32))
                .collect(),
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
                let feature = self.queries.indices()[at];
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

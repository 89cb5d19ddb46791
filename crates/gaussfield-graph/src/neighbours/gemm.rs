//! Keys from blocked matrix products in `f32`.

use super::screen::{KeyScale, Screen, unit_scale};
use crate::metric::Space;
use ndarray::{Array2, ArrayView2, Axis, linalg::general_mat_mul, s};
use std::ops::Range;

/// Points and queries, centred at the points' mean and scaled to norms of at most one.
#[derive(Debug)]
pub(super) struct GemmScreen {
    points: Array2<f32>,
    queries: Array2<f32>,
    point_norms: Vec<f32>,
    scale: KeyScale,
}

impl GemmScreen {
    pub(super) fn new(
        space: &Space,
        points: ArrayView2<'_, f64>,
        queries: ArrayView2<'_, f64>,
    ) -> Self {
        let (dim, rows) = (points.ncols(), points.nrows().max(1) as f64);
        // Any centre will do: it only shortens the rows, and so the error of the keys.
        let mean = points.map_axis(Axis(0), |column| column.iter().map(|x| x / rows).sum::<f64>());
        let (points, queries) = (&points - &mean, &queries - &mean);
        let squared = |rows: &Array2<f64>| -> Vec<f64> {
            rows.rows().into_iter().map(|row| row.iter().map(|x| x * x).sum()).collect()
        };
        let (point_norms, query_norms) = (squared(&points), squared(&queries));
        let scale = unit_scale(point_norms.iter().chain(&query_norms));
        // With norms of at most one: 2(2u + γ_d) for the products of rounded rows, 4u for the
        // norm and the subtraction, whatever the order of summation (Higham, Accuracy and
        // Stability of Numerical Algorithms, section 3.1), u being half of EPSILON. Twice that, so
        // that f32 products that vanish (below 1e-38) are covered too.
        let error = (2.0 * dim as f64 + 8.0) * f64::from(f32::EPSILON);
        Self {
            points: points.mapv(|x| (x * scale) as f32),
            queries: queries.mapv(|x| (x * scale) as f32),
            point_norms: point_norms.iter().map(|x| (x * scale * scale) as f32).collect(),
            scale: KeyScale::new(space, scale, &query_norms, error),
        }
    }
}

impl Screen for GemmScreen {
    fn tile(&self) -> (usize, usize) {
        (128, 2048)
    }

    fn keys(&self, queries: Range<usize>, points: Range<usize>, out: &mut Array2<f32>) {
        let norms = &self.point_norms[points.clone()];
        let mut out = out.slice_mut(s![..queries.len(), ..points.len()]);
        let (x, z) = (self.queries.slice(s![queries, ..]), self.points.slice(s![points, ..]));
        general_mat_mul(-2.0, &x, &z.t(), 0.0, &mut out);
        for mut row in out.rows_mut() {
            for (key, norm) in row.iter_mut().zip(norms) {
                *key += norm;
            }
        }
    }

    fn limit(&self, query: usize, squared: f64) -> f64 {
        self.scale.limit(query, squared)
    }
}

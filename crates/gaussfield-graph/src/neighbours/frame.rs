//! Dense rows as short rows in `f32`, whose distances are surely no longer than the true ones.

use crate::metric::Space;
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

/// Rows that are turned into coordinates together.
const ROWS: usize = 512;

/// Rows that centre and directions are taken from.
const SAMPLE: usize = 2048;

/// Most coordinates, the length of what is left included.
const MOST_DIRECTIONS: usize = 128;

/// The share of the sample's squared lengths that directions must hold to be worth their while.
const ENERGY: f64 = 0.92;

/// A centre, a scale that brings all rows to norms of at most one, and where that is shorter a few
/// orthonormal directions Q. A row is then Qᵀx and the length of what is left of x, and distances
/// only shrink: ‖x − z‖² ≥ ‖Qᵀx − Qᵀz‖² + (r_x − r_z)².
#[derive(Debug)]
pub(super) struct Frame {
    centre: Array1<f64>,
    scale: f64,
    /// Qᵀ, one direction a row.
    directions: Option<Array2<f64>>,
    /// Absolute bound on the error of a squared distance between coordinates.
    error: f64,
    /// Relative bound on the rounding of an exact squared distance.
    rounding: f64,
}

/// Rows in the coordinates of a [`Frame`].
#[derive(Debug)]
pub(super) struct Coordinates {
    pub(super) dims: usize,
    /// Row by row.
    pub(super) rows: Vec<f32>,
    /// ½‖x‖².
    pub(super) halves: Vec<f32>,
}

impl Coordinates {
    pub(super) fn len(&self) -> usize {
        self.halves.len()
    }

    pub(super) fn row(&self, i: usize) -> &[f32] {
        &self.rows[i * self.dims..(i + 1) * self.dims]
    }
}

impl Frame {
    /// For points and queries that go with them (the points themselves in a self-search).
    pub(super) fn new(
        space: &Space,
        points: ArrayView2<'_, f64>,
        queries: ArrayView2<'_, f64>,
    ) -> Self {
        let (dim, step) = (points.ncols(), points.nrows().div_ceil(SAMPLE).max(1));
        let mut sample = points.slice(s![..;step, ..]).to_owned();
        // Any centre will do: it only shortens the rows, and so the error of products.
        let count = sample.nrows().max(1) as f64;
        let centre = sample.sum_axis(Axis(0)) / count;
        let longest = longest(points, &centre).max(longest(queries, &centre));
        let scale = if longest > 0.0 { longest.sqrt().recip() } else { 1.0 };
        sample -= &centre;
        sample *= scale;
        let directions =
            if points.nrows() >= SAMPLE / 2 { leading_directions(&sample) } else { None };
        let dims = directions.as_ref().map_or(dim, |rows| rows.nrows() + 1);
        // With norms of at most one: 2(2u + γ_d) for the products of rounded rows and a few u for
        // norms, limits and subtractions, whatever the order of summation (Higham, Accuracy and
        // Stability of Numerical Algorithms, section 3.1), u being half of EPSILON. Twice that, so
        // that f32 products that vanish (below 1e-38) are covered too.
        let mut error = (2.0 * dims as f64 + 24.0) * f64::from(f32::EPSILON);
        if let Some(rows) = &directions {
            // r² = ‖x‖² − ‖Qᵀx‖² is right to this much, r to its root.
            let mut gram = rows.dot(&rows.t());
            gram.diag_mut().mapv_inplace(|one| one - 1.0);
            let apart = gram.iter().map(|x| x * x).sum::<f64>().sqrt();
            error += 8.0 * (apart + 8.0 * dim as f64 * f64::EPSILON).sqrt();
        }
        let rounding = space.rounding();
        Self { centre, scale, directions, error: error + 4.0 * rounding, rounding }
    }

    /// The coordinates of rows. O(n·d) and, with p directions, O(n·d·p).
    pub(super) fn coordinates(&self, rows: ArrayView2<'_, f64>) -> Coordinates {
        let n = rows.nrows();
        let dims = self.directions.as_ref().map_or(rows.ncols(), |rows| rows.nrows() + 1);
        let mut out = Coordinates { dims, rows: vec![0.0; n * dims], halves: vec![0.0; n] };
        // Without a feature there is nothing to write.
        let chunks = out.rows.par_chunks_mut((ROWS * dims).max(1));
        chunks.zip(out.halves.par_chunks_mut(ROWS)).enumerate().for_each(
            |(block, (out, halves))| {
                let start = block * ROWS;
                let mut rows = rows.slice(s![start..start + halves.len(), ..]).to_owned();
                rows -= &self.centre;
                rows *= self.scale;
                let norms: Vec<f64> = rows.rows().into_iter().map(|row| row.dot(&row)).collect();
                for (half, norm) in halves.iter_mut().zip(&norms) {
                    *half = (0.5 * norm) as f32;
                }
                match &self.directions {
                    None => out.iter_mut().zip(&rows).for_each(|(out, &x)| *out = x as f32),
                    Some(directions) => {
                        let along = rows.dot(&directions.t());
                        for ((out, row), norm) in out.chunks_mut(dims).zip(along.rows()).zip(norms)
                        {
                            out.iter_mut().zip(row).for_each(|(out, &x)| *out = x as f32);
                            out[dims - 1] = (norm - row.dot(&row)).max(0.0).sqrt() as f32;
                        }
                    }
                }
            },
        );
        out
    }

    /// Half of the squared distance between coordinates above which two points are surely further
    /// apart than `distance`.
    pub(super) fn half_limit(&self, space: &Space, distance: f64) -> f32 {
        let squared = space.stored_squared(distance) * self.scale * self.scale;
        let limit = 0.5 * (squared * (1.0 + self.rounding) + self.error);
        // Rounded up.
        let limit = (limit * (1.0 + 2.0 * f64::from(f32::EPSILON))) as f32;
        limit.min(super::tile::NO_LIMIT)
    }
}

/// The largest squared length of a row about the centre.
fn longest(rows: ArrayView2<'_, f64>, centre: &Array1<f64>) -> f64 {
    let of_block = |block: ArrayView2<'_, f64>| {
        let squared = |row: ndarray::ArrayView1<'_, f64>| -> f64 {
            row.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum()
        };
        block.rows().into_iter().map(squared).fold(0.0, f64::max)
    };
    let blocks: Vec<_> = rows.axis_chunks_iter(Axis(0), ROWS).collect();
    blocks.into_par_iter().map(of_block).reduce(|| 0.0, f64::max)
}

/// A few orthonormal directions that hold most of the sample's squared lengths, one a row; `None`
/// where they would be too many to save work.
fn leading_directions(sample: &Array2<f64>) -> Option<Array2<f64>> {
    let (count, dim) = sample.dim();
    let most = MOST_DIRECTIONS.min(dim / 2).saturating_sub(1).min(count);
    if dim < 64 || most < 15 {
        return None;
    }
    let whole: f64 = sample.iter().map(|x| x * x).sum();
    // Subspace iteration from rows of the sample. Any orthonormal rows make a right bound.
    let mut directions = sample.slice(s![..;count / most, ..]).slice(s![..most, ..]).to_owned();
    for _ in 0..3 {
        directions = orthonormal(directions);
        directions = directions.dot(&sample.t()).dot(sample);
    }
    let directions = orthonormal(directions);
    let along = directions.dot(&sample.t());
    let mut held: Vec<(f64, usize)> =
        along.rows().into_iter().map(|row| row.dot(&row)).zip(0..).collect();
    held.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut sum = 0.0;
    let enough = held.iter().position(|(part, _)| {
        sum += part;
        sum >= ENERGY * whole
    });
    // With one more for the length of what is left a multiple of sixteen.
    let wanted = enough.map_or(held.len(), |at| (at + 2).next_multiple_of(16) - 1);
    let chosen: Vec<usize> = held.iter().take(wanted).map(|&(_, at)| at).collect();
    let worth = enough.is_some() || sum >= (ENERGY - 0.1) * whole;
    worth.then(|| directions.select(Axis(0), &chosen))
}

/// The rows made orthonormal one after the other, twice, so that nothing is left of what was lost
/// the first time. A row that depends on those before becomes zeros: a direction less.
fn orthonormal(mut rows: Array2<f64>) -> Array2<f64> {
    for i in 0..rows.nrows() {
        let (before, mut row) = rows.view_mut().split_at(Axis(0), i);
        let mut row = row.row_mut(0);
        let first = row.dot(&row).sqrt();
        for _ in 0..2 {
            let along = before.dot(&row);
            row -= &along.dot(&before);
        }
        let length = row.dot(&row).sqrt();
        if length > 1e-10 * first {
            row /= length;
        } else {
            row.fill(0.0);
        }
    }
    // Rows of zeros hold nothing; the others come first.
    let kept: Vec<usize> =
        (0..rows.nrows()).filter(|&i| rows.row(i).dot(&rows.row(i)) > 0.5).collect();
    if kept.len() == rows.nrows() { rows } else { rows.select(Axis(0), &kept) }
}

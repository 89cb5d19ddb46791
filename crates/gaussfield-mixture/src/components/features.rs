//! Exponential families: log γ_m p(x | m) = φ(x)·w_m. The E-step is one matrix product Φ W, and
//! all that the M-step needs is another, ΦᵀR.

use crate::rows::{centred, for_each_entry};
use gaussfield_points::{Points, Rows};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, s};
use sprs::CsMat;
use std::ops::Range;

/// Which features φ(x); the last is always 1, so that the last row of ΦᵀR holds the masses.
#[derive(Debug, Clone)]
pub(crate) enum FeatureMap {
    /// [x − c, ‖x − c‖², 1].
    Spherical { centre: Array1<f64> },
    /// [x − c, (x − c)², 1].
    Diagonal { centre: Array1<f64> },
    /// [y, ‖y‖², 1] with y = L⁻¹(x − c).
    Whitened { centre: Array1<f64>, inverse: Array2<f64> },
    /// [x, 1]: word counts.
    Counts,
}

/// The features of a block of rows.
#[derive(Debug)]
pub(super) enum Features<'a> {
    Dense(Array2<f64>),
    /// Word counts of these rows, and the 1.
    Counts(&'a CsMat<f64>, Range<usize>),
}

impl FeatureMap {
    pub(super) fn of<'a>(&self, points: &'a Points, range: Range<usize>) -> Features<'a> {
        match self {
            Self::Spherical { centre } => {
                Features::Dense(with_norms(centred(points, range, centre.view())))
            }
            Self::Diagonal { centre } => {
                let x = centred(points, range, centre.view());
                let d = x.ncols();
                let mut features = Array2::ones((x.nrows(), 2 * d + 1));
                features.slice_mut(s![.., d..2 * d]).assign(&x.mapv(|x| x * x));
                features.slice_mut(s![.., ..d]).assign(&x);
                Features::Dense(features)
            }
            Self::Whitened { centre, inverse } => {
                let x = centred(points, range, centre.view());
                Features::Dense(with_norms(x.dot(&inverse.t())))
            }
            Self::Counts => match points.rows() {
                Rows::Dense(rows) => {
                    let x = rows.slice(s![range, ..]);
                    let mut features = Array2::ones((x.nrows(), x.ncols() + 1));
                    features.slice_mut(s![.., ..x.ncols()]).assign(&x);
                    Features::Dense(features)
                }
                Rows::Sparse(rows) => Features::Counts(rows, range),
            },
        }
    }
}

/// [x, ‖x‖², 1].
fn with_norms(x: Array2<f64>) -> Array2<f64> {
    let d = x.ncols();
    let mut features = Array2::ones((x.nrows(), d + 2));
    for (row, mut out) in x.rows().into_iter().zip(features.rows_mut()) {
        out.slice_mut(s![..d]).assign(&row);
        out[d] = row.iter().map(|x| x * x).sum();
    }
    features
}

impl Features<'_> {
    /// out = Φ W.
    pub(super) fn product(&self, weights: &Array2<f64>, mut out: ArrayViewMut2<'_, f64>) {
        match self {
            Self::Dense(features) => general_mat_mul(1.0, features, weights, 0.0, &mut out),
            Self::Counts(rows, range) => {
                let last = weights.nrows() - 1;
                for (row, mut out) in range.clone().zip(out.rows_mut()) {
                    out.assign(&weights.row(last));
                    for_each_entry(rows, row, |word, count| {
                        out.scaled_add(count, &weights.row(word));
                    });
                }
            }
        }
    }

    /// sums += Φᵀ R.
    pub(super) fn add_transposed(&self, resp: ArrayView2<'_, f64>, sums: &mut Array2<f64>) {
        match self {
            Self::Dense(features) => general_mat_mul(1.0, &features.t(), &resp, 1.0, sums),
            Self::Counts(rows, range) => {
                let last = sums.nrows() - 1;
                for (row, resp) in range.clone().zip(resp.rows()) {
                    for_each_entry(rows, row, |word, count| {
                        sums.row_mut(word).scaled_add(count, &resp);
                    });
                    sums.row_mut(last).scaled_add(1.0, &resp);
                }
            }
        }
    }
}

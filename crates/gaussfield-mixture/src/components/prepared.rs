//! Components made ready for many rows, and the sums from which the next ones are estimated.

use super::features::{FeatureMap, Features};
use super::full::{Full, FullSums};
use super::{Components, Covariance, Covariances, Family, Gaussian, Multinomial, factor};
use crate::MixtureError;
use crate::rows::{BLOCK, centred, mean};
use gaussfield_core::blocks::{blocks, parts};
use gaussfield_points::Points;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;
use std::f64::consts::PI;
use std::ops::Range;

/// What stays the same through all iterations of one fit.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) family: Family,
    /// The floor under variances; zero for words.
    floor: f64,
    /// The mean of the points: products are taken about it.
    pub(crate) centre: Array1<f64>,
    /// Σ (x − c)(x − c)ᵀ, for tied covariances: it does not depend on the responsibilities.
    scatter: Option<Array2<f64>>,
}

impl Context {
    pub(crate) fn new(points: &Points, family: Family) -> Self {
        let centre = match family {
            Family::Gaussian { .. } => mean(points),
            Family::Multinomial { .. } => Array1::zeros(points.dim()),
        };
        let floor = match family {
            Family::Gaussian { reg, .. } => reg.of(points),
            Family::Multinomial { .. } => 0.0,
        };
        let tied = matches!(family, Family::Gaussian { covariance: Covariance::Tied, .. });
        let scatter = tied.then(|| scatter(points, centre.view()));
        Self { family, floor, centre, scatter }
    }

    /// The same with another floor under variances.
    pub(crate) fn with_floor(self, floor: f64) -> Self {
        Self { floor, ..self }
    }

    /// The floor under variances; zero for words.
    pub(crate) fn floor(&self) -> f64 {
        self.floor
    }
}

/// Σ (x − c)(x − c)ᵀ. O(nd²).
fn scatter(points: &Points, centre: ArrayView1<'_, f64>) -> Array2<f64> {
    let d = points.dim();
    let of_part = |part: Range<usize>| {
        let mut sum = Array2::zeros((d, d));
        for block in blocks(part, BLOCK) {
            let x = centred(points, block, centre);
            general_mat_mul(1.0, &x.t(), &x, 1.0, &mut sum);
        }
        sum
    };
    let sums: Vec<Array2<f64>> =
        parts(points.len(), BLOCK, 8 * d * d).into_par_iter().map(of_part).collect();
    sums.into_iter().fold(Array2::zeros((d, d)), |total, sum| total + sum)
}

/// Components made ready for many rows.
#[derive(Debug)]
pub(crate) enum Prepared {
    /// log γ_m p(x | m) = φ(x)·w_m; one column of weights a component.
    Linear { map: FeatureMap, weights: Array2<f64> },
    /// A triangular factor for each component.
    Full(Full),
}

/// Sums over rows from which the next components are estimated.
#[derive(Debug)]
pub(crate) enum Statistics {
    /// ΦᵀR; the last row holds the masses.
    Linear(Array2<f64>),
    /// Moments about the present means.
    Full(FullSums),
}

impl Components {
    /// Makes the densities, with the weights γ, ready for many rows. Products are taken about
    /// `centre`, which changes nothing but rounding.
    ///
    /// # Errors
    /// [`MixtureError::Collapsed`] for a covariance that is not positive definite.
    pub(crate) fn prepare(
        &self,
        gamma: ArrayView1<'_, f64>,
        centre: ArrayView1<'_, f64>,
    ) -> Result<Prepared, MixtureError> {
        let log_gamma = gamma.mapv(log_probability);
        let d = self.dim();
        let (count, gaussian) = match self {
            Self::Multinomial(multinomial) => {
                let words = multinomial.word_probabilities();
                let mut weights = Array2::zeros((d + 1, self.len()));
                weights.slice_mut(s![..d, ..]).assign(&words.t().mapv(f64::ln));
                weights.row_mut(d).assign(&log_gamma);
                return Ok(Prepared::Linear { map: FeatureMap::Counts, weights });
            }
            Self::Gaussian(gaussian) => (self.len(), gaussian),
        };
        let log_normaliser = 0.5 * d as f64 * (2.0 * PI).ln();
        let constant = &log_gamma - log_normaliser;
        let means = &gaussian.means() - &centre;
        match gaussian.covariances() {
            Covariances::Full(matrices) => {
                Ok(Prepared::Full(Full::new(gaussian.means(), matrices, constant)?))
            }
            Covariances::Spherical(variances) => {
                let mut weights = Array2::zeros((d + 2, count));
                for (m, (mean, &v)) in means.rows().into_iter().zip(variances).enumerate() {
                    let mut w = weights.column_mut(m);
                    w.slice_mut(s![..d]).assign(&(&mean / v));
                    w[d] = -0.5 / v;
                    w[d + 1] = constant[m] - 0.5 * d as f64 * v.ln() - 0.5 * mean.dot(&mean) / v;
                }
                let map = FeatureMap::Spherical { centre: centre.to_owned() };
                Ok(Prepared::Linear { map, weights })
            }
            Covariances::Diagonal(variances) => {
                let mut weights = Array2::zeros((2 * d + 1, count));
                for (m, (mean, v)) in means.rows().into_iter().zip(variances.rows()).enumerate() {
                    let scaled = &mean / &v;
                    let mut w = weights.column_mut(m);
                    w[2 * d] = constant[m] - 0.5 * (v.mapv(f64::ln).sum() + scaled.dot(&mean));
                    w.slice_mut(s![..d]).assign(&scaled);
                    w.slice_mut(s![d..2 * d]).assign(&v.mapv(|v| -0.5 / v));
                }
                let map = FeatureMap::Diagonal { centre: centre.to_owned() };
                Ok(Prepared::Linear { map, weights })
            }
            Covariances::Tied(matrix) => {
                let factor = factor(0, matrix)?;
                let inverse = factor.half_solve(Array2::eye(d));
                let white = means.dot(&inverse.t());
                let mut weights = Array2::zeros((d + 2, count));
                weights.slice_mut(s![..d, ..]).assign(&white.t());
                weights.row_mut(d).fill(-0.5);
                for (m, z) in white.rows().into_iter().enumerate() {
                    weights[[d + 1, m]] = constant[m] - 0.5 * (factor.log_det() + z.dot(&z));
                }
                let map = FeatureMap::Whitened { centre: centre.to_owned(), inverse };
                Ok(Prepared::Linear { map, weights })
            }
        }
    }
}

/// ln p, with the smallest normal number in place of zero: a component of weight zero stays far
/// away instead of making differences of infinities.
fn log_probability(p: f64) -> f64 {
    p.max(f64::MIN_POSITIVE).ln()
}

/// ln λ, one row for each class.
pub(crate) fn log_probability_rows(lambda: ArrayView2<'_, f64>) -> Array2<f64> {
    lambda.t().mapv(log_probability).as_standard_layout().into_owned()
}

impl Prepared {
    /// Empty sums.
    pub(crate) fn statistics(&self) -> Statistics {
        match self {
            Self::Linear { weights, .. } => Statistics::Linear(Array2::zeros(weights.dim())),
            Self::Full(full) => Statistics::Full(full.sums()),
        }
    }

    /// Bytes of one set of sums.
    pub(crate) fn statistics_bytes(&self) -> usize {
        match self {
            Self::Linear { weights, .. } => 8 * weights.len(),
            Self::Full(full) => full.sums_bytes(),
        }
    }

    /// Writes log γ_m p(x_i | m) of a block of rows, has `weigh` turn it into responsibilities,
    /// and adds these rows to the sums.
    pub(crate) fn block<T>(
        &self,
        points: &Points,
        range: Range<usize>,
        mut out: ArrayViewMut2<'_, f64>,
        sums: Option<&mut Statistics>,
        weigh: impl FnOnce(ArrayViewMut2<'_, f64>) -> Result<T, MixtureError>,
    ) -> Result<T, MixtureError> {
        match self {
            Self::Linear { map, weights } => {
                let features: Features<'_> = map.of(points, range);
                features.product(weights, out.view_mut());
                let told = weigh(out.view_mut())?;
                if let Some(Statistics::Linear(sums)) = sums {
                    features.add_transposed(out.view(), sums);
                }
                Ok(told)
            }
            Self::Full(full) => {
                let x = centred(points, range, Array1::zeros(points.dim()).view());
                full.log_joint(x.view(), out.view_mut());
                let told = weigh(out.view_mut())?;
                if let Some(Statistics::Full(sums)) = sums {
                    full.accumulate(x.view(), out.view(), sums);
                }
                Ok(told)
            }
        }
    }
}

impl Statistics {
    /// Adds other sums.
    pub(crate) fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Linear(sums), Self::Linear(other)) => *sums += other,
            (Self::Full(sums), Self::Full(other)) => sums.merge(other),
            _ => {}
        }
    }

    /// N_m = Σ_i r_im.
    pub(crate) fn masses(&self) -> Array1<f64> {
        match self {
            Self::Linear(sums) => sums.row(sums.nrows() - 1).to_owned(),
            Self::Full(sums) => sums.masses.clone(),
        }
    }

    /// The M-step for the densities. A Gaussian component without any mass keeps its density; a
    /// multinomial one has its smoothing alone left, which is even.
    ///
    /// # Errors
    /// [`MixtureError::Collapsed`] for a variance that is not positive.
    pub(crate) fn estimate(
        &self,
        old: &Components,
        prepared: &Prepared,
        context: &Context,
    ) -> Result<Components, MixtureError> {
        match (self, old, prepared, context.family) {
            (Self::Full(sums), Components::Gaussian(old), _, Family::Gaussian { .. }) => {
                Ok(Components::Gaussian(sums.estimate(old, context.floor)?))
            }
            (Self::Linear(sums), Components::Multinomial(_), _, Family::Multinomial { smooth }) => {
                let counts = sums.slice(s![..sums.nrows() - 1, ..]);
                Ok(Components::Multinomial(Multinomial::from_counts(counts.t(), smooth)?))
            }
            (
                Self::Linear(sums),
                Components::Gaussian(old),
                Prepared::Linear { map, .. },
                Family::Gaussian { .. },
            ) => Ok(Components::Gaussian(estimate_gaussian(sums.view(), old, map, context)?)),
            _ => Ok(old.clone()),
        }
    }
}

fn estimate_gaussian(
    sums: ArrayView2<'_, f64>,
    old: &Gaussian,
    map: &FeatureMap,
    context: &Context,
) -> Result<Gaussian, MixtureError> {
    let (d, reg) = (context.centre.len(), context.floor);
    let masses = sums.row(sums.nrows() - 1);
    // Means about the centre (in white coordinates for tied covariances).
    let mut shifts = sums.slice(s![..d, ..]).t().to_owned();
    for (mut shift, &mass) in shifts.rows_mut().into_iter().zip(masses) {
        shift /= mass;
    }
    let empty = |m: usize| masses[m] <= 0.0;
    let covariances = match (old.covariances(), map) {
        (Covariances::Spherical(variances), _) => {
            let mut variances = variances.clone();
            for m in (0..masses.len()).filter(|&m| !empty(m)) {
                let shift = shifts.row(m);
                let spread = sums[[d, m]] / masses[m] - shift.dot(&shift);
                variances[m] = (spread / d as f64).max(0.0) + reg;
            }
            Covariances::Spherical(variances)
        }
        (Covariances::Diagonal(variances), _) => {
            let mut variances = variances.clone();
            for m in (0..masses.len()).filter(|&m| !empty(m)) {
                for k in 0..d {
                    let spread = sums[[d + k, m]] / masses[m] - shifts[[m, k]].powi(2);
                    variances[[m, k]] = spread.max(0.0) + reg;
                }
            }
            Covariances::Diagonal(variances)
        }
        (Covariances::Tied(matrix), FeatureMap::Whitened { .. }) => {
            shifts = shifts.dot(&factor(0, matrix)?.lower().t());
            let mut total = context.scatter.clone().unwrap_or_else(|| Array2::zeros((d, d)));
            for m in (0..masses.len()).filter(|&m| !empty(m)) {
                let column = shifts.row(m).insert_axis(Axis(1));
                general_mat_mul(-masses[m], &column, &column.t(), 1.0, &mut total);
            }
            total /= masses.sum();
            let mut total = 0.5 * (&total + &total.t());
            total.diag_mut().mapv_inplace(|v| v.max(0.0) + reg);
            Covariances::Tied(total)
        }
        (other, _) => other.clone(),
    };
    let mut means = old.means().to_owned();
    for m in (0..masses.len()).filter(|&m| !empty(m)) {
        means.row_mut(m).assign(&(&shifts.row(m) + &context.centre));
    }
    Gaussian::new(means, covariances)
}

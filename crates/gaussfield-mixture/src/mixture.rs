//! A mixture whose components have a class.

use crate::responsibilities::Values;
use crate::rows::BLOCK;
use crate::{Components, Family, Keep, MixtureError, Responsibilities};
use gaussfield_core::blocks::{blocks, parts};
use gaussfield_core::exponential::normalise;
use gaussfield_core::{OutOfRange, SizeMismatch, check};
use gaussfield_labels::{Inductive, LabelsError, Named, Scores};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, s};
use rayon::prelude::*;
use std::ops::Range;

/// A mixture whose components have a class: θ = (γ, λ, η) of Zhu and Lafferty (2005).
///
/// A component m is drawn with probability γ_m; it then gives the features x ~ p(x|m) and,
/// independently, the class y ~ λ_m. So p(y|x) = Σ_m p(m|x) λ_my, for any x: a mixture predicts
/// unseen points.
///
/// Invariant: at least one component; γ ≥ 0 with sum one; λ is M × C, its rows distributions.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    gamma: Array1<f64>,
    components: Components,
    lambda: Array2<f64>,
    names: Vec<String>,
}

impl Mixture {
    /// A mixture from its parts; `names` are the classes.
    ///
    /// # Errors
    /// Sizes that do not match, γ or a row of λ that is no distribution.
    pub fn new(
        gamma: Array1<f64>,
        components: Components,
        lambda: Array2<f64>,
        names: Vec<String>,
    ) -> Result<Self, MixtureError> {
        SizeMismatch::check("component weights γ", components.len(), gamma.len())?;
        check_distribution("γ, the component weights,", gamma.view())?;
        check_lambda(lambda.view(), components.len(), names.len())?;
        Ok(Self { gamma, components, lambda, names })
    }

    /// For steps that keep the invariant by construction.
    pub(crate) fn trusted(
        gamma: Array1<f64>,
        components: Components,
        lambda: Array2<f64>,
        names: Vec<String>,
    ) -> Self {
        Self { gamma, components, lambda, names }
    }

    /// The same densities with other class memberships λ (M × C).
    ///
    /// # Errors
    /// A λ of another size, or a row that is no distribution.
    pub fn with_lambda(self, lambda: Array2<f64>) -> Result<Self, MixtureError> {
        Self::new(self.gamma, self.components, lambda, self.names)
    }

    /// The number of components, M.
    pub fn len(&self) -> usize {
        self.gamma.len()
    }

    /// Whether there is no component; never true.
    pub fn is_empty(&self) -> bool {
        self.gamma.is_empty()
    }

    /// γ_m = p(m).
    pub fn gamma(&self) -> ArrayView1<'_, f64> {
        self.gamma.view()
    }

    /// The densities p(x | m).
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// λ_my = p(y | m), M × C.
    pub fn lambda(&self) -> ArrayView2<'_, f64> {
        self.lambda.view()
    }

    /// R_im = p(m | x_i), without looking at labels. O(nMd), and n × M or n × r numbers kept.
    ///
    /// # Errors
    /// Points of another dimension or that are no counts, r = 0, features too large.
    pub fn responsibilities(
        &self,
        points: &Points,
        keep: Keep,
    ) -> Result<Responsibilities, MixtureError> {
        keep.check()?;
        match keep {
            Keep::All => self.all_responsibilities(points),
            Keep::Largest(_) => {
                let kept = self.each_block(points, |_, resp, _| keep.block(resp))?;
                Ok(Responsibilities::gather(kept, points.len(), self.len()))
            }
        }
    }

    /// Every number, written where it stays.
    fn all_responsibilities(&self, points: &Points) -> Result<Responsibilities, MixtureError> {
        self.components.check_points(points)?;
        let prepared = self.components.prepare(self.gamma(), self.components.centre().view())?;
        let mut values = Array2::zeros((points.len(), self.len()));
        let parts = parts(points.len(), BLOCK, 0);
        let rows = parts.first().map_or(1, Range::len);
        let chunks: Vec<_> = values.axis_chunks_iter_mut(Axis(0), rows).zip(parts).collect();
        chunks.into_par_iter().try_for_each(|(mut chunk, part)| {
            blocks(part.clone(), BLOCK).try_for_each(|block| {
                let within = block.start - part.start..block.end - part.start;
                let out = chunk.slice_mut(s![within, ..]);
                prepared.block(points, block.clone(), out, None, |out| {
                    normalise_rows(block, out).map(|_| ())
                })
            })
        })?;
        Ok(Values::Dense(values).into())
    }

    /// ln p(x_i) of each point.
    ///
    /// # Errors
    /// As [`Mixture::responsibilities`].
    pub fn log_densities(&self, points: &Points) -> Result<Array1<f64>, MixtureError> {
        let blocks = self.each_block(points, |_, _, log_densities| log_densities.to_vec())?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// Σ_m p(m | x_i) λ_my with another λ, and only the responsibilities that are kept.
    pub(crate) fn predict_with(
        &self,
        points: &Points,
        lambda: ArrayView2<'_, f64>,
        keep: Keep,
    ) -> Result<Scores, MixtureError> {
        let blocks = self.each_block(points, |_, resp, _| match keep {
            Keep::All => resp.dot(&lambda),
            Keep::Largest(_) => keep.block(resp).product(lambda),
        })?;
        Ok(Scores::new(stacked(&blocks, lambda.ncols()))?)
    }

    /// Free numbers of p(x): densities and γ, without λ.
    pub fn parameters(&self) -> usize {
        self.components.parameters() + self.len() - 1
    }

    /// The Bayesian information criterion −2 Σ ln p(x_i) + k ln n of the density; less is better.
    ///
    /// # Errors
    /// As [`Mixture::responsibilities`].
    pub fn bic(&self, points: &Points) -> Result<f64, MixtureError> {
        Ok(self.bic_at(self.log_densities(points)?.sum(), points.len()))
    }

    /// The criterion for a known Σ ln p(x_i) of n points.
    pub(crate) fn bic_at(&self, log_likelihood: f64, n: usize) -> f64 {
        -2.0 * log_likelihood + self.parameters() as f64 * (n.max(1) as f64).ln()
    }

    /// Calls `take(rows, responsibilities, log densities)` for each block, in parallel; results in
    /// the order of the rows.
    fn each_block<T: Send>(
        &self,
        points: &Points,
        take: impl Fn(Range<usize>, ArrayView2<'_, f64>, &[f64]) -> T + Sync,
    ) -> Result<Vec<T>, MixtureError> {
        self.components.check_points(points)?;
        let prepared = self.components.prepare(self.gamma(), self.components.centre().view())?;
        let of_part = |part: Range<usize>| -> Result<Vec<T>, MixtureError> {
            let mut buffer = Array2::zeros((BLOCK.min(part.len()), self.len()));
            let mut taken = Vec::new();
            for block in blocks(part, BLOCK) {
                let out = buffer.slice_mut(s![..block.len(), ..]);
                let found = prepared.block(points, block.clone(), out, None, |mut out| {
                    let log_densities = normalise_rows(block.clone(), out.view_mut())?;
                    Ok(take(block.clone(), out.view(), &log_densities))
                })?;
                taken.push(found);
            }
            Ok(taken)
        };
        let found: Vec<_> = parts(points.len(), BLOCK, 0).into_par_iter().map(of_part).collect();
        let mut all = Vec::new();
        for part in found {
            all.extend(part?);
        }
        Ok(all)
    }

    /// Moves a component to a point and gives it a weight.
    pub(crate) fn reseed(
        &mut self,
        component: usize,
        point: ArrayView1<'_, f64>,
        family: Family,
        weight: f64,
    ) {
        self.components.reseed(component, point, family);
        self.gamma[component] = weight;
        let sum = self.gamma.sum();
        self.gamma /= sum;
        let even = 1.0 / self.lambda.ncols() as f64;
        self.lambda.row_mut(component).fill(even);
    }
}

impl Named for Mixture {
    fn class_names(&self) -> &[String] {
        &self.names
    }
}

impl Inductive<Points> for Mixture {
    type Error = MixtureError;

    /// p(y | x_i) = Σ_m p(m | x_i) λ_my: plain EM's prediction if λ is EM's, the harmonic mixture's
    /// if λ is the harmonic one. n × C numbers, never n × M.
    fn predict(&self, points: &Points) -> Result<Scores, MixtureError> {
        self.predict_with(points, self.lambda(), Keep::All)
    }
}

/// Blocks of rows under each other.
pub(crate) fn stacked(blocks: &[Array2<f64>], columns: usize) -> Array2<f64> {
    let rows = blocks.iter().map(Array2::nrows).sum();
    let mut all = Array2::zeros((rows, columns));
    let mut start = 0;
    for block in blocks {
        let end = start + block.nrows();
        all.slice_mut(s![start..end, ..]).assign(block);
        start = end;
    }
    all
}

/// Turns log weights into responsibilities; the log density of each row.
fn normalise_rows(
    rows: Range<usize>,
    mut out: ArrayViewMut2<'_, f64>,
) -> Result<Vec<f64>, MixtureError> {
    let of_row = |(row, mut resp): (usize, ArrayViewMut1<'_, f64>)| {
        // Rows of a buffer in standard layout are slices.
        let value = resp.as_slice_mut().map_or(f64::NAN, normalise);
        if value.is_finite() { Ok(value) } else { Err(MixtureError::NotFinite { row, value }) }
    };
    rows.zip(out.rows_mut()).map(of_row).collect()
}

/// Numbers in [0, 1] that add up to one.
pub(crate) fn check_distribution(
    name: &'static str,
    values: ArrayView1<'_, f64>,
) -> Result<(), OutOfRange> {
    for p in values {
        check::range(name, *p, (0.0..=1.0 + 1e-9).contains(p), "between 0 and 1")?;
    }
    let sum = values.sum();
    check::range(name, sum, (sum - 1.0).abs() <= 1e-6, "1 in sum")
}

/// λ: M rows, each a distribution over C ≥ 1 classes.
pub(crate) fn check_lambda(
    lambda: ArrayView2<'_, f64>,
    components: usize,
    classes: usize,
) -> Result<(), MixtureError> {
    SizeMismatch::check("rows of λ, one for each component", components, lambda.nrows())?;
    SizeMismatch::check("columns of λ, one for each class", classes, lambda.ncols())?;
    if classes == 0 {
        return Err(LabelsError::NoClasses.into());
    }
    for row in lambda.rows() {
        check_distribution("λ, a class membership,", row)?;
    }
    Ok(())
}

//! Kinds of mixture components and their two sides: log densities, and estimates from
//! responsibilities.

mod features;
mod full;
mod gaussian;
mod multinomial;
mod prepared;

pub use gaussian::{Covariances, Gaussian};
pub use multinomial::Multinomial;
pub(crate) use prepared::{Context, Prepared, Statistics, log_probability_rows};

use crate::MixtureError;
use crate::rows::{BLOCK, mean_variance};
use gaussfield_core::dense::{Spd, symmetric_eigenvalues};
use gaussfield_core::{OutOfRange, check};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// The shape of Gaussian components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariance {
    /// A d × d matrix for each component. O(nMd²) an iteration.
    Full,
    /// A variance for each feature and component. O(nMd).
    Diagonal,
    /// One variance for each component: round clusters of different sizes. O(nMd).
    Spherical,
    /// One d × d matrix for all components. O(nMd + nd²).
    Tied,
}

/// A variance, as it is or beside that of the points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Floor {
    /// In squared units of the features, ≥ 0.
    Variance(f64),
    /// A share of the mean variance of the features, ≥ 0: the same for points in metres and in
    /// millimetres. If all points are equal, the number itself.
    Share(f64),
}

impl Floor {
    /// As a variance. O(stored numbers).
    pub(crate) fn of(self, points: &Points) -> f64 {
        match self {
            Self::Variance(variance) => variance,
            Self::Share(share) => {
                let variance = mean_variance(points);
                share * if variance > 0.0 { variance } else { 1.0 }
            }
        }
    }

    fn number(self) -> f64 {
        let (Self::Variance(number) | Self::Share(number)) = self;
        number
    }
}

/// Which kind of components, and what keeps them from collapsing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Family {
    /// Gaussian components.
    Gaussian {
        /// Their shape.
        covariance: Covariance,
        /// Added to every variance in each M-step: the floor under a component that shrinks to a
        /// point.
        reg: Floor,
    },
    /// Multinomial components over word counts.
    Multinomial {
        /// Added to every expected count before word probabilities are normalised, > 0. One is
        /// Laplace's rule.
        smooth: f64,
    },
}

impl Family {
    /// Gaussian components of a shape, with a floor of 10⁻⁶ of the points' mean variance.
    pub fn gaussian(covariance: Covariance) -> Self {
        Self::Gaussian { covariance, reg: Floor::Share(1e-6) }
    }

    /// Multinomial components with add-one smoothing.
    pub fn multinomial() -> Self {
        Self::Multinomial { smooth: 1.0 }
    }

    pub(crate) fn check(self) -> Result<(), OutOfRange> {
        match self {
            Self::Gaussian { reg, .. } => check::not_negative("reg", reg.number()),
            Self::Multinomial { smooth } => check::positive("smooth", smooth),
        }
    }

    /// Bytes of what one fit has at one time: densities, their factors, sums and the next densities;
    /// and for each thread a block of rows written out.
    pub(crate) fn bytes(self, components: usize, points: &Points) -> u64 {
        let (m, d) = (components as u128, points.dim() as u128);
        let rows = BLOCK.min(points.len()) * rayon::current_num_threads();
        let blocks = rows as u128 * (4 * d + m);
        let numbers = match self {
            Self::Gaussian { covariance: Covariance::Full, .. } => 5 * m * d * d + blocks,
            Self::Gaussian { covariance: Covariance::Tied, .. } => 6 * d * d + 8 * m * d + blocks,
            Self::Gaussian { .. } => 16 * m * d + blocks,
            Self::Multinomial { .. } => 8 * m * d,
        };
        u64::try_from(8 * numbers).unwrap_or(u64::MAX)
    }

    /// Whether the points can have come from such components at all: counts must be counts.
    pub(crate) fn check_points(self, points: &Points) -> Result<(), MixtureError> {
        match self {
            Self::Gaussian { .. } => Ok(()),
            Self::Multinomial { .. } => multinomial::check_counts(points),
        }
    }
}

/// The component densities p(x | m) of a mixture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Components {
    /// Gaussian densities.
    #[serde(alias = "Gaussian")]
    Gaussian(Gaussian),
    /// Multinomial distributions over words. The multinomial coefficient, the same for all
    /// components, is left out of every density and likelihood.
    #[serde(alias = "Multinomial")]
    Multinomial(Multinomial),
}

impl Components {
    /// The number of components, M.
    pub fn len(&self) -> usize {
        match self {
            Self::Gaussian(gaussian) => gaussian.means().nrows(),
            Self::Multinomial(multinomial) => multinomial.word_probabilities().nrows(),
        }
    }

    /// Whether there is no component; never true of a checked value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of features d, or of words.
    pub fn dim(&self) -> usize {
        match self {
            Self::Gaussian(gaussian) => gaussian.means().ncols(),
            Self::Multinomial(multinomial) => multinomial.word_probabilities().ncols(),
        }
    }

    /// Free numbers of all densities together, for information criteria.
    pub fn parameters(&self) -> usize {
        let (m, d) = (self.len(), self.dim());
        let shape = d * (d + 1) / 2;
        match self {
            Self::Gaussian(gaussian) => match gaussian.covariances() {
                Covariances::Full(_) => m * (d + shape),
                Covariances::Diagonal(_) => m * 2 * d,
                Covariances::Spherical(_) => m * (d + 1),
                Covariances::Tied(_) => m * d + shape,
            },
            Self::Multinomial(_) => m * d.saturating_sub(1),
        }
    }

    /// Whether points can have come from these components: counts must be counts.
    pub(crate) fn check_points(&self, points: &Points) -> Result<(), MixtureError> {
        crate::error::check_dimension(self.dim(), points.dim())?;
        match self {
            Self::Gaussian(_) => Ok(()),
            Self::Multinomial(_) => multinomial::check_counts(points),
        }
    }

    /// A point near all components, to measure from: products then lose the fewest digits.
    pub(crate) fn centre(&self) -> Array1<f64> {
        match self {
            Self::Gaussian(gaussian) => {
                let count = self.len().max(1) as f64;
                gaussian.means().rows().into_iter().fold(
                    Array1::zeros(self.dim()),
                    |mut sum, mean| {
                        sum.scaled_add(1.0 / count, &mean);
                        sum
                    },
                )
            }
            Self::Multinomial(_) => Array1::zeros(self.dim()),
        }
    }

    /// Moves a component to a point, with the average shape of all.
    pub(crate) fn reseed(&mut self, component: usize, point: ArrayView1<'_, f64>, family: Family) {
        match (self, family) {
            (Self::Gaussian(gaussian), _) => gaussian.reseed(component, point),
            (Self::Multinomial(multinomial), Family::Multinomial { smooth }) => {
                multinomial.reseed(component, point, smooth);
            }
            (Self::Multinomial(_), Family::Gaussian { .. }) => {}
        }
    }
}

/// The factor of a component's covariance.
///
/// # Errors
/// [`MixtureError::Collapsed`] with the variance along the thinnest direction.
fn factor(component: usize, covariance: &Array2<f64>) -> Result<Spd, MixtureError> {
    Spd::factorise(covariance.clone()).map_err(|_| {
        let variances = symmetric_eigenvalues(covariance.clone());
        let variance = variances.map_or(f64::NAN, |variances| variances[0]);
        MixtureError::Collapsed { component, variance }
    })
}

//! Gaussian densities and the shapes of their covariances.

use super::Covariance;
use crate::MixtureError;
use crate::error::check_finite;
use gaussfield_core::{SizeMismatch, check};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Covariances of M Gaussian components in d dimensions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariances {
    /// A d × d matrix each.
    #[serde(alias = "Full")]
    Full(Vec<Array2<f64>>),
    /// M × d variances.
    #[serde(alias = "Diagonal")]
    Diagonal(Array2<f64>),
    /// One variance each.
    #[serde(alias = "Spherical")]
    Spherical(Array1<f64>),
    /// One d × d matrix for all.
    #[serde(alias = "Tied")]
    Tied(Array2<f64>),
}

impl Covariances {
    /// Which shape these are.
    pub fn shape(&self) -> Covariance {
        match self {
            Self::Full(_) => Covariance::Full,
            Self::Diagonal(_) => Covariance::Diagonal,
            Self::Spherical(_) => Covariance::Spherical,
            Self::Tied(_) => Covariance::Tied,
        }
    }
}

/// M Gaussian densities N(μ_m, Σ_m).
///
/// Invariant: at least one component; means finite; variances positive and finite; matrices
/// symmetric with a positive diagonal, of the right size.
#[derive(Debug, Clone, PartialEq)]
pub struct Gaussian {
    means: Array2<f64>,
    covariances: Covariances,
}

impl Gaussian {
    /// Takes M × d means and as many covariances. O(size).
    ///
    /// # Errors
    /// No component, sizes that do not match, a mean that is not finite, a variance that is not
    /// positive and finite ([`MixtureError::Collapsed`]), a matrix that is not symmetric.
    pub fn new(means: Array2<f64>, covariances: Covariances) -> Result<Self, MixtureError> {
        let (count, d) = means.dim();
        check::at_least("the number of components", count, 1)?;
        check_finite("a component mean", &means)?;
        match &covariances {
            Covariances::Full(matrices) => {
                SizeMismatch::check("covariance matrices", count, matrices.len())?;
                for (component, matrix) in matrices.iter().enumerate() {
                    check_matrix(component, matrix.view(), d)?;
                }
            }
            Covariances::Diagonal(variances) => {
                SizeMismatch::check("rows of variances", count, variances.nrows())?;
                SizeMismatch::check("variances of a component", d, variances.ncols())?;
                for (component, row) in variances.rows().into_iter().enumerate() {
                    row.iter().try_for_each(|&v| check_variance(component, v))?;
                }
            }
            Covariances::Spherical(variances) => {
                SizeMismatch::check("variances", count, variances.len())?;
                variances.iter().enumerate().try_for_each(|(m, &v)| check_variance(m, v))?;
            }
            Covariances::Tied(matrix) => check_matrix(0, matrix.view(), d)?,
        }
        Ok(Self { means, covariances })
    }

    /// M × d means.
    pub fn means(&self) -> ArrayView2<'_, f64> {
        self.means.view()
    }

    /// The covariances.
    pub fn covariances(&self) -> &Covariances {
        &self.covariances
    }

    /// The d × d covariance matrix of one component, whatever the storage.
    ///
    /// # Panics
    /// If the component is past the last.
    pub fn covariance(&self, component: usize) -> Array2<f64> {
        match &self.covariances {
            Covariances::Full(matrices) => matrices[component].clone(),
            Covariances::Diagonal(variances) => {
                Array2::from_diag(&variances.row(component).to_owned())
            }
            Covariances::Spherical(variances) => {
                Array2::from_diag_elem(self.means.ncols(), variances[component])
            }
            Covariances::Tied(matrix) => matrix.clone(),
        }
    }

    /// Moves a component to a point, with the average shape of all.
    pub(super) fn reseed(&mut self, component: usize, point: ArrayView1<'_, f64>) {
        self.means.row_mut(component).assign(&point);
        let count = self.means.nrows() as f64;
        match &mut self.covariances {
            Covariances::Full(matrices) => {
                let zero = Array2::zeros(matrices[component].dim());
                let sum = matrices.iter().fold(zero, |sum, matrix| sum + matrix);
                matrices[component] = sum / count;
            }
            Covariances::Diagonal(variances) => {
                let average = variances.sum_axis(Axis(0)) / count;
                variances.row_mut(component).assign(&average);
            }
            Covariances::Spherical(variances) => variances[component] = variances.sum() / count,
            Covariances::Tied(_) => {}
        }
    }
}

fn check_variance(component: usize, variance: f64) -> Result<(), MixtureError> {
    if variance > 0.0 && variance.is_finite() {
        return Ok(());
    }
    Err(MixtureError::Collapsed { component, variance })
}

fn check_matrix(
    component: usize,
    matrix: ArrayView2<'_, f64>,
    d: usize,
) -> Result<(), MixtureError> {
    SizeMismatch::check("rows of a covariance matrix", d, matrix.nrows())?;
    SizeMismatch::check("columns of a covariance matrix", d, matrix.ncols())?;
    matrix.diag().iter().try_for_each(|&v| check_variance(component, v))?;
    for i in 0..d {
        for j in 0..i {
            let (a, b) = (matrix[[i, j]], matrix[[j, i]]);
            let gap = (a - b).abs();
            let allowed = 1e-9 * (matrix[[i, i]] * matrix[[j, j]]).sqrt();
            check::range("the asymmetry of a covariance matrix", gap, gap <= allowed, "zero")?;
        }
    }
    Ok(())
}

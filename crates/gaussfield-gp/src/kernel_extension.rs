//! Posterior means carried to new points by a kernel.

use crate::{BlockFit, GpError, Likelihood, Posterior, Prior};
use gaussfield_core::dense::Spd;
use gaussfield_core::{SizeMismatch, check};
use ndarray::{Array1, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

/// What is added to the diagonal of a kernel matrix before it is solved with.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ridge {
    /// Nothing: a matrix that is singular after rounding is an error. The default.
    #[default]
    None,
    /// This number. The extension then no longer passes through the values at the nodes, but
    /// smooths them: duplicates with different values get their mean.
    Of(f64),
}

/// A function on all of space that agrees with given values at the nodes,
/// ȳ(x) = Σⱼ bⱼ k(x, xⱼ) with K b = ȳ [kapoor2005 (4)].
///
/// K is the full kernel matrix *with* its diagonal: the graph's weights are the same matrix
/// without. It must be positive definite, which a matrix cut to k nearest neighbours need not be.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelExtension {
    weights: Array1<f64>,
    residual: f64,
}

/// A pivot below this many roundings of its diagonal is no pivot.
const ROUNDINGS: f64 = 16.0;

impl KernelExtension {
    /// Solves K b = `values` by Cholesky factorisation and one step of refinement; K is never
    /// inverted. O(n³/3).
    ///
    /// # Errors
    /// A K that is not square, symmetric and finite or not for as many nodes as there are values;
    /// one that is singular after rounding, as with duplicate points ([`GpError::SingularKernel`]
    /// names a node); a ridge that is not positive.
    pub fn new(
        gram: ArrayView2<'_, f64>,
        values: ArrayView1<'_, f64>,
        ridge: Ridge,
    ) -> Result<Self, GpError> {
        check_gram(gram, values.len())?;
        let mut matrix = gram.to_owned();
        if let Ridge::Of(ridge) = ridge {
            check::positive("the ridge", ridge)?;
            matrix.diag_mut().mapv_inplace(|entry| entry + ridge);
        }
        let nodes = values.len();
        let indefinite = GpError::IndefiniteKernel { nodes };
        let factor = Spd::factorise(matrix.clone()).map_err(|_| indefinite)?;
        let least = ROUNDINGS * nodes as f64 * f64::EPSILON;
        let pivots = factor.pivots().into_iter().enumerate();
        for (node, pivot) in pivots {
            let share = pivot / matrix[[node, node]];
            if share < least {
                return Err(GpError::SingularKernel { node, share });
            }
        }
        let mut weights = factor.solve_vector(&values.to_owned());
        weights += &factor.solve_vector(&(&values - &matrix.dot(&weights)));
        let left = &values - &matrix.dot(&weights);
        let largest = |list: &Array1<f64>| list.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let residual = largest(&left) / largest(&values.to_owned()).max(f64::MIN_POSITIVE);
        Ok(Self { weights, residual })
    }

    /// b.
    pub fn weights(&self) -> ArrayView1<'_, f64> {
        self.weights.view()
    }

    /// max |K b − ȳ| / max |ȳ|, as solved.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// ȳ at new points, from k(x, xⱼ): a row for each new point, a column for each node. One
    /// matrix–vector product.
    ///
    /// # Errors
    /// Another number of columns than nodes, an entry that is not finite.
    pub fn at(&self, cross: ArrayView2<'_, f64>) -> Result<Array1<f64>, GpError> {
        SizeMismatch::check("columns of kernel values", self.weights.len(), cross.ncols())?;
        check_finite(cross)?;
        Ok(cross.dot(&self.weights))
    }
}

impl<P: Prior, L: Likelihood, F: BlockFit<L>> Posterior<P, L, F> {
    /// The posterior mean, carried to new points by a kernel: see [`KernelExtension`]. `gram` is
    /// the kernel matrix of all nodes, labelled or not.
    ///
    /// # Errors
    /// As [`KernelExtension::new`].
    pub fn extension(
        &self,
        gram: ArrayView2<'_, f64>,
        ridge: Ridge,
    ) -> Result<KernelExtension, GpError> {
        KernelExtension::new(gram, self.latent(), ridge)
    }
}

fn check_gram(gram: ArrayView2<'_, f64>, nodes: usize) -> Result<(), GpError> {
    for got in [gram.nrows(), gram.ncols()] {
        SizeMismatch::check("rows and columns of the kernel matrix", nodes, got)?;
    }
    check_finite(gram)?;
    let largest = gram.iter().fold(0.0_f64, |most, k| most.max(k.abs()));
    for ((row, column), &value) in gram.indexed_iter() {
        if (value - gram[[column, row]]).abs() > 1e-9 * largest {
            return Err(GpError::BadCovariance { row, column, value, rule: "symmetric" });
        }
    }
    Ok(())
}

fn check_finite(matrix: ArrayView2<'_, f64>) -> Result<(), GpError> {
    match matrix.indexed_iter().find(|(_, value)| !value.is_finite()) {
        Some(((row, column), &value)) => {
            Err(GpError::BadCovariance { row, column, value, rule: "finite" })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn gram(points: &[f64]) -> Array2<f64> {
        let n = points.len();
        Array2::from_shape_fn((n, n), |(i, j)| (-(points[i] - points[j]).powi(2)).exp())
    }

    #[test]
    fn the_extension_passes_through_the_nodes() {
        let gram = gram(&[0.0, 0.7, 1.9, 4.0]);
        let values = array![1.0, -0.5, 0.25, 3.0];
        let extension = KernelExtension::new(gram.view(), values.view(), Ridge::None).unwrap();
        let back = extension.at(gram.view()).unwrap();
        assert!((&back - &values).iter().all(|gap| gap.abs() < 1e-12), "{back}");
        assert!(extension.residual() < 1e-14);
        assert_eq!(extension.weights().len(), 4);
    }

    #[test]
    fn duplicates_are_an_error_without_a_ridge_and_averaged_with_one() {
        let gram = gram(&[0.0, 1.0, 1.0]);
        let values = array![0.0, 1.0, 3.0];
        let error = KernelExtension::new(gram.view(), values.view(), Ridge::None).unwrap_err();
        let names = match &error {
            GpError::SingularKernel { node, .. } => *node == 2,
            GpError::IndefiniteKernel { .. } => true,
            _ => false,
        };
        assert!(names && error.to_string().contains("ridge"), "{error}");
        let extension = KernelExtension::new(gram.view(), values.view(), Ridge::Of(1e-6)).unwrap();
        let back = extension.at(gram.view()).unwrap();
        assert!((back[1] - 2.0).abs() < 1e-5 && (back[2] - 2.0).abs() < 1e-5, "{back}");
    }

    #[test]
    fn what_is_no_kernel_matrix_is_refused() {
        let values = array![0.0, 1.0];
        let cases = [
            (array![[1.0, 0.5, 0.1], [0.5, 1.0, 0.1]], Ridge::None, "3 given where 2"),
            (array![[1.0, 0.5], [0.4, 1.0]], Ridge::None, "symmetric"),
            (array![[1.0, f64::NAN], [f64::NAN, 1.0]], Ridge::None, "finite"),
            (array![[1.0, 2.0], [2.0, 1.0]], Ridge::None, "positive definite"),
            (array![[1.0, 0.5], [0.5, 1.0]], Ridge::Of(0.0), "ridge"),
            (array![[1.0, 0.5], [0.5, 1.0]], Ridge::Of(f64::NAN), "ridge"),
        ];
        for (gram, ridge, words) in cases {
            let error = KernelExtension::new(gram.view(), values.view(), ridge).unwrap_err();
            assert!(error.to_string().contains(words), "{words}: {error}");
        }
        let good = KernelExtension::new(Array2::eye(2).view(), values.view(), Ridge::None).unwrap();
        assert!(good.at(array![[1.0, 0.0, 0.0]].view()).is_err());
        assert!(good.at(array![[1.0, f64::INFINITY]].view()).is_err());
    }
}

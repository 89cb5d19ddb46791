//! A covariance matrix from elsewhere.

use super::{Columns, Prior, PriorGradient};
use crate::GpError;
use crate::inference::lower_root;
use gaussfield_core::{NoSuchNode, SizeMismatch};
use ndarray::{Array1, Array2, Axis};

/// A prior given as its full covariance matrix, for small problems and kernels from elsewhere.
///
/// That it has no direction of negative variance is checked where its columns are asked for, among their
/// nodes: O(l³).
#[derive(Debug, Clone, PartialEq)]
pub struct GivenCovariance {
    matrix: Array2<f64>,
}

impl GivenCovariance {
    /// Takes a covariance matrix.
    ///
    /// # Errors
    /// A matrix that is not square, not symmetric to 1e-9 of its largest entry, or not finite.
    pub fn new(matrix: Array2<f64>) -> Result<Self, GpError> {
        let (rows, columns) = matrix.dim();
        SizeMismatch::check("columns of the covariance", rows, columns)?;
        if let Some(((row, column), &value)) = matrix.indexed_iter().find(|(_, k)| !k.is_finite()) {
            return Err(GpError::BadCovariance { row, column, value, rule: "finite" });
        }
        let largest = matrix.iter().fold(0.0_f64, |most, k| most.max(k.abs()));
        for ((row, column), &value) in matrix.indexed_iter() {
            if (value - matrix[[column, row]]).abs() > 1e-9 * largest {
                return Err(GpError::BadCovariance { row, column, value, rule: "symmetric" });
            }
        }
        let matrix = (&matrix + &matrix.t()) * 0.5;
        Ok(Self { matrix })
    }
}

impl Prior for GivenCovariance {
    fn nodes(&self) -> usize {
        self.matrix.nrows()
    }

    fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        let columns = self.matrix.select(Axis(1), nodes);
        // Other priors have no such direction by the way they are made.
        if lower_root(&columns.select(Axis(0), nodes)).is_none() {
            return Err(GpError::IndefiniteCovariance { size: nodes.len() });
        }
        Ok(columns.into())
    }

    fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        Ok(nodes.iter().map(|&node| self.matrix[[node, node]]).collect())
    }

    fn pullback(
        &self,
        _: &[usize],
        _: &Columns,
        _: &Array2<f64>,
    ) -> Result<PriorGradient, GpError> {
        Ok(PriorGradient { parameters: Vec::new(), edges: None })
    }
}

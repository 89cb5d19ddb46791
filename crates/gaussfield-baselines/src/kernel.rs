use crate::BaselineError;
use gaussfield_points::{Points, Rows};
use ndarray::{Array2, s};
use rayon::prelude::*;
use std::ops::Range;

/// An inner product of two points, perhaps in a space of products of features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kernel {
    /// xᵀz. The separating plane passes through the origin.
    Linear,
    /// (xᵀz + offset)^degree: all products of up to `degree` features, or of exactly `degree`
    /// features when the offset is 0. Freund and Schapire use the offset 1.
    Polynomial {
        /// At least 1. The paper's "second order" is 2.
        degree: u32,
        /// Finite and not negative. Next to features in the hundreds an offset of 1 is nothing.
        offset: f64,
    },
}

impl Kernel {
    pub(crate) fn check(self) -> Result<(), BaselineError> {
        match self {
            Self::Polynomial { degree: 0, .. } => Err(BaselineError::BadDegree),
            Self::Polynomial { offset, .. } if !(offset.is_finite() && offset >= 0.0) => {
                Err(BaselineError::BadOffset { offset })
            }
            _ => Ok(()),
        }
    }

    fn of_product(self, product: f64) -> f64 {
        match self {
            Self::Linear => product,
            Self::Polynomial { degree, offset } => {
                // Past i32::MAX the power is 0, 1 or infinite, and so it stays.
                (product + offset).powi(i32::try_from(degree).unwrap_or(i32::MAX))
            }
        }
    }

    /// The kernel of some queries (rows) with all labelled points (columns): one matrix product
    /// for dense rows, sparse products otherwise.
    ///
    /// # Panics
    /// If the dimensions differ or the range is past the end.
    pub(crate) fn matrix(
        self,
        queries: &Points,
        range: Range<usize>,
        labelled: &Points,
    ) -> Result<Array2<f64>, BaselineError> {
        let mut matrix = match (queries.rows(), labelled.rows()) {
            (Rows::Dense(x), Rows::Dense(z)) => x.slice(s![range.clone(), ..]).dot(&z.t()),
            _ => {
                let row = |i| (0..labelled.len()).map(move |j| queries.dot_with(i, labelled, j));
                let products: Vec<f64> = range.clone().into_par_iter().flat_map_iter(row).collect();
                Array2::from_shape_fn((range.len(), labelled.len()), |(i, j)| {
                    products[i * labelled.len() + j]
                })
            }
        };
        matrix.par_mapv_inplace(|product| self.of_product(product));
        match matrix.indexed_iter().find(|(_, value)| !value.is_finite()) {
            Some(((i, labelled), &value)) => {
                let point = range.start + i;
                Err(BaselineError::KernelOverflow { point, labelled, value })
            }
            None => Ok(matrix),
        }
    }
}

//! Kernel matrices, block by block.

use crate::pairs::Pairs;
use crate::{Kernel, KernelError};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_points::pairs::{blockwise, symmetric};
use gaussfield_points::{Points, PointsError};
use ndarray::{Array1, Array2, ArrayViewMut2};
use std::ops::Range;

impl Kernel {
    /// The Gram matrix K_ij = k(x_i, x_j): n × n, exactly symmetric, [`Kernel::diagonal`] on its
    /// diagonal. Under RBF equal points give exactly 1, and no rounding makes a value above 1.
    ///
    /// O(n²d/2) in blocks of matrix products for dense rows, O(n · non-zeros) for sparse ones, on
    /// all threads of rayon.
    ///
    /// ```
    /// use gaussfield_core::Budget;
    /// use gaussfield_kernel::Kernel;
    /// use gaussfield_points::Points;
    /// use ndarray::array;
    ///
    /// let points = Points::dense(array![[1.0, 2.0], [3.0, -1.0]])?;
    /// assert_eq!(Kernel::Linear.gram(&points, Budget::default())?, array![[5.0, 1.0], [1.0, 10.0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A parameter out of range, a row of zeros under [`Kernel::Cosine`], a value past the largest
    /// number, or a matrix over the budget.
    pub fn gram(self, points: &Points, budget: Budget) -> Result<Array2<f64>, KernelError> {
        self.check_parameters()?;
        let n = points.len();
        take_work(points, budget.matrix("the kernel matrix", n, n)?)?;
        let pairs = Pairs::alone(self, points)?;
        symmetric(n, |rows, out| self.fill(&pairs, rows, 0, out))
    }

    /// The cross matrix k(a_i, b_j): one row for each of `a`, one column for each of `b`. The two
    /// may be stored differently. Cost as [`Kernel::gram`].
    ///
    /// # Errors
    /// As [`Kernel::gram`], or points of different dimensions.
    pub fn cross(self, a: &Points, b: &Points, budget: Budget) -> Result<Array2<f64>, KernelError> {
        self.check_parameters()?;
        a.check_dim(b.dim())?;
        take_work(b, take_work(a, budget.matrix("the kernel matrix", a.len(), b.len())?)?)?;
        self.cross_block(a, 0, b)
    }

    /// Some rows of [`Kernel::cross`]: for queries in batches, with memory that does not grow
    /// with their number. Errors name the row of `a`, not of the batch.
    ///
    /// # Errors
    /// As [`Kernel::cross`], or a range past the end of `a`.
    pub fn cross_rows(
        self,
        a: &Points,
        rows: Range<usize>,
        b: &Points,
        budget: Budget,
    ) -> Result<Array2<f64>, KernelError> {
        self.check_parameters()?;
        a.check_dim(b.dim())?;
        if rows.end > a.len() {
            return Err(PointsError::NoSuchRow { row: rows.end - 1, len: a.len() }.into());
        }
        take_work(b, budget.matrix("the kernel matrix", rows.len(), b.len())?)?;
        let first = rows.start;
        let batch = a.select(&rows.collect::<Vec<_>>())?;
        self.cross_block(&batch, first, b)
    }

    /// The cross matrix of checked input, where row 0 of `a` is called `first` in errors.
    fn cross_block(self, a: &Points, first: usize, b: &Points) -> Result<Array2<f64>, KernelError> {
        let pairs = Pairs::between(self, a, b).map_err(|error| match error {
            KernelError::ZeroRow { which: "point", row } => {
                KernelError::ZeroRow { which: "point", row: first + row }
            }
            other => other,
        })?;
        blockwise((a.len(), b.len()), |rows, out| self.fill(&pairs, rows, first, out))
    }

    /// k(x_i, x_i) of every point. O(stored numbers).
    ///
    /// # Errors
    /// As [`Kernel::gram`], without the budget.
    pub fn diagonal(self, points: &Points) -> Result<Array1<f64>, KernelError> {
        self.check_parameters()?;
        let pairs = Pairs::alone(self, points)?;
        let diagonal: Array1<f64> =
            (0..points.len()).map(|i| self.value(pairs.own_argument(i))).collect();
        match diagonal.indexed_iter().find(|(_, value)| !value.is_finite()) {
            Some((i, &value)) => Err(KernelError::Overflow { row: i, column: i, value }),
            None => Ok(diagonal),
        }
    }

    /// Writes a block of kernel values, where row 0 of all is called `first` in errors.
    fn fill(
        self,
        pairs: &Pairs,
        rows: Range<usize>,
        first: usize,
        mut out: ArrayViewMut2<'_, f64>,
    ) -> Result<(), KernelError> {
        let start = first + rows.start;
        pairs.arguments(rows, out.view_mut());
        for mut row in out.rows_mut() {
            self.values_of(row.as_slice_mut().unwrap_or_default());
        }
        match out.indexed_iter().find(|(_, value)| !value.is_finite()) {
            Some(((i, column), &value)) => {
                Err(KernelError::Overflow { row: start + i, column, value })
            }
            None => Ok(()),
        }
    }
}

/// Takes the copy of the points that products are taken of.
fn take_work(points: &Points, budget: Budget) -> Result<Budget, KernelError> {
    Ok(budget.take("the workspace of a kernel matrix", points.bytes())?)
}

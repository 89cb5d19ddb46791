//! Kernel matrices, block by block.

use crate::pairs::Pairs;
use crate::side::Side;
use crate::{Kernel, KernelError};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_points::{Points, PointsError};
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayViewMut2, Axis, s};
use std::ops::Range;

/// Rows of one block, fixed so that results do not depend on the number of threads.
pub(crate) const BLOCK: usize = 128;

impl Kernel {
    /// The Gram matrix K_ij = k(x_i, x_j): n × n, exactly symmetric, [`Kernel::diagonal`] on its
    /// diagonal. Under RBF equal points give exactly 1, and no rounding makes a value above 1.
    ///
    /// O(n²d/2) in blocks of matrix products for dense rows, O(n · non-zeros) for sparse ones, on
    /// all threads of rayon.
    ///
    /// ```
    /// # use openblas_src as _;
    /// use gaussfield_core::{Budget, Parameters as _};
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
        let side = Side::alone(self, points)?;
        let pairs = Pairs { kernel: self, left: &side, right: &side };
        let mut gram = Array2::zeros((n, n));
        let bad: Vec<Option<KernelError>> = gram
            .axis_chunks_iter_mut(Axis(0), BLOCK)
            .into_par_iter()
            .enumerate()
            .map(|(block, mut chunk)| {
                let rows = block * BLOCK..block * BLOCK + chunk.nrows();
                let mut lower = chunk.slice_mut(s![.., ..rows.end]);
                pairs.lower_arguments(rows.clone(), lower.view_mut());
                lower.mapv_inplace(|argument| self.value(argument));
                first_overflow(rows.start, lower)
            })
            .collect();
        if let Some(error) = bad.into_iter().flatten().next() {
            return Err(error);
        }
        mirror(&mut gram);
        Ok(gram)
    }

    /// The cross matrix k(a_i, b_j): one row for each of `a`, one column for each of `b`. The two
    /// may be stored differently. Cost as [`Kernel::gram`].
    ///
    /// # Errors
    /// As [`Kernel::gram`], or points of different dimensions.
    pub fn cross(self, a: &Points, b: &Points, budget: Budget) -> Result<Array2<f64>, KernelError> {
        self.check_parameters()?;
        same_dimension(a, b)?;
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
        same_dimension(a, b)?;
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
        let (left, right) = Side::pair(self, a, b).map_err(|error| match error {
            KernelError::ZeroRow { which: "point", row } => {
                KernelError::ZeroRow { which: "point", row: first + row }
            }
            other => other,
        })?;
        let pairs = Pairs { kernel: self, left: &left, right: &right };
        let mut cross = Array2::zeros((a.len(), b.len()));
        let bad: Vec<Option<KernelError>> = cross
            .axis_chunks_iter_mut(Axis(0), BLOCK)
            .into_par_iter()
            .enumerate()
            .map(|(block, mut chunk)| {
                let start = block * BLOCK;
                pairs.arguments(start..start + chunk.nrows(), chunk.view_mut());
                chunk.mapv_inplace(|argument| self.value(argument));
                first_overflow(first + start, chunk)
            })
            .collect();
        match bad.into_iter().flatten().next() {
            Some(error) => Err(error),
            None => Ok(cross),
        }
    }

    /// k(x_i, x_i) of every point. O(stored numbers).
    ///
    /// # Errors
    /// As [`Kernel::gram`], without the budget.
    pub fn diagonal(self, points: &Points) -> Result<Array1<f64>, KernelError> {
        self.check_parameters()?;
        let side = Side::alone(self, points)?;
        let pairs = Pairs { kernel: self, left: &side, right: &side };
        let diagonal: Array1<f64> =
            (0..points.len()).map(|i| self.value(pairs.own_argument(i))).collect();
        match diagonal.indexed_iter().find(|(_, value)| !value.is_finite()) {
            Some((i, &value)) => Err(KernelError::Overflow { row: i, column: i, value }),
            None => Ok(diagonal),
        }
    }
}

pub(crate) fn same_dimension(a: &Points, b: &Points) -> Result<(), KernelError> {
    if a.dim() == b.dim() {
        return Ok(());
    }
    Err(PointsError::Dimension { expected: b.dim(), got: a.dim() }.into())
}

/// Takes the copy of the points that products are taken of, and a sparse row spread out.
fn take_work(points: &Points, budget: Budget) -> Result<Budget, KernelError> {
    let spread = if points.as_dense().is_some() { 0 } else { 8 * points.dim() as u64 };
    Ok(budget.take("the workspace of a kernel matrix", points.bytes().saturating_add(spread))?)
}

fn first_overflow(first: usize, block: ArrayViewMut2<'_, f64>) -> Option<KernelError> {
    let ((i, column), &value) = block.indexed_iter().find(|(_, value)| !value.is_finite())?;
    Some(KernelError::Overflow { row: first + i, column, value })
}

/// Copies the strict lower triangle to the upper one, in tiles that fit the cache.
fn mirror(matrix: &mut Array2<f64>) {
    const TILE: usize = 64;
    let n = matrix.nrows();
    for top in (0..n).step_by(TILE) {
        for left in (0..=top).step_by(TILE) {
            for i in top..(top + TILE).min(n) {
                for j in left..(left + TILE).min(i) {
                    matrix[[j, i]] = matrix[[i, j]];
                }
            }
        }
    }
}

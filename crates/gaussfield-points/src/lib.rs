//! Points: the rows every other crate starts from.
//!
//! A [`Points`] value is a set of n rows in d dimensions, dense or sparse, that is known to be
//! finite. Everything downstream may rely on that: a distance between two points is a number.
//!
//! ```
//! use gaussfield_points::Points;
//! use ndarray::array;
//!
//! let points = Points::dense(array![[0.0, 0.0], [3.0, 4.0]])?;
//! assert_eq!(points.len(), 2);
//! assert!((points.squared_distance(0, 1) - 25.0).abs() < 1e-12);
//!
//! // A number that is not finite is an error that says where it stands.
//! let bad = Points::dense(array![[0.0, f64::NAN]]).unwrap_err();
//! assert!(bad.to_string().contains("row 0, column 1"));
//! # Ok::<(), gaussfield_points::PointsError>(())
//! ```
//!
//! Clones share the numbers, so that points are handed on by cloning or by reference, as is
//! handier. [`pairs`] has the products and squared distances of all pairs at once, which kernels,
//! graphs and clusterings are made of; [`prepare`] what may happen to features before that.

mod difference;
mod lent;
pub mod pairs;
pub mod prepare;
mod unit;

use gaussfield_core::{OutOfRange, OverBudget, SizeMismatch};
use lent::Owner;
use ndarray::{Array1, Array2, ArrayView2, Axis, CowArray, Ix2, s};
use sprs::CsMat;
use std::sync::Arc;

/// What can be wrong with rows handed in as points.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// A feature is NaN or infinite.
    #[error(
        "row {row}, column {column} is {value}: every feature must be a finite number; \
         remove the row or fill in the value"
    )]
    NotFinite {
        /// 0-based row.
        row: usize,
        /// 0-based column.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// An index past the last row was asked for.
    #[error("row {row} was asked for, but there are {len} rows")]
    NoSuchRow {
        /// The row asked for.
        row: usize,
        /// The number of rows.
        len: usize,
    },
    /// Two sets of points do not live in the same space.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// A preparation was fitted to no points.
    #[error("there is no point to learn from: a preparation is fitted to at least one")]
    NothingToLearnFrom,
    /// Rows that are no images of the side given.
    #[error(
        "the points have {dim} features, which is no image of {side} × {side}: give the side of \
         square images, one image a row"
    )]
    NotSquareImages {
        /// Features of a row.
        dim: usize,
        /// The side given.
        side: usize,
    },
    /// An option of a preparation is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

/// The storage behind [`Points`]: one point a row.
#[derive(Debug, PartialEq)]
pub enum Rows {
    /// All n × d numbers, its own or [lent](Points::lent).
    Dense(CowArray<'static, f64, Ix2>),
    /// Compressed sparse rows, for text and other mostly-zero features.
    Sparse(CsMat<f64>),
}

/// n finite points in d dimensions, dense or sparse. Clones share the numbers and cost nothing.
///
/// Invariant: every stored number is finite; sparse storage is row-major (CSR).
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    rows: Arc<Rows>,
    owner: Owner,
}

impl Points {
    /// Of rows that are known to be finite.
    pub(crate) fn trusted(rows: Rows) -> Self {
        Self { rows: Arc::new(rows), owner: Owner::default() }
    }

    /// Takes dense rows: one pass over the numbers, and a copy only if they do not lie row by row.
    ///
    /// # Errors
    /// [`PointsError::NotFinite`] with the first offending row and column.
    pub fn dense(rows: Array2<f64>) -> Result<Self, PointsError> {
        check_finite(rows.view())?;
        let rows =
            if rows.is_standard_layout() { rows } else { rows.as_standard_layout().into_owned() };
        Ok(Self::trusted(Rows::Dense(rows.into())))
    }

    /// Takes sparse rows; column-major storage is converted.
    ///
    /// # Errors
    /// [`PointsError::NotFinite`] with the first offending row and column.
    pub fn sparse(rows: CsMat<f64>) -> Result<Self, PointsError> {
        let rows = if rows.is_csr() { rows } else { rows.to_csr() };
        for (row, entries) in rows.outer_iterator().enumerate() {
            for (column, &value) in entries.iter() {
                if !value.is_finite() {
                    return Err(PointsError::NotFinite { row, column, value });
                }
            }
        }
        Ok(Self::trusted(Rows::Sparse(rows)))
    }

    /// The number of points, n.
    pub fn len(&self) -> usize {
        match &*self.rows {
            Rows::Dense(rows) => rows.nrows(),
            Rows::Sparse(rows) => rows.rows(),
        }
    }

    /// Whether there is no point at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of features, d.
    pub fn dim(&self) -> usize {
        match &*self.rows {
            Rows::Dense(rows) => rows.ncols(),
            Rows::Sparse(rows) => rows.cols(),
        }
    }

    /// Whether both are the same numbers in memory, not only equal ones.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows)
    }

    /// The bytes that the stored numbers take.
    pub fn bytes(&self) -> u64 {
        match &*self.rows {
            Rows::Dense(rows) => 8 * rows.len() as u64,
            Rows::Sparse(rows) => 16 * rows.nnz() as u64 + 8 * rows.rows() as u64,
        }
    }

    /// Whether the points have d features.
    ///
    /// # Errors
    /// [`PointsError::SizeMismatch`] if they have another number.
    pub fn check_dim(&self, expected: usize) -> Result<(), PointsError> {
        Ok(SizeMismatch::check("dimensions of the points", expected, self.dim())?)
    }

    /// The storage, to match on.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The dense rows, if that is how the points are stored.
    pub fn as_dense(&self) -> Option<ArrayView2<'_, f64>> {
        match &*self.rows {
            Rows::Dense(rows) => Some(rows.view()),
            Rows::Sparse(_) => None,
        }
    }

    /// A dense copy, n·d numbers.
    pub fn to_dense(&self) -> Array2<f64> {
        match &*self.rows {
            Rows::Dense(rows) => rows.to_owned(),
            Rows::Sparse(rows) => rows.to_dense(),
        }
    }

    /// The points of the given rows, in the given order.
    ///
    /// # Errors
    /// [`PointsError::NoSuchRow`] for an index past the end.
    pub fn select(&self, rows: &[usize]) -> Result<Self, PointsError> {
        let len = self.len();
        if let Some(&row) = rows.iter().find(|&&row| row >= len) {
            return Err(PointsError::NoSuchRow { row, len });
        }
        let rows = match &*self.rows {
            Rows::Dense(all) => Rows::Dense(all.select(Axis(0), rows).into()),
            Rows::Sparse(all) => {
                let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
                for &row in rows {
                    if let Some(entries) = all.outer_view(row) {
                        indices.extend_from_slice(entries.indices());
                        data.extend_from_slice(entries.data());
                    }
                    indptr.push(indices.len());
                }
                Rows::Sparse(CsMat::new((rows.len(), all.cols()), indptr, indices, data))
            }
        };
        Ok(Self::trusted(rows))
    }

    /// These points and others below them, stored as these are.
    ///
    /// ```
    /// use gaussfield_points::Points;
    /// use ndarray::array;
    ///
    /// let points = Points::dense(array![[0.0, 1.0]])?;
    /// let more = points.stack(&Points::dense(array![[2.0, 3.0]])?)?;
    /// assert_eq!(more.to_dense(), array![[0.0, 1.0], [2.0, 3.0]]);
    /// # Ok::<(), gaussfield_points::PointsError>(())
    /// ```
    ///
    /// # Errors
    /// [`PointsError::SizeMismatch`] for points of another dimension.
    pub fn stack(&self, below: &Self) -> Result<Self, PointsError> {
        below.check_dim(self.dim())?;
        let rows = match &*self.rows {
            Rows::Dense(above) => {
                let mut all = Array2::zeros((self.len() + below.len(), self.dim()));
                all.slice_mut(s![..self.len(), ..]).assign(above);
                let mut rest = all.slice_mut(s![self.len().., ..]);
                match &*below.rows {
                    Rows::Dense(below) => rest.assign(below),
                    Rows::Sparse(below) => {
                        below.iter().for_each(|(&x, (row, column))| rest[[row, column]] = x);
                    }
                }
                Rows::Dense(all.into())
            }
            Rows::Sparse(above) => match &*below.rows {
                Rows::Sparse(below) => Rows::Sparse(sprs::vstack(&[above.view(), below.view()])),
                Rows::Dense(below) => {
                    let below = CsMat::csr_from_dense(below.view(), 0.0);
                    Rows::Sparse(sprs::vstack(&[above.view(), below.view()]))
                }
            },
        };
        Ok(Self::trusted(rows))
    }

    /// ‖xᵢ‖² of every point. O(stored numbers).
    pub fn squared_norms(&self) -> Array1<f64> {
        self.rows.squared_norms()
    }
}

/// Whether all numbers are finite, and if not, the first that is not.
fn check_finite(rows: ArrayView2<'_, f64>) -> Result<(), PointsError> {
    for ((row, column), &value) in rows.indexed_iter() {
        if !value.is_finite() {
            return Err(PointsError::NotFinite { row, column, value });
        }
    }
    Ok(())
}

impl Rows {
    fn squared_norms(&self) -> Array1<f64> {
        match self {
            Self::Dense(rows) => rows.map_axis(Axis(1), |row| row.iter().map(|x| x * x).sum()),
            Self::Sparse(rows) => {
                rows.outer_iterator().map(|row| row.data().iter().map(|x| x * x).sum()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn both() -> (Points, Points) {
        let dense = array![[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [0.5, -1.0, 0.0]];
        let sparse = CsMat::csr_from_dense(dense.view(), 0.0);
        (Points::dense(dense).unwrap(), Points::sparse(sparse).unwrap())
    }

    #[test]
    fn dense_and_sparse_agree() {
        let (dense, sparse) = both();
        for i in 0..3 {
            for j in 0..3 {
                let want = dense.squared_distance(i, j);
                assert!((sparse.squared_distance(i, j) - want).abs() < 1e-14);
                assert!((dense.squared_distance_to(i, &sparse, j) - want).abs() < 1e-12);
                assert!((sparse.dot_with(i, &dense, j) - dense.dot(i, j)).abs() < 1e-14);
            }
        }
        assert_eq!(dense.squared_norms(), sparse.squared_norms());
        assert_eq!(sparse.to_dense(), dense.to_dense());
    }

    #[test]
    fn a_dense_and_a_sparse_row_are_as_far_apart_as_two_dense_ones() {
        for (x, z, squared) in [
            ([1e8, 1.0], [1e8 + 1.0, 2.0], 2.0),
            ([1e200, 1.0], [2e200, 2.0], f64::INFINITY),
            ([1e-200, 0.0], [2e-200, 1.0], 1.0),
        ] {
            let dense = Points::dense(array![x, z]).unwrap();
            let sparse = Points::sparse(CsMat::csr_from_dense(array![x, z].view(), 0.0)).unwrap();
            assert_eq!(dense.squared_distance(0, 1).to_bits(), f64::to_bits(squared));
            assert_eq!(dense.squared_distance_to(0, &sparse, 1).to_bits(), f64::to_bits(squared));
            assert_eq!(sparse.squared_distance_to(0, &dense, 1).to_bits(), f64::to_bits(squared));
        }
    }

    #[test]
    fn dense_rows_are_taken_as_they_lie_and_clones_share_them() {
        let rows = Array2::from_elem((3, 2), 0.5);
        let at = rows.as_ptr();
        let points = Points::dense(rows).unwrap();
        assert_eq!(points.as_dense().unwrap().as_ptr(), at);
        assert_eq!(points.clone().as_dense().unwrap().as_ptr(), at);
        let turned = Points::dense(array![[1.0, 2.0], [3.0, 4.0]].reversed_axes()).unwrap();
        assert!(turned.as_dense().unwrap().is_standard_layout());
        assert_eq!(turned.to_dense(), array![[1.0, 3.0], [2.0, 4.0]]);
    }

    #[test]
    fn select_keeps_the_order_asked_for() {
        let (dense, sparse) = both();
        let (dense, sparse) = (dense.select(&[2, 0]).unwrap(), sparse.select(&[2, 0]).unwrap());
        assert_eq!(dense.to_dense(), sparse.to_dense());
        assert_eq!(dense.to_dense().row(0), array![0.5, -1.0, 0.0]);
        assert_eq!(dense.select(&[9]).unwrap_err(), PointsError::NoSuchRow { row: 9, len: 2 });
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused_with_their_place() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let rows = array![[0.0, 1.0], [bad, 0.0]];
            let sparse = CsMat::new((2, 2), vec![0, 1, 2], vec![1, 0], vec![1.0, bad]);
            for error in [Points::dense(rows).unwrap_err(), Points::sparse(sparse).unwrap_err()] {
                assert!(matches!(error, PointsError::NotFinite { row: 1, column: 0, .. }));
            }
        }
    }
}

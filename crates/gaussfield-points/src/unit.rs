//! Rows brought to length one.

use crate::{Points, Rows};

impl Points {
    /// The rows divided by their lengths, for directions and cosines. A row of zeros has no
    /// direction and stays ([`Points::first_zero_row`] finds it).
    ///
    /// ```
    /// use gaussfield_points::Points;
    /// use ndarray::array;
    ///
    /// let points = Points::dense(array![[3e200, 4e200], [0.0, 0.0]])?;
    /// let units = points.unit_rows();
    /// assert!((units.dot(0, 0) - 1.0).abs() < 1e-15);
    /// assert_eq!(units.first_zero_row(), Some(1));
    /// # Ok::<(), gaussfield_points::PointsError>(())
    /// ```
    #[must_use]
    pub fn unit_rows(&self) -> Self {
        self.map_rows(|row| {
            // Dividing by the largest first keeps the squares away from overflow and underflow.
            let largest = row.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            if largest > 0.0 {
                row.iter_mut().for_each(|x| *x /= largest);
                let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                row.iter_mut().for_each(|x| *x /= length);
            }
        })
    }

    /// The first row of zeros only.
    pub fn first_zero_row(&self) -> Option<usize> {
        (0..self.len()).find(|&i| match self.rows() {
            Rows::Dense(rows) => rows.row(i).iter().all(|&x| x == 0.0),
            Rows::Sparse(rows) => {
                rows.data()[rows.indptr().outer_inds_sz(i)].iter().all(|&x| x == 0.0)
            }
        })
    }

    /// Every row's stored numbers changed to others that are finite too.
    fn map_rows(&self, change: impl Fn(&mut [f64])) -> Self {
        let mut rows = self.rows().clone();
        match &mut rows {
            Rows::Dense(rows) => {
                for mut row in rows.rows_mut() {
                    change(row.as_slice_mut().unwrap_or_default());
                }
            }
            Rows::Sparse(rows) => {
                for i in 0..rows.rows() {
                    let range = rows.indptr().outer_inds_sz(i);
                    change(&mut rows.data_mut()[range]);
                }
            }
        }
        Self::trusted(rows)
    }
}

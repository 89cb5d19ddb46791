//! Numbers that belong to somebody else, such as another language.

use crate::{Points, PointsError, Rows, check_finite};
use ndarray::ArrayView2;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Whose the numbers are, where they are lent; kept as long as they are looked at.
#[derive(Clone, Default)]
pub(crate) struct Owner(Option<Arc<dyn Any + Send + Sync>>);

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "another" } else { "own" })
    }
}

/// Points are equal by their numbers.
impl PartialEq for Owner {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A clone of the rows alone has numbers of its own: nothing would keep the lender's.
impl Clone for Rows {
    fn clone(&self) -> Self {
        match self {
            Self::Dense(rows) => Self::Dense(rows.to_owned().into()),
            Self::Sparse(rows) => Self::Sparse(rows.clone()),
        }
    }
}

impl Points {
    /// Takes dense rows that belong to somebody else, such as another language, without a copy if they
    /// lie row by row. `owner` is kept as long as any clone of the points is. Nobody may change the
    /// numbers meanwhile: they are looked at once, here, for those that are not finite.
    ///
    /// ```
    /// use gaussfield_points::Points;
    /// use ndarray::ArrayView2;
    /// use std::sync::Arc;
    ///
    /// static TABLE: [[f64; 2]; 2] = [[0.0, 1.0], [2.0, 3.0]];
    /// let points = Points::lent(ArrayView2::from(&TABLE), Arc::new(()))?;
    /// assert_eq!(points.dense_row(1), Some(&[2.0, 3.0][..]));
    /// # Ok::<(), gaussfield_points::PointsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Points::dense`].
    pub fn lent(
        rows: ArrayView2<'static, f64>,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<Self, PointsError> {
        check_finite(rows)?;
        if !rows.is_standard_layout() {
            let rows = rows.as_standard_layout().into_owned();
            return Ok(Self::trusted(Rows::Dense(rows.into())));
        }
        Ok(Self { rows: Arc::new(Rows::Dense(rows.into())), owner: Owner(Some(owner)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lent_is_not_copied_and_its_owner_stays() {
        static TABLE: [[f64; 2]; 3] = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]];
        let (owner, view) = (Arc::new(()), ArrayView2::from(&TABLE));
        let points = Points::lent(view, owner.clone()).unwrap();
        let more = points.clone();
        drop(points);
        assert_eq!(
            (more.as_dense().unwrap().as_ptr(), Arc::strong_count(&owner)),
            (view.as_ptr(), 2)
        );
        let copied = more.rows().clone();
        assert!(matches!(&copied, Rows::Dense(rows) if rows.as_ptr() != view.as_ptr()));
        assert_eq!(more, Points::dense(view.to_owned()).unwrap());
        drop(more);
        assert_eq!(Arc::strong_count(&owner), 1);
        let turned = Points::lent(view.reversed_axes(), owner.clone()).unwrap();
        assert_eq!((turned.len(), Arc::strong_count(&owner)), (2, 1));
        static BAD: [[f64; 1]; 1] = [[f64::NAN]];
        assert!(Points::lent(ArrayView2::from(&BAD), owner).is_err());
    }
}

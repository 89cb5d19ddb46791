//! Products and differences of two rows in any storage.

use crate::pairs::squared_difference;
use crate::{Points, Rows};
use ndarray::{CowArray, Ix2};
use sprs::CsMat;

impl Points {
    /// xᵢᵀxⱼ. O(d), or O(non-zeros of the two rows).
    ///
    /// # Panics
    /// If an index is past the end.
    pub fn dot(&self, i: usize, j: usize) -> f64 {
        self.dot_with(i, self, j)
    }

    /// xᵢᵀzⱼ for the j-th of other points in the same space.
    ///
    /// # Panics
    /// If an index is past the end or the dimensions differ.
    pub fn dot_with(&self, i: usize, other: &Self, j: usize) -> f64 {
        assert_eq!(self.dim(), other.dim(), "points of different dimension");
        match (self.rows(), other.rows()) {
            (Rows::Dense(a), Rows::Dense(b)) => lanes(slice(a, i), slice(b, j), |x, z| x * z),
            (Rows::Sparse(a), Rows::Sparse(b)) => {
                let ((d, x), (e, z)) = (entries(a, i), entries(b, j));
                let mut sum = 0.0;
                merge(d, e, |_, a, b| {
                    if let (Some(a), Some(b)) = (a, b) {
                        sum += x[a] * z[b];
                    }
                });
                sum
            }
            (Rows::Dense(a), Rows::Sparse(b)) => dot_mixed(slice(a, i), entries(b, j)),
            (Rows::Sparse(a), Rows::Dense(b)) => dot_mixed(slice(b, j), entries(a, i)),
        }
    }

    /// ‖xᵢ − xⱼ‖².
    ///
    /// # Panics
    /// If an index is past the end.
    pub fn squared_distance(&self, i: usize, j: usize) -> f64 {
        self.squared_distance_to(i, self, j)
    }

    /// ‖xᵢ − zⱼ‖² to the j-th of other points in the same space: from differences, so that close
    /// points do not cancel and equal ones are at distance zero in any storage; the same to the
    /// last bit from i to j as from j to i.
    ///
    /// # Panics
    /// If an index is past the end or the dimensions differ.
    pub fn squared_distance_to(&self, i: usize, other: &Self, j: usize) -> f64 {
        if let (Rows::Dense(a), Rows::Dense(b)) = (self.rows(), other.rows()) {
            return squared_difference(slice(a, i), slice(b, j));
        }
        let mut sum = 0.0;
        self.for_each_difference(i, other, j, |_, difference| sum += difference * difference);
        sum
    }

    /// Calls `visit(d, x_id − z_jd)` for every feature that one of the rows stores, in increasing
    /// order.
    ///
    /// # Panics
    /// If an index is past the end or the dimensions differ.
    pub fn for_each_difference(
        &self,
        i: usize,
        other: &Self,
        j: usize,
        mut visit: impl FnMut(usize, f64),
    ) {
        assert_eq!(self.dim(), other.dim(), "points of different dimension");
        match (self.rows(), other.rows()) {
            (Rows::Dense(a), Rows::Dense(b)) => {
                let pairs = slice(a, i).iter().zip(slice(b, j)).enumerate();
                pairs.for_each(|(d, (x, z))| visit(d, x - z));
            }
            (Rows::Sparse(a), Rows::Sparse(b)) => {
                let ((d, x), (e, z)) = (entries(a, i), entries(b, j));
                merge(d, e, |feature, a, b| {
                    visit(feature, a.map_or(0.0, |a| x[a]) - b.map_or(0.0, |b| z[b]));
                });
            }
            (Rows::Dense(a), Rows::Sparse(b)) => less(slice(a, i), entries(b, j), visit),
            (Rows::Sparse(a), Rows::Dense(b)) => {
                less(slice(b, j), entries(a, i), |d, difference| visit(d, -difference));
            }
        }
    }

    /// Row i as a slice, where the points are dense.
    ///
    /// # Panics
    /// If the index is past the end.
    pub fn dense_row(&self, i: usize) -> Option<&[f64]> {
        match self.rows() {
            Rows::Dense(rows) => Some(slice(rows, i)),
            Rows::Sparse(_) => None,
        }
    }
}

/// Row i of rows in standard layout.
fn slice<'a>(rows: &'a CowArray<'static, f64, Ix2>, i: usize) -> &'a [f64] {
    rows.row(i).to_slice().unwrap_or_default()
}

/// The features of row i and their values.
fn entries(rows: &CsMat<f64>, i: usize) -> (&[usize], &[f64]) {
    let range = rows.indptr().outer_inds_sz(i);
    (&rows.indices()[range.clone()], &rows.data()[range])
}

/// Σ of a term over two rows, in eight partial sums that are added in a fixed order.
pub(crate) fn lanes(x: &[f64], z: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (head_x, tail_x) = x.as_chunks::<LANES>();
    let (head_z, tail_z) = z.as_chunks::<LANES>();
    for (a, b) in head_x.iter().zip(head_z) {
        for lane in 0..LANES {
            sums[lane] += term(a[lane], b[lane]);
        }
    }
    let tail: f64 = tail_x.iter().zip(tail_z).map(|(&a, &b)| term(a, b)).sum();
    sums.iter().sum::<f64>() + tail
}

fn dot_mixed(dense: &[f64], (features, values): (&[usize], &[f64])) -> f64 {
    features.iter().zip(values).map(|(&d, value)| value * dense[d]).sum()
}

/// A dense row less a sparse one.
fn less(dense: &[f64], (features, values): (&[usize], &[f64]), mut visit: impl FnMut(usize, f64)) {
    let mut sparse = features.iter().zip(values).peekable();
    for (d, x) in dense.iter().enumerate() {
        let z = sparse.next_if(|(feature, _)| **feature == d).map_or(0.0, |(_, &z)| z);
        visit(d, x - z);
    }
}

/// Walks two increasing lists of features together, with the places of each in the two lists.
fn merge(d: &[usize], e: &[usize], mut visit: impl FnMut(usize, Option<usize>, Option<usize>)) {
    let (mut a, mut b) = (0, 0);
    loop {
        let (first, second) = (d.get(a), e.get(b));
        let feature = match (first, second) {
            (None, None) => return,
            (Some(&one), None) | (None, Some(&one)) => one,
            (Some(&one), Some(&other)) => one.min(other),
        };
        let (here, there) = (first == Some(&feature), second == Some(&feature));
        visit(feature, here.then_some(a), there.then_some(b));
        a += usize::from(here);
        b += usize::from(there);
    }
}

//! Which component each point belongs to, all numbers or the largest of each row.

use crate::MixtureError;
use crate::error::check_clusters;
use crate::mixture::stacked;
use gaussfield_core::{OutOfRange, SizeMismatch, check};
use gaussfield_labels::Scores;
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};
use sprs::CsMat;

/// How many responsibilities of each point are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Keep {
    /// All M: exact, n × M numbers.
    #[default]
    #[serde(alias = "All")]
    All,
    /// The r largest, divided by their sum; ties go to the lower component. An approximation,
    /// with n × r numbers. At least one; more than M is all.
    #[serde(alias = "Largest")]
    Largest(usize),
}

impl Keep {
    pub(crate) fn check(self) -> Result<(), OutOfRange> {
        match self {
            Self::All => Ok(()),
            Self::Largest(r) => check::at_least("the number of responsibilities kept", r, 1),
        }
    }

    /// What is kept of a block of rows.
    pub(crate) fn block(self, resp: ArrayView2<'_, f64>) -> Kept {
        match self {
            Self::All => Kept::Dense(resp.to_owned()),
            Self::Largest(r) => {
                let mut order: Vec<usize> = Vec::with_capacity(resp.ncols());
                let rows = resp.rows().into_iter().map(|row| {
                    let r = r.min(row.len());
                    order.clear();
                    order.extend(0..row.len());
                    let by_size =
                        |&a: &usize, &b: &usize| row[b].total_cmp(&row[a]).then(a.cmp(&b));
                    if r < order.len() {
                        order.select_nth_unstable_by(r, by_size);
                        order.truncate(r);
                    }
                    order.sort_unstable();
                    let sum: f64 = order.iter().map(|&m| row[m]).sum();
                    let kept = order.iter().filter(|&&m| row[m] > 0.0);
                    kept.map(|&m| (m, row[m] / sum)).collect()
                });
                Kept::Sparse(rows.collect())
            }
        }
    }
}

/// What shares points among components and has nothing but the shares to give.
pub(crate) trait ByBlocks {
    /// Calls `take` with the responsibilities of each block, in parallel; results in the order of
    /// the rows.
    fn each_block<T: Send>(
        &self,
        points: &Points,
        keep: Keep,
        take: impl Fn(Kept) -> T + Sync,
    ) -> Result<Vec<T>, MixtureError>;

    /// R among so many components.
    fn gathered(
        &self,
        components: usize,
        points: &Points,
        keep: Keep,
    ) -> Result<Responsibilities, MixtureError> {
        let kept = self.each_block(points, keep, |kept| kept)?;
        Ok(Responsibilities::gather(kept, points.len(), components))
    }

    /// RΛ, a block at a time.
    fn predict_with(
        &self,
        points: &Points,
        lambda: ArrayView2<'_, f64>,
        keep: Keep,
    ) -> Result<Scores, MixtureError> {
        let blocks = self.each_block(points, keep, |kept| kept.product(lambda))?;
        Ok(Scores::new(stacked(&blocks, lambda.ncols()))?)
    }
}

/// Part of a responsibility matrix.
#[derive(Debug)]
pub(crate) enum Kept {
    Dense(Array2<f64>),
    Sparse(Vec<Vec<(usize, f64)>>),
}

impl Kept {
    /// These rows times Λ.
    pub(crate) fn product(&self, lambda: ArrayView2<'_, f64>) -> Array2<f64> {
        match self {
            Self::Dense(values) => values.dot(&lambda),
            Self::Sparse(rows) => {
                let mut out = Array2::zeros((rows.len(), lambda.ncols()));
                for (mut out, row) in out.rows_mut().into_iter().zip(rows) {
                    row.iter().for_each(|&(m, value)| out.scaled_add(value, &lambda.row(m)));
                }
                out
            }
        }
    }
}

/// R_im = p(m | x_i): which component each point belongs to, softly.
///
/// Invariant: n × M; every row is a distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Responsibilities {
    values: Values,
}

/// How the numbers are kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// All of them.
    Dense(Array2<f64>),
    /// Only the largest of each row, by rows.
    Sparse(CsMat<f64>),
}

impl From<Values> for Responsibilities {
    /// For values that keep the invariant by construction.
    fn from(values: Values) -> Self {
        Self { values }
    }
}

impl Responsibilities {
    /// Takes all n × M numbers.
    ///
    /// # Errors
    /// A number outside [0, 1], or a row that does not add up to one (within 10⁻⁶).
    pub fn dense(values: Array2<f64>) -> Result<Self, MixtureError> {
        for (row, values) in values.rows().into_iter().enumerate() {
            check_row(row, values.iter().copied().enumerate())?;
        }
        Ok(Values::Dense(values).into())
    }

    /// Takes sparse rows.
    ///
    /// # Errors
    /// As [`Responsibilities::dense`].
    pub fn sparse(values: CsMat<f64>) -> Result<Self, MixtureError> {
        let values = if values.is_csr() { values } else { values.to_csr() };
        for (row, entries) in values.outer_iterator().enumerate() {
            check_row(row, entries.iter().map(|(m, &value)| (m, value)))?;
        }
        Ok(Values::Sparse(values).into())
    }

    /// Every point wholly in one of `components` clusters: R is 0 or 1.
    ///
    /// # Errors
    /// A cluster past the last.
    pub fn hard(assignment: &[usize], components: usize) -> Result<Self, MixtureError> {
        check_clusters(assignment, components)?;
        let n = assignment.len();
        let indptr = (0..=n).collect();
        let values = CsMat::new((n, components), indptr, assignment.to_vec(), vec![1.0; n]);
        Ok(Values::Sparse(values).into())
    }

    /// Puts blocks together.
    pub(crate) fn gather(blocks: Vec<Kept>, n: usize, components: usize) -> Self {
        let sparse = blocks.iter().any(|block| matches!(block, Kept::Sparse(_)));
        if !sparse {
            let mut values = Array2::zeros((n, components));
            let mut start = 0;
            for block in blocks {
                if let Kept::Dense(block) = block {
                    let end = start + block.nrows();
                    values.slice_mut(s![start..end, ..]).assign(&block);
                    start = end;
                }
            }
            return Values::Dense(values).into();
        }
        let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
        for block in blocks {
            if let Kept::Sparse(rows) = block {
                for row in rows {
                    indices.extend(row.iter().map(|entry| entry.0));
                    data.extend(row.iter().map(|entry| entry.1));
                    indptr.push(indices.len());
                }
            }
        }
        Values::Sparse(CsMat::new((n, components), indptr, indices, data)).into()
    }

    /// Rows times numbers: no responsibilities any more, but what a scaled Laplacian is reduced with.
    pub(crate) fn scaled(&self, scale: ArrayView1<'_, f64>) -> Self {
        let values = match &self.values {
            Values::Dense(values) => Values::Dense(values * &scale.insert_axis(Axis(1))),
            Values::Sparse(values) => {
                let mut values = values.clone();
                for (mut row, &by) in values.outer_iterator_mut().zip(&scale) {
                    row.iter_mut().for_each(|(_, value)| *value *= by);
                }
                Values::Sparse(values)
            }
        };
        Self { values }
    }

    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    /// The number of points, n.
    pub fn points(&self) -> usize {
        match &self.values {
            Values::Dense(values) => values.nrows(),
            Values::Sparse(values) => values.rows(),
        }
    }

    /// The number of components, M.
    pub fn components(&self) -> usize {
        match &self.values {
            Values::Dense(values) => values.ncols(),
            Values::Sparse(values) => values.cols(),
        }
    }

    /// All n × M numbers.
    pub fn to_dense(&self) -> Array2<f64> {
        match &self.values {
            Values::Dense(values) => values.clone(),
            Values::Sparse(values) => values.to_dense(),
        }
    }

    /// Calls `visit(component, R_im)` for the entries kept of row `i`, by increasing component.
    ///
    /// # Panics
    /// If the row is past the end.
    pub fn for_each(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match &self.values {
            Values::Dense(values) => {
                values.row(i).iter().enumerate().for_each(|(m, &value)| visit(m, value));
            }
            Values::Sparse(values) => {
                let range = values.indptr().outer_inds_sz(i);
                for at in range {
                    visit(values.indices()[at], values.data()[at]);
                }
            }
        }
    }

    /// R Λ: the class probabilities of every point from those of the components. O(nMC), or
    /// O(nrC).
    ///
    /// # Errors
    /// A Λ with another number of rows than components.
    pub fn product(&self, lambda: ArrayView2<'_, f64>) -> Result<Array2<f64>, MixtureError> {
        SizeMismatch::check(
            "rows of λ, one for each component",
            self.components(),
            lambda.nrows(),
        )?;
        Ok(match &self.values {
            Values::Dense(values) => values.dot(&lambda),
            Values::Sparse(_) => {
                let mut out = Array2::zeros((self.points(), lambda.ncols()));
                for (i, mut row) in out.rows_mut().into_iter().enumerate() {
                    self.for_each(i, |m, value| row.scaled_add(value, &lambda.row(m)));
                }
                out
            }
        })
    }

    /// The rows of the given points as dense rows, in the given order.
    ///
    /// # Errors
    /// A point past the end.
    pub fn rows(&self, points: &[usize]) -> Result<Array2<f64>, MixtureError> {
        let len = self.points();
        let mut out = Array2::zeros((points.len(), self.components()));
        for (&row, mut out) in points.iter().zip(out.rows_mut()) {
            if row >= len {
                return Err(gaussfield_points::PointsError::NoSuchRow { row, len }.into());
            }
            self.for_each(row, |m, value| out[m] = value);
        }
        Ok(out)
    }
}

fn check_row(row: usize, entries: impl Iterator<Item = (usize, f64)>) -> Result<(), OutOfRange> {
    let mut sum = 0.0;
    for (component, value) in entries {
        if !(0.0..=1.0 + 1e-6).contains(&value) {
            let name = format!("the responsibility of component {component} for row {row}");
            return check::range(name, value, false, "between 0 and 1");
        }
        sum += value;
    }
    if (sum - 1.0_f64).abs() <= 1e-6 {
        return Ok(());
    }
    let name = format!("the sum of the responsibilities of row {row}");
    check::range(name, sum, false, "1: divide the row by its sum")
}

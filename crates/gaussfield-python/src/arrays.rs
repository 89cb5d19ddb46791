//! Arrays of NumPy and SciPy as points, labels and graphs, and back.
//!
//! The one place with `unsafe`: numbers of NumPy are looked at where they lie.

#![allow(unsafe_code)]

use crate::errors::raised;
use gaussfield::Error;
use gaussfield::graph::{Graph, SparseWeights};
use gaussfield::labels::Labels;
use gaussfield::points::{Points, PointsError};
use ndarray::{Array2, ArrayView2};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sprs::{CsMat, CsMatI};
use std::sync::Arc;

/// Rows as Python has them.
#[derive(FromPyObject)]
pub(crate) enum Data<'py> {
    /// `float64`, in any order.
    Wide(PyReadonlyArray2<'py, f64>),
    /// `float32`, in any order.
    Narrow(PyReadonlyArray2<'py, f32>),
    /// Compressed sparse rows.
    Sparse(Csr<'py>),
}

/// Compressed sparse rows: `(indptr, indices, data, columns)`, indices sorted and none twice.
#[derive(FromPyObject)]
pub(crate) struct Csr<'py>(
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
    usize,
);

impl Data<'_> {
    /// Finite points.
    pub(crate) fn points(&self) -> PyResult<Points> {
        let points = match self {
            Self::Wide(rows) => lent(rows),
            Self::Narrow(rows) => Points::dense(rows.as_array().mapv(f64::from)),
            Self::Sparse(rows) => Points::sparse(rows.matrix()?),
        };
        points.map_err(|error| raised(Error::from(error)))
    }
}

/// The numbers of an array where they lie, or a copy if that is not row by row. The array is kept as
/// long as the points are; as with the neighbours of scikit-learn, nobody should change it meanwhile.
fn lent(rows: &PyReadonlyArray2<'_, f64>) -> Result<Points, PointsError> {
    let view = rows.as_array();
    if !view.is_standard_layout() {
        return Points::dense(view.as_standard_layout().into_owned());
    }
    let owner: Py<PyArray2<f64>> = rows.as_unbound().clone_ref(rows.py());
    // SAFETY: pointer and shape are those of a valid view, row by row without gaps, and `owner` keeps
    // the memory as long as any clone of the points is there. While it is looked at without Python's
    // lock another thread of Python could write to it; the numbers could then be any, which costs the
    // answer its sense, as in every library that computes on arrays without a copy.
    let view = unsafe { ArrayView2::from_shape_ptr(view.raw_dim(), view.as_ptr()) };
    Points::lent(view, Arc::new(owner))
}

impl Csr<'_> {
    fn matrix(&self) -> PyResult<CsMat<f64>> {
        let (indptr, indices) = (whole(&self.0)?, whole(&self.1)?);
        let shape = (indptr.len().saturating_sub(1), self.3);
        CsMat::try_new(shape, indptr, indices, self.2.as_array().to_vec())
            .map_err(|(_, _, _, error)| unsound(&error.to_string()))
    }

    /// The graph whose weights these are.
    pub(crate) fn graph(&self) -> PyResult<Graph> {
        let (indptr, indices) = (whole(&self.0)?, whole(&self.1)?);
        let nodes = indptr.len().saturating_sub(1);
        let weights: SparseWeights =
            CsMatI::try_new((nodes, self.3), indptr, indices, self.2.as_array().to_vec())
                .map_err(|(_, _, _, error)| unsound(&error.to_string()))?;
        Graph::from_sparse(weights).map_err(|error| raised(Error::from(error)))
    }
}

fn unsound(reason: &str) -> PyErr {
    PyValueError::new_err(format!(
        "the sparse matrix is not in order ({reason}): call its sum_duplicates() first"
    ))
}

/// Numbers that count something.
fn whole<N: TryFrom<i64>>(numbers: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<N>> {
    let all: Result<Vec<N>, N::Error> =
        numbers.as_array().iter().map(|&number| N::try_from(number)).collect();
    all.map_err(|_| unsound("an index below 0 or past the largest"))
}

/// Labels from class numbers, below 0 where there is none.
pub(crate) fn labels(codes: &PyReadonlyArray1<'_, i64>, names: Vec<String>) -> PyResult<Labels> {
    let codes = codes.as_array();
    let classes = codes.iter().map(|&code| usize::try_from(code).ok()).collect();
    Labels::new(classes, names).map_err(|error| raised(Error::from(error)))
}

/// A graph as compressed sparse rows: `(indptr, indices, data)`.
pub(crate) fn rows_of(graph: &Graph) -> (Vec<i64>, Vec<i64>, Vec<f64>) {
    let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
    for node in 0..graph.nodes() {
        graph.for_each_neighbour(node, |other, weight| {
            indices.push(other as i64);
            data.push(weight);
        });
        indptr.push(indices.len() as i64);
    }
    (indptr, indices, data)
}

/// A copy in which only the given rows are.
pub(crate) fn columns(values: &PyReadonlyArray2<'_, f64>) -> Array2<f64> {
    values.as_array().to_owned()
}

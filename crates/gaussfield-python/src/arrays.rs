//! Arrays of NumPy and SciPy as points, labels and graphs, and back.
//!
//! The one place with `unsafe`: numbers of NumPy are looked at where they lie.

#![allow(unsafe_code)]

use crate::errors::raised;
use gaussfield::Error;
use gaussfield::graph::Graph;
use gaussfield::labels::Labels;
use gaussfield::points::{Points, PointsError};
use ndarray::{Array2, ArrayView2};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sprs::{CsMatI, SpIndex};
use std::sync::Arc;

/// What a model is fitted to, as Python has it.
#[derive(FromPyObject)]
pub(crate) enum Input<'py> {
    /// An object whose `weights` are those of a graph.
    Graph {
        /// The matrix of weights.
        weights: Csr<'py>,
    },
    /// Rows.
    #[pyo3(transparent)]
    Rows(Data<'py>),
}

/// What a model is fitted to.
pub(crate) enum Known {
    /// A graph that is there already.
    Graph(Graph),
    /// Points, of which a graph is made.
    Points(Points),
}

impl Input<'_> {
    /// Finite points, or a sound graph.
    pub(crate) fn known(&self) -> PyResult<Known> {
        Ok(match self {
            Self::Graph { weights } => Known::Graph(weights.graph()?),
            Self::Rows(rows) => Known::Points(rows.points()?),
        })
    }
}

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
pub(crate) struct Csr<'py>(Whole<'py>, Whole<'py>, PyReadonlyArray1<'py, f64>, usize);

/// Whole numbers, as SciPy has them: small ones where they suffice.
#[derive(FromPyObject)]
pub(crate) enum Whole<'py> {
    Small(PyReadonlyArray1<'py, i32>),
    Large(PyReadonlyArray1<'py, i64>),
}

impl Data<'_> {
    /// Finite points. What is copied or looked at is so without Python's lock.
    pub(crate) fn points(&self) -> PyResult<Points> {
        let points = match self {
            Self::Wide(rows) => lent(rows),
            Self::Narrow(rows) => {
                let view = rows.as_array();
                rows.py().detach(|| Points::dense(view.mapv(f64::from)))
            }
            Self::Sparse(rows) => {
                let matrix = rows.matrix()?;
                rows.2.py().detach(|| Points::sparse(matrix))
            }
        };
        points.map_err(|error| raised(Error::from(error)))
    }
}

/// The numbers of an array where they lie, or a copy if that is not row by row. The array is kept as
/// long as the points are; as with the neighbours of scikit-learn, nobody should change it meanwhile.
fn lent(rows: &PyReadonlyArray2<'_, f64>) -> Result<Points, PointsError> {
    let view = rows.as_array();
    if !view.is_standard_layout() {
        return rows.py().detach(|| Points::dense(view.as_standard_layout().into_owned()));
    }
    let owner: Py<PyArray2<f64>> = rows.as_unbound().clone_ref(rows.py());
    // SAFETY: pointer and shape are those of a valid view, row by row without gaps, and `owner` keeps
    // the memory as long as any clone of the points is there. While it is looked at without Python's
    // lock another thread of Python could write to it; the numbers could then be any, which costs the
    // answer its sense, as in every library that computes on arrays without a copy.
    let view = unsafe { ArrayView2::from_shape_ptr(view.raw_dim(), view.as_ptr()) };
    rows.py().detach(|| Points::lent(view, Arc::new(owner)))
}

impl Csr<'_> {
    fn matrix<I: SpIndex + TryFrom<i64>>(&self) -> PyResult<CsMatI<f64, I, usize>> {
        let (indptr, indices) = (self.0.numbers()?, self.1.numbers()?);
        let shape = (indptr.len().saturating_sub(1), self.3);
        CsMatI::try_new(shape, indptr, indices, self.2.as_array().to_vec())
            .map_err(|(_, _, _, error)| unsound(&error.to_string()))
    }

    fn graph(&self) -> PyResult<Graph> {
        let matrix = self.matrix()?;
        let graph = self.2.py().detach(|| Graph::from_sparse(matrix));
        graph.map_err(|error| raised(Error::from(error)))
    }
}

fn unsound(reason: &str) -> PyErr {
    PyValueError::new_err(format!(
        "the sparse matrix is not in order ({reason}): call its sum_duplicates() first"
    ))
}

impl Whole<'_> {
    fn numbers<N: TryFrom<i64>>(&self) -> PyResult<Vec<N>> {
        let all: Result<Vec<N>, N::Error> = match self {
            Self::Small(all) => {
                all.as_array().iter().map(|&one| i64::from(one).try_into()).collect()
            }
            Self::Large(all) => all.as_array().iter().map(|&one| one.try_into()).collect(),
        };
        all.map_err(|_| unsound("an index below 0 or past the largest"))
    }
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

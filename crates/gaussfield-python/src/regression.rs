//! Numbers instead of classes: the harmonic function between given values.

use crate::arrays::{Data, Input, Known, columns};
use crate::run::How;
use gaussfield::Error;
use gaussfield::core::Budget;
use gaussfield::graph::{
    CosineExponential, Exponential, Graph, Metric, Neighbours, Pattern, Search, Symmetry,
    WeightFamily as _,
};
use gaussfield::harmonic::Harmonic;
use gaussfield::laplacian::{Boundary, SolveFacts, unreachable};
use gaussfield::points::Points;
use ndarray::{Array1, Array2, Axis};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What was found: a row of values for each point, those that no given value reaches, the scale of
/// the weights, and which solver ran with how many iterations to which residual.
type Found<'py> = (Bound<'py, PyArray2<f64>>, Vec<usize>, f64, (String, usize, f64));

struct Answer {
    values: Array2<f64>,
    islands: Vec<usize>,
    scale: f64,
    facts: SolveFacts,
}

impl Answer {
    fn told(self, py: Python<'_>) -> Found<'_> {
        let Self { values, islands, scale, facts } = self;
        let solved = (facts.solver.to_string(), facts.iterations, facts.relative_residual);
        (values.into_pyarray(py), islands, scale, solved)
    }
}

/// The harmonic function on a graph, or on the k nearest neighbours of points, of values given at some
/// of them. A scale of `None` is the mean length of an edge.
#[pyfunction]
#[pyo3(signature = (x, nodes, values, k, metric, scale, fill, threads=1, heard=None))]
#[allow(clippy::too_many_arguments)] // one place in Python calls it, by name
pub(crate) fn interpolate<'py>(
    py: Python<'py>,
    x: Input<'_>,
    nodes: Vec<usize>,
    values: PyReadonlyArray2<'_, f64>,
    k: usize,
    metric: &str,
    scale: Option<f64>,
    fill: bool,
    threads: usize,
    heard: Option<Py<PyAny>>,
) -> PyResult<Found<'py>> {
    let (known, values, metric) = (x.known()?, columns(&values), metric_of(metric)?);
    let answer = How { threads, heard }.run(py, || {
        let (graph, scale) = match known {
            Known::Graph(graph) => (graph, f64::NAN),
            Known::Points(points) => on_neighbours(&points, k, metric, scale)?,
        };
        solve(&graph, nodes, values, fill, scale)
    })?;
    Ok(answer.told(py))
}

/// A graph of neighbours, and the scale of its weights.
fn on_neighbours(
    points: &Points,
    k: usize,
    metric: Metric,
    scale: Option<f64>,
) -> Result<(Graph, f64), Error> {
    let pattern = Pattern::knn(points, metric, k, Symmetry::Either)?;
    let mean = Some(pattern.mean_distance()).filter(|mean| *mean > 0.0).unwrap_or(1.0);
    let scale = scale.unwrap_or(mean);
    let graph = match metric {
        Metric::Cosine => CosineExponential { scale }.graph(&pattern, Budget::default())?,
        _ => Exponential { sigma: scale }.graph(&pattern, Budget::default())?,
    };
    Ok((graph, scale))
}

/// Values at new points: the mean of those of their k nearest points, by the same weights. A point
/// that lies on others has the mean of theirs.
#[pyfunction]
#[pyo3(signature = (x, values, new, k, metric, scale, threads=1))]
#[allow(clippy::too_many_arguments)] // one place in Python calls it, by name
pub(crate) fn at_new_points<'py>(
    py: Python<'py>,
    x: Data<'_>,
    values: PyReadonlyArray2<'_, f64>,
    new: Data<'_>,
    k: usize,
    metric: &str,
    scale: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (points, new) = (x.points()?, new.points()?);
    let (values, metric) = (columns(&values), metric_of(metric)?);
    let found = How { threads, heard: None }.run(py, || {
        let near = Neighbours::query(&points, &new, metric, k.min(points.len()), Search::Auto)?;
        let mut means = Array2::zeros((new.len(), values.ncols()));
        for (row, mut mean) in means.outer_iter_mut().enumerate() {
            let weights = weights(near.distances(row), metric, scale);
            let sum: f64 = weights.iter().sum();
            for (weight, &other) in weights.iter().zip(near.indices(row)) {
                mean.scaled_add(weight / sum, &values.row(other as usize));
            }
        }
        Ok(means)
    })?;
    Ok(found.into_pyarray(py))
}

/// The weights of a list of distances, nearest first. Beside the largest of them, so that they do not
/// all vanish far from every point.
fn weights(distances: &[f64], metric: Metric, scale: f64) -> Vec<f64> {
    let exponent = |distance: f64| match metric {
        Metric::Cosine => distance / scale,
        _ => (distance / scale).powi(2),
    };
    let nearest = distances.first().copied().unwrap_or(0.0);
    let weight = |&distance: &f64| {
        if nearest > 0.0 {
            (exponent(nearest) - exponent(distance)).exp()
        } else if distance > 0.0 {
            0.0
        } else {
            1.0
        }
    };
    distances.iter().map(weight).collect()
}

/// With `fill`, parts of the graph without a given value have the mean of all that are given.
fn solve(
    graph: &Graph,
    mut nodes: Vec<usize>,
    values: Array2<f64>,
    fill: bool,
    scale: f64,
) -> Result<Answer, Error> {
    let mut given = values;
    let mut islands = Vec::new();
    if fill && !nodes.is_empty() {
        islands = unreachable(graph, &Boundary::new(graph.nodes(), &nodes)?);
        // A part of its own: what is given there changes nothing elsewhere.
        let mean = given.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(given.ncols()));
        let filled = mean.broadcast((islands.len(), mean.len()));
        if let Some(filled) = filled {
            given.append(Axis(0), filled).map_err(|_| shapes())?;
            nodes.extend(&islands);
        }
    }
    let found = Harmonic::default().interpolate(graph, &nodes, given.view())?;
    let (values, facts) = (found.values().to_owned(), found.solve_facts().clone());
    Ok(Answer { values, islands, scale, facts })
}

fn shapes() -> Error {
    let (what, expected, got) = ("columns of the values given", 1, 0);
    Error::Points(gaussfield::core::SizeMismatch { what, expected, got }.into())
}

fn metric_of(name: &str) -> PyResult<Metric> {
    serde_json::from_str(&format!("{name:?}"))
        .map_err(|error| PyValueError::new_err(format!("metric: {error}")))
}

//! Graphs, points and numbers as cases write them.

use anyhow::{Context as _, Result, anyhow, bail};
use gaussfield_core::Budget;
use gaussfield_graph::{
    CosineExponential, Exponential, ExponentialPerDimension, Graph, Metric, Pattern, Symmetry,
    Tanh, Unweighted, WeightFamily,
};
use gaussfield_points::Points;
use ndarray::Array2;
use serde::Deserialize;
use serde_json::Value;

/// A field of a JSON object, as a Rust type.
pub(crate) fn get<'a, T: Deserialize<'a>>(from: &'a Value, name: &str) -> Result<T> {
    let value = from.get(name).ok_or_else(|| anyhow!("the input has no {name:?}"))?;
    T::deserialize(value).with_context(|| format!("the input's {name:?} is not as expected"))
}

/// A field that may be absent or null.
pub(crate) fn get_opt<'a, T: Deserialize<'a>>(from: &'a Value, name: &str) -> Result<Option<T>> {
    match from.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => get(from, name).map(Some),
    }
}

/// A list of equally long rows.
pub(crate) fn matrix(from: &Value, name: &str) -> Result<Array2<f64>> {
    let rows: Vec<Vec<f64>> = get(from, name)?;
    let columns = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != columns) {
        bail!("the rows of {name:?} differ in length");
    }
    let flat = rows.iter().flatten().copied().collect();
    Ok(Array2::from_shape_vec((rows.len(), columns), flat)?)
}

/// A case's points.
pub(crate) fn points(input: &Value) -> Result<Points> {
    Ok(Points::dense(matrix(input, "X")?)?)
}

/// A case's graph and the weight of its self-loops (0 or 1).
pub(crate) struct Built {
    pub(crate) graph: Graph,
    pub(crate) self_loop: f64,
}

/// Builds the graph that `input.graph` describes.
pub(crate) fn build(input: &Value) -> Result<Built> {
    let spec: Value = get(input, "graph")?;
    let kind: String = get(&spec, "kind")?;
    let self_loop = match get_opt::<bool>(&spec, "self_loops")? {
        Some(true) => 1.0,
        _ => 0.0,
    };
    if kind == "matrix" {
        return given(&spec, self_loop);
    }
    let points = points(input)?;
    let metric = match get_opt::<String>(&spec, "distance")?.as_deref() {
        _ if kind == "cosine_knn" => Metric::Cosine,
        None | Some("euclidean") => Metric::Euclidean,
        Some("cosine") => Metric::Cosine,
        Some(other) => bail!("the distance {other:?} is not known"),
    };
    let complete = |points| Pattern::complete(&points, metric);
    let nearest = |points| {
        Pattern::knn(&points, metric, get(&spec, "k")?, Symmetry::Either)
            .map_err(anyhow::Error::from)
    };
    let budget = Budget::default();
    let number = |name| get::<f64>(&spec, name);
    let graph = match kind.as_str() {
        "exp" => {
            let sigmas = sigmas(&spec, points.dim())?;
            ExponentialPerDimension { sigmas }.graph(&complete(points)?, budget)?
        }
        "exp_alpha" => Exponential { sigma: number("alpha")? }.graph(&complete(points)?, budget)?,
        "tanh" => {
            let family = Tanh { a1: number("a1")?, a2: number("a2")? };
            family.graph(&complete(points)?, budget)?
        }
        "knn" => Unweighted.graph(&nearest(points)?, budget)?,
        "eps" => {
            let pattern = Pattern::ball(&points, metric, number("eps")?)?;
            Unweighted.graph(&pattern, budget)?
        }
        "knn_exp" => Exponential { sigma: number("alpha")? }.graph(&nearest(points)?, budget)?,
        "cosine_knn" => {
            CosineExponential { scale: number("scale")? }.graph(&nearest(points)?, budget)?
        }
        "knn_rbf" => {
            let pattern = nearest(points)?;
            let width = match get_opt::<f64>(&spec, "sigma_t")? {
                Some(width) => width,
                None => pattern.mean_distance(),
            };
            // exp(−d²/(2σ_t²)) is exp(−d²/σ²) with σ = √2 σ_t.
            let sigma = std::f64::consts::SQRT_2 * width;
            Exponential { sigma }.graph(&pattern, budget)?
        }
        other => bail!("the graph kind {other:?} is not known"),
    };
    Ok(Built { graph, self_loop })
}

/// A graph given as a matrix; a constant diagonal is taken as self-loops.
fn given(spec: &Value, self_loop: f64) -> Result<Built> {
    let mut weights = matrix(spec, "W")?;
    let diagonal = weights.diag().to_owned();
    let first = diagonal.first().copied().unwrap_or(0.0);
    if diagonal.iter().any(|d| d.to_bits() != first.to_bits()) {
        bail!("the diagonal of W is not constant");
    }
    weights.diag_mut().fill(0.0);
    Ok(Built { graph: Graph::from_dense(weights)?, self_loop: self_loop.max(first) })
}

/// Length scales: one per dimension, or one for all.
pub(crate) fn sigmas(from: &Value, dim: usize) -> Result<Vec<f64>> {
    match from.get("sigma") {
        Some(Value::Number(_)) => Ok(vec![get(from, "sigma")?; dim]),
        _ => get(from, "sigma"),
    }
}

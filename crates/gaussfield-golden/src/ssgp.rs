//! Cases about kernels warped by a graph.

use crate::gp::judge;
use crate::graphs::{build, get, get_opt, matrix, points};
use crate::harmonic::{list, rows};
use crate::schema::Case;
use crate::{Fields, Verdict};
use anyhow::{Result, bail};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    ExpectationPropagation, GaussianProcess, Kernel, Observed, PriorFamily as _, Probit, Warp,
    WarpedPrior,
};
use gaussfield_graph::{Metric, Pattern, Symmetry};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use gaussfield_tune::{Evidence, Minimise, learn_on};
use ndarray::{Axis, concatenate};
use serde_json::{Map, Value, json};

type Model = (GaussianProcess<Probit, ExpectationPropagation>, WarpedPrior, Observed);

/// The process, the kernel and the labels a case describes; `width` and `gamma_i` given.
fn model(input: &Value, width: f64, gamma_i: f64) -> Result<Model> {
    let warp = Warp { gamma_a: get(input, "gamma_a")?, gamma_i, power: get(input, "power")? };
    let laplacian = match get::<String>(input, "laplacian")?.as_str() {
        "combinatorial" => Laplacian::Combinatorial,
        "normalised" => Laplacian::Symmetric,
        other => bail!("the Laplacian {other:?} is not known"),
    };
    let prior = WarpedPrior::new(&points(input)?, Kernel::Rbf { width }, warp);
    let observed =
        Observed::new(&get::<Vec<usize>>(input, "labeled")?, &get::<Vec<f64>>(input, "labels")?)?;
    let process = GaussianProcess::ep(Probit { noise: get(input, "noise")? });
    Ok((process, prior.with_laplacian(laplacian), observed))
}

/// The width of the graph's weights: given, or the mean edge length.
fn sigma_t(input: &Value) -> Result<f64> {
    let spec: Value = get(input, "graph")?;
    if let Some(width) = get_opt(&spec, "sigma_t")? {
        return Ok(width);
    }
    let k = get(&spec, "k")?;
    let pattern = Pattern::knn(&points(input)?, Metric::Euclidean, k, Symmetry::Either)?;
    Ok(pattern.mean_distance())
}

/// Type `ssgp`: covariance, evidence and its gradient, predictions on the points and new ones.
pub(crate) fn warped(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let graph = build(input)?.graph;
    let (process, prior, observed) = model(input, get(input, "width")?, get(input, "gamma_i")?)?;
    let kernel = prior.on(&graph)?;
    let posterior = process.fit(&kernel, &observed)?;

    let mut all = matrix(input, "X")?;
    if input.get("X_new").is_some() {
        all = concatenate(Axis(0), &[all.view(), matrix(input, "X_new")?.view()])?;
    }
    let everywhere = Points::dense(all)?;
    let predictions = posterior.marginals(&everywhere)?;

    let mut fields = Fields::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("sigma_t", json!(sigma_t(input)?));
    put("log_evidence", json!(posterior.log_evidence()));
    put("log_pG", json!(kernel.log_geometry()));
    put("latent_mean", list(&predictions.mean));
    put("latent_var", list(&predictions.variance));
    put("prob", list(&predictions.probability));
    put("cov_LL", rows(&posterior.prior_covariance().to_owned()));
    put("cov", rows(&kernel.covariance(&everywhere, &everywhere)?));
    put("W", rows(&graph.to_dense(Budget::default())?));
    let gradient = posterior.gradient()?;
    let mut slopes = Map::new();
    let of_prior = prior.parameters().into_iter().zip(&gradient.prior);
    for (own, slope) in of_prior.chain(process.parameters().into_iter().zip(&gradient.likelihood)) {
        slopes.insert(own.name.into_owned(), json!(slope));
    }
    put("gradient", Value::Object(slopes));
    Ok(fields)
}

/// Type `ssgp_evidence_optimum`: the width and γ_I of the largest evidence from a start.
pub(crate) fn optimum(case: &Case) -> Result<Verdict> {
    let input = &case.input;
    let start: Vec<f64> = get(input, "start")?;
    let [width, gamma_i] = start[..] else {
        bail!("a start of {} parameters is not known", start.len());
    };
    let graph = build(input)?.graph;
    let (process, prior, observed) = model(input, width, gamma_i)?;
    let evidence =
        Evidence::of(process, prior.fixed_on(&graph)?, observed).learning(&["width", "gamma_i"])?;
    let how = Minimise { value_tolerance: 1e-14, gradient_tolerance: 1e-8, ..Minimise::default() };
    let learned = learn_on(&graph, &evidence, &how)?;
    judge(case, -learned.minimum.value, &learned.minimum.parameters)
}

//! Cases about the Laplace approximation and its evidence.

use crate::graphs::{build, get, get_opt, matrix, points};
use crate::harmonic::{list, rows};
use crate::schema::Case;
use crate::{Fields, Verdict};
use anyhow::{Result, anyhow, bail};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    GaussianProcess, GraphPrior, Laplace, Likelihood as _, Observed, Prior as _, Sigmoid,
};
use gaussfield_graph::{
    EdgeGradient, Exponential, Graph, Metric, Neighbours, Pattern, Search, Symmetry, Tanh,
    WeightFamily,
};
use gaussfield_labels::tuned_threshold;
use gaussfield_points::Points;
use gaussfield_tune::{Evidence, Minimise, TuneError, learn, scan_neighbours, scan_radii};
use serde_json::{Map, Value, json};

type Model = (GaussianProcess<Sigmoid, Laplace>, GraphPrior, Observed);

/// The Gaussian process and the labels a case describes.
fn process(input: &Value) -> Result<Model> {
    let prior = GraphPrior::regularised(get(input, "beta")?, get(input, "sigma")?);
    let likelihood = Sigmoid { gamma: get(input, "gamma")? };
    let observed =
        Observed::new(&get::<Vec<usize>>(input, "labeled")?, &get::<Vec<f64>>(input, "labels")?)?;
    Ok((GaussianProcess::laplace(likelihood), prior, observed))
}

/// Type `gp_laplace`: mode, evidence, posterior, gradient, decisions, new points.
pub(crate) fn laplace(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let graph = build(input)?.graph;
    let (process, family, observed) = process(input)?;
    let prior = family.on(&graph)?;
    let posterior = process.fit(&prior, &observed)?;
    let all: Vec<usize> = (0..graph.nodes()).collect();
    let latent = observed.nodes().iter().map(|&i| posterior.latent()[i]);
    // π is the sigmoid at the mode: without variance.
    let pi = latent.map(|y| process.likelihood.probability(y, 0.0)).collect();

    let mut fields = Fields::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("mode", list(&posterior.latent().to_owned()));
    put("pi", list(&pi));
    put("P", list(&posterior.on_labels().curvature()));
    put("log_likelihood", json!(posterior.on_labels().log_likelihood()));
    put("log_evidence", json!(posterior.log_evidence()));
    put("cov_diag", list(&posterior.variances(&all)?));
    put("cov", rows(&posterior.covariance(&all)?));
    put("prob", list(&posterior.probabilities(&all)?));
    put("G_LL", rows(&posterior.prior_covariance().to_owned()));
    put("G", rows(&prior.columns(&all)?.values));
    put("W", rows(&graph.to_dense(Budget::default())?));

    let gradient = posterior.gradient()?;
    let mut slopes = Map::new();
    let of_prior = family.parameters().into_iter().zip(&gradient.prior);
    for (own, slope) in of_prior.chain(process.parameters().into_iter().zip(&gradient.likelihood)) {
        slopes.insert(own.name.into_owned(), json!(slope));
    }
    if let Some(edges) = &gradient.edges {
        slopes.extend(weight_slopes(input, &graph, edges)?);
    }
    put("gradient", Value::Object(slopes));

    let unlabelled: Vec<usize> =
        all.iter().copied().filter(|i| !observed.nodes().contains(i)).collect();
    if let Some(share) = get_opt(input, "tune_q")? {
        let modes = unlabelled.iter().map(|&i| posterior.latent()[i]).collect::<Vec<f64>>();
        let tuned = tuned_threshold(modes.as_slice().into(), share)?;
        let sign = |&positive: &bool| if positive { 1 } else { -1 };
        put("tuned_labels", json!(tuned.positives.iter().map(sign).collect::<Vec<i32>>()));
        put("tuned_threshold", json!(tuned.threshold));
    }
    put("unlabeled", json!(unlabelled));
    if input.get("X_new").is_some() {
        let queries = Points::dense(matrix(input, "X_new")?)?;
        let new = posterior.at_new_points(&points(input)?, &queries, Metric::Euclidean)?;
        put("new_nearest", json!(new.nearest));
        put("new_mode", list(&new.mode));
    }
    Ok(fields)
}

/// The gradient by the parameters of the weights, under the file's names for them.
pub(crate) fn weight_slopes(
    input: &Value,
    graph: &Graph,
    edges: &EdgeGradient,
) -> Result<Map<String, Value>> {
    let spec: Value = get(input, "graph")?;
    let kind: String = get(&spec, "kind")?;
    let (family, names): (Box<dyn WeightFamily>, &[&str]) = match kind.as_str() {
        "exp_alpha" => (Box::new(Exponential { sigma: get(&spec, "alpha")? }), &["alpha"]),
        "tanh" => {
            let family = Tanh { a1: get(&spec, "a1")?, a2: get(&spec, "a2")? };
            (Box::new(family), &["a1", "a2"])
        }
        // Zero or one: nothing to differentiate.
        "knn" | "eps" => return Ok(Map::new()),
        other => bail!("no gradient is known for the graph kind {other:?}"),
    };
    let metric = match get_opt::<String>(&spec, "distance")?.as_deref() {
        Some("cosine") => Metric::Cosine,
        _ => Metric::Euclidean,
    };
    let pattern = Pattern::complete(&points(input)?, metric)?;
    let slopes = family.pullback(&pattern, graph, edges)?;
    Ok(names.iter().zip(slopes).map(|(name, slope)| ((*name).to_owned(), json!(slope))).collect())
}

/// Type `evidence_scan`: the log evidence for each k or ε, and the best of them.
pub(crate) fn scan(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let (process, prior, observed) = process(input)?;
    let points = points(input)?;
    let values: Vec<Value> = get(input, "values")?;
    let evidence = Evidence::of(process, prior, observed);
    let log_evidence =
        |graph: &Graph| -> Result<f64, TuneError> { Ok(evidence.posterior(graph)?.log_evidence()) };
    let (metric, budget) = (Metric::Euclidean, Budget::default());
    let evidences: Vec<f64> = match get::<String>(input, "scan")?.as_str() {
        "knn" => {
            let counts: Vec<usize> = get(input, "values")?;
            let most = counts.iter().copied().max().unwrap_or(1);
            let lists = Neighbours::search(&points, metric, most, Search::Auto)?;
            scan_neighbours(&lists, &counts, Symmetry::Either, budget, |_, graph| {
                log_evidence(graph)
            })?
        }
        "eps" => {
            let radii: Vec<f64> = get(input, "values")?;
            let longest = radii.iter().copied().fold(0.0, f64::max);
            let pattern = Pattern::ball(&points, metric, longest)?;
            scan_radii(&pattern, &radii, budget, |_, graph| log_evidence(graph))?
        }
        other => bail!("the scan {other:?} is not known"),
    };
    let best = evidences.iter().zip(&values).max_by(|a, b| a.0.total_cmp(b.0));
    let best = best.map(|(_, value)| value.clone()).ok_or_else(|| anyhow!("no value to scan"))?;
    let mut fields = Fields::new();
    fields.insert("log_evidence".into(), json!(evidences));
    fields.insert("best".into(), best);
    Ok(fields)
}

/// Types `evidence_optimum_exp` and `evidence_optimum_tanh`: the maximum from a start.
pub(crate) fn optimum(case: &Case) -> Result<Verdict> {
    let input = &case.input;
    let (process, prior, observed) = process(input)?;
    let objective = Evidence::of(process, prior, observed);
    let pattern = Pattern::complete(&points(input)?, Metric::Euclidean)?;
    // The reference is converged far below its tolerance, so the search must be too.
    let how = Minimise { value_tolerance: 1e-14, gradient_tolerance: 1e-8, ..Minimise::default() };
    let start: Vec<f64> = get(input, "start")?;
    let family: Box<dyn WeightFamily> = match start[..] {
        [sigma] => Box::new(Exponential { sigma }),
        [a1, a2] => Box::new(Tanh { a1, a2 }),
        _ => bail!("a start of {} parameters is not known", start.len()),
    };
    let learned = learn(&pattern, &family, &objective, &how)?;
    judge(case, -learned.value, &learned.family.values())
}

/// A larger evidence passes; an equal one must be at the same place.
pub(crate) fn judge(case: &Case, evidence: f64, argument: &[f64]) -> Result<Verdict> {
    let expected = Value::Object(case.expected.clone());
    let objective: f64 = get(&expected, "objective")?;
    let want: Vec<f64> = get(&expected, "argument")?;
    let (Some(objective_atol), Some(argument_rtol)) =
        (case.tolerance.objective_atol, case.tolerance.argument_rtol)
    else {
        bail!("an optimum case needs objective_atol and argument_rtol");
    };
    let found = format!("log evidence {evidence:.9} at {argument:?}");
    if evidence > objective + objective_atol {
        return Ok(Verdict::Ok(format!("better than stated: {found}")));
    }
    let near = |(got, want): (&f64, &f64)| (got - want).abs() <= argument_rtol * want.abs();
    let same_place = argument.len() == want.len() && argument.iter().zip(&want).all(near);
    if (evidence - objective).abs() <= objective_atol && same_place {
        return Ok(Verdict::Ok(found));
    }
    Ok(Verdict::Fail(format!("{found}: {objective} at {want:?} expected")))
}

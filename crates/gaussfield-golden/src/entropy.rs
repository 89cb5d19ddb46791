//! Cases about the entropy of labels and its minimum.

use crate::graphs::{get, get_opt, points, sigmas};
use crate::harmonic::{labels, list};
use crate::schema::Case;
use crate::{Fields, Verdict};
use anyhow::{Result, bail};
use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, ExponentialPerDimension, Metric, Pattern, WeightFamily};
use gaussfield_labels::ClassPrior;
use gaussfield_tune::{Entropy, Minimise, Objective, Optimiser, learn};
use serde_json::{Value, json};
use std::f64::consts::LN_2;

/// The σ past which an optimum counts as having run off to infinity.
const FAR: f64 = 100.0;

/// The entropy a case describes, on its complete graph.
fn objective(input: &Value) -> Result<(Pattern, Entropy)> {
    let points = points(input)?;
    let labels = labels(input, points.len())?;
    let self_loop = if get_opt(input, "self_loops")? == Some(true) { 1.0 } else { 0.0 };
    let mut entropy =
        Entropy::new(labels).smoothed(get(input, "eps")?)?.with_self_loops(self_loop)?;
    if let Some(q) = get_opt::<f64>(input, "q")? {
        // q is the proportion of class 1.
        entropy = entropy.normalised(ClassPrior::given(vec![1.0 - q, q])?)?;
    }
    Ok((Pattern::complete(&points, Metric::Euclidean)?, entropy))
}

/// Type `entropy`: value and gradient by every length scale.
pub(crate) fn value_and_gradient(case: &Case) -> Result<Fields> {
    let (pattern, entropy) = objective(&case.input)?;
    let family = ExponentialPerDimension { sigmas: sigmas(&case.input, pattern.points().dim())? };
    let graph = family.graph(&pattern, Budget::default())?;
    let evaluation = entropy.evaluate(&graph)?;
    let gradient = family.pullback(&pattern, &graph, &evaluation.edges)?;
    let field = entropy.field(&graph)?;
    let f_u = field.interior().iter().map(|&i| field.values()[[i, 1]]).collect();
    let mut fields = Fields::new();
    fields.insert("H_nats".into(), json!(evaluation.value));
    fields.insert("H_bits".into(), json!(evaluation.value / LN_2));
    fields.insert("gradient".into(), json!(gradient));
    fields.insert("f_u".into(), list(&f_u));
    Ok(fields)
}

/// Types `entropy_optimum_tied` and `entropy_optimum_separate`: the optimum from a start.
pub(crate) fn optimum(case: &Case) -> Result<Verdict> {
    let (pattern, entropy) = objective(&case.input)?;
    // The reference is converged far below its tolerance, so the search must be too.
    let how = Minimise { value_tolerance: 1e-15, gradient_tolerance: 1e-10, ..Minimise::default() };
    let (value, argument) = match case.input.get("start") {
        Some(Value::Number(start)) => {
            // One scale can be probed far and wide: no worse minimum may be taken for the best.
            let sigma = start.as_f64().unwrap_or(f64::NAN);
            let optimiser = Optimiser::GoldenSection { factor: 100.0, probes: 101 };
            let how = Minimise { optimiser, ..how };
            let learned = learn(&pattern, &Exponential { sigma }, &entropy, &how)?;
            (learned.value, vec![learned.family.sigma])
        }
        _ => {
            let family = ExponentialPerDimension { sigmas: get(&case.input, "start")? };
            let learned = learn(&pattern, &family, &entropy, &how)?;
            (learned.value, learned.family.sigmas)
        }
    };
    judge(case, value, &argument)
}

/// A better objective passes; an equal one must be at the same place, where a scale that runs off
/// only has to be far out.
fn judge(case: &Case, value: f64, argument: &[f64]) -> Result<Verdict> {
    let expected = Value::Object(case.expected.clone());
    let objective: f64 = get(&expected, "objective")?;
    let want: Vec<f64> = match expected.get("argument") {
        Some(Value::Number(one)) => vec![one.as_f64().unwrap_or(f64::NAN)],
        _ => get(&expected, "argument")?,
    };
    let (Some(objective_atol), Some(argument_rtol)) =
        (case.tolerance.objective_atol, case.tolerance.argument_rtol)
    else {
        bail!("an optimum case needs objective_atol and argument_rtol");
    };
    let found = format!("objective {value:.9} at {argument:?}");
    if value < objective - objective_atol {
        return Ok(Verdict::Ok(format!("better than stated: {found}")));
    }
    if (value - objective).abs() > objective_atol {
        return Ok(Verdict::Fail(format!(
            "{found}: {objective} expected within {objective_atol:.0e}"
        )));
    }
    let limit: Option<f64> = get_opt(&case.input, "sigma_x_limit")?;
    for (&got, &want) in argument.iter().zip(&want) {
        let at_infinity = limit.is_some_and(|limit| want >= limit);
        let right =
            if at_infinity { got > FAR } else { (got - want).abs() <= argument_rtol * want.abs() };
        if !right {
            return Ok(Verdict::Fail(format!(
                "{found}: argument {want} expected within {argument_rtol:.0e} of itself"
            )));
        }
    }
    Ok(Verdict::Ok(found))
}

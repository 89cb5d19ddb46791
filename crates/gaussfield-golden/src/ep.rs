//! Cases about expectation propagation with flipped labels.

use crate::gp::{judge, weight_slopes};
use crate::graphs::{build, get, get_opt, matrix, points};
use crate::harmonic::{list, rows};
use crate::schema::Case;
use crate::{Fields, Verdict};
use anyhow::{Result, bail};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    ExpectationPropagation, Flip, GaussianProcess, GraphPrior, Likelihood as _, Observed,
    Prior as _, Ridge,
};
use gaussfield_graph::{Exponential, Metric, Pattern};
use gaussfield_kernel::Kernel;
use gaussfield_points::Points;
use gaussfield_tune::{
    Evidence, EvidenceRule, ExpectationMaximisation, FlipEvidence, Learned, Minimise, NoiseRule,
};
use ndarray::Array1;
use serde_json::{Map, Value, json};

/// How closely the first iterations of EM must follow the file's: the searches of the M-step end
/// a little short of their maximum, each in its own way.
const FIRST_STEPS: f64 = 1e-5;

fn prior(input: &Value, delta: f64) -> Result<GraphPrior> {
    Ok(match get::<String>(input, "laplacian")?.as_str() {
        "combinatorial" => GraphPrior::shifted(delta),
        "normalised" => GraphPrior::normalised(delta),
        other => bail!("the Laplacian {other:?} is not known"),
    })
}

fn observed(input: &Value) -> Result<Observed> {
    let (nodes, targets) =
        (get::<Vec<usize>>(input, "labeled")?, get::<Vec<f64>>(input, "labels")?);
    Ok(Observed::new(&nodes, &targets)?)
}

/// The reference is converged far below its tolerance, so the fixed point must be too.
fn process(epsilon: f64) -> GaussianProcess<Flip, ExpectationPropagation> {
    let inference = ExpectationPropagation { tolerance: 1e-13, ..Default::default() };
    GaussianProcess { inference, ..GaussianProcess::ep(Flip { epsilon }) }
}

/// Type `ep_flip`: the fixed point, its evidence and gradient, the bound of EM, new points.
pub(crate) fn flip(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let graph = build(input)?.graph;
    let process = process(get(input, "eps")?);
    let observed = observed(input)?;
    let prior = prior(input, get(input, "delta")?)?.on(&graph)?;
    let posterior = process.fit(&prior, &observed)?;
    let all: Vec<usize> = (0..graph.nodes()).collect();
    let sites = posterior.on_labels().sites();
    let cavities = posterior.on_labels().cavities();

    let mut fields = Fields::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("log_evidence", json!(posterior.log_evidence()));
    put("mean", list(&posterior.latent().to_owned()));
    let variances = posterior.variances(&all)?;
    put("cov_diag", list(&variances));
    put("cov", rows(&posterior.covariance(&all)?));
    put("G", rows(&prior.columns(&all)?.values));
    put("site_tau", list(&sites.precision));
    put("site_nu", list(&sites.shift));
    put("negative_site_precision", json!(sites.precision.iter().any(|&tau| tau < 0.0)));
    put("cavity_mean", list(&cavities.iter().map(|cavity| cavity.mean).collect()));
    put("cavity_var", list(&cavities.iter().map(|cavity| cavity.variance).collect()));
    put("prob_label", list(&posterior.probabilities(&all)?));
    // q(y > 0) is the probability of a label that never flips.
    let step = Flip { epsilon: 0.0 };
    let sign = all.iter().map(|&i| step.probability(posterior.latent()[i], variances[i]));
    put("prob_sign", list(&sign.collect::<Array1<f64>>()));

    let gradient = posterior.gradient()?;
    let mut slopes = Map::new();
    slopes.insert("delta".into(), json!(gradient.prior[0]));
    slopes.insert("eps".into(), json!(gradient.likelihood[0]));
    if let Some(edges) = &gradient.edges {
        slopes.extend(weight_slopes(input, &graph, edges)?);
    }
    put("evidence_gradient", Value::Object(slopes));
    let bound = posterior.bound();
    put("em_bound", json!(bound.value()));
    let paper = bound.epsilon_gradient_as_published();
    put("em_eps_gradient", json!({ "paper": paper, "bound": bound.epsilon_gradient() }));
    if let Some(alpha) = get_opt::<f64>(input, "kernel_alpha")? {
        // exp(−d²/α²) is an RBF of width α/√2.
        let kernel = Kernel::Rbf { width: alpha / std::f64::consts::SQRT_2 };
        let (points, new) = (points(input)?, Points::dense(matrix(input, "X_new")?)?);
        let extension =
            posterior.extension(kernel.gram(&points, Budget::default())?.view(), Ridge::None)?;
        put(
            "new_mean",
            list(&extension.at(kernel.cross(&new, &points, Budget::default())?.view())?),
        );
    }
    if let Some(exact) = case.expected.get("exact_log_evidence").and_then(Value::as_f64) {
        // For information in the file: the error of expectation propagation itself.
        let close = (posterior.log_evidence() - exact).abs() < 5e-3;
        put("exact_log_evidence", if close { json!(exact) } else { Value::Null });
    }
    Ok(fields)
}

/// Type `ep_evidence_optimum`: the largest evidence from a start, by its exact gradient.
pub(crate) fn optimum(case: &Case) -> Result<Verdict> {
    let how = Minimise { value_tolerance: 1e-15, gradient_tolerance: 1e-9, ..Minimise::default() };
    let learned = learned(case, &EvidenceRule::Ascent(how))?;
    judge(case, -learned.value, &argument(&learned.objective))
}

/// Type `ep_em`: the fixed point of EM by one of its noise rules, and its first iterations.
pub(crate) fn em(case: &Case) -> Result<Verdict> {
    let noise = match get::<String>(&case.input, "eps_rule")?.as_str() {
        "paper" => NoiseRule::AsPublished,
        "bound" => NoiseRule::Bound,
        "cavity" => NoiseRule::Tilted,
        other => bail!("the rule {other:?} for ε is not known"),
    };
    let em = ExpectationMaximisation { noise, ..Default::default() };
    let learned = learned(case, &EvidenceRule::Em(em))?;
    let expected = Value::Object(case.expected.clone());
    let first: Vec<Vec<f64>> = get_opt(&expected, "first_steps")?.unwrap_or_default();
    for (at, (want, step)) in first.iter().zip(&learned.trace).enumerate() {
        // The evidence's own order is δ, ε.
        let got = [step.parameters[1], step.parameters[0], -step.value];
        let near = |(got, want): (&f64, &f64)| (got - want).abs() <= FIRST_STEPS * want.abs();
        if want.len() != got.len() || !got.iter().zip(want).all(near) {
            return Ok(Verdict::Fail(format!("iteration {at}: {got:?} got, {want:?} expected")));
        }
    }
    judge(case, -learned.value, &argument(&learned.objective))
}

fn learned(case: &Case, rule: &EvidenceRule) -> Result<Learned<Exponential, FlipEvidence>> {
    let input = &case.input;
    let (start, spec): (Value, Value) = (get(input, "start")?, get(input, "graph")?);
    if get::<String>(&spec, "kind")? != "exp_alpha" {
        bail!("an optimum is only known for exp_alpha graphs");
    }
    let family = Exponential { sigma: get(&spec, "alpha")? };
    let pattern = Pattern::complete(&points(input)?, Metric::Euclidean)?;
    let process = process(get(&start, "eps")?);
    let evidence = Evidence::of(process, prior(input, get(&start, "delta")?)?, observed(input)?);
    let evidence = evidence.learning(&["delta", "epsilon"])?;
    Ok(rule.learn(&pattern, &family, &evidence, &["sigma"])?)
}

/// ε, δ.
fn argument(evidence: &FlipEvidence) -> [f64; 2] {
    [evidence.process().likelihood.epsilon, evidence.prior().values()[0]]
}

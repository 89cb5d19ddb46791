//! Cases about harmonic mixtures.

use crate::Fields;
use crate::graphs::{build, get, get_opt, matrix, points};
use crate::harmonic::{labels, list, rows};
use crate::schema::Case;
use anyhow::{Result, anyhow, bail};
use gaussfield_baselines::SampleBaseline;
use gaussfield_graph::Graph;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{Decision, Inductive as _, Labels, Scores, Transductive as _};
use gaussfield_laplacian::Boundary;
use gaussfield_mixture::{
    Backbone, Components, Covariance, Covariances, Em, EmptyComponents, Family, Floor, Gaussian,
    KMeans, Keep, MembershipSearch, Mixture, Multinomial, Responsibilities, Undetermined,
    generalised_laplacian,
};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, ArrayView2};
use serde_json::{Map, Value, json};

/// λ_m = p(y = 1 | m): the second column.
fn positive(lambda: ArrayView2<'_, f64>) -> Value {
    list(&lambda.column(1).to_owned())
}

/// The files give λ_m alone; here is a row for each component.
fn two_columns(lambda: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn(
        (lambda.len(), 2),
        |(m, c)| {
            if c == 1 { lambda[m] } else { 1.0 - lambda[m] }
        },
    )
}

/// The paper's search: a pseudo-inverse where components are not determined.
fn search(alpha: f64) -> MembershipSearch {
    let undetermined = Undetermined::ClassZero;
    MembershipSearch { alpha, undetermined, ..MembershipSearch::default() }
}

/// f on the unlabelled nodes.
fn on_unlabelled(
    responsibilities: &Responsibilities,
    lambda: ArrayView2<'_, f64>,
    labels: &Labels,
) -> Result<Array1<f64>> {
    let all = responsibilities.product(lambda)?;
    Ok(labels.unlabelled().iter().map(|&i| all[[i, 1]]).collect())
}

/// Type `harmonic_mixture`: closed form, box, general α on a given R.
pub(crate) fn harmonic_mixture(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let graph = build(input)?.graph;
    let labels = labels(input, graph.nodes())?;
    let responsibilities = Responsibilities::dense(matrix(input, "R")?)?;
    let boundary = Boundary::new(graph.nodes(), &get::<Vec<usize>>(input, "labeled")?)?;
    let backbone = Backbone::new(&graph, &labels, &responsibilities)?;
    let f_u = |lambda: ArrayView2<'_, f64>| on_unlabelled(&responsibilities, lambda, &labels);

    let mut fields = Fields::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    let whole = generalised_laplacian(&graph, &boundary, &responsibilities)?;
    put("generalised_laplacian", rows(&whole));
    let free = backbone.closed_form(Undetermined::ClassZero)?.lambda;
    put("lambda_unconstrained", positive(free.view()));
    // The same under its name where components are redundant: the λ of least norm.
    put("lambda_pinv", positive(free.view()));
    put("f_u_unconstrained", list(&f_u(free.view())?));
    put("energy_unconstrained", json!(backbone.energy(free.view())?));
    let field = Harmonic::default().fit(&graph, &labels)?;
    let harmonic: Vec<f64> = field.interior().iter().map(|&i| field.class(1)[i]).collect();
    put("harmonic_f_u", json!(harmonic));
    // With redundant components the box has no one solution, and a case asks for none.
    if case.expected.contains_key("lambda_box") {
        let boxed = search(0.0).solve(&backbone, None)?;
        put("lambda_box", positive(boxed.lambda.view()));
        put("f_u_box", list(&f_u(boxed.lambda.view())?));
        put("energy_box", json!(boxed.energy));
    }

    let mut general = Vec::new();
    for alpha in get_opt::<Vec<f64>>(input, "alphas")?.unwrap_or_default() {
        let found = search(alpha).solve(&backbone, None)?;
        general.push(json!({
            "alpha": alpha,
            "lambda_": positive(found.lambda.view()),
            "f_u": list(&f_u(found.lambda.view())?),
            "objective": found.objective,
        }));
    }
    put("general", json!(general));
    let half = Array2::from_elem((backbone.components(), 2), 0.5);
    let (objective, gradient) = search(0.4).evaluate(&backbone, half.view())?;
    let slope = &gradient.column(1) - &gradient.column(0);
    put("at_half_alpha_0.4", json!({"objective": objective, "gradient": list(&slope)}));
    Ok(fields)
}

/// The start of an EM case and the kind of its components.
fn start(input: &Value) -> Result<(Family, Mixture)> {
    let gamma = Array1::from(get::<Vec<f64>>(input, "gamma")?);
    let lambda = two_columns(&get::<Vec<f64>>(input, "lambda")?);
    let gaussian = |covariance, covariances| -> Result<(Family, Components)> {
        let reg = get_opt(input, "reg")?.unwrap_or(0.0);
        let gaussian = Gaussian::new(matrix(input, "means")?, covariances)?;
        Ok((
            Family::Gaussian { covariance, reg: Floor::Variance(reg) },
            Components::Gaussian(gaussian),
        ))
    };
    let (family, components) = match get::<String>(input, "kind")?.as_str() {
        "full" => {
            let wrapped: Vec<Value> = get(input, "covs")?;
            let one = |cov: &Value| matrix(&json!({ "cov": cov }), "cov");
            let matrices = wrapped.iter().map(one).collect::<Result<_>>()?;
            gaussian(Covariance::Full, Covariances::Full(matrices))?
        }
        "diagonal" => {
            gaussian(Covariance::Diagonal, Covariances::Diagonal(matrix(input, "covs")?))?
        }
        "spherical" => {
            let variances = Array1::from(get::<Vec<f64>>(input, "covs")?);
            gaussian(Covariance::Spherical, Covariances::Spherical(variances))?
        }
        "tied" => gaussian(Covariance::Tied, Covariances::Tied(matrix(input, "covs")?))?,
        "multinomial" => {
            let words = Components::Multinomial(Multinomial::new(matrix(input, "eta")?)?);
            (Family::Multinomial { smooth: get(input, "smooth")? }, words)
        }
        other => bail!("components of kind {other:?} are not known"),
    };
    let names = vec!["0".to_owned(), "1".to_owned()];
    Ok((family, Mixture::new(gamma, components, lambda, names)?))
}

/// The parameters after some number of steps.
fn checkpoint(iteration: usize, mixture: &Mixture, log_likelihood: f64) -> Value {
    let mut fields = Map::new();
    fields.insert("iteration".into(), json!(iteration));
    fields.insert("gamma".into(), list(&mixture.gamma().to_owned()));
    fields.insert("lambda_".into(), positive(mixture.lambda()));
    fields.insert("log_likelihood".into(), json!(log_likelihood));
    match mixture.components() {
        Components::Gaussian(gaussian) => {
            fields.insert("means".into(), rows(&gaussian.means().to_owned()));
            let covariances = match gaussian.covariances() {
                Covariances::Full(matrices) => matrices.iter().map(rows).collect(),
                Covariances::Diagonal(matrix) | Covariances::Tied(matrix) => rows(matrix),
                Covariances::Spherical(variances) => list(variances),
            };
            fields.insert("covs".into(), covariances);
        }
        Components::Multinomial(multinomial) => {
            fields.insert("eta".into(), rows(&multinomial.word_probabilities().to_owned()));
        }
    }
    Value::Object(fields)
}

/// Type `mixture_em`: EM from a start, then the harmonic mixture.
pub(crate) fn em(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let points = points(input)?;
    let labels = labels(input, points.len())?;
    let (family, start) = start(input)?;
    let steps: Vec<usize> = get(input, "iterations")?;
    let mut checkpoints = Vec::new();
    let mut last = None;
    for &max_iterations in &steps {
        let em = Em {
            max_iterations,
            tolerance: 0.0,
            empty: EmptyComponents::Keep,
            ..Em::new(family, start.len())
        };
        let fit = em.run(&points, &labels, start.clone())?;
        let reached = fit.facts.log_likelihoods.last().copied().unwrap_or(f64::NAN);
        checkpoints.push(checkpoint(max_iterations, &fit.mixture, reached));
        last = Some(fit);
    }
    let fit = last.ok_or_else(|| anyhow!("no iteration is asked for"))?;
    let responsibilities = fit.mixture.responsibilities(&points, Keep::All)?;

    let mut fields = Fields::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("checkpoints", json!(checkpoints));
    put("log_likelihood_trace", json!(fit.facts.log_likelihoods));
    put("R", rows(&responsibilities.to_dense()));
    put("em_prob", list(&fit.mixture.predict(&points)?.class(1).to_owned()));
    let backbone = Backbone::new(&build(input)?.graph, &labels, &responsibilities)?;
    let found = search(0.0).solve(&backbone, Some(fit.mixture.lambda()))?;
    put("lambda_box", positive(found.lambda.view()));
    let f_u = on_unlabelled(&responsibilities, found.lambda.view(), &labels)?;
    put("f_u", list(&f_u));
    put("median_labels", json!(Decision::Median.decide(&Scores::binary(f_u.view())?)?));
    if input.get("X_new").is_some() {
        let new = Points::dense(matrix(input, "X_new")?)?;
        let mixture = fit.mixture.with_lambda(found.lambda)?;
        put("f_new", list(&mixture.predict(&new)?.class(1).to_owned()));
    }
    Ok(fields)
}

/// Type `hard_clustering`: k-means on the unlabelled points, then the backbone of the clusters.
pub(crate) fn hard_clustering(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let points = points(input)?;
    let graph: Graph = build(input)?.graph;
    let labels = labels(input, points.len())?;
    let unlabelled = labels.unlabelled();
    let centres = matrix(input, "centres")?;
    let kmeans = KMeans::new(centres.nrows());
    let clusters = kmeans.fit_from(&points.select(&unlabelled)?, centres)?;
    // The rows of labelled nodes do not enter the backbone.
    let mut assignment = vec![0; points.len()];
    for (&node, &cluster) in unlabelled.iter().zip(&clusters.assignment) {
        assignment[node] = cluster;
    }
    let responsibilities = Responsibilities::hard(&assignment, kmeans.clusters)?;
    let boundary = Boundary::new(graph.nodes(), &get::<Vec<usize>>(input, "labeled")?)?;
    let mut weights = generalised_laplacian(&graph, &boundary, &responsibilities)?;
    weights.mapv_inplace(|w| 0.0 - w);
    weights.diag_mut().fill(0.0);
    let backbone = Backbone::new(&graph, &labels, &responsibilities)?;
    let found = search(0.0).solve(&backbone, None)?;
    let mut fields = Fields::new();
    fields.insert("assignment".into(), json!(clusters.assignment));
    fields.insert("centres".into(), rows(&clusters.centres));
    fields.insert("backbone_weights".into(), rows(&weights));
    fields.insert("lambda_".into(), positive(found.lambda.view()));
    Ok(fields)
}

/// Type `sample_baseline`: harmonic on a sample, averages elsewhere.
pub(crate) fn sample_baseline(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let graph = build(input)?.graph;
    let labels = labels(input, graph.nodes())?;
    let sample: Vec<usize> = get(input, "sample")?;
    let fit = SampleBaseline::default().fit(&graph, &labels, &sample)?;
    let mut fields = Fields::new();
    fields.insert("f".into(), list(&fit.scores().class(1).to_owned()));
    Ok(fields)
}

//! Cases about weights and harmonic functions.

use crate::Fields;
use crate::graphs::{Built, build, get, get_opt};
use crate::schema::Case;
use anyhow::{Context as _, Result, bail};
use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_harmonic::{Consistency, Dongles, Field, Harmonic, HarmonicError};
use gaussfield_labels::{
    ClassPrior, Decision, Labels, Scores, Transductive as _, class_mass_normalise,
};
use gaussfield_laplacian::{Laplacian, components};
use ndarray::{Array1, Array2};
use serde_json::{Value, json};

/// Type `weights`: the graph alone.
pub(crate) fn weights(case: &Case) -> Result<Fields> {
    let built = build(&case.input)?;
    let mut fields = described(&built)?;
    let spectrum = |kind: Laplacian| kind.eigenvalues(&built.graph, Budget::default());
    fields.insert("laplacian_eigenvalues".into(), list(&spectrum(Laplacian::Combinatorial)?));
    fields.insert("normalised_eigenvalues".into(), list(&spectrum(Laplacian::Symmetric)?));
    fields.insert("components".into(), json!(components(&built.graph).count));
    Ok(fields)
}

/// Type `harmonic`: the field, its decisions, dongles and local-and-global consistency.
pub(crate) fn harmonic(case: &Case) -> Result<Fields> {
    let input = &case.input;
    let built = build(input)?;
    let graph = &built.graph;
    let labels = labels(input, graph.nodes())?;
    let mut fields = described(&built)?;
    let unlabelled = labels.unlabelled();
    fields.insert("unlabeled".into(), json!(unlabelled));

    match Harmonic::default().fit(graph, &labels) {
        Ok(field) => solved(&mut fields, graph, &labels, &field)?,
        Err(HarmonicError::ComponentWithoutLabel { nodes })
            if case.expected.contains_key("error") =>
        {
            fields.insert("error".into(), json!("component_without_label"));
            fields.insert("nodes".into(), json!(nodes));
        }
        Err(other) => return Err(other.into()),
    }
    if let Some(spec) = input.get("dongle").filter(|spec| !spec.is_null()) {
        let outside: Vec<f64> = get(spec, "h")?;
        let outside = Scores::binary(Array1::from(outside).view())?;
        let dongles =
            Dongles::on_unlabelled(outside, get(spec, "eta")?)?.with_self_loops(built.self_loop)?;
        let field = Harmonic::default().fit_with_dongles(graph, &labels, &dongles)?;
        let values: Vec<f64> = unlabelled.iter().map(|&i| field.class(1)[i]).collect();
        fields.insert("dongle_f".into(), json!(values));
    }
    if let Some(alpha) = get_opt(input, "llgc_alpha")? {
        let method = Consistency { alpha, ..Consistency::default() };
        let field = method.fit(graph, &labels)?;
        let mass = field.mass().context("consistency is not a distribution by itself")?;
        let values = &field.values() * &mass.insert_axis(ndarray::Axis(1));
        fields.insert("llgc".into(), rows(&values));
    }
    Ok(fields)
}

/// The field of every class and what is decided from it.
fn solved(fields: &mut Fields, graph: &Graph, labels: &Labels, field: &Field) -> Result<()> {
    fields.insert("F".into(), rows(&field.values().to_owned()));
    let argmax = Decision::Argmax.decide(&Scores::new(field.values().to_owned())?)?;
    fields.insert("argmax".into(), json!(argmax));
    let prior = ClassPrior::add_one(labels)?;
    fields.insert("q".into(), json!(prior.as_slice()));
    if labels.classes() == 2 {
        fields.insert("f".into(), list(&field.class(1).to_owned()));
        fields.insert("energy".into(), json!(field.energies(graph)[1]));
    }
    if !field.interior().is_empty() {
        decided(fields, &field.interior_scores()?, &prior)?;
    }
    Ok(())
}

/// Decisions on the unlabelled nodes.
fn decided(fields: &mut Fields, scores: &Scores, prior: &ClassPrior) -> Result<()> {
    if scores.classes() == 2 {
        fields.insert("thresh".into(), json!(Decision::Argmax.decide(scores)?));
    }
    let normalised = class_mass_normalise(scores, prior)?;
    if !normalised.zero_mass.is_empty() {
        fields.insert("cmn_labels".into(), Value::Null);
        return Ok(());
    }
    let values = normalised.scores.values().to_owned();
    fields.insert("cmn_labels".into(), json!(Decision::ClassMass(prior.clone()).decide(scores)?));
    fields.insert("cmn_margin".into(), json!(margin(&values)));
    fields.insert("cmn_prob".into(), rows(&values));
    Ok(())
}

/// The smallest lead of the best class over the second.
fn margin(values: &Array2<f64>) -> f64 {
    let lead = |row: ndarray::ArrayView1<'_, f64>| {
        let mut sorted = row.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted[0] - sorted[1]
    };
    values.rows().into_iter().map(lead).fold(f64::INFINITY, f64::min)
}

/// Labelled nodes and their classes, `0..classes-1`.
pub(crate) fn labels(input: &Value, nodes: usize) -> Result<Labels> {
    let labelled: Vec<usize> = get(input, "labeled")?;
    let given: Vec<usize> = get(input, "labels")?;
    let classes = get_opt::<usize>(input, "classes")?.unwrap_or(2);
    if labelled.len() != given.len() {
        bail!("{} labelled nodes but {} labels", labelled.len(), given.len());
    }
    let mut of = vec![None; nodes];
    for (&node, &class) in labelled.iter().zip(&given) {
        match of.get_mut(node) {
            Some(place) => *place = Some(class),
            None => bail!("labelled node {node} is past the {nodes} nodes"),
        }
    }
    Ok(Labels::new(of, (0..classes).map(|c| c.to_string()).collect())?)
}

/// Degrees, edges and weights, with the self-loops the case counts.
fn described(built: &Built) -> Result<Fields> {
    let mut weights = built.graph.to_dense(Budget::default())?;
    weights.diag_mut().fill(built.self_loop);
    let mut fields = Fields::new();
    fields.insert("degrees".into(), list(&(built.graph.degrees() + built.self_loop)));
    fields.insert("edges".into(), json!(built.graph.edges()));
    fields.insert("W".into(), rows(&weights));
    Ok(fields)
}

/// A vector as JSON.
pub(crate) fn list(values: &Array1<f64>) -> Value {
    json!(values.to_vec())
}

/// A matrix as a JSON list of rows.
pub(crate) fn rows(values: &Array2<f64>) -> Value {
    json!(values.rows().into_iter().map(|row| row.to_vec()).collect::<Vec<_>>())
}

//! Section 3: what the text states of the method, checked on one Swiss roll.

use super::methods::{harmonic, harmonic_mixture};
use super::synthetic::roll_of;
use crate::{Context, Trial};
use anyhow::Result;
use gaussfield_labels::Transductive as _;
use gaussfield_laplacian::Boundary;
use gaussfield_mixture::{
    Assignment, Backbone, Em, KMeans, Keep, MembershipSearch, Prototypes, Responsibilities,
    Undetermined, generalised_laplacian,
};
use gaussfield_report::{Claim, ClaimKind};
use ndarray::{Array2, Axis};
use rand::RngExt as _;

const EXPERIMENT: &str = "section3";
const COMPONENTS: usize = 36;

pub(super) fn run(ctx: &mut Context) -> Result<()> {
    let trial = Trial::new(ctx.options().seed, EXPERIMENT, 0);
    let (task, visible) = roll_of(&trial)?;
    let em = Em { components: COMPONENTS, seed: trial.seed("components"), ..task.em };
    let mixture = em.fit(&task.points, &visible)?.mixture;
    let soft = mixture.responsibilities(&task.points, Keep::All)?;
    let backbone = Backbone::new(&task.graph, &visible, &soft)?;
    let clusters = KMeans { seed: trial.seed("clusters"), ..KMeans::new(COMPONENTS) };
    let clusters = clusters.fit(&task.points)?;
    let hard = Responsibilities::hard(&clusters.assignment, COMPONENTS)?;

    let convex = convexity(&trial, &backbone)?;
    let boundary = Boundary::new(task.graph.nodes(), &visible.labelled())?;
    let laplacian = generalised_laplacian(&task.graph, &boundary, &soft)?;
    let size = laplacian.fold(0.0_f64, |top, x| top.max(x.abs()));
    let sums = laplacian.sum_axis(Axis(1)).fold(0.0_f64, |top, x| top.max(x.abs())) / size;
    let sums = [sums, (&laplacian - &laplacian.t()).fold(0.0_f64, |t, x| t.max(x.abs())) / size];
    let supernodes = generalised_laplacian(&task.graph, &boundary, &hard)?;
    let weights = super_weights(&task.graph, &visible.labelled(), &clusters.assignment);
    let wrong = (&supernodes + &weights)
        .indexed_iter()
        .filter(|((s, t), _)| s != t)
        .fold(0.0_f64, |top, (_, x)| top.max(x.abs()))
        / weights.fold(0.0_f64, |top, &x| top.max(x));
    let closed =
        Backbone::new(&task.graph, &visible, &hard)?.closed_form(Undetermined::default())?;
    let (low, high) = closed.lambda.fold((1.0_f64, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
    let same = as_many_as_points(&task, &visible)?;

    ctx.report.section(
        "Section 3: the method",
        format!(
            "One Swiss roll as in Figure 1, {COMPONENTS} components by EM, and as many clusters by \
             k-means. These statements are mathematics: they hold up to rounding or the code is \
             wrong."
        ),
    );
    ctx.report.kind(ClaimKind::Identity);
    let claim = |id: &str, place: &str, text: &str| Claim::new(id, place, text);
    ctx.report
        .claim(
            claim("sec3-convex", "Section 3.1", "the objective is convex in λ for every α")
                .paper("convex")
                .ours_value(format!("{convex} of 400 pairs violate it"))
                .holds_if(convex == 0, "mid-points of random pairs of λ, α = 0, 0.1, 0.5, 1"),
        )
        .claim(
            claim("sec3-row-sums", "Section 3.3", "the generalised Laplacian has zero row sums")
                .paper(0.0)
                .ours(sums[0], None)
                .holds_if(
                    sums[0] <= 1e-10 && sums[1] <= 1e-10,
                    format!(
                        "largest row sum beside the largest entry; asymmetry {:.1e}; asked for \
                         10⁻¹⁰",
                        sums[1]
                    ),
                ),
        )
        .claim(
            claim(
                "sec3-supernodes",
                "Section 3.3",
                "with hard clusters the backbone weights are sums of the graph's",
            )
            .paper(0.0)
            .ours(wrong, None)
            .holds_if(wrong <= 1e-10, "largest difference beside the largest; asked for 10⁻¹⁰"),
        )
        .claim(
            claim(
                "sec3-hard-bounds",
                "Section 3.3",
                "with hard clusters the closed form (5) satisfies the constraints",
            )
            .paper("in [0, 1]")
            .ours_value(format!("{low:.4} to {high:.4}"))
            .holds_if(low >= -1e-9 && high <= 1.0 + 1e-9, "no bound was enforced"),
        )
        .claim(
            claim(
                "sec41-all",
                "Section 4.1",
                "with M = u the harmonic mixture approaches the harmonic function",
            )
            .paper("approaches")
            .ours(same, None)
            .holds_if(
                same <= 1e-8,
                "largest difference with one component for each point; asked for 10⁻⁸",
            ),
        );
    Ok(())
}

/// How many of 400 random pairs of memberships have a mid-point above their chord.
fn convexity(trial: &Trial, backbone: &Backbone) -> Result<usize> {
    let mut rng = trial.rng("memberships");
    let mut draw = || {
        let first: Vec<f64> = (0..backbone.components()).map(|_| rng.random::<f64>()).collect();
        Array2::from_shape_fn(
            (first.len(), 2),
            |(m, y)| {
                if y == 1 { first[m] } else { 1.0 - first[m] }
            },
        )
    };
    let mut violations = 0;
    for alpha in [0.0, 0.1, 0.5, 1.0] {
        let search = MembershipSearch { alpha, ..MembershipSearch::default() };
        for _ in 0..100 {
            let (a, b) = (draw(), draw());
            let value = |lambda: &Array2<f64>| search.evaluate(backbone, lambda.view());
            let (low, high) = (value(&a)?.0, value(&b)?.0);
            let middle = value(&(0.5 * (&a + &b)))?.0;
            let rounding = 1e-12 * (low.abs() + high.abs());
            violations += usize::from(middle > 0.5 * (low + high) + rounding);
        }
    }
    Ok(violations)
}

/// Σ w_ij over pairs of a cluster, or a labelled node, and another: labelled nodes first.
fn super_weights(
    graph: &gaussfield_graph::Graph,
    labelled: &[usize],
    assignment: &[usize],
) -> Array2<f64> {
    let l = labelled.len();
    let of = |node: usize| {
        labelled.iter().position(|&known| known == node).unwrap_or(l + assignment[node])
    };
    let clusters = assignment.iter().max().map_or(0, |&last| last + 1);
    let mut weights = Array2::zeros((l + clusters, l + clusters));
    for node in 0..graph.nodes() {
        let from = of(node);
        graph.for_each_neighbour(node, |other, weight| weights[[from, of(other)]] += weight);
    }
    weights
}

/// The largest difference to the harmonic function with a component at every point.
fn as_many_as_points(task: &super::task::Task, visible: &gaussfield_labels::Labels) -> Result<f64> {
    let all = Prototypes::new(task.points.to_dense(), Assignment::Hard)?;
    let fit = harmonic_mixture().fit(&task.points, &task.graph, visible, all)?;
    let field = harmonic()?.fit(&task.graph, visible)?;
    let gap = &fit.scores().class(1) - &field.class(1);
    Ok(gap.fold(0.0_f64, |top, g| top.max(g.abs())))
}

//! What the report states of its process in formulas: the limit of large σ, and how alignment and
//! evidence differ.

use super::study::{Case, all};
use super::task::{POSITIVE, Task};
use crate::Context;
use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_core::dense::Spd;
use gaussfield_gp::{
    Flip, GaussianProcess, GivenCovariance, GraphPrior, Observed, Prior as _, alignment,
};
use gaussfield_graph::{Graph, Symmetry, Unweighted, WeightFamily as _};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Islands, Labels};
use gaussfield_report::format::number;
use gaussfield_report::{Claim, ClaimKind};
use ndarray::{Axis, array};
use std::f64::consts::LN_2;

/// Neighbours of the graph on which the limit is taken.
const NEIGHBOURS: usize = 10;
/// σ, each ten times as large as the one before.
const SIGMAS: [f64; 4] = [1e1, 1e2, 1e3, 1e4];
/// As good as no noise beside variances of one and more.
const NO_NOISE: f64 = 1e-9;
/// How far the field at the largest σ may be from the harmonic function.
const EQUAL: f64 = 1e-4;

/// The largest differences between the process and the harmonic function, for every σ.
pub(super) fn limit(task: &Task) -> Result<Vec<f64>> {
    let pattern = task.neighbours.pattern(NEIGHBOURS, Symmetry::Either)?;
    let graph = Unweighted.graph(&pattern, Budget::default())?;
    let Some(set) = task.sets.first() else { return Ok(Vec::new()) };
    gaps(&graph, &task.truth.keep(set.observed.nodes())?)
}

fn gaps(graph: &Graph, visible: &Labels) -> Result<Vec<f64>> {
    let islands = Islands::Prior(ClassPrior::uniform(2)?);
    let field = Harmonic { islands, ..Harmonic::default() }.fit(graph, visible)?;
    let observed = Observed::one_against_rest(visible, POSITIVE)?;
    let targets = observed.targets();
    let gap = |&sigma: &f64| -> Result<f64> {
        let prior = GraphPrior::regularised(super::look::BETA, sigma).on(graph)?;
        // The mean K[:, L] (K_LL + noise·I)⁻¹ t in closed form: the search for a mode cannot tell a
        // step from rounding beside variances of σ²/β.
        let columns = prior.columns(observed.nodes())?.values;
        let mut gram = columns.select(Axis(0), observed.nodes());
        gram.diag_mut().mapv_inplace(|variance| variance + NO_NOISE);
        let latent = columns.dot(&Spd::factorise(gram)?.solve_vector(&targets.to_owned()));
        let reached = field.interior().iter().filter(|node| !field.islands().contains(node));
        let of = |&node: &usize| (latent[node] - (2.0 * field.class(POSITIVE)[node] - 1.0)).abs();
        Ok(reached.map(of).fold(0.0, f64::max))
    };
    SIGMAS.iter().map(gap).collect()
}

/// Alignment with the labels (1, −1) and log evidence under a step, of a kernel of two points.
fn of_pair(first: f64, between: f64, second: f64) -> Result<(f64, f64)> {
    let prior = || GivenCovariance::new(array![[first, between], [between, second]]);
    let observed = Observed::new(&[0, 1], &[1.0, -1.0])?;
    let aligned = alignment(&prior()?, &observed)?.value;
    let posterior = GaussianProcess::ep(Flip { epsilon: 0.0 }).fit(prior()?, &observed)?;
    Ok((aligned, posterior.log_evidence()))
}

/// Both identities.
pub(super) fn run(ctx: &mut Context, cases: &[Case]) -> Result<()> {
    let limits = all(cases).find_map(|study| study.limits.as_deref()).unwrap_or(&[]);
    ctx.report.section(
        "Sections 2 and 3 in formulas",
        format!(
            "The limit: the field of the process with Gaussian noise of variance {NO_NOISE:e} is \
             compared with the harmonic function on {NEIGHBOURS} nearest neighbours of 1/2, with the \
             first label set, for growing σ. The example: two kernels on two points with the labels \
             (1, −1), their alignment and their evidence under a step, by expectation propagation."
        ),
    );
    ctx.report.statement(
        "Sections 3 and appendix A",
        "The harmonic function is the limiting case σ² → ∞ without a noise model. The kernel \
         (1, −1; −1, 1) aligns better with the labels (1, −1) than (1, −0.6; −0.6, 0.36), but both \
         maximise the evidence of a step.",
    );
    let words: Vec<String> =
        SIGMAS.iter().zip(limits).map(|(s, gap)| format!("{} at σ = {s}", number(*gap))).collect();
    let claim = Claim::new(
        "limit-harmonic",
        "Appendix A, (18)",
        "the harmonic function is the limit σ² → ∞ without noise (largest difference)",
    )
    .of_kind(ClaimKind::Identity);
    ctx.report.claim(match limits.last() {
        None => claim.not_run("there is no task to take the limit on"),
        Some(&last) => claim.ours(last, None).holds_if(
            last <= EQUAL && limits.windows(2).all(|pair| pair[1] < pair[0]),
            format!("{}; asked to fall, and to at most {EQUAL:e}", words.join(", ")),
        ),
    });
    let (first, second) = (of_pair(1.0, -1.0, 1.0)?, of_pair(1.0, -0.6, 0.36)?);
    ctx.report.claim(
        Claim::new(
            "alignment-better",
            "Section 3",
            "the first kernel aligns better with the labels than the second",
        )
        .of_kind(ClaimKind::Identity)
        .paper("better")
        .ours_value(format!("{:.3} and {:.3}", first.0, second.0))
        .holds_if(first.0 > second.0, "the cosine between the kernel and the target"),
    );
    let off = (first.1 + LN_2).abs().max((second.1 + LN_2).abs());
    ctx.report.claim(
        Claim::new("alignment-evidence", "Section 3", "both kernels maximise the evidence of a step")
            .of_kind(ClaimKind::Identity)
            .paper("both")
            .ours_value(format!("{:.4} and {:.4}", first.1, second.1))
            .holds_if(
                off <= STEP_ERROR,
                format!(
                    "no kernel gives two opposite labels more than log ½ = −0.6931, since the labels \
                     exchanged are as likely; asked to be within {STEP_ERROR} of it, by expectation \
                     propagation, which is no exact integral"
                ),
            ),
    );
    Ok(())
}

/// How far expectation propagation may be from the evidence of a step.
const STEP_ERROR: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_of_a_wide_process_is_harmonic() {
        let edges = (0..14).map(|i| (i, i + 1, 1.0)).chain([(0, 7, 0.5), (3, 12, 2.0)]);
        // Nodes 15 and 16 are an island.
        let graph = Graph::from_edges(17, edges.chain([(15, 16, 1.0)])).unwrap();
        let mut classes = vec![None; 17];
        (classes[2], classes[9], classes[14]) = (Some(0), Some(1), Some(0));
        let visible = Labels::new(classes, vec!["a".into(), "b".into()]).unwrap();
        let found = gaps(&graph, &visible).unwrap();
        // As 1/σ², until rounding.
        assert!(found[1] < 0.02 * found[0] && found[2] < 0.02 * found[1], "{found:?}");
        assert!(found[3] < 1e-6, "{found:?}");
    }

    #[test]
    fn two_kernels_align_differently_and_are_equally_evident() {
        let (first, second) = (of_pair(1.0, -1.0, 1.0).unwrap(), of_pair(1.0, -0.6, 0.36).unwrap());
        assert!((first.0 - 1.0).abs() < 1e-12 && (second.0 - 2.56 / 2.72).abs() < 1e-12);
        assert!((first.1 - second.1).abs() < 1e-6, "{first:?} {second:?}");
    }
}

//! Figure 3 left: the digits 1 and 2.

use super::curves::{Curves, TEN};
use super::{percent, radial, ranking, two_class_counts};
use crate::Context;
use crate::tasks::Digits;
use crate::zhu2003::digits::Task;
use anyhow::Result;
use gaussfield_baselines::NearestNeighbours;
use gaussfield_graph::Metric;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Decision, HeldOut, Inductive as _, Labels, Transductive as _};
use gaussfield_report::{Claim, Figure};

const METHODS: [&str; 4] = ["thresh", "CMN", "1NN", "RBF"];
/// The four methods, and what the text says of f besides.
const QUANTITIES: [&str; 8] = [
    "thresh",
    "CMN",
    "1NN",
    "RBF",
    "cut at q",
    "cut at true share",
    "share called 1 (%)",
    "mean f (%)",
];
const PLACE: &str = "Figure 3 left, section 7";
/// Below so many labels f hardly tells classes apart.
const FEW: usize = 20;
/// The class of the digit 1, as in the paper.
const ONE: usize = 1;

pub(super) fn run(ctx: &mut Context, digits: &Digits) -> Result<()> {
    let rows = digits.rows_of(&[1, 2]);
    let task = digits.task(&rows, &["2", "1"], |digit| usize::from(digit == 1))?;
    let counts = two_class_counts(ctx.quick());
    let curves = Curves::measure(
        ctx,
        "fig3-left",
        &digits.sigma(),
        (TEN, counts, QUANTITIES),
        &task.labels,
        |_, visible| measure(&task, visible),
    )?;
    let sizes = task.labels.counts();
    ctx.report.statement(
        PLACE,
        "On \"1\" against \"2\" (1100 images each) thresh performs poorly: f is generally close to \
         1, so most images are called \"1\". The ranking by f is useful all the same: with the \
         class prior the accuracy rises significantly, and most by CMN. Cutting the ranking at the \
         estimated class proportion instead is inferior to CMN, because that estimate errs.",
    );
    ctx.report.text(format!(
        "{} images of \"1\" and {} of \"2\". f is the harmonic function of \"1\". \"Cut at q\" \
         calls the q·u images of largest f \"1\", with q as for CMN; \"cut at true share\" does so \
         with the true number, which no method knows, to judge the ranking alone.",
        sizes[ONE],
        sizes[1 - ONE]
    ));
    let chart = curves.chart("\"1\" vs \"2\"", &METHODS)?;
    let caption = "Figure 3 left: accuracy on \"1\" against \"2\".";
    ctx.report
        .add_figure(Figure::of("fig3-left", caption, &chart)?.stand_in(digits.note.clone()))
        .table(curves.table(
            "fig3-left-table",
            "\"1\" against \"2\": accuracy on unlabelled images (%), mean ± standard deviation.",
            &QUANTITIES,
        )?);
    for claim in claims(&curves)? {
        ctx.report.claim(claim.not_run_if(digits.missing.as_deref()));
    }
    Ok(())
}

fn measure(task: &Task, visible: &Labels) -> Result<[f64; QUANTITIES.len()]> {
    let held_out = HeldOut::new(&task.labels, visible)?;
    let scores = Harmonic::default().fit(&task.graph, visible)?.interior_scores()?;
    let thresh = Decision::Argmax.decide(&scores)?;
    let prior = ClassPrior::add_one(visible)?;
    let nodes = held_out.len() as f64;
    let share =
        |classes: &[usize]| classes.iter().filter(|&&class| class == ONE).count() as f64 / nodes;
    let percent_by = |decision: Decision| percent(&held_out, &decision.decide(&scores)?);
    let nearest = NearestNeighbours::one(Metric::Euclidean).fit(&task.points, visible)?;
    let nearest = nearest.predict(&task.points.select(held_out.nodes())?)?;
    let rbf = radial(&task.graph, visible)?;
    Ok([
        percent(&held_out, &thresh)?,
        percent_by(Decision::ClassMass(prior.clone()))?,
        percent(&held_out, &nearest.argmax())?,
        percent(&held_out, rbf.classes())?,
        percent_by(Decision::Proportions(prior))?,
        ranking(&held_out, &scores)?,
        100.0 * share(&thresh),
        100.0 * scores.class(ONE).sum() / nodes,
    ])
}

fn claims(curves: &Curves) -> Result<Vec<Claim>> {
    let poor = curves.gain("1NN", "thresh")?;
    let (share, f) = (curves.over_grid("share called 1 (%)")?, curves.over_grid("mean f (%)")?);
    let prior = curves.gain("CMN", "thresh")?;
    let greatest = curves.gain_over_best("CMN", &["thresh", "1NN", "RBF"])?;
    let ranking = curves.gain("cut at true share", "thresh")?;
    let cut = curves.gain("CMN", "cut at q")?;
    let many = curves.gain_from(FEW, "CMN", "cut at q")?;
    let first = curves.counts().first().copied().unwrap_or_default();
    let of_first = curves.at("share called 1 (%)", first)?;
    let number = |method: &'static str, paper: f64, std: f64| -> Result<Claim> {
        Ok(Claim::new(
            format!("fig3-left-{}-92", method.to_lowercase()),
            "Table 1, row \"start\"",
            format!("with 92 labels and σ = 380, {method} reaches {paper:.2} ± {std:.2} %"),
        )
        .paper(paper)
        .over(curves.at(method, 92)?)
        .within_two_std(std))
    };
    Ok(vec![
        poor.above(
            0.0,
            Claim::new("fig3-left-thresh-poor", PLACE, "thresh performs poorly on \"1\" vs \"2\"")
                .paper("poor"),
        )
        .because(
            "poor is read as below 1NN, which sees the labelled images only; the number is by how \
             many points",
        ),
        Claim::new(
            "fig3-left-thresh-ones",
            PLACE,
            "f is generally close to 1, so the majority is called \"1\" (per cent called so)",
        )
        .paper("more than half")
        .ours(share.mean, share.std)
        .holds_if(
            share.mean > 50.0 && f.mean > 50.0,
            format!(
                "means over the numbers of labels: {:.1} % called \"1\", mean f {:.3}; with {first} \
                 labels {:.1} %; half of the images are \"1\"; asked for more than half of both",
                share.mean,
                f.mean / 100.0,
                of_first.mean
            ),
        ),
        ranking.above(
            0.0,
            Claim::new(
                "fig3-left-ranking",
                PLACE,
                "the relative ranking of f is useful (gain over thresh of a cut at the true share)",
            )
            .paper("useful"),
        ),
        prior.above(
            0.0,
            Claim::new(
                "fig3-left-prior",
                PLACE,
                "class prior information improves accuracy significantly (CMN over thresh, points)",
            )
            .paper("significant"),
        ),
        greatest.above(
            0.0,
            Claim::new(
                "fig3-left-cmn-greatest",
                PLACE,
                "the greatest improvement is by CMN (gain over the best other method, points)",
            )
            .paper("CMN is best"),
        )
        .because("the best of thresh, 1NN and RBF is compared"),
        cut.above(
            0.0,
            Claim::new(
                "fig3-left-cut",
                PLACE,
                "a threshold fitted to the estimated proportion q is inferior to CMN",
            )
            .paper("inferior"),
        )
        .explained(&format!(
            "the ranking by f is nearly perfect, so a cut loses no more than q errs, and CMN loses \
             most with few labels, where f is near 1 almost everywhere and 1 − f has little mass: \
             from {FEW} labels on CMN is {:+.2} ± {:.2} points above the cut (standard error). The \
             paper does not say for which numbers of labels it compared",
            many.mean,
            many.standard_error().unwrap_or(0.0)
        )),
        number("thresh", 94.70, 1.19)?,
        number("CMN", 97.25, 0.73)?,
    ])
}

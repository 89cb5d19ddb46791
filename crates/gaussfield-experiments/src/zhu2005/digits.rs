//! Section 4.2 and Figure 4 centre: "1" against "2" at 8 × 8 pixels.

use super::curves::{Curves, outperforms};
use super::methods::Bench;
use super::study::Study;
use super::task::{Kernel, Task, all_classes, gaussian_em};
use crate::tasks::{Digits as Images, halved};
use crate::{Context, Trial};
use anyhow::{Context as _, Result};
use gaussfield_data::split::{Split, Trials};
use gaussfield_labels::Labels;
use gaussfield_mixture::Covariance;
use gaussfield_points::Points;
use gaussfield_report::{Claim, ClaimKind, Figure};

const EXPERIMENT: &str = "fig4-digits";
const PLACE: &str = "Figure 4 centre, section 4.2";
/// σ on grey values 0 to 255.
const SIGMA: f64 = 140.0;
const NEIGHBOURS: usize = 10;
pub(super) const LABELS: usize = 10;
/// The number of components the text speaks of.
pub(super) const SIZE: usize = 150;
const SEEN: usize = 1600;

/// The digits, measured, and the labels of every trial.
pub(super) struct Digits {
    pub(super) study: Study,
    pub(super) drawn: Trials,
}

/// The labelled sets of all trials, up to `most` labels.
pub(super) fn draw_labels(
    ctx: &Context,
    truth: &Labels,
    trials: usize,
    most: usize,
) -> Result<Trials> {
    let seed = Trial::new(ctx.options().seed, EXPERIMENT, 0).seed("labels");
    Ok(Trials::draw(truth, trials, LABELS..=most, seed)?)
}

pub(super) fn run(ctx: &mut Context) -> Result<Digits> {
    let images = Images::load(ctx)?;
    let task = task(ctx, &images)?;
    let most = task.points.len() / 2;
    let grid: &[usize] =
        if ctx.quick() { &[50, 150] } else { &[10, 25, 50, 75, 100, 150, 200, 300, 400] };
    // As many draws as the sweep over α takes, which shares them.
    let trials = ctx.trial_count(20, 4);
    let drawn = draw_labels(ctx, &task.truth, trials, most.min(100))?;
    let parameters = (task.kernel, task.points.len());
    let curves = Curves::measure(ctx, EXPERIMENT, &parameters, (grid, trials), |trial| {
        let visible = drawn.split(trial.index(), LABELS)?.partial(&task.truth)?;
        Bench::new(&task, &visible, trial.seed("components"))?.run(grid)
    })?;
    ctx.report.section(
        "Figure 4 centre: \"1\" against \"2\"",
        format!(
            "{} images of 8 × 8 pixels as L ∪ U, {} kept aside, as many of either digit, always the \
             same ones; {LABELS} labels drawn anew in each of {trials} trials. {} Symmetrised \
             {NEIGHBOURS}-nearest-neighbour graph with weights exp(−d²/σ²), σ = {:.4}; spherical \
             components from a k-means start.",
            task.points.len(),
            task.unseen.len(),
            if images.missing.is_none() {
                "A pixel is the mean of 2 × 2 pixels of the USPS images, grey values 0 to 255."
            } else {
                "The images are those of the data named below, grey values 0 to 16."
            },
            task.kernel.sigma
        ),
    );
    ctx.report.statement(
        PLACE,
        "'HM' needs only M ≈ 150 to match 'graph', with a 150 × 150 system in place of 1590 × \
         1590, and outperforms 'sample' and 'EM', on unseen images too.",
    );
    let study = Study {
        id: EXPERIMENT,
        name: "\"1\" against \"2\"",
        task,
        labels: LABELS,
        size: SIZE,
        printed: images.missing.is_none().then_some(SIGMA),
        kind: ClaimKind::Own,
        curves,
        missing: images.missing,
        note: images.note,
    };
    show(ctx, &study)?;
    for claim in claims(&study)? {
        ctx.report.claim(claim.not_run_if(study.missing.as_deref()));
    }
    Ok(Digits { study, drawn })
}

/// The two figures and the table of a data set.
pub(super) fn show(ctx: &mut Context, study: &Study) -> Result<()> {
    let Study { id, name, curves, .. } = study;
    let chart = curves.chart(&format!("{name}, U"), &["graph", "HM", "sample", "EM"], "")?;
    let unseen = curves.chart(&format!("{name}, unseen"), &["HM", "sample", "EM"], ", unseen")?;
    let caption = format!("{name}: accuracy on the unlabelled points.");
    let figure = Figure::of(id, &caption, &chart)?.stand_in(study.note.clone());
    ctx.report.add_figure(figure);
    let caption = format!("{name}: accuracy on points kept aside.");
    let figure = Figure::of(&format!("{id}-unseen"), &caption, &unseen)?;
    ctx.report.add_figure(figure.stand_in(study.note.clone())).table(curves.table(
        &format!("{id}-table"),
        &format!("{name}: accuracy (%), mean ± standard deviation."),
        &[
            "graph",
            "HM",
            "sample",
            "EM",
            "EM by median",
            "HM, unseen",
            "sample, unseen",
            "EM, unseen",
        ],
    )?);
    Ok(())
}

fn task(ctx: &Context, digits: &Images) -> Result<Task> {
    // Class 1 of the task is the digit 2.
    let (images, truth) =
        digits.select(&digits.rows_of(&[1, 2]), &["1", "2"], |digit| digit - 1)?;
    let images = images.to_dense();
    let usps = digits.missing.is_none();
    let images = if usps { halved(&images, 16)? } else { images };
    let points = Points::dense(images)?;
    // As many of either digit; a smaller set is parted in the same shares.
    let each = truth.counts().into_iter().min().unwrap_or(0);
    let seen = if usps { SEEN / 2 } else { each * 8 / 11 };
    let seed = Trial::new(ctx.options().seed, EXPERIMENT, 0).seed("parts");
    let balanced = Split::per_class(&truth, each, seed)?.labelled().to_vec();
    let (points, truth) = (points.select(&balanced)?, truth.select(&balanced)?);
    let kept = Split::per_class(&truth, seen, seed)?.labelled().to_vec();
    let aside: Vec<usize> = (0..truth.len()).filter(|row| !kept.contains(row)).collect();
    let kernel = Kernel { neighbours: Some(NEIGHBOURS), sigma: SIGMA * digits.grey() };
    let seen = points.select(&kept)?;
    Ok(Task {
        graph: kernel.graph(&seen)?,
        em: gaussian_em(Covariance::Spherical),
        points: seen,
        truth: truth.select(&kept)?,
        unseen: points.select(&aside)?,
        unseen_truth: all_classes(&truth.select(&aside)?),
        counts: None,
        kernel,
    })
}

fn claims(study: &Study) -> Result<Vec<Claim>> {
    let curves = &study.curves;
    let unknowns = study.task.points.len() - study.labels;
    let claim = |id: &str, text: &str| Claim::new(format!("{EXPERIMENT}-{id}"), PLACE, text);
    let all = |_: usize| true;
    let at = curves.gain(("HM", "graph"), |m| m == SIZE)?;
    let graph = curves.at("graph", SIZE)?;
    let hm = curves.at("HM", SIZE)?;
    let enough =
        curves.threshold("HM", |curves| Ok(curves.mean_over("graph", |_| true)?.mean - 1.0))?;
    let (sample, sample_unseen) = (curves.ends("sample")?, curves.ends("sample, unseen")?);
    let gain = |better: &str, worse: &str| curves.gain((better, worse), all);
    let (em, em_unseen) = (curves.better_em("", all)?, curves.better_em(", unseen", all)?);
    let skew = gain("graph", "graph at ½")?;
    let over = "mean over the grid of M";
    Ok(vec![
        claim("match", "HM with M = 150 matches graph (HM less graph, points)")
            .paper("matches")
            .over(at)
            .similar(1.0)
            .because(&format!("HM {:.1} %, graph {:.1} %", hm.mean, graph.mean)),
        claim("needs", "HM needs only M ≈ 150 unknowns for it, instead of 1590")
            .paper(SIZE as f64)
            .over(enough)
            .within_two_of_ours_or(curves.step(SIZE))
            .opposite(unknowns as f64)
            .because(&format!(
                "least M from which on the mean of HM stays within 1 point of graph, which has \
                 {unknowns} unknowns; its deviation by drawing trials anew"
            ))
            .formerly("at most 225", enough.mean <= 225.0),
        outperforms(
            claim("sample", "HM outperforms sample on U (points)").paper("outperforms"),
            gain("HM", "sample")?,
            over,
        )
        .explained(&sample),
        outperforms(
            claim("em", "HM outperforms EM on U (points)").paper("outperforms"),
            gain("HM", &em)?,
            &format!("{over}, against {em}"),
        ),
        outperforms(
            claim("sample-unseen", "HM is better than sample on unseen images (points)")
                .paper("better"),
            gain("HM, unseen", "sample, unseen")?,
            over,
        )
        .explained(&sample_unseen),
        outperforms(
            claim("em-unseen", "HM is better than EM on unseen images (points)").paper("better"),
            gain("HM, unseen", &em_unseen)?,
            &format!("{over}, against {em_unseen}"),
        ),
        outperforms(
            Claim::new(
                "fig4-digits-median",
                "Section 4.1",
                "the harmonic function sometimes skews to 0 or 1; the median corrects it (points)",
            )
            .paper("corrected"),
            skew,
            "graph cut at its median less graph cut at ½, on \"1\" against \"2\"",
        ),
    ])
}

/// The labels of a trial, as many as asked for.
pub(super) fn visible(digits: &Digits, trial: &Trial, labels: usize) -> Result<Labels> {
    let split = digits.drawn.split(trial.index(), labels);
    split.context("labels of a trial")?.partial(&digits.study.task.truth).context("labels")
}

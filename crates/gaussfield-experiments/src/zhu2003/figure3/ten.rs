//! Figure 3 middle: all ten digits.

use super::curves::{Curves, TEN};
use super::percent;
use super::radial;
use crate::tasks::Digits;
use crate::zhu2003::digits::Task;
use crate::{Context, Trial};
use anyhow::Result;
use gaussfield_baselines::NearestNeighbours;
use gaussfield_graph::Metric;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Decision, HeldOut, Inductive as _, Labels, Transductive as _};
use gaussfield_report::{Claim, Figure};

const METHODS: [&str; 4] = ["thresh", "CMN", "RBF", "1NN"];
/// Images of the digits 0 to 9.
const UNBALANCED: [usize; 10] = [455, 213, 129, 100, 754, 970, 275, 585, 166, 353];
const BALANCED: [usize; 10] = [400; 10];
const NAMES: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
const PLACE: &str = "Figure 3 middle, section 7";

pub(super) fn run(ctx: &mut Context, digits: &Digits) -> Result<()> {
    let quick = ctx.quick();
    let counts: &[usize] =
        if quick { &[20, 50, 100] } else { &[20, 30, 40, 50, 60, 70, 80, 90, 100] };
    let (unbalanced, total) = measure(ctx, digits, "fig3-middle", &UNBALANCED, counts)?;
    let few: &[usize] = if quick { &[20, 100] } else { &[20, 50, 100] };
    let (balanced, _) = measure(ctx, digits, "fig3-middle-balanced", &BALANCED, few)?;
    ctx.report.statement(
        PLACE,
        "All ten digits with intentionally unbalanced class sizes (455, 213, 129, 100, 754, 970, \
         275, 585, 166 and 353 images of \"0\" to \"9\"): CMN again improves on thresh by \
         incorporating class priors. Results on balanced classes are similar.",
    );
    ctx.report.text(format!(
        "{total} images, a random part of each class, the same in all trials. One harmonic \
         function for each class; multi-class CMN scales each to the mass its class prior asks \
         for. Beside it, fewer numbers of labels with 400 images of each digit."
    ));
    let caption = "Figure 3 middle: accuracy on ten digits of unbalanced class sizes.";
    let chart = unbalanced.chart("Ten digits", &METHODS)?;
    ctx.report
        .add_figure(Figure::of("fig3-middle", caption, &chart)?.stand_in(digits.note.clone()))
        .table(unbalanced.table(
            "fig3-middle-table",
            "Ten digits, unbalanced: accuracy on unlabelled images (%), mean ± standard deviation.",
            &METHODS,
        )?)
        .table(balanced.table(
            "fig3-middle-balanced-table",
            "Ten digits, 400 images each: accuracy on unlabelled images (%).",
            &METHODS,
        )?);
    for (id, text, curves) in [
        ("fig3-middle-prior", "CMN again improves performance by incorporating priors", unbalanced),
        ("fig3-middle-balanced", "the results on a balanced data set are similar", balanced),
    ] {
        let gain = curves.gain("CMN", "thresh")?;
        let text = format!("{text} (CMN over thresh, points)");
        let claim = gain.above(0.0, Claim::new(id, PLACE, text).paper("improves"));
        ctx.report.claim(claim.not_run_if(digits.missing.as_deref()));
    }
    Ok(())
}

/// The curves on so many images of each digit, and how many images there are.
fn measure(
    ctx: &Context,
    digits: &Digits,
    experiment: &str,
    sizes: &[usize; 10],
    counts: &[usize],
) -> Result<(Curves, usize)> {
    let rows = digits.draw(sizes, &Trial::new(ctx.options().seed, experiment, 0));
    let task = digits.task(&rows, &NAMES, |digit| digit)?;
    let curves = Curves::measure(
        ctx,
        experiment,
        &(digits.sigma(), sizes),
        (TEN, counts, METHODS),
        &task.labels,
        |_, visible| accuracies(&task, visible),
    )?;
    Ok((curves, rows.len()))
}

fn accuracies(task: &Task, visible: &Labels) -> Result<[f64; METHODS.len()]> {
    let held_out = HeldOut::new(&task.labels, visible)?;
    let scores = Harmonic::default().fit(&task.graph, visible)?.interior_scores()?;
    let prior = Decision::ClassMass(ClassPrior::add_one(visible)?);
    let nearest = NearestNeighbours::one(Metric::Euclidean).fit(&task.points, visible)?;
    let nearest = nearest.predict(&task.points.select(held_out.nodes())?)?;
    let rbf = radial(&task.graph, visible)?;
    Ok([
        percent(&held_out, &Decision::Argmax.decide(&scores)?)?,
        percent(&held_out, &prior.decide(&scores)?)?,
        percent(&held_out, rbf.classes())?,
        percent(&held_out, &nearest.argmax())?,
    ])
}

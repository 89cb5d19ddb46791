//! Figure 3 right: odd against even digits, with an outside classifier on dongles.

use super::curves::{Curves, TEN};
use super::percent;
use crate::tasks::Digits;
use crate::zhu2003::digits::Task;
use crate::{Context, Trial};
use anyhow::Result;
use gaussfield_baselines::{Kernel, VotedPerceptron};
use gaussfield_harmonic::{Dongles, Harmonic};
use gaussfield_labels::{
    ClassPrior, Decision, HeldOut, Inductive as _, Labels, Scores, Transductive as _,
};
use gaussfield_report::{Claim, Figure};

const METHODS: [&str; 5] = ["VP", "thresh", "CMN", "thresh+VP", "CMN+VP"];
const PLACE: &str = "Figure 3 right, section 7.1";
/// The probability of walking to the dongle.
const ETA: f64 = 0.1;
const EPOCHS: usize = 10;
/// The second order polynomial (x·z + 1)².
const KERNEL: Kernel = Kernel::Polynomial { degree: 2, scale: 1.0, offset: 1.0 };

pub(super) fn run(ctx: &mut Context, digits: &Digits) -> Result<()> {
    let counts: &[usize] =
        if ctx.quick() { &[10, 100] } else { &[4, 10, 20, 30, 40, 50, 60, 80, 100] };
    let rows = digits.draw(&[400; 10], &Trial::new(ctx.options().seed, "fig3-right", 0));
    let task = digits.task(&rows, &["even", "odd"], |digit| digit % 2)?;
    let curves = Curves::measure(
        ctx,
        "fig3-right",
        &(digits.sigma(), ETA, EPOCHS, "(x.z+1)^2"),
        (TEN, counts, METHODS),
        &task.labels,
        |trial, visible| measure(&task, trial, visible),
    )?;
    ctx.report.statement(
        PLACE,
        "Odd against even digits, 400 images each. A voted perceptron (second order polynomial, 10 \
         epochs) is trained on the labelled images; its hard labels hang as dongles on the \
         unlabelled ones, with η = 0.1. The combination is more accurate than either method alone, \
         with and without CMN: each uses information the other lacks.",
    );
    ctx.report.text(format!(
        "{} images, the same in all trials. VP has the kernel (x·z + 1)² on the grey values as they \
         are, and an order of images drawn anew in each epoch.",
        rows.len()
    ));
    let chart = curves.chart("Odd vs even", &METHODS)?;
    let caption = "Figure 3 right: accuracy on odd against even digits, alone and combined.";
    ctx.report
        .add_figure(Figure::of("fig3-right", caption, &chart)?.stand_in(digits.note.clone()))
        .table(curves.table(
            "fig3-right-table",
            "Odd against even: accuracy on unlabelled images (%), mean ± standard deviation.",
            &METHODS,
        )?);
    for (id, both, alone) in
        [("fig3-right-thresh-vp", "thresh+VP", "thresh"), ("fig3-right-cmn-vp", "CMN+VP", "CMN")]
    {
        let gain = curves.gain_over_best(both, &[alone, "VP"])?;
        let text = format!("{both} is more accurate than {alone} and than VP alone (points)");
        let claim = gain
            .above(0.0, Claim::new(id, PLACE, text).paper("higher"))
            .because("the better of the two is compared");
        ctx.report.claim(claim.not_run_if(digits.missing.as_deref()));
    }
    Ok(())
}

fn measure(task: &Task, trial: &Trial, visible: &Labels) -> Result<[f64; METHODS.len()]> {
    let held_out = HeldOut::new(&task.labels, visible)?;
    let perceptron = VotedPerceptron { kernel: KERNEL, epochs: EPOCHS, seed: trial.seed("order") };
    let perceptron = perceptron.fit(&task.points, visible)?;
    // The unlabelled images in increasing order, as the dongles expect them.
    let outside = perceptron.predict(&task.points.select(held_out.nodes())?)?.argmax();
    let hard = Scores::one_hot(&outside, task.labels.classes())?;
    let dongles = Dongles::on_unlabelled(hard, ETA)?;
    let prior = Decision::ClassMass(ClassPrior::add_one(visible)?);
    let harmonic = Harmonic::default();
    let alone = harmonic.fit(&task.graph, visible)?.interior_scores()?;
    let both = harmonic.fit_with_dongles(&task.graph, visible, &dongles)?.interior_scores()?;
    Ok([
        percent(&held_out, &outside)?,
        percent(&held_out, &Decision::Argmax.decide(&alone)?)?,
        percent(&held_out, &prior.decide(&alone)?)?,
        percent(&held_out, &Decision::Argmax.decide(&both)?)?,
        percent(&held_out, &prior.decide(&both)?)?,
    ])
}

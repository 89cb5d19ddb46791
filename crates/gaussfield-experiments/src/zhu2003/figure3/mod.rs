//! Figure 3: handwritten digits.

pub(super) mod curves;
mod odd_even;
mod one_two;
mod other_pairs;
mod ten;

use crate::Context;
use crate::tasks::Digits;
use anyhow::Result;
use gaussfield_baselines::Rbf;
use gaussfield_graph::Graph;
use gaussfield_labels::metrics::accuracy;
use gaussfield_labels::{
    ClassPrior, Decision, HeldOut, Islands, Labels, Predictions, Scores, Transductive as _,
};

/// Numbers of labels for tasks of two classes.
pub(super) fn two_class_counts(quick: bool) -> &'static [usize] {
    if quick { &[4, 20, 92] } else { &[2, 4, 6, 10, 20, 30, 50, 70, 92, 100] }
}

/// Accuracy in per cent.
pub(super) fn percent(held_out: &HeldOut, predicted: &[usize]) -> Result<f64> {
    Ok(100.0 * accuracy(held_out, predicted)?)
}

/// The per cent of the predictions that fall to the most frequent class.
pub(super) fn largest_share(predicted: &[usize], classes: usize) -> f64 {
    let count = |class| predicted.iter().filter(|&&given| given == class).count();
    let most = (0..classes).map(count).max().unwrap_or(0);
    100.0 * most as f64 / predicted.len().max(1) as f64
}

/// The accuracy in per cent of a cut of the ranking at the true class sizes, which no method
/// knows: it judges the ranking alone.
pub(super) fn ranking(held_out: &HeldOut, scores: &Scores) -> Result<f64> {
    let share = held_out.truth().iter().sum::<usize>() as f64 / held_out.len() as f64;
    let truth = ClassPrior::given(vec![1.0 - share, share])?;
    percent(held_out, &Decision::Proportions(truth).decide(scores)?)
}

/// The classes of the unlabelled images by their weights to labelled ones; even where there is none.
fn radial(graph: &Graph, visible: &Labels) -> Result<Predictions> {
    let islands = Islands::Prior(ClassPrior::uniform(visible.classes())?);
    Ok(Rbf { islands }.fit(graph, visible)?.predictions(&Decision::Argmax)?)
}

/// All three sides.
pub(super) fn run(ctx: &mut Context, digits: &Digits) -> Result<()> {
    ctx.report.section(
        "Figure 3: handwritten digits",
        format!(
            "The paper's images have 16 × 16 pixels with grey values 0 to 255, and its σ is 380. \
             Here: a complete graph with weights exp(−d²/σ²) and σ = {:.4}. The paper prints no \
             table for this figure: the numbers of \
             labels were chosen here. Every trial draws labels at random for every number of them, again \
             if a class is missing, and all methods see the same labels. Accuracy is that on the unlabelled images. Bars and ± are one \
             standard deviation over trials.\n\n\
             thresh: the class with the largest harmonic function. CMN: class mass normalisation \
             with the class proportions of the labels, one added to each count. 1NN: the class of \
             the nearest labelled image. RBF: the class with the largest weight to its labelled \
             images.",
            digits.sigma()
        ),
    );
    one_two::run(ctx, digits)?;
    other_pairs::run(ctx, digits)?;
    ten::run(ctx, digits)?;
    odd_even::run(ctx, digits)
}

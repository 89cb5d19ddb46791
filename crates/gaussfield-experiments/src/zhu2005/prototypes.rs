//! Open question: can fast prototypes stand in for EM?

use super::study::Study;
use crate::Context;
use crate::report::{Cell, Figure, Table};
use anyhow::Result;

const SHOWN: [&str; 5] =
    ["graph", "HM", "k-means, hard", "k-means, 5 nearest", "anchors, 5 nearest"];
const FAST: [&str; 3] = ["k-means, hard", "k-means, 5 nearest", "anchors, 5 nearest"];

pub(super) fn run(ctx: &mut Context, studies: &[Study]) -> Result<()> {
    ctx.report.section(
        "Open question: prototypes instead of EM",
        "With α = 0 a harmonic mixture needs only the responsibilities R. Three fast ways to get \
         them: clusters of k-means (R is 0 or 1), k-means centres that share a point among the 5 \
         nearest by local weights, and unlabelled points drawn at random as anchors that do the \
         same. 'HM' is the mixture fitted by EM. All are cut at the median.",
    );
    ctx.report.statement(
        "Sections 4.4 and 6",
        "One need not use generative models: k-means could cluster the points first. Whether fast \
         prototype methods can replace EM is left open.",
    );
    let mut table = Table::new(
        "prototypes-table",
        "Less 'HM' at the paper's M, on U and on unseen points (points of accuracy, paired), and \
         seconds of the fit before the backbone.",
        [
            "data",
            "M",
            "prototypes",
            "U, less HM",
            "unseen, less HM",
            "seconds of EM",
            "seconds of k-means",
        ],
    );
    let mut answers = Vec::new();
    for study in studies {
        let curves = &study.curves;
        let title = format!("{}, U", study.name);
        let chart = curves.chart(&title, &SHOWN, "")?;
        let caption = format!("{}: prototypes against EM, accuracy on U.", study.name);
        let figure = Figure::of(&format!("prototypes-{}", study.id), &caption, &chart)?;
        ctx.report.add_figure(figure.stand_in(study.note.clone()));
        let size = study.size;
        let at = |m: usize| m == size;
        let mut best: Option<(&str, f64)> = None;
        for name in FAST {
            let gain = curves.gain((name, "HM"), at)?;
            let unseen = curves.gain((&format!("{name}, unseen"), "HM, unseen"), at)?;
            let clusters = name.starts_with("k-means");
            table.row([
                Cell::from(study.name),
                Cell::Number(size as f64, 0),
                Cell::from(name),
                Cell::of_trials(gain, 1),
                Cell::of_trials(unseen, 1),
                Cell::Number(curves.at("seconds of EM", size)?.mean, 3),
                if clusters {
                    Cell::Number(curves.at("seconds of k-means", size)?.mean, 3)
                } else {
                    Cell::Empty
                },
            ]);
            if best.is_none_or(|(_, known)| gain.mean > known) {
                best = Some((name, gain.mean));
            }
        }
        if let Some((name, gain)) = best {
            answers.push(format!("{}: {name}, {gain:+.1} points", study.name));
        }
    }
    ctx.report.table(table).text(format!(
        "Answer. The best prototypes beside HM by EM, at the paper's M: {}. Prototypes need no \
         density: where EM's components are a poor likeness of the points they can be better, and \
         they never fit worse than a clustering does. What they give up is the density p(x), and \
         with it α > 0 and BIC.",
        answers.join("; ")
    ));
    Ok(())
}

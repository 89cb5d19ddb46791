//! Open question: can fast prototypes stand in for EM?

use super::study::Study;
use crate::Context;
use anyhow::Result;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::{Cell, Figure, Table};

const SHOWN: [&str; 5] =
    ["graph", "HM", "k-means, hard", "k-means, 5 nearest", "anchors, 5 nearest"];
const FAST: [&str; 3] = ["k-means, hard", "k-means, 5 nearest", "anchors, 5 nearest"];

/// Standard errors asked of a difference: one chance in twenty that any of twelve comparisons
/// reaches it without one (Bonferroni, two-sided).
const CAUTION: f64 = 3.2;

pub(super) fn run(ctx: &mut Context, studies: &[Study]) -> Result<()> {
    ctx.report.section(
        "Open question: prototypes instead of EM",
        "A harmonic mixture needs only the responsibilities R. Three fast ways to get \
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
    let mut found: Vec<(&str, &str, MeanStd)> = Vec::new();
    let mut times = Vec::new();
    for study in studies {
        let curves = &study.curves;
        let title = format!("{}, U", study.name);
        let chart = curves.chart(&title, &SHOWN, "")?;
        let caption = format!("{}: prototypes against EM, accuracy on U.", study.name);
        let figure = Figure::of(&format!("prototypes-{}", study.id), &caption, &chart)?;
        ctx.report.add_figure(figure.stand_in(study.note.clone()));
        let size = study.size;
        let at = |m: usize| m == size;
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
            found.push((name, study.name, gain));
        }
        let seconds = |name: &str| -> Result<f64> { Ok(curves.at(name, size)?.mean) };
        let ratio = seconds("seconds of EM")? / seconds("seconds of k-means")?.max(1e-9);
        times.push(format!("{ratio:.1} on {}", study.name));
    }
    let answers: Vec<String> = FAST.iter().map(|name| summary(name, &found)).collect();
    ctx.report.table(table).text(format!(
        "Answer, at the paper's M on U, counting differences from {CAUTION} standard errors on \
         since there are {} comparisons. {}. EM with its start takes so many times as long as \
         k-means run to its end: {}. Prototypes have no density p(x), so BIC cannot choose their \
         number; α > 0 they take as mixtures do.",
        found.len(),
        answers.join(". "),
        times.join(", ")
    ));
    Ok(())
}

/// Where a kind of prototypes differs from HM by EM.
fn summary(kind: &str, found: &[(&str, &str, MeanStd)]) -> String {
    let own = || found.iter().filter(|entry| entry.0 == kind);
    let list = |sign: f64| -> Vec<String> {
        own()
            .filter(|(_, _, gain)| {
                MeanStd { mean: sign * gain.mean, ..*gain }.is_above(0.0, CAUTION)
            })
            .map(|(_, data, gain)| format!("{data} ({:+.1} points)", gain.mean))
            .collect()
    };
    let (better, worse) = (list(1.0), list(-1.0));
    let alike = own().count() - better.len() - worse.len();
    let named = |what: &str, list: &[String]| match list {
        [] => String::new(),
        some => format!(", {what} on {}", some.join(", ")),
    };
    format!(
        "{kind}: no clear difference on {alike} of {}{}{}",
        own().count(),
        named("better", &better),
        named("worse", &worse)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clear_differences_are_told() {
        let gains = |values: [f64; 4]| MeanStd::over(&values).unwrap();
        let found = [
            ("a", "roll", gains([2.0, 2.1, 1.9, 2.0])),
            ("a", "digits", gains([-3.0, -3.1, -2.9, -3.0])),
            ("a", "text", gains([-9.0, 9.0, -8.0, 9.0])),
            ("b", "roll", gains([5.0, 5.1, 4.9, 5.0])),
        ];
        let told = summary("a", &found);
        assert!(told.contains("no clear difference on 1 of 3"), "{told}");
        assert!(told.contains("better on roll (+2.0"), "{told}");
        assert!(told.contains("worse on digits (-3.0"), "{told}");
    }
}

//! Open question: how to choose M.

use super::curves::Curves;
use super::study::Study;
use crate::Context;
use anyhow::{Context as _, Result};
use gaussfield_mixture::{Criterion, Picked};
use gaussfield_report::plot::{LineChart, Series};
use gaussfield_report::{Cell, Figure, Table};

/// M is chosen as the least whose backbone error is within this of the lowest.
const SLACK: f64 = 0.02;

/// Numbers moved and stretched to reach from 0 (the least) to 1 (the largest).
fn unit(values: &[f64]) -> Vec<f64> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = (high - low).max(f64::MIN_POSITIVE);
    values.iter().map(|value| (value - low) / span).collect()
}

/// What a criterion picks from the means over trials.
fn pick(curves: &Curves, criterion: Criterion, quantity: &str) -> Result<(usize, Picked)> {
    let scores: Vec<(usize, f64)> =
        curves.grid().iter().copied().zip(curves.means(quantity)?).collect();
    let picked = criterion.pick(&scores).context("no M was run")?;
    Ok((scores[picked.position].0, picked))
}

pub(super) fn run(ctx: &mut Context, studies: &[Study]) -> Result<()> {
    ctx.report.section(
        "Open question: how many components",
        format!(
            "Two criteria that see no hidden label. BIC, −2 ln p(x) + k ln n, asks how well the \
             mixture describes the points. The backbone error is the root mean square of f by HM \
             less f by graph on U: it asks how well the mixture carries the harmonic function, and \
             needs one solve on the graph. M is then the least within {SLACK} of the lowest error. \
             In the figures each curve is stretched to reach from 0 to 1; low is good."
        ),
    );
    ctx.report.statement("Section 6", "To select M automatically is left open.");
    let mut table = Table::new(
        "choose-table",
        "M by either criterion and the accuracy of HM there (%), beside the best of the grid.",
        [
            "data",
            "M by BIC",
            "HM there",
            "M by backbone error",
            "HM there",
            "best M of the grid",
            "HM there",
            "graph",
        ],
    );
    let mut lost = (0.0_f64, 0.0_f64);
    let mut edges = Vec::new();
    for study in studies {
        let curves = &study.curves;
        let (bic, error, hm) =
            (curves.means("BIC")?, curves.means("backbone error")?, curves.means("HM")?);
        let wrong: Vec<f64> = hm.iter().map(|accuracy| 100.0 - accuracy).collect();
        let mut chart = LineChart::new("components M", "0 = lowest, 1 = highest").title(study.name);
        for (name, values) in
            [("BIC", &bic), ("backbone error", &error), ("error of HM on U", &wrong)]
        {
            let points = curves.grid().iter().map(|&m| m as f64).zip(unit(values));
            chart = chart.series(Series::new(name, points));
        }
        let caption = format!("{}: what the criteria see, and the error on U.", study.name);
        let figure = Figure::of(&format!("choose-{}", study.id), &caption, &chart)?;
        ctx.report.add_figure(figure.stand_in(study.note.clone()));
        let (by_bic, bic) = pick(curves, Criterion::Bic, "BIC")?;
        let slack = Criterion::Backbone { slack: SLACK };
        let (by_error, error) = pick(curves, slack, "backbone error")?;
        for (what, picked) in [("BIC", bic), ("the backbone error", error)] {
            if picked.at_edge {
                edges.push(format!("{what} on {}", study.name));
            }
        }
        let top = hm.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best = curves.grid().iter().zip(&hm).find(|&(_, &mean)| mean >= top);
        let best = best.map_or(0, |(&m, _)| m);
        let (at_bic, at_error) = (curves.at("HM", by_bic)?, curves.at("HM", by_error)?);
        lost.0 = lost.0.max(top - at_bic.mean);
        lost.1 = lost.1.max(top - at_error.mean);
        table.row([
            Cell::from(study.name),
            Cell::Number(by_bic as f64, 0),
            Cell::of_trials(at_bic, 1),
            Cell::Number(by_error as f64, 0),
            Cell::of_trials(at_error, 1),
            Cell::Number(best as f64, 0),
            Cell::of_trials(curves.at("HM", best)?, 1),
            Cell::of_trials(curves.at("graph", best)?, 1),
        ]);
    }
    let better = match lost {
        (bic, error) if error < bic => "the backbone error is the safer guide here",
        (bic, error) if bic < error => "BIC is the safer guide here",
        _ => "neither is the safer guide here",
    };
    let edges = match edges.as_slice() {
        [] => "No criterion has its lowest value at an edge of the grid.".to_owned(),
        some => format!(
            "Lowest at an edge of the grid, so that a wider one might give another M: {}.",
            some.join(", ")
        ),
    };
    ctx.report.table(table).text(format!(
        "Answer. Beside the best M of the grid, BIC costs at most {:.1} points of accuracy on these \
         data, the backbone error at most {:.1}: {better}. BIC is about the density alone and needs \
         no graph; the backbone error is about what the mixture is for, but asks for one solve of \
         the large system that a harmonic mixture saves. {edges}",
        lost.0, lost.1
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_stretched_to_the_unit_interval() {
        assert_eq!(unit(&[2.0, 6.0, 4.0]), [0.0, 1.0, 0.5]);
        assert_eq!(unit(&[3.0, 3.0]), [0.0, 0.0]);
    }
}

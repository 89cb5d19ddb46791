//! Figures 1, 2 and 5: evidence and tuned accuracy along one parameter.

use super::look::Outcome;
use super::scans::Family;
use super::study::{Case, Studied, Study, all};
use crate::Context;
use anyhow::Result;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::Figure;
use gaussfield_report::format::number;
use gaussfield_report::plot::{LineChart, Series};

/// The three figures.
pub(super) fn run(ctx: &mut Context, cases: &[Case]) -> Result<()> {
    for (family, title, statement) in [
        (
            Family::Neighbours,
            "Figure 1: kNN unweighted graphs",
            "A large range of small k's achieves high evidence and high accuracy. There is good \
             correlation between evidence and tuned accuracy. It appears that small k is good in \
             general.",
        ),
        (
            Family::Radius,
            "Figure 2: εNN unweighted graphs",
            "The evidence curves have a more zig-zag shape. The number of edges under the optimal \
             ε is much larger, sometimes by a few orders of magnitude, than that of the kNN graphs.",
        ),
        (
            Family::Exp,
            "Figure 5: exp weighted graphs",
            "This seems to be the worst among the four, perhaps because the exponential cannot \
             quickly kill off unwanted edges between different classes.",
        ),
    ] {
        ctx.report.section(
            title,
            "Left the evidence, right the tuned accuracy on unlabelled points. Lines: the mean \
             over label sets, and the first label set alone. Bars: one standard deviation over \
             label sets, at some places. The ring marks the parameter with the largest mean \
             evidence.",
        );
        ctx.report.statement("Section 4", statement);
        for study in all(cases) {
            if let Some(studied) = study.of(family) {
                pair(ctx, study, studied)?;
            }
        }
    }
    Ok(())
}

fn figure_of(family: Family) -> &'static str {
    match family {
        Family::Neighbours => "fig1",
        Family::Radius => "fig2",
        Family::Tanh => "fig3",
        Family::Exp => "fig5",
    }
}

fn pair(ctx: &mut Context, study: &Study, studied: &Studied) -> Result<()> {
    let family = studied.family;
    let evidence = studied.scan.mean(|outcome| outcome.evidence);
    let Some(best) = (0..evidence.len()).max_by(|&a, &b| evidence[a].total_cmp(&evidence[b]))
    else {
        return Ok(());
    };
    for (id, label, of) in [
        ("evidence", "evidence", (|outcome| outcome.evidence) as fn(&Outcome) -> f64),
        ("tuned", "tuned accuracy", |outcome| outcome.tuned),
    ] {
        let chart = chart(study, studied, label, of, best)?;
        let id = format!("{}-{}-{id}", figure_of(family), study.plan.id);
        let caption = format!("{} on {}: {label}.", family.name(), study.plan.name);
        ctx.report.add_figure(Figure::of(&id, &caption, &chart)?.stand_in(study.note.clone()));
    }
    Ok(())
}

fn chart(
    study: &Study,
    studied: &Studied,
    label: &str,
    of: fn(&Outcome) -> f64,
    best: usize,
) -> Result<LineChart> {
    let (family, places) = (studied.family, &studied.scan.0);
    let xs: Vec<f64> = places.iter().map(|place| place.parameters[0]).collect();
    let mean = studied.scan.mean(of);
    let joined =
        |values: &[f64]| xs.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>();
    let name = family.parameters()[0];
    let mut chart = LineChart::new(name, label)
        .title(format!("{}, {}", study.plan.name, family.name()))
        .series(Series::new("mean over label sets", joined(&mean)).smooth())
        .series(
            Series::new("first label set", joined(&studied.scan.of_set(0, of))).smooth().dashed(),
        );
    let mut bars = Vec::new();
    for index in spread_out(&xs, family != Family::Radius) {
        let values: Vec<f64> = places[index].look.sets.iter().map(of).collect();
        bars.push((xs[index], MeanStd::over(&values)?));
    }
    chart = chart.series(Series::of_trials("", bars).points_only().like(0));
    let words = format!("{name} = {}", number(xs[best]));
    chart = chart.mark(xs[best], mean[best], words).height(300);
    Ok(if family == Family::Radius { chart } else { chart.log_x() })
}

/// About nine places, evenly along the axis.
fn spread_out(xs: &[f64], log: bool) -> Vec<usize> {
    let on_axis = |x: f64| if log { x.ln() } else { x };
    let (Some(&first), Some(&last)) = (xs.first(), xs.last()) else { return Vec::new() };
    let (first, last) = (on_axis(first), on_axis(last));
    let mut places: Vec<usize> = (0..9)
        .filter_map(|i| {
            let at = first + (last - first) * f64::from(i) / 8.0;
            let far = |&index: &usize| (on_axis(xs[index]) - at).abs();
            (0..xs.len()).min_by(|a, b| far(a).total_cmp(&far(b)))
        })
        .collect();
    places.dedup();
    places
}

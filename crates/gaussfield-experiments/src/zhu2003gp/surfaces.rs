//! Figures 3 and 4: evidence and tuned accuracy over the parameters of tanh weights.

use super::look::Outcome;
use super::scans::Family;
use super::study::{Case, Studied, Study, all};
use super::tables::printed;
use crate::Context;
use anyhow::{Context as _, Result};
use gaussfield_report::Figure;
use gaussfield_report::plot::{Group, HeatMap};
use ndarray::Array2;

/// Both figures, side by side for each task.
pub(super) fn run(ctx: &mut Context, cases: &[Case]) -> Result<()> {
    ctx.report.section(
        "Figures 3 and 4: tanh weights",
        "w = (tanh(α1(d − α2)) + 1)/2. Left the evidence, right the tuned accuracy, means over \
         label sets; −α1 is on a logarithmic axis. Every dot is where the ascent ended \
         for one label set; the square is the report's optimum, where it lies within the axes.",
    );
    ctx.report.statement(
        "Section 4",
        "Figure 3 shows the evidence with the α1, α2 found by gradient ascent, Figure 4 the tuned \
         classification accuracy.",
    );
    for study in all(cases) {
        let Some(studied) = study.of(Family::Tanh) else { continue };
        for (id, label, of) in [
            ("fig3", "evidence", (|outcome| outcome.evidence) as fn(&Outcome) -> f64),
            ("fig4", "tuned accuracy", |outcome| outcome.tuned),
        ] {
            let map = surface(study, studied, label, of)?;
            let id = format!("{id}-{}", study.plan.id);
            let caption = format!("tanh on {}: {label}.", study.plan.name);
            ctx.report.add_figure(Figure::of(&id, &caption, &map)?.stand_in(study.note.clone()));
        }
    }
    Ok(())
}

fn surface(
    study: &Study,
    studied: &Studied,
    label: &str,
    of: fn(&Outcome) -> f64,
) -> Result<HeatMap> {
    let mut places: Vec<(f64, f64, f64)> = studied
        .scan
        .0
        .iter()
        .zip(studied.scan.mean(of))
        .map(|(place, value)| (-place.parameters[0], place.parameters[1], value))
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut slopes: Vec<f64> = places.iter().map(|place| place.0).collect();
    slopes.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let across = slopes.len();
    let cutoffs: Vec<f64> = places.iter().take(places.len() / across.max(1)).map(|p| p.1).collect();
    let values = places.iter().map(|place| place.2).collect();
    let values = Array2::from_shape_vec((across, cutoffs.len()), values)
        .context("the places of Figure 3 are no grid")?;
    let (low, high) = (cutoffs[0], cutoffs[cutoffs.len() - 1]);
    let inside = |slope: f64, cutoff: f64| {
        (slopes[0]..=slopes[across - 1]).contains(&slope) && (low..=high).contains(&cutoff)
    };
    let found = studied.chosen.iter().map(|chosen| (chosen.parameters[1], -chosen.parameters[0]));
    let found = found.filter(|&(cutoff, slope)| inside(slope, cutoff));
    let mut map = HeatMap::new(cutoffs.clone(), slopes.clone(), values)
        .labels("α2", "−α1", label)
        .log_y()
        .title(format!("{}, tanh", study.plan.name))
        .height(340)
        .group(Group::new("found", 0, found).emphasised());
    if let (Some((_, &[a1, a2], _, _)), None) =
        (printed(study.plan.id, Family::Tanh), &study.missing)
        && inside(-a1, a2)
    {
        map = map.group(Group::new("report", 1, [(a2, -a1)]).emphasised());
    }
    Ok(map)
}

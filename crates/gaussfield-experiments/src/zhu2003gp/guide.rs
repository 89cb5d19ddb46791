//! When the evidence is a good guide: evidence against tuned accuracy.

use super::look::Outcome;
use super::scans::Family;
use super::statistics::mean;
use super::study::{Case, Studied, all};
use crate::Context;
use anyhow::Result;
use gaussfield_labels::metrics::{MeanStd, rank_correlation};
use gaussfield_report::plot::{Group, Scatter};
use gaussfield_report::{Cell, Figure, Table};

/// The rank correlation of a criterion with tuned accuracy over all graphs of a scan, one number
/// for each label set in which both vary.
pub(super) fn correlations(studied: &Studied, criterion: fn(&Outcome) -> f64) -> Vec<f64> {
    let of_set = |set: usize| {
        let tuned = studied.scan.of_set(set, |outcome| outcome.tuned);
        rank_correlation(studied.scan.of_set(set, criterion).into_iter().zip(tuned))
    };
    (0..studied.chosen.len()).filter_map(of_set).collect()
}

/// The best tuned accuracy of any graph looked at, for each label set: what no criterion that
/// sees labels only can promise.
pub(super) fn best_tuned(studied: &Studied) -> Vec<f64> {
    let best = |(set, chosen): (usize, &super::search::Chosen)| {
        let tuned = studied.scan.of_set(set, |outcome| outcome.tuned);
        tuned.into_iter().fold(chosen.outcome.tuned, f64::max)
    };
    studied.chosen.iter().enumerate().map(best).collect()
}

/// What following the evidence loses in tuned accuracy against the best graph looked at, mean
/// over label sets.
pub(super) fn loss(studied: &Studied) -> f64 {
    let chosen: Vec<f64> = studied.chosen.iter().map(|chosen| chosen.outcome.tuned).collect();
    mean(&best_tuned(studied)) - mean(&chosen)
}

/// One picture for each family of graphs, and the numbers.
pub(super) fn run(ctx: &mut Context, cases: &[Case]) -> Result<()> {
    ctx.report.section(
        "Is the evidence a good guide?",
        "Every dot is a graph of Figures 1, 2, 3 or 5: its evidence for each label, and its tuned \
         accuracy, both means over label sets. Where dots rise to the right, the evidence chooses \
         well. The table has Spearman's rank correlation over all graphs of a family (mean ± \
         standard deviation over label sets), the tuned accuracy at the largest evidence, the \
         best one of any graph looked at, and what is lost by following the evidence.",
    );
    ctx.report.statement(
        "Section 6",
        "Hyperparameters learned by evidence maximisation correspond reasonably well to \
         classification accuracy.",
    );
    let note = all(cases).find_map(|study| study.note.clone());
    for family in Family::ALL {
        let mut scatter = Scatter::new("evidence for each label", "tuned accuracy")
            .title(family.name().to_owned())
            .height(340);
        let mut drawn = false;
        for (class, study) in all(cases).enumerate() {
            let Some(studied) = study.of(family) else { continue };
            let evidence = studied.scan.mean(|outcome| outcome.evidence);
            let each = evidence.into_iter().map(|value| value / study.plan.labelled as f64);
            let tuned = studied.scan.mean(|outcome| outcome.tuned);
            scatter = scatter.group(Group::new(study.plan.name, class, each.zip(tuned)));
            drawn = true;
        }
        if drawn {
            let id = format!("guide-{}", family.id());
            let caption = format!("Evidence against tuned accuracy, {} graphs.", family.name());
            let figure = Figure::of(&id, &caption, &scatter)?.stand_in(note.clone());
            ctx.report.add_figure(figure);
        }
    }
    let columns =
        ["task", "graph", "rank correlation", "tuned at largest evidence", "best tuned", "lost"];
    let mut table = Table::new("guide", "Evidence as a guide to tuned accuracy.", columns);
    for study in all(cases) {
        for studied in &study.families {
            let found = correlations(studied, |outcome| outcome.evidence);
            let cell = MeanStd::over(&found).map_or(Cell::Empty, |over| Cell::of_trials(over, 2));
            table.row([
                Cell::from(study.plan.name),
                Cell::from(studied.family.name()),
                cell,
                Cell::of_trials(studied.over_sets(|chosen| chosen.outcome.tuned)?, 3),
                Cell::of_trials(MeanStd::over(&best_tuned(studied))?, 3),
                Cell::Number(loss(studied), 3),
            ]);
        }
    }
    ctx.report.table(table);
    Ok(())
}

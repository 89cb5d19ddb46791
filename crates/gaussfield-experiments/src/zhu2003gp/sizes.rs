//! Digits of two sizes: 8 × 8 pixels, by which claims are judged, and 16 × 16 beside them.
//!
//! The report does not say how large its images are. The lengths that it prints for digits (ε, α2,
//! α) fit 8 × 8, found on 1/2; 2/3 tests it.

use super::scans::{Extent, Family, scan};
use super::search::choose;
use super::study::{Case, Studied, Study, real};
use super::tables::printed;
use super::task::Task;
use crate::Context;
use anyhow::Result;
use gaussfield_report::{Cell, Table};

/// Label sets at 16 × 16.
const SETS: usize = 3;

/// All four graphs on the images as they are, in full runs.
pub(super) fn study(ctx: &Context, mut task: Task) -> Result<Vec<Studied>> {
    let Some(images) = task.full.take().filter(|_| !ctx.quick()) else { return Ok(Vec::new()) };
    let id = if task.plan.id == "1-2" { "1-2-16x16" } else { "2-3-16x16" };
    // A second row beside the first: a few label sets, and the grids of a short run, will do.
    task.sets.truncate(SETS);
    let task = task.on(images, id)?;
    let one = |family| -> Result<Studied> {
        let scan = scan(ctx, &task, family, Extent::Short)?;
        let chosen = choose(ctx, &task, family, &scan)?;
        Ok(Studied { family, scan, chosen })
    };
    Family::ALL.into_iter().map(one).collect()
}

/// What the size does to the numbers.
pub(super) fn run(ctx: &mut Context, cases: &[Case]) -> Result<()> {
    let studies = real(cases);
    if studies.iter().all(|study| study.full.is_empty()) {
        return Ok(());
    }
    ctx.report.section(
        "Digits of two sizes",
        "The report does not say how large its images are. The lengths in Table 1 (ε, α2 and α) \
         are about a third of those on images of 16 × 16, and fit pixels averaged two by two, to \
         8 × 8, the size that the later paper on harmonic mixtures gives for the same images. That \
         was found by the lengths on 1/2, after numbers at 16 × 16 were known, so that 2/3 is the \
         test of it. Claims about digits are judged at 8 × 8; here is 16 × 16 beside it, with the \
         first three of the label sets and fewer graphs.",
    );
    let columns = ["task", "graph", "quantity", "8 × 8", "16 × 16", "report"];
    let mut table = Table::new("sizes", "Digits of two sizes.", columns);
    for study in studies {
        for full in &study.full {
            rows(&mut table, study, full)?;
        }
    }
    ctx.report.table(table);
    Ok(())
}

fn rows(table: &mut Table, study: &Study, full: &Studied) -> Result<()> {
    let family = full.family;
    let (Some(small), Some((evidence, parameters, _, tuned))) =
        (study.of(family), printed(study.plan.id, family))
    else {
        return Ok(());
    };
    let mut row = |name: &str, at: Option<usize>, paper: f64, decimals: usize| -> Result<()> {
        let of = |studied: &Studied| {
            studied.over_sets(|chosen| match (at, name) {
                (Some(at), _) => chosen.parameters.get(at).copied().unwrap_or(f64::NAN),
                (None, "tuned") => chosen.outcome.tuned,
                (None, _) => chosen.outcome.evidence,
            })
        };
        table.row([
            Cell::from(study.plan.name),
            Cell::from(family.name()),
            Cell::from(name),
            Cell::of_trials(of(small)?, decimals),
            Cell::of_trials(of(full)?, decimals),
            Cell::Number(paper, decimals),
        ]);
        Ok(())
    };
    row("log p", None, evidence, 1)?;
    for (at, (name, &paper)) in family.parameters().iter().zip(parameters).enumerate() {
        row(name, Some(at), paper, if paper.abs() < 1.0 { 3 } else { 1 })?;
    }
    row("tuned", None, tuned, 3)
}

//! The made-up paper, and ways to run it.

use anyhow::Result;
use gaussfield_experiments::{Context, Found, Outcome, Paper, RunOptions, reproduce};
use gaussfield_report::plot::{LineChart, Scatter, Series};
use gaussfield_report::{Cell, Claim, Figure, Table};
use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What one trial finds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Draw {
    pub(crate) mean: f64,
    pub(crate) index: usize,
}

#[derive(Serialize)]
struct Parameters {
    size: usize,
}

pub(crate) fn paper(run: fn(&mut Context) -> Result<()>) -> Paper {
    Paper {
        key: "tiny1999",
        title: "Tiny <experiments> & \"more\"",
        authors: "O'Neill, T.",
        venue: "Nowhere, 1999",
        summary: "The mean of uniform numbers is one half.",
        data: &[],
        run,
    }
}

/// Options that write below `folder`.
pub(crate) fn options(folder: &Path) -> RunOptions {
    RunOptions { out: Some(folder.to_owned()), threads: Some(2), ..RunOptions::default() }
}

/// Runs one paper.
pub(crate) fn run(paper: Paper, options: &RunOptions) -> Result<Outcome> {
    let mut outcomes = reproduce(&[paper], &["all".to_owned()], options)?;
    outcomes.remove(0).1
}

pub(crate) fn draws(
    ctx: &Context,
    size: usize,
    count: usize,
    computed: &AtomicUsize,
) -> Result<Vec<Draw>> {
    ctx.trials("uniform", &Parameters { size }, count, |trial| {
        computed.fetch_add(1, Ordering::Relaxed);
        let mut rng = trial.rng("draw");
        let mean = (0..size).map(|_| rng.random::<f64>()).sum::<f64>() / size as f64;
        Ok(Draw { mean, index: trial.index() })
    })
}

/// A run with a figure, a table, and claims of every verdict.
pub(crate) fn full_run(ctx: &mut Context) -> Result<()> {
    let count = ctx.trial_count(8, 2);
    let draws = draws(ctx, 100, count, &AtomicUsize::new(0))?;
    let mean = draws.iter().map(|draw| draw.mean).sum::<f64>() / draws.len() as f64;
    ctx.report.section("Section 1", "One <b>half</b>.");
    ctx.report.statement("Section 1", "the mean is one half");
    let points = draws.iter().map(|draw| (draw.index as f64, draw.mean));
    let chart = LineChart::new("trial", "mean").series(Series::new("means", points));
    ctx.report.plot("means", "Means <by> trial.", &chart)?;
    let mut table = Table::new("numbers", "All means.", ["trial", "mean"]);
    for draw in &draws {
        table.row([Cell::Number(draw.index as f64, 0), Cell::Number(draw.mean, 3)]);
    }
    ctx.report.table(table);
    ctx.report.claim(
        Claim::new("half", "Section 1", "the mean is 0.5").paper(0.5).ours(mean, 0.01).within(0.1),
    );
    ctx.report.claim(
        Claim::new("third", "Section 2", "no, 0.33").paper(0.33).ours(mean, 0.01).within(0.01),
    );
    let missing = match ctx.data("usps")? {
        Found::Here(_) => None,
        Found::Missing(reason) => Some(reason),
    };
    ctx.report.claim(
        Claim::new("digits", "Figure 3", "digits are easy")
            .holds_if(true, "looked at")
            .not_run_if(missing.as_deref()),
    );
    let figure = Figure::of("stand-in", "Digits.", &chart)?;
    ctx.report.add_figure(figure.stand_in(missing));
    ctx.report.fact("Solver", "none");
    Ok(())
}

/// A run whose figure cannot be drawn.
pub(crate) fn broken_run(ctx: &mut Context) -> Result<()> {
    ctx.report.section("Section 1", "");
    ctx.report.plot("empty", "Nothing.", &Scatter::new("", ""))?;
    Ok(())
}

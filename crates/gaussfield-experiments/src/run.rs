//! From keys to reports.

use crate::files::{ensure_writable, target_dir, write_atomic};
use crate::report::Colophon;
use crate::{Context, Paper, RunOptions, Tally, paper};
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What one reproduction came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The paper's key.
    pub key: &'static str,
    /// Its output folder.
    pub folder: PathBuf,
    /// Its claims, counted.
    pub tally: Tally,
    /// Wall time.
    pub time: Duration,
}

/// The output folder of one paper under these options.
///
/// # Errors
/// The current folder is needed and cannot be found.
pub fn folder_of(key: &str, options: &RunOptions) -> Result<PathBuf> {
    let base = match &options.out {
        Some(folder) => folder.clone(),
        None => {
            let here = std::env::current_dir().context("the current folder cannot be found")?;
            target_dir(&here).join("reproduce")
        }
    };
    Ok(base.join(key))
}

/// Reproduces the papers of `papers` that `keys` name.
///
/// Keys and output folders are checked before anything is computed. A paper that fails does not
/// stop the ones after it: each has its own result.
///
/// # Errors
/// An unknown key, or an output folder that cannot be written.
pub fn reproduce(
    papers: &[Paper],
    keys: &[String],
    options: &RunOptions,
) -> Result<Vec<(&'static str, Result<Outcome>)>> {
    let chosen = paper::select(papers, keys)?;
    for paper in &chosen {
        ensure_writable(&folder_of(paper.key, options)?)?;
    }
    Ok(chosen.into_iter().map(|paper| (paper.key, reproduce_one(paper, options))).collect())
}

/// Reproduces one paper: runs it, then writes figures, data, claims and the report.
///
/// # Errors
/// The output folder cannot be written, or the paper's run fails; the reports of earlier runs and
/// the finished trials then stay as they were.
pub fn reproduce_one(paper: &Paper, options: &RunOptions) -> Result<Outcome> {
    let start = Instant::now();
    let folder = folder_of(paper.key, options)?;
    let mut ctx = Context::new(options, &folder)?;
    (paper.run)(&mut ctx)?;
    ctx.report.check()?;
    let time = start.elapsed();
    write_figures(&ctx, &folder)?;
    let claims = serde_json::to_vec_pretty(ctx.report.claims()).context("claims as JSON")?;
    write_atomic(&folder.join("claims.json"), &claims)?;
    let colophon = Colophon {
        time,
        seed: options.seed,
        threads: options.thread_count(),
        trials: options.trials,
        quick: options.quick,
        other_build: ctx.store().used_other_build(),
        runs: ctx.store().runs(),
    };
    let page = ctx.report.html(paper, &colophon);
    write_atomic(&folder.join("report.html"), page.as_bytes())?;
    Ok(Outcome { key: paper.key, folder, tally: ctx.report.tally(), time })
}

fn write_figures(ctx: &Context, folder: &Path) -> Result<()> {
    for (name, svg) in ctx.report.svg_files() {
        write_atomic(&folder.join("figures").join(name), svg.as_bytes())?;
    }
    for (name, csv) in ctx.report.csv_files() {
        write_atomic(&folder.join("data").join(name), csv.as_bytes())?;
    }
    Ok(())
}

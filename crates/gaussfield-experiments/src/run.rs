//! From keys to reports.

use crate::results::RunRecord;
use crate::{Context, Paper, RunOptions, paper};
use anyhow::{Context as _, Result};
use gaussfield_report::files::ensure_writable;
use gaussfield_report::format::duration;
use gaussfield_report::{Cell, Colophon, Heading, Table, Tallies};
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
    pub tally: Tallies,
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
        None => runs_folder()?,
    };
    Ok(base.join(key))
}

/// The folder that runs go to unless the user names another: `reproduce` in cargo's target folder.
///
/// # Errors
/// The current folder cannot be found.
pub fn runs_folder() -> Result<PathBuf> {
    Ok(target_dir(&here()?).join("reproduce"))
}

/// The repository's root: the nearest folder with a `Cargo.lock` at or above the current one.
///
/// # Errors
/// There is none.
pub fn repository() -> Result<PathBuf> {
    let here = here()?;
    let root = locked(&here).map(Path::to_owned);
    root.with_context(|| format!("{} is in no checkout of the repository", here.display()))
}

fn here() -> Result<PathBuf> {
    std::env::current_dir().context("the current folder cannot be found")
}

/// The program, with its version.
pub(crate) const PROGRAM: &str = concat!("gaussfield-experiments ", env!("CARGO_PKG_VERSION"));

/// What to do where a folder cannot be written.
pub(crate) const OTHER_FOLDER: &str = "choose another folder with --out DIR";

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
        ensure_writable(&folder_of(paper.key, options)?).context(OTHER_FOLDER)?;
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
    let time = start.elapsed();
    let record = RunRecord::of(paper, &ctx, time);
    ctx.report.write(&folder, &heading(paper, &ctx), &colophon(paper, &ctx, &record))?;
    record.write(&folder)?;
    Ok(Outcome { key: paper.key, folder, tally: ctx.report.tally(), time })
}

fn heading(paper: &Paper, ctx: &Context) -> Heading {
    let mut notes = Vec::new();
    if ctx.quick() {
        notes.push(
            "This is a short run: fewer trials and smaller grids than the paper's. Run without \
             `--quick` for the full one."
                .to_owned(),
        );
    }
    if ctx.store().used_other_build() {
        notes.push("Some trials were kept from another build of the program.".to_owned());
    }
    notes.extend(ctx.collection().and_then(|all| all.note()));
    Heading {
        kind: format!("Reproduction of {}", paper.key),
        title: paper.title.to_owned(),
        source: format!("{}. {}", paper.authors.trim_end_matches('.'), paper.venue),
        summary: paper.summary.to_owned(),
        notes,
    }
}

fn colophon(paper: &Paper, ctx: &Context, record: &RunRecord) -> Colophon {
    let RunOptions { quick, trials, seed, .. } = *ctx.options();
    let mut command = format!("cargo xtask reproduce {} --seed {seed}", paper.key);
    if let Some(trials) = trials {
        command.push_str(&format!(" --trials {trials}"));
    }
    if quick {
        command.push_str(" --quick");
    }
    let trials = match (trials, quick) {
        (Some(trials), _) => trials.to_string(),
        (None, true) => "the short run's".to_owned(),
        (None, false) => "the paper's".to_owned(),
    };
    let facts = [
        ("Program", PROGRAM.to_owned()),
        ("Commit", record.commit.clone().unwrap_or_else(|| "not known".to_owned())),
        ("Wall time", duration(Duration::from_secs_f64(record.seconds))),
        ("Seed", seed.to_string()),
        ("Trials per experiment", trials),
        ("Threads", ctx.options().thread_count().to_string()),
    ];
    Colophon {
        facts: facts.map(|(name, value)| (name.to_owned(), value)).into(),
        tables: trials_table(ctx).into_iter().collect(),
        command,
        advice: "Finished trials are kept and used again; `--fresh` computes everything anew. The \
                 numbers do not depend on the number of threads."
            .to_owned(),
    }
}

/// The trials of every experiment, if there were any.
fn trials_table(ctx: &Context) -> Option<Table> {
    let runs = ctx.store().runs();
    let columns = ["Experiment", "Settings", "Trials", "Kept from earlier runs", "Seconds"];
    let mut table = Table::new("trials", "Trials by experiment, and their wall time", columns);
    for ran in &runs {
        let counts = [ran.settings, ran.trials, ran.kept];
        let numbers = counts.map(|count| Cell::Number(count as f64, 0));
        let seconds = Cell::Number(ran.time.as_secs_f64(), 1);
        table
            .row([Cell::from(ran.experiment.as_str())].into_iter().chain(numbers).chain([seconds]));
    }
    (!runs.is_empty()).then_some(table)
}

/// The folder for build products, as cargo would choose it from `here`: `CARGO_TARGET_DIR`, else
/// `target` beside the nearest `Cargo.lock` at or above `here`, else `target` in `here`.
fn target_dir(here: &Path) -> PathBuf {
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()) {
        return here.join(folder);
    }
    locked(here).unwrap_or(here).join("target")
}

/// The nearest folder with a `Cargo.lock` at or above `here`.
fn locked(here: &Path) -> Option<&Path> {
    here.ancestors().find(|folder| folder.join("Cargo.lock").is_file())
}

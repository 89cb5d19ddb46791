//! Results that are kept in the repository: full runs of the papers with their claims and figures,
//! one page over all of them, and what short runs came to.
//!
//! A run leaves `run.json`, `claims.json`, `report.md` and `figures/` in its folder. [`keep`] copies
//! them to `docs/results/KEY`, [`index`] sums up what is kept there, and a [`Baseline`] says whether a
//! short run has lost a claim that held before.

mod baseline;
mod index;
mod record;

pub use baseline::{Baseline, Comparison};
pub use index::{headline, index};
pub use record::{DataRecord, KeptRun, RunRecord};

use anyhow::{Context as _, Result, bail, ensure};
use gaussfield_core::files::write_atomically;
use std::fs;
use std::path::Path;

/// Copies a full run into the repository in place of the one kept before.
///
/// # Errors
/// There is no run in `from`; it is a short one, has another number of trials than the paper, or has
/// trials of another build; a file cannot be read or written.
pub fn keep(from: &Path, into: &Path) -> Result<KeptRun> {
    let Some(run) = KeptRun::read(from)? else {
        bail!("{} has no run: `cargo xtask reproduce` makes one", from.display());
    };
    let RunRecord { paper, quick, trials, other_build, .. } = &run.record;
    ensure!(
        !quick && trials.is_none(),
        "the run of {paper} in {} is a short one; only full runs are kept: `cargo xtask reproduce \
         {paper}`",
        from.display()
    );
    ensure!(
        !other_build,
        "the run of {paper} took trials of another build up; run it again without `--any-build`"
    );
    let figures = from.join("figures");
    let mut files = vec![
        ("README.md".to_owned(), from.join("report.md")),
        ("claims.json".to_owned(), from.join("claims.json")),
        ("run.json".to_owned(), from.join("run.json")),
    ];
    if figures.is_dir() {
        for entry in fs::read_dir(&figures).with_context(|| figures.display().to_string())? {
            let path = entry?.path();
            if let Some(name) = path.file_name().filter(|_| path.is_file()) {
                files.push((format!("figures/{}", name.to_string_lossy()), path.clone()));
            }
        }
    }
    // Everything is read before what was kept is taken away.
    let mut read = Vec::with_capacity(files.len());
    for (name, path) in files {
        read.push((name, fs::read(&path).with_context(|| path.display().to_string())?));
    }
    if into.exists() {
        fs::remove_dir_all(into).with_context(|| into.display().to_string())?;
    }
    for (name, bytes) in read {
        write_atomically(&into.join(name), &bytes)?;
    }
    Ok(run)
}

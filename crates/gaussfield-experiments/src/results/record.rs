//! What a run was: written beside its claims, so that it can be kept and compared.

use crate::{Context, Paper};
use anyhow::{Context as _, Result};
use gaussfield_core::files::write_atomically;
use gaussfield_report::{Claim, DataFact};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The file that says what a run was.
const FILE: &str = "run.json";

/// What a run was: which paper, of which state of the repository, on which data, for how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// The paper's key.
    pub paper: String,
    /// Its title.
    pub title: String,
    /// The program and its version.
    pub program: String,
    /// The commit it was run at, as far as git knows one; "with changes" if files had changed.
    pub commit: Option<String>,
    /// Whether it was a short run.
    pub quick: bool,
    /// The number of trials that was asked for, if not the paper's.
    pub trials: Option<usize>,
    /// The seed.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Trials that were taken up from an earlier run; the wall time lacks them.
    pub taken_up: usize,
    /// Whether some of those were another build's.
    pub other_build: bool,
    /// The data sets.
    pub data: Vec<DataRecord>,
}

/// A data set of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataRecord {
    /// Its name.
    pub name: String,
    /// Its size in words.
    pub shape: String,
    /// The sha256 of its files, each with its name; none for generated data.
    pub digests: Vec<String>,
}

impl From<&DataFact> for DataRecord {
    fn from(DataFact { name, shape, digests, .. }: &DataFact) -> Self {
        Self { name: name.clone(), shape: shape.clone(), digests: digests.clone() }
    }
}

impl RunRecord {
    pub(crate) fn of(paper: &Paper, ctx: &Context, time: Duration) -> Self {
        let options = ctx.options();
        Self {
            paper: paper.key.to_owned(),
            title: paper.title.to_owned(),
            program: crate::run::PROGRAM.to_owned(),
            commit: commit(),
            quick: options.quick,
            trials: options.trials,
            seed: options.seed,
            threads: options.thread_count(),
            seconds: time.as_secs_f64(),
            taken_up: ctx.store().runs().iter().map(|ran| ran.kept).sum(),
            other_build: ctx.store().used_other_build(),
            data: ctx.report.data_facts().iter().map(DataRecord::from).collect(),
        }
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        Ok(write_atomically(&folder.join(FILE), &serde_json::to_vec_pretty(self)?)?)
    }
}

/// A run as it lies in a folder: what it was, and its claims.
#[derive(Debug, Clone)]
pub struct KeptRun {
    /// What it was.
    pub record: RunRecord,
    /// Its claims.
    pub claims: Vec<Claim>,
}

impl KeptRun {
    /// The run in a folder; `None` if there is none.
    ///
    /// # Errors
    /// A file cannot be read, or is not what a run writes.
    pub fn read(folder: &Path) -> Result<Option<Self>> {
        if !folder.join(FILE).is_file() {
            return Ok(None);
        }
        let (record, claims) = (json(&folder.join(FILE))?, json(&folder.join("claims.json"))?);
        Ok(Some(Self { record, claims }))
    }
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read(path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&text)
        .with_context(|| format!("{} was not written by this program", path.display()))
}

/// The commit that is checked out here, if git knows one.
fn commit() -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let clean = git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if clean { commit } else { format!("{commit} with changes") })
}

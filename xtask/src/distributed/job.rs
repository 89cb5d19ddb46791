//! A job of several ranks, under a time limit.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command as Process, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::process::line;

/// `mpirun` with so many ranks on this machine, however few cores it has.
pub(super) fn mpirun(ranks: usize) -> Process {
    let mut process = Process::new("mpirun");
    process.args(["--oversubscribe", "-n", &ranks.to_string()]).args(QUIET);
    process.envs(ENVIRONMENT);
    process
}

/// So many ranks in each of the folders, all with the same words.
pub(super) fn mpirun_in(folders: [&Path; 2], ranks: usize, words: &[&OsStr]) -> Process {
    let mut process = Process::new("mpirun");
    process.arg("--oversubscribe").args(QUIET).envs(ENVIRONMENT);
    for (at, folder) in folders.into_iter().enumerate() {
        process.args((at > 0).then_some(":")).args(["-n", &ranks.to_string(), "--wdir"]);
        process.arg(folder).args(words);
    }
    process
}

/// Ranks that wait give way to others; shared memory without a right that containers lack.
pub(super) const QUIET: [&str; 6] =
    ["--mca", "mpi_yield_when_idle", "1", "--mca", "btl_vader_single_copy_mechanism", "none"];

/// One thread a rank; mpirun asks root twice.
pub(super) const ENVIRONMENT: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("RAYON_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
];

/// A job that runs.
pub(super) struct Job {
    pub(super) child: Child,
    name: String,
}

impl Job {
    pub(super) fn new(process: &mut Process) -> anyhow::Result<Self> {
        let name = line(process);
        let child = process.spawn().with_context(|| format!("cannot start `{name}`"))?;
        Ok(Self { child, name })
    }

    /// Ends well within the time.
    pub(super) fn succeeds(mut self, limit: Duration) -> anyhow::Result<()> {
        let status = self.ends(limit)?;
        ensure!(status.success(), "`{}` failed: {status}", self.name);
        Ok(())
    }

    /// Ends with an error within the time; gives its status.
    pub(super) fn fails(mut self, limit: Duration) -> anyhow::Result<i32> {
        let status = self.ends(limit)?;
        ensure!(!status.success(), "`{}` should have failed", self.name);
        Ok(status.code().unwrap_or(-1))
    }

    /// Ends well, and gives what it printed: a few lines, which the pipe holds.
    pub(super) fn words(mut self, limit: Duration) -> anyhow::Result<String> {
        let status = self.ends(limit)?;
        let mut text = String::new();
        self.child.stdout.take().context("no standard output")?.read_to_string(&mut text)?;
        ensure!(status.success(), "`{}` failed: {status}\n{text}", self.name);
        Ok(text)
    }

    /// Ends with an error, and gives what it complained of.
    pub(super) fn complains(mut self, limit: Duration) -> anyhow::Result<String> {
        let status = self.ends(limit)?;
        let mut text = String::new();
        self.child.stderr.take().context("no standard error")?.read_to_string(&mut text)?;
        ensure!(!status.success(), "`{}` should have failed", self.name);
        Ok(text)
    }

    fn ends(&mut self, limit: Duration) -> anyhow::Result<ExitStatus> {
        let limit = limit * patience();
        match ended_within(&mut self.child, limit)? {
            Some(status) => Ok(status),
            None => {
                self.child.kill()?;
                self.child.wait()?;
                bail!("`{}` did not end within {} s", self.name, limit.as_secs())
            }
        }
    }
}

/// How many times as long everything may take: XTASK_PATIENCE, for a machine that does other work.
fn patience() -> u32 {
    let told = std::env::var("XTASK_PATIENCE").ok().and_then(|told| told.parse().ok());
    told.unwrap_or(1).clamp(1, 1000)
}

/// The status of a process that ends within the time.
fn ended_within(child: &mut Child, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > limit {
            return Ok(None);
        }
        sleep(Duration::from_millis(50));
    }
}

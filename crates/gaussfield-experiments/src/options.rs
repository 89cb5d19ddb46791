//! What the user asked for.

use std::path::PathBuf;

/// How a reproduction is run. [`Default`] is the paper's own trial counts, seed 0 and all cores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOptions {
    /// A short run: fewer trials, smaller grids.
    pub quick: bool,
    /// Trials per experiment; `None` is the paper's number (or the short run's).
    pub trials: Option<usize>,
    /// The seed all random streams are derived from.
    pub seed: u64,
    /// Folder that gets one sub-folder per paper; `None` is `reproduce` in cargo's target folder.
    pub out: Option<PathBuf>,
    /// Worker threads; `None` is one per core.
    pub threads: Option<usize>,
    /// Discard trials kept by earlier runs.
    pub fresh: bool,
    /// Also use trials kept by another build of the same version. Without it a kept trial counts
    /// only if this very program computed it, so that a changed method never shows old numbers.
    pub any_build: bool,
}

impl RunOptions {
    /// The number of worker threads, at least one.
    pub fn thread_count(&self) -> usize {
        self.threads
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
            .max(1)
    }
}

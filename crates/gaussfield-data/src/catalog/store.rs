//! The cache on disk: a scratch folder that always goes away.

use crate::DataError;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const PREFIX: &str = ".fetch-";

/// A scratch folder older than this belongs to a run that was interrupted.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A folder inside the cache, removed with all it holds when dropped.
pub(super) struct Scratch {
    path: PathBuf,
    /// The cache, if this scratch folder made it: removed again while still empty.
    made: Option<PathBuf>,
}

impl Scratch {
    /// Makes the cache if need be and a scratch folder in it, and removes what interrupted runs
    /// left a day or longer ago.
    pub(super) fn new(cache: &Path, name: &str) -> Result<Self, DataError> {
        let made = (!cache.exists()).then(|| cache.to_owned());
        fs::create_dir_all(cache).map_err(unwritable(cache))?;
        remove_stale(cache);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = cache.join(format!("{PREFIX}{name}-{}-{number}", std::process::id()));
        fs::create_dir(&path).map_err(unwritable(&path))?;
        Ok(Self { path, made })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing more can be done about a failure here; the next run tries again.
        let _ = fs::remove_dir_all(&self.path);
        if let Some(cache) = &self.made {
            let _ = fs::remove_dir(cache);
        }
    }
}

fn unwritable(path: &Path) -> impl FnOnce(std::io::Error) -> DataError + '_ {
    move |source| DataError::Unwritable { path: path.to_owned(), source }
}

fn remove_stale(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let age = entry.metadata().and_then(|about| about.modified()).ok();
        let old = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > STALE);
        if ours && old {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

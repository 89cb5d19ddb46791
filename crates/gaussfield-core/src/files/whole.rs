//! Files written and read as a whole.

use super::disk;
use crate::{Budget, OverBudget};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that could not be written. What was there before is still there, or the new file is
/// there whole but would not outlast a loss of power.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", .path.display())]
pub struct NotWritten {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

/// A file that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", .path.display())]
pub struct NotRead {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub source: ReadFault,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadFault {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is larger than the memory that may be taken for it.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

/// Writes a file so that no reader, no later run and no loss of power ever shows a part of it: the
/// bytes go to a temporary file in the same folder and to the disk, only then does the file get its
/// name, and then the name goes to the disk. The folder is made if need be.
///
/// # Errors
/// The folder or the file cannot be written; nothing is left behind.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), NotWritten> {
    write(path, bytes).map_err(|source| NotWritten { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = disk::parent(path);
    disk::make_folders(&folder)?;
    let (partial, file) = partial_in(&folder)?;
    let written = disk::fill(file, &partial, bytes).and_then(|()| disk::rename(&partial, path));
    if written.is_err() {
        // The first failure is what there is to tell.
        let _ = disk::remove(&partial);
    }
    written?;
    disk::sync_folder(&folder)
}

/// A new file in the folder, and its path. Its name is nobody else's: neither another process's
/// nor another thread's.
fn partial_in(folder: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".partial-{}-{number}", std::process::id()));
        match disk::create_new(&path) {
            // Left by a process of the same number that was interrupted.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return Ok((path, created?)),
        }
    }
}

/// All bytes of a file, if the budget has as many.
///
/// # Errors
/// The file cannot be read, or is larger than the budget.
pub fn read_whole(path: &Path, budget: Budget) -> Result<Vec<u8>, NotRead> {
    read(path, budget).map_err(|source| NotRead { path: path.to_owned(), source })
}

fn read(path: &Path, budget: Budget) -> Result<Vec<u8>, ReadFault> {
    let file = File::open(path)?;
    let expected = file.metadata()?.len();
    budget.take("the bytes of the file", expected)?;
    let mut bytes = Vec::new();
    // A pipe or a device has no length, and a file may grow meanwhile.
    file.take(budget.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    budget.take("the bytes of the file", bytes.len() as u64)?;
    Ok(bytes)
}

//! The few calls by which files come to the disk, each of which a test can make fail.

#[cfg(feature = "faults")]
use super::faults;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// One call to the system, as tests see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call<'a> {
    MakeFolder,
    Create,
    Write,
    SyncFile,
    /// To this name.
    Rename(&'a Path),
    SyncFolder,
    Remove,
}

/// Makes the call on the path, unless a test has it fail. `limit` is how much a write may take.
fn make<T>(
    call: Call<'_>,
    path: &Path,
    real: impl FnOnce(Option<Limit>) -> io::Result<T>,
) -> io::Result<T> {
    #[cfg(feature = "faults")]
    {
        let limit = faults::before(call, path)?;
        let done = real(limit)?;
        faults::after(call, path);
        Ok(done)
    }
    #[cfg(not(feature = "faults"))]
    {
        let _ = (call, path);
        real(None)
    }
}

/// How a write that a test has chosen ends: half of it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// And the rest is asked for again, as the system may do at any time.
    #[cfg_attr(not(feature = "faults"), expect(dead_code))]
    Half,
    /// And there is no space for the rest.
    #[cfg_attr(not(feature = "faults"), expect(dead_code))]
    HalfThenNoSpace,
}

/// The folder and all above it; the names of those that are new reach the disk too.
pub(super) fn make_folders(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> =
        folder.ancestors().take_while(|above| !named(above).is_dir()).collect();
    for new in missing.into_iter().rev() {
        make(Call::MakeFolder, new, |_| match fs::create_dir(new) {
            // Another thread or process was quicker.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && new.is_dir() => Ok(()),
            made => made,
        })?;
        sync_folder(&parent(new))?;
    }
    Ok(())
}

/// The folder that a file is in.
pub(super) fn parent(path: &Path) -> PathBuf {
    named(path.parent().unwrap_or(Path::new("."))).to_owned()
}

/// The empty path is the current folder.
fn named(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// A new file.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    make(Call::Create, path, |_| File::create_new(path))
}

/// All bytes into the file, and on to the disk.
pub(super) fn fill(mut file: File, path: &Path, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = make(Call::Write, path, |limit| match limit {
            None => file.write(bytes),
            Some(limit) => {
                let half = bytes.get(..bytes.len().div_ceil(2)).unwrap_or_default();
                file.write_all(half)?;
                match limit {
                    Limit::Half => Ok(half.len()),
                    Limit::HalfThenNoSpace => Err(io::ErrorKind::StorageFull.into()),
                }
            }
        });
        match written {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    make(Call::SyncFile, path, |_| file.sync_all())
}

/// Gives a file another name, in place of what had it.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    make(Call::Rename(to), from, |_| fs::rename(from, to))
}

/// Takes a file away.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    make(Call::Remove, path, |_| fs::remove_file(path))
}

/// The names in a folder reach the disk.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    make(Call::SyncFolder, folder, |_| {
        // Elsewhere a folder is no file, and its names need no such call.
        if cfg!(not(unix)) {
            return Ok(());
        }
        match File::open(folder)?.sync_all() {
            // Some file systems have no such call for folders.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
                ) =>
            {
                Ok(())
            }
            synced => synced,
        }
    })
}

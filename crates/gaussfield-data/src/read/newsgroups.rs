//! 20 Newsgroups: one message a file, `<root>/<group>/<document>`, in a folder or a tar archive.
//!
//! The messages are read as Latin-1 and kept whole, From and Subject lines included. A task is a
//! choice of groups; its tf-idf counts documents of the chosen groups, or of the whole collection
//! ([`Newsgroups::document_frequencies`]).

use super::text::{DocumentFrequencies, TermCounts, TfIdf};
use super::{archive, memory::Memory, source};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use std::collections::BTreeMap;
use std::path::Path;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The name of its file.
    pub id: String,
    /// Its whole text.
    pub text: String,
}

/// The messages of some groups, group by group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newsgroups {
    groups: Vec<(String, Vec<Message>)>,
}

impl Newsgroups {
    /// Reads the chosen groups, in the order given; all of them, by name, if none is chosen.
    /// Within a group the messages are in order of their numbers.
    ///
    /// `path` is a tar archive, gzipped or not, or a folder that holds the groups' folders, or
    /// one whose only folder holds them. O(bytes).
    ///
    /// # Errors
    /// [`DataError::NoSuchMember`] for a group that is not there, with the names of those that
    /// are; a damaged archive; [`DataError::Io`].
    pub fn read(path: impl AsRef<Path>, groups: &[&str]) -> Result<Self, DataError> {
        let path = path.as_ref();
        if path.is_dir() {
            Self::chosen(path, from_folder(path, groups)?, groups)
        } else {
            Self::parse(path, &source::bytes(path)?, groups)
        }
    }

    /// As [`Newsgroups::read`], from the bytes of an archive; `path` names them in messages.
    ///
    /// # Errors
    /// As [`Newsgroups::read`].
    pub fn parse(path: &Path, bytes: &[u8], groups: &[&str]) -> Result<Self, DataError> {
        let mut found = Found::new();
        let mut memory = Memory::holding(path, bytes)?;
        archive::tar_members(
            &mut memory,
            bytes,
            |name| {
                // The names of all groups are needed for a message; the texts of some only.
                if let Some((group, _)) = group_and_id(name) {
                    return groups.is_empty() || groups.contains(&group);
                }
                false
            },
            |memory, name, contents| {
                if let Some((group, id)) = group_and_id(name) {
                    memory.items("the messages", 2 * contents.len() + 3 * name.len(), 1)?;
                    memory.items("the messages", 3, size_of::<Message>())?;
                    let message = Message { id: id.to_owned(), text: source::latin1(&contents) };
                    found.entry(group.to_owned()).or_default().push(message);
                }
                Ok(())
            },
        )?;
        if groups.iter().any(|group| !found.contains_key(*group)) {
            // Only now, on the way to an error, are the other groups' names worth a pass.
            archive::tar_members(
                &mut Memory::holding(path, bytes)?,
                bytes,
                |_| true,
                |memory, name, _| {
                    memory.items("the names of the groups", name.len() + 96, 1)?;
                    if let Some((group, _)) = group_and_id(name) {
                        found.entry(group.to_owned()).or_default();
                    }
                    Ok(())
                },
            )?;
        }
        Self::chosen(path, found, groups)
    }

    fn chosen(path: &Path, mut found: Found, groups: &[&str]) -> Result<Self, DataError> {
        if found.values().all(Vec::is_empty) && groups.is_empty() {
            let remedy = "give files named <root>/<group>/<document>";
            return Err(source::empty(path, "there is no message", remedy));
        }
        let names: Vec<String> = if groups.is_empty() {
            found.keys().cloned().collect()
        } else {
            groups.iter().map(|&group| group.to_owned()).collect()
        };
        let available: Vec<String> = found.keys().cloned().collect();
        let mut chosen = Vec::new();
        for name in names {
            let mut messages = found.remove(&name).unwrap_or_default();
            if messages.is_empty() {
                let (path, available) = (path.to_owned(), available.clone());
                return Err(DataError::NoSuchMember { path, name, available });
            }
            messages.sort_by_cached_key(|message| {
                (message.id.parse::<u64>().unwrap_or(u64::MAX), message.id.clone())
            });
            chosen.push((name, messages));
        }
        Ok(Self { groups: chosen })
    }

    /// The messages of all groups, group by group: document i of the matrices.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.groups.iter().flat_map(|(_, messages)| messages)
    }

    /// The group of every message.
    pub fn labels(&self) -> Labels {
        Labels::from_names(
            self.groups
                .iter()
                .flat_map(|(group, messages)| messages.iter().map(move |_| Some(group))),
        )
    }

    /// Some of the groups, in the order given.
    ///
    /// # Errors
    /// [`DataError::NoSuchMember`] for a group that is not there.
    pub fn choose(&self, groups: &[&str]) -> Result<Self, DataError> {
        let choose = |&name: &&str| {
            let found = self.groups.iter().find(|(group, _)| group == name);
            found.cloned().ok_or_else(|| DataError::NoSuchMember {
                path: "the newsgroups".into(),
                name: name.to_owned(),
                available: self.groups.iter().map(|(group, _)| group.clone()).collect(),
            })
        };
        Ok(Self { groups: groups.iter().map(choose).collect::<Result<_, _>>()? })
    }

    /// In how many of the messages each word occurs.
    pub fn document_frequencies(&self) -> DocumentFrequencies {
        DocumentFrequencies::count(self.messages().map(|message| &message.text))
    }

    /// How often each word occurs in each message.
    ///
    /// # Errors
    /// [`DataError::Argument`] if no message has a word.
    pub fn term_counts(&self) -> Result<TermCounts, DataError> {
        TermCounts::new(self.messages().map(|message| &message.text))
    }

    /// The messages as tf-idf vectors (see [`super::text`]); the features are the words, and
    /// a message is called `group/document`.
    ///
    /// # Errors
    /// As [`Newsgroups::term_counts`].
    pub fn tf_idf(&self, weights: TfIdf<'_>) -> Result<Dataset, DataError> {
        let terms = self.term_counts()?;
        let names: Vec<&str> = self.groups.iter().map(|(name, _)| name.as_str()).collect();
        let id = |(group, messages): &(String, Vec<Message>)| {
            messages.iter().map(|message| format!("{group}/{}", message.id)).collect::<Vec<_>>()
        };
        Ok(Dataset {
            feature_names: Some(terms.vocabulary().to_vec()),
            ids: Some(self.groups.iter().flat_map(id).collect()),
            ..Dataset::new(names.join(" / "), terms.tf_idf(weights)?, self.labels())
        })
    }
}

/// Messages by group.
type Found = BTreeMap<String, Vec<Message>>;

/// The last two parts of `<root>/<group>/<document>`.
fn group_and_id(name: &str) -> Option<(&str, &str)> {
    let (rest, id) = name.rsplit_once('/')?;
    let (_, group) = rest.rsplit_once('/')?;
    (!group.is_empty() && !id.is_empty()).then_some((group, id))
}

fn from_folder(path: &Path, groups: &[&str]) -> Result<Found, DataError> {
    let folders = sorted_entries(path, Path::is_dir)?;
    // A lone folder without files but with folders is the root of the collection.
    if let [(_, only)] = folders.as_slice()
        && sorted_entries(only, Path::is_file)?.is_empty()
    {
        return from_folder(only, groups);
    }
    let mut found = Found::new();
    for (group, folder) in folders {
        let mut messages = Vec::new();
        if groups.is_empty() || groups.contains(&group.as_str()) {
            for (id, file) in sorted_entries(&folder, Path::is_file)? {
                messages.push(Message { id, text: source::latin1(&source::bytes(&file)?) });
            }
        }
        found.insert(group, messages);
    }
    Ok(found)
}

/// The entries of a folder that `keep` accepts, by name.
fn sorted_entries(
    folder: &Path,
    keep: impl Fn(&Path) -> bool,
) -> Result<Vec<(String, std::path::PathBuf)>, DataError> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(DataError::io(folder))? {
        let entry = entry.map_err(DataError::io(folder))?;
        if keep(&entry.path()) {
            entries.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
        }
    }
    entries.sort_unstable();
    Ok(entries)
}

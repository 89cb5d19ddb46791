//! The readers that an entry of the catalogue can name.

use crate::read::csv::CsvOptions;
use crate::read::newsgroups::Newsgroups;
use crate::read::svmlight::{self, IndexBase};
use crate::read::text::{TermCounts, TfIdf};
use crate::read::{citation, idx, keel, npy, optdigits, reuters};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What turns the files of a data set into points and labels.
///
/// A reader takes the entry's files in the order in which the catalogue lists them, without the
/// optional ones.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reader {
    /// Two NumPy arrays: the points, then their labels.
    NpyPair,
    /// idx files: images and their labels, again images and their labels, …, as one data set.
    IdxPairs,
    /// One CSV or TSV file with a header: `reader = { csv = { label = "kind" } }`.
    Csv(CsvOptions),
    /// One svmlight file.
    Svmlight,
    /// One KEEL file.
    Keel,
    /// Rows in the layout of optdigits, file after file.
    Optdigits,
    /// One archive of messages by group, as tf-idf; the label is the group.
    Newsgroups,
    /// One archive in the layout of Reuters-21578, as tf-idf; the label is the topic of those
    /// documents that have exactly one.
    ReutersTopics,
    /// A citation graph, whose files have fixed names.
    Citation,
}

impl Reader {
    /// Refuses, in words, files that this reader could not take.
    pub(super) fn accepts(&self, files: &[&str]) -> Result<(), String> {
        let (fits, needs) = match self {
            Self::NpyPair => (files.len() == 2, "two files, points and labels"),
            Self::IdxPairs => (
                !files.is_empty() && files.len().is_multiple_of(2),
                "pairs of files, images and labels",
            ),
            Self::Csv(_) | Self::Svmlight | Self::Keel | Self::Newsgroups | Self::ReutersTopics => {
                (files.len() == 1, "one file")
            }
            Self::Optdigits => (!files.is_empty(), "a file or more"),
            Self::Citation => (
                citation::FILES.iter().all(|needed| files.contains(needed)),
                "the files edges.tsv, labels.txt, train_index.txt and test_index.txt",
            ),
        };
        if fits {
            return Ok(());
        }
        Err(format!("its reader needs {needs}, but it lists {} that are not optional", files.len()))
    }

    /// Reads the files, which [`Reader::accepts`] has seen, in their folder.
    pub(super) fn read(&self, folder: &Path, files: &[PathBuf]) -> Result<Dataset, DataError> {
        match (self, files) {
            (Self::NpyPair, [points, labels]) => npy::read_dataset(points, labels),
            (Self::IdxPairs, _) => idx::read_pairs(files.chunks_exact(2).map(|p| (&p[0], &p[1]))),
            (Self::Csv(options), [file]) => options.read(file),
            (Self::Svmlight, [file]) => svmlight::read(file, IndexBase::Auto),
            (Self::Keel, [file]) => keel::read(file),
            (Self::Optdigits, _) => optdigits::read_all(files),
            (Self::Newsgroups, [file]) => Newsgroups::read(file, &[])?.tf_idf(TfIdf::default()),
            (Self::ReutersTopics, [file]) => single_topics(file),
            (Self::Citation, _) => features(folder),
            _ => Err(DataError::Catalog { problem: format!("{self:?} cannot read {files:?}") }),
        }
    }
}

fn single_topics(path: &Path) -> Result<Dataset, DataError> {
    let documents = reuters::read(path)?;
    let terms = TermCounts::new(documents.iter().map(reuters::Document::text))?;
    let labels =
        Labels::from_names(documents.iter().map(|document| match document.topics.as_slice() {
            [topic] => Some(topic),
            _ => None,
        }));
    Ok(Dataset {
        feature_names: Some(terms.vocabulary().to_vec()),
        ids: Some(documents.iter().map(|document| document.new_id.to_string()).collect()),
        ..Dataset::new("", terms.tf_idf(TfIdf::default())?, labels)
    })
}

fn features(folder: &Path) -> Result<Dataset, DataError> {
    let graph = citation::read(folder)?;
    let points = graph.points.ok_or_else(|| DataError::Empty {
        path: folder.to_owned(),
        what: "there is a graph with classes, but no features".to_owned(),
        remedy: "load the graph instead of points".to_owned(),
    })?;
    Ok(Dataset::new(graph.name, points, graph.labels))
}

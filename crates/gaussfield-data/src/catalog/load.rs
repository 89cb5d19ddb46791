use super::{Catalog, Location, embedded_optdigits};
use crate::read::citation::{self, CitationGraph};
use crate::read::newsgroups::Newsgroups;
use crate::read::text::TermCounts;
use crate::read::{idx, npy, optdigits, reuters};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::Axis;
use std::path::{Path, PathBuf};

impl Catalog {
    /// Loads a data set by name, with all its labels. The sums are not compared again:
    /// [`Catalog::check`] does that.
    ///
    /// - `usps`, `coil20`: raw grey values 0 to 255, in the order of the files;
    /// - `mnist`: the 60000 training images, then the 10000 test images;
    /// - `optdigits`: the 3823 training rows, then the 1797 test rows;
    /// - `newsgroups`: the seven groups as tf-idf (for fewer: [`Newsgroups::read`]);
    /// - `reuters21578`: all documents as tf-idf; the label is the topic of those that have
    ///   exactly one, the others have none;
    /// - `cora`, `citeseer`: the binary word features (for the graph: [`Catalog::load_graph`]).
    ///
    /// # Errors
    /// [`DataError::UnknownDataset`]; [`DataError::Absent`] with what brings it here;
    /// [`DataError::Empty`] for `pubmed`, which has a graph but no features; what the reader says
    /// of a damaged file.
    pub fn load(&self, name: &str) -> Result<Dataset, DataError> {
        let location = self.locate(name)?;
        let folder = match &location {
            Location::Folder(folder) | Location::Cache(folder) => folder,
            Location::Embedded => return embedded_optdigits(),
            Location::Absent { .. } => return Err(self.absent(self.entry(name)?)),
        };
        let data = match name {
            "usps" | "coil20" => {
                npy::read_dataset(folder.join("images.npy"), folder.join("labels.npy"))
            }
            "mnist" => mnist(folder),
            "optdigits" => optdigits::read_folder(folder),
            "newsgroups" => {
                Newsgroups::read(folder.join("20news-18828-subset.tar.gz"), &[])?.tf_idf()
            }
            "reuters21578" => single_topics(&folder.join("reuters21578.tar.gz")),
            "cora" | "citeseer" | "pubmed" => features(folder),
            _ => Err(DataError::Catalog { problem: format!("no reader is known for {name}") }),
        }?;
        Ok(Dataset { name: name.to_owned(), ..data })
    }

    /// Loads one of the ready-made graphs: `cora`, `citeseer` or `pubmed`.
    ///
    /// # Errors
    /// [`DataError::Argument`] for another name; [`DataError::UnknownDataset`];
    /// [`DataError::Absent`]; what the reader says of a damaged file.
    pub fn load_graph(&self, name: &str) -> Result<CitationGraph, DataError> {
        let entry = self.entry(name)?;
        if entry.shape.edges.is_none() {
            let graphs = self.entries.iter().filter(|entry| entry.shape.edges.is_some());
            let names: Vec<&str> = graphs.map(|entry| entry.name.as_str()).collect();
            return Err(DataError::Argument {
                name: "name",
                value: name.to_owned(),
                expected: format!("a ready-made graph: {}", names.join(", ")),
            });
        }
        match self.locate(name)?.folder() {
            Some(folder) => citation::read(folder),
            None => Err(self.absent(entry)),
        }
    }
}

fn mnist(folder: &Path) -> Result<Dataset, DataError> {
    let images = |side: &str| folder.join(format!("{side}-images-idx3-ubyte.gz"));
    let labels = |side: &str| folder.join(format!("{side}-labels-idx1-ubyte.gz"));
    let mut rows = idx::read(images("train"))?;
    rows.append(Axis(0), idx::read(images("t10k"))?.view()).map_err(|error| {
        let problem = format!("its images do not fit those of the training file ({error})");
        damaged(images("t10k"), problem)
    })?;
    let (train, test) = (idx::read_labels(labels("train"))?, idx::read_labels(labels("t10k"))?);
    if train.names() != test.names() {
        let problem = "its classes are not those of the training file".to_owned();
        return Err(damaged(labels("t10k"), problem));
    }
    let classes = [train.as_slice(), test.as_slice()].concat();
    if classes.len() != rows.nrows() {
        let (path, points) = (labels("train"), rows.nrows());
        return Err(DataError::LengthMismatch { path, points, labels: classes.len() });
    }
    Ok(Dataset {
        name: String::new(),
        points: Points::dense(rows)?,
        labels: Labels::new(classes, train.names().to_vec())?,
        feature_names: None,
    })
}

fn damaged(path: PathBuf, problem: String) -> DataError {
    DataError::Format { path, problem, remedy: "fetch the data set again".to_owned() }
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
        name: String::new(),
        points: terms.tf_idf()?,
        labels,
        feature_names: Some(terms.vocabulary().to_vec()),
    })
}

fn features(folder: &Path) -> Result<Dataset, DataError> {
    let graph = citation::read(folder)?;
    let points = graph.points.ok_or_else(|| DataError::Empty {
        path: folder.to_owned(),
        what: "there is a graph with classes, but no features".to_owned(),
        remedy: "load the graph instead of points".to_owned(),
    })?;
    Ok(Dataset { name: graph.name, points, labels: graph.labels, feature_names: None })
}

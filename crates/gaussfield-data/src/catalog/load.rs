//! Loading by name: where the files are, and then the reader the catalogue names.

use super::{Catalog, Location, embedded_optdigits};
use crate::read::citation::{self, CitationGraph};
use crate::{DataError, Dataset};

impl Catalog {
    /// Loads a data set by name, with all its labels. The sums are not compared again:
    /// [`Catalog::check`] does that.
    ///
    /// - `usps`, `coil20`: raw grey values 0 to 255, in the order of the files;
    /// - `mnist`: the 60000 training images, then the 10000 test images;
    /// - `optdigits`: the 3823 training rows, then the 1797 test rows;
    /// - `newsgroups`, `newsgroups-bydate`: all 20 groups as tf-idf (for fewer:
    ///   [`Newsgroups::read`](crate::read::newsgroups::Newsgroups::read));
    /// - `reuters21578`: all documents as tf-idf; the label is the topic of those that have
    ///   exactly one, the others have none;
    /// - `cora`, `citeseer`: the binary word features (for the graph: [`Catalog::load_graph`]).
    ///
    /// # Errors
    /// [`DataError::UnknownDataset`]; [`DataError::Absent`] with what brings it here;
    /// [`DataError::Empty`] for `pubmed`, which has a graph but no features; what the reader says
    /// of a damaged file.
    pub fn load(&self, name: &str) -> Result<Dataset, DataError> {
        let entry = self.entry(name)?;
        let location = self.locate(name)?;
        let folder = match &location {
            Location::Folder(folder) | Location::Cache(folder) => folder,
            Location::Embedded => return embedded_optdigits(),
            Location::Absent { .. } => return Err(self.absent(entry)),
        };
        let files: Vec<_> = entry.required().map(|path| folder.join(path)).collect();
        Ok(Dataset { name: name.to_owned(), ..entry.reader.read(folder, &files)? })
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

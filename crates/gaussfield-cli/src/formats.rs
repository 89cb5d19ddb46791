//! Files that are no tables: arrays, sparse rows, graphs, with labels inside or beside them.

use crate::arguments::Input;
use crate::failure::Failure;
use crate::input::{Known, Rows};
use gaussfield::Error;
use gaussfield::data::read::edges::EdgeListOptions;
use gaussfield::data::read::svmlight::{self, IndexBase};
use gaussfield::data::read::{matrix_market, npy, scipy};
use gaussfield::data::{DataError, EdgeList};
use gaussfield::graph::{Graph, GraphError};
use gaussfield::labels::Labels;
use gaussfield::points::{Points, PointsError};
use std::path::Path;

/// How a file is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A table, comma-separated
    Csv,
    /// A table, tab-separated
    Tsv,
    /// A table, Apache Parquet
    Parquet,
    /// A table, Arrow file (Feather 2)
    Arrow,
    /// A folder of text files, one document a file
    Folder,
    /// One NumPy array
    Npy,
    /// NumPy arrays: features `X` and labels `y`, or a sparse matrix of scipy
    Npz,
    /// svmlight / libsvm
    Svmlight,
    /// A graph: `u v` or `u v weight` a line
    Edges,
    /// A graph: a Matrix Market coordinate file
    MatrixMarket,
    /// A graph: a sparse matrix of scipy, its weights
    NpzGraph,
}

impl Format {
    /// As the option says, or by the file's ending.
    pub(crate) fn of(input: &Input) -> Self {
        input.format.unwrap_or_else(|| Self::of_file(&input.file))
    }

    /// By the ending.
    pub(crate) fn of_file(file: &Path) -> Self {
        if file.is_dir() {
            return Self::Folder;
        }
        let name = file.to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let endings = [
            (".tsv", Self::Tsv),
            (".tab", Self::Tsv),
            (".parquet", Self::Parquet),
            (".pq", Self::Parquet),
            (".arrow", Self::Arrow),
            (".feather", Self::Arrow),
            (".npy", Self::Npy),
            (".npz", Self::Npz),
            (".svmlight", Self::Svmlight),
            (".libsvm", Self::Svmlight),
            (".svm", Self::Svmlight),
            (".edges", Self::Edges),
            (".edgelist", Self::Edges),
            (".mtx", Self::MatrixMarket),
        ];
        let found = endings.into_iter().find(|(ending, _)| name.ends_with(ending));
        found.map_or(Self::Csv, |(_, format)| format)
    }
}

/// Reads a file that is no table.
pub(crate) fn read(format: Format, path: &Path, bytes: &[u8]) -> Result<Known, Failure> {
    Ok(match format {
        Format::Npy => {
            let array = npy::parse(path, bytes).map_err(Error::from)?;
            Known::of(Rows::Points(dense(path, array)?))
        }
        Format::Npz => npz(path, bytes)?,
        Format::Svmlight => {
            let data = svmlight::parse(path, bytes, IndexBase::Auto).map_err(Error::from)?;
            // Of the format's own: a row of class 0 is one to be labelled.
            let labels = Some(known(&data.labels, &["0", "?"]));
            Known { labels, ..Known::of(Rows::Points(data.points)) }
        }
        Format::Edges => {
            graph(path, EdgeListOptions::new().parse(path, bytes).map_err(Error::from)?, 0)?
        }
        Format::MatrixMarket => {
            graph(path, matrix_market::parse(path, bytes).map_err(Error::from)?, FIRST_ROW)?
        }
        Format::NpzGraph => graph(path, scipy::parse_graph(path, bytes).map_err(Error::from)?, 0)?,
        Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow | Format::Folder => {
            return Err(Failure::Work("a table is read by the reader of tables".to_owned()));
        }
    })
}

fn dense(path: &Path, array: ndarray::Array2<f64>) -> Result<Points, Failure> {
    Points::dense(array).map_err(|error| {
        let problem = match error {
            // Rows are numbered from 1 here, as their names are.
            PointsError::NotFinite { row, column, value } => format!(
                "row {}, column {} is {value}; fill in a finite number or remove the row",
                row + 1,
                column + 1
            ),
            other => other.to_string(),
        };
        Failure::Input(format!("{}: {problem}", path.display()))
    })
}

/// Features under the name `X`, labels under `y`, numbers or texts; negative labels are not known, as
/// scikit-learn has it, and neither are empty ones. Or a sparse matrix.
fn npz(path: &Path, bytes: &[u8]) -> Result<Known, Failure> {
    match npy::parse_npz(path, bytes, "X") {
        Ok(array) => {
            let labels = match npy::parse_npz_texts(path, bytes, "y") {
                Ok(Some(texts)) => {
                    let known = |text: String| Some(text).filter(|text| !text.is_empty());
                    Some(Labels::from_names(texts.into_iter().map(known)))
                }
                Ok(None) => {
                    let numbers = npy::parse_npz(path, bytes, "y").map_err(Error::from)?;
                    let text = |&y: &f64| (y >= 0.0).then(|| y.to_string());
                    Some(Labels::from_names(numbers.iter().map(text)))
                }
                Err(DataError::NoSuchMember { .. }) => None,
                Err(error) => return Err(Error::from(error).into()),
            };
            Ok(Known { labels, ..Known::of(Rows::Points(dense(path, array)?)) })
        }
        Err(DataError::NoSuchMember { available, .. })
            if available.iter().any(|n| n == "indptr") =>
        {
            let sparse = scipy::parse(path, bytes).map_err(Error::from)?;
            Ok(Known::of(Rows::Points(sparse)))
        }
        Err(error) => Err(Error::from(error).into()),
    }
}

/// The number of the first row in a Matrix Market file.
pub(crate) const FIRST_ROW: usize = 1;

/// The graph of a list; its nodes are called as the file calls them, by names or by numbers from the
/// first one on.
fn graph(path: &Path, list: EdgeList, first: usize) -> Result<Known, Failure> {
    let EdgeList { nodes, edges, ids } = list;
    let called = |node: usize| match ids.as_ref().and_then(|ids| ids.get(node)) {
        Some(id) => format!("{id:?}"),
        None => (first + node).to_string(),
    };
    let graph = Graph::from_edges(nodes, edges).map_err(|error| {
        let problem = match error {
            GraphError::SelfLoop { node, weight } => format!(
                "node {} is linked to itself, with weight {weight}; remove that edge, or set the \
                 diagonal of the matrix to zero",
                called(node)
            ),
            GraphError::BadWeight { i, j, weight } => format!(
                "the weight between the nodes {} and {} is {weight}; correct it, as weights must be \
                 finite and not negative, or remove the edge",
                called(i),
                called(j)
            ),
            GraphError::Asymmetric { i, j, forward, backward } => format!(
                "the weight from node {} to node {} is {forward}, but back it is {backward}; an edge \
                 has one weight: average the two, or keep one",
                called(i),
                called(j)
            ),
            other => other.to_string(),
        };
        Failure::Input(format!("{}: {problem}", path.display()))
    })?;
    Ok(Known { ids, ..Known::of(Rows::Graph(graph)) })
}

/// Labels, but for those that mean "not known".
fn known(labels: &Labels, unknown: &[&str]) -> Labels {
    let name = |class: &Option<usize>| class.map(|class| labels.names()[class].as_str());
    let known = |name: &&str| !unknown.contains(name);
    Labels::from_names(labels.as_slice().iter().map(|class| name(class).filter(known)))
}

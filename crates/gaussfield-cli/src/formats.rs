//! Files that are no tables: arrays, sparse rows, graphs, with labels inside or beside them.

use crate::arguments::Input;
use crate::failure::Failure;
use crate::input::{Columns, Known, Rows};
use gaussfield::Error;
use gaussfield::data::read::edges::EdgeListOptions;
use gaussfield::data::read::svmlight::{self, IndexBase};
use gaussfield::data::read::{matrix_market, npy, scipy};
use gaussfield::data::{DataError, EdgeList};
use gaussfield::graph::Graph;
use gaussfield::labels::Labels;
use gaussfield::points::Points;
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
        Format::Npy => rows(dense(path, npy::parse(path, bytes).map_err(Error::from)?)?),
        Format::Npz => npz(path, bytes)?,
        Format::Svmlight => {
            let data = svmlight::parse(path, bytes, IndexBase::Auto).map_err(Error::from)?;
            // Of the format's own: a row of class 0 is one to be labelled.
            let labels = texts(&data.labels, &["0", "?"]);
            Known {
                rows: Rows::Points(data.points),
                labels: Some(labels),
                ids: None,
                columns: Columns::default(),
            }
        }
        Format::Edges => {
            graph(path, EdgeListOptions::new().parse(path, bytes).map_err(Error::from)?)?
        }
        Format::MatrixMarket => {
            graph(path, matrix_market::parse(path, bytes).map_err(Error::from)?)?
        }
        Format::NpzGraph => graph(path, scipy::parse_graph(path, bytes).map_err(Error::from)?)?,
        Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow | Format::Folder => {
            return Err(Failure::Work("a table is read by the reader of tables".to_owned()));
        }
    })
}

fn rows(points: Points) -> Known {
    let columns = Columns::default();
    Known { rows: Rows::Points(points), labels: None, ids: None, columns }
}

fn dense(path: &Path, array: ndarray::Array2<f64>) -> Result<Points, Failure> {
    Points::dense(array).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}

/// Features under the name `X`, labels under `y`; negative labels are not known, as scikit-learn has
/// it. Or a sparse matrix.
fn npz(path: &Path, bytes: &[u8]) -> Result<Known, Failure> {
    match npy::parse_npz(path, bytes, "X") {
        Ok(array) => {
            let labels = match npy::parse_npz(path, bytes, "y") {
                Ok(labels) => {
                    let text = |&y: &f64| (y >= 0.0).then(|| y.to_string());
                    Some(labels.iter().map(text).collect())
                }
                Err(DataError::NoSuchMember { .. }) => None,
                Err(error) => return Err(Error::from(error).into()),
            };
            Ok(Known { labels, ..rows(dense(path, array)?) })
        }
        Err(DataError::NoSuchMember { available, .. })
            if available.iter().any(|n| n == "indptr") =>
        {
            let sparse = scipy::parse(path, bytes).map_err(Error::from)?;
            Ok(rows(sparse))
        }
        Err(error) => Err(Error::from(error).into()),
    }
}

fn graph(path: &Path, list: EdgeList) -> Result<Known, Failure> {
    let EdgeList { nodes, edges, ids } = list;
    let graph = Graph::from_edges(nodes, edges)
        .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    Ok(Known { rows: Rows::Graph(graph), labels: None, ids, columns: Columns::default() })
}

/// Labels as text, but for those that mean "not known".
fn texts(labels: &Labels, unknown: &[&str]) -> Vec<Option<String>> {
    let name = |class: &Option<usize>| class.map(|class| labels.names()[class].clone());
    let known = |name: &String| !unknown.contains(&name.as_str());
    labels.as_slice().iter().map(|class| name(class).filter(known)).collect()
}

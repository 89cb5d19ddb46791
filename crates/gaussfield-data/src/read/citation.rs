//! Citation graphs as a folder of plain text: Cora, Citeseer, PubMed in their Planetoid version.
//!
//! - `edges.tsv`: undirected edges `u<TAB>v`, counted from 0;
//! - `labels.txt`: on line i + 1 the class of node i, −1 for none;
//! - `features.txt`, where there is one: on line i + 1 the indices of the binary features that
//!   are 1 for node i, separated by blanks;
//! - `train_index.txt`, `test_index.txt`: the nodes of the split, one a line.

use super::edges::{EdgeListOptions, MAX_NODES, NodeIds};
use super::{memory::Memory, source};
use crate::{DataError, EdgeList};
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use sprs::CsMat;
use std::path::Path;

/// A citation graph with its classes, features and split.
#[derive(Debug, Clone, PartialEq)]
pub struct CitationGraph {
    /// The folder's name.
    pub name: String,
    /// The references, each once, all of weight 1.
    pub graph: EdgeList,
    /// The classes; nodes without one in the source have none.
    pub labels: Labels,
    /// The binary word features, where the folder has them.
    pub points: Option<Points>,
    /// The training nodes of the split.
    pub train: Vec<usize>,
    /// The test nodes of the split, in the source's order.
    pub test: Vec<usize>,
}

/// Class and feature numbers stay below these; greater ones are taken for damage.
const MAX_CLASSES: usize = 1 << 16;
const MAX_FEATURES: usize = MAX_NODES;

/// The files that a folder must have.
pub(crate) const FILES: [&str; 4] =
    ["edges.tsv", "labels.txt", "train_index.txt", "test_index.txt"];

/// Reads a folder. O(bytes).
///
/// # Errors
/// A file that is missing (but for `features.txt`), a number that cannot be, features for another
/// number of nodes than labels.
pub fn read(folder: impl AsRef<Path>) -> Result<CitationGraph, DataError> {
    let folder = folder.as_ref();
    let labels = labels(&folder.join("labels.txt"))?;
    let nodes = labels.len();
    let options = EdgeListOptions::new().ids(NodeIds::Zero).nodes(nodes);
    let features = folder.join("features.txt");
    Ok(CitationGraph {
        name: source::stem(folder),
        graph: options.read(folder.join("edges.tsv"))?,
        points: features.exists().then(|| points(&features, nodes)).transpose()?,
        train: indices(&folder.join("train_index.txt"), nodes)?,
        test: indices(&folder.join("test_index.txt"), nodes)?,
        labels,
    })
}

fn labels(path: &Path) -> Result<Labels, DataError> {
    let bytes = source::bytes(path)?;
    let mut memory = Memory::holding(path, &bytes)?;
    let text = source::utf8(&mut memory, &bytes)?;
    memory.items("the classes", source::most_lines(&text), 16)?;
    let mut classes = Vec::with_capacity(source::most_lines(&text));
    for (at, line) in text.lines().enumerate() {
        let cell = line.trim();
        classes.push(match cell {
            "-1" => None,
            _ => Some(number(path, at + 1, "class", cell, MAX_CLASSES)?),
        });
    }
    if classes.is_empty() {
        return Err(source::empty(path, "there is no label", "write one class a line"));
    }
    let count = classes.iter().flatten().max().map_or(0, |largest| largest + 1);
    Ok(Labels::new(classes, (0..count).map(|class| class.to_string()).collect())?)
}

fn points(path: &Path, nodes: usize) -> Result<Points, DataError> {
    let bytes = source::bytes(path)?;
    let mut memory = Memory::holding(path, &bytes)?;
    let text = source::utf8(&mut memory, &bytes)?;
    let (lines, most) = (source::most_lines(&text), text.len().div_ceil(2));
    memory.items("the features", lines + 4 * most, 8)?;
    let (mut indptr, mut indices) = (Vec::with_capacity(lines + 1), Vec::with_capacity(most));
    indptr.push(0);
    for (at, line) in text.lines().enumerate() {
        // A node without a feature has an empty line, so blank lines count.
        let mut row = line
            .split_whitespace()
            .map(|cell| number(path, at + 1, "feature", cell, MAX_FEATURES))
            .collect::<Result<Vec<usize>, _>>()?;
        row.sort_unstable();
        row.dedup();
        indices.append(&mut row);
        indptr.push(indices.len());
    }
    let rows = indptr.len() - 1;
    if rows != nodes {
        return Err(DataError::LengthMismatch {
            path: path.to_owned(),
            points: rows,
            labels: nodes,
        });
    }
    let dim = indices.iter().max().map_or(0, |largest| largest + 1);
    let ones = vec![1.0; indices.len()];
    Ok(Points::sparse(CsMat::new((rows, dim), indptr, indices, ones))?)
}

fn indices(path: &Path, nodes: usize) -> Result<Vec<usize>, DataError> {
    let bytes = source::bytes(path)?;
    let mut memory = Memory::holding(path, &bytes)?;
    let text = source::utf8(&mut memory, &bytes)?;
    memory.items("the nodes", source::most_lines(&text), 3 * 8)?;
    source::content_lines(&text, &['#'])
        .map(|(line, cell)| number(path, line, "node", cell, nodes))
        .collect()
}

/// A whole number below a limit.
fn number(
    path: &Path,
    line: usize,
    column: &str,
    cell: &str,
    limit: usize,
) -> Result<usize, DataError> {
    cell.parse().ok().filter(|number| *number < limit).ok_or_else(|| {
        source::refused(path, line, column, cell, format!("a whole number below {limit}"))
    })
}

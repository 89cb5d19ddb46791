//! Edge lists: one edge a line, `u v` or `u v weight`.
//!
//! Columns are separated by tabs, else by commas, else by blanks, whichever the line has. Lines
//! that start with `#` or `%` and blank lines are passed over. Without a weight column every
//! weight is 1. Repeated edges, self-loops and negative weights are kept as they stand: the graph
//! that is built from the list decides about them.

use super::source;
use crate::{DataError, EdgeList};
use std::collections::HashMap;
use std::path::Path;

/// The most nodes that numbers may name.
///
/// One large number would otherwise ask for a graph of that many nodes; numbers that are
/// identifiers rather than indices are to be read as text.
pub(super) const MAX_NODES: usize = 1 << 28;

/// What the node columns hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NodeIds {
    /// Whole numbers from 0 if all of them are whole numbers below 2²⁸, text otherwise.
    #[default]
    Auto,
    /// Whole numbers from 0: node i is i. Numbers that do not occur are nodes without an edge.
    Zero,
    /// Whole numbers from 1: node i is i − 1.
    One,
    /// Any text; nodes are numbered in the order of first appearance.
    Text,
}

/// How to read an edge list.
///
/// ```
/// use gaussfield_data::read::edges::EdgeListOptions;
/// use std::path::Path;
///
/// let list = EdgeListOptions::new().parse(Path::new("friends.tsv"), b"ann\tbob\nbob\teve\n")?;
/// assert_eq!(list.nodes, 3);
/// assert_eq!(list.edges, [(0, 1, 1.0), (1, 2, 1.0)]);
/// assert_eq!(list.ids.as_deref().unwrap(), ["ann", "bob", "eve"]);
/// # Ok::<(), gaussfield_data::DataError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeListOptions {
    ids: NodeIds,
    nodes: Option<usize>,
}

impl EdgeListOptions {
    /// Node identifiers of either kind, as many nodes as the edges name.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the node columns hold.
    #[must_use]
    pub fn ids(mut self, ids: NodeIds) -> Self {
        self.ids = ids;
        self
    }

    /// The number of nodes, for graphs whose last nodes have no edge.
    #[must_use]
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Reads a file. O(bytes).
    ///
    /// # Errors
    /// As [`EdgeListOptions::parse`], and [`DataError::Io`].
    pub fn read(&self, path: impl AsRef<Path>) -> Result<EdgeList, DataError> {
        let path = path.as_ref();
        self.parse(path, &source::bytes(path)?)
    }

    /// Reads bytes; `path` names them in messages.
    ///
    /// # Errors
    /// No edge, a line of other than two or three columns or of another number than the first, a
    /// node number that cannot be, a weight that is no finite number.
    pub fn parse(&self, path: &Path, bytes: &[u8]) -> Result<EdgeList, DataError> {
        let text = source::utf8(path, bytes)?;
        let lines = split_lines(path, &text)?;
        let numbers = lines.iter().flat_map(|line| line.ends);
        let ids = match self.ids {
            NodeIds::Auto if numbers.map(node_number).all(|n| n.is_some()) => NodeIds::Zero,
            NodeIds::Auto => NodeIds::Text,
            given => given,
        };
        let mut names = Names::default();
        let mut edges = Vec::with_capacity(lines.len());
        let mut largest = 0;
        for line in &lines {
            let mut node = |end: &str| match ids {
                NodeIds::Text | NodeIds::Auto => Ok(names.number(end)),
                NodeIds::Zero => self.number(path, line.number, end, 0),
                NodeIds::One => self.number(path, line.number, end, 1),
            };
            let (u, v) = (node(line.ends[0])?, node(line.ends[1])?);
            largest = largest.max(u).max(v);
            let weight = match line.weight {
                Some(cell) => source::finite(path, line.number, || "weight".to_owned(), cell)?,
                None => 1.0,
            };
            edges.push((u, v, weight));
        }
        let nodes = self.nodes.unwrap_or(largest + 1);
        if nodes <= largest {
            return Err(DataError::Argument {
                name: "nodes",
                value: nodes.to_string(),
                expected: format!("at least {}, the number of nodes the edges name", largest + 1),
            });
        }
        let ids = (ids == NodeIds::Text).then_some(names.names);
        Ok(EdgeList { nodes, edges, ids })
    }

    /// A node from its number in the file.
    fn number(
        &self,
        path: &Path,
        line: usize,
        cell: &str,
        first: usize,
    ) -> Result<usize, DataError> {
        let limit = self.nodes.map_or(MAX_NODES, |nodes| nodes.min(MAX_NODES));
        node_number(cell)
            .and_then(|number| number.checked_sub(first))
            .filter(|node| *node < limit)
            .ok_or_else(|| {
                let last = (limit + first).saturating_sub(1);
                let expected = format!(
                    "a node number from {first} to {last} (names and sparse numbers can be read \
                     as text)"
                );
                source::refused(path, line, "node", cell, expected)
            })
    }
}

/// One line, cut into columns.
struct Line<'a> {
    number: usize,
    ends: [&'a str; 2],
    weight: Option<&'a str>,
}

fn split_lines<'a>(path: &Path, text: &'a str) -> Result<Vec<Line<'a>>, DataError> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    let mut width = None;
    for (number, content) in source::content_lines(text, &['#', '%']) {
        let cells = cells(content);
        let ragged = |expected| DataError::Ragged {
            path: path.to_owned(),
            line: number,
            expected,
            got: cells.len(),
        };
        if *width.get_or_insert(cells.len()) != cells.len() {
            return Err(ragged(width.unwrap_or(2)));
        }
        let (ends, weight) = match *cells.as_slice() {
            [u, v] => ([u, v], None),
            [u, v, weight] => ([u, v], Some(weight)),
            _ => return Err(ragged(2)),
        };
        if let Some(end) = ends.iter().find(|end| end.is_empty()) {
            return Err(source::refused(path, number, "node", end, "a node"));
        }
        lines.push(Line { number, ends, weight });
    }
    if lines.is_empty() {
        return Err(source::empty(path, "there is no edge", "write lines \"u v\" or \"u v w\""));
    }
    Ok(lines)
}

fn cells(line: &str) -> Vec<&str> {
    match ['\t', ','].into_iter().find(|separator| line.contains(*separator)) {
        Some(separator) => line.split(separator).map(str::trim).collect(),
        None => line.split_whitespace().collect(),
    }
}

/// A whole number that may stand for a node.
fn node_number(cell: &str) -> Option<usize> {
    let digits = !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_digit());
    cell.parse().ok().filter(|number| digits && *number < MAX_NODES)
}

/// Numbers for names, in the order of first appearance.
#[derive(Default)]
struct Names {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.numbers.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }
}

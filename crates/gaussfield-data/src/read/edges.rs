//! Edge lists: one edge a line, `u v` or `u v weight`.
//!
//! Columns are separated by tabs, else by commas, else by blanks, whichever the line has. Lines
//! that start with `#` or `%` and blank lines are passed over, and so is a first line that names its
//! columns: `source` and `target` or the like, or a third one `weight`. Without a weight column every
//! weight is 1. Repeated edges, self-loops and negative weights are kept as they stand: the graph
//! that is built from the list decides about them.

use super::{memory::Memory, source};
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
        let mut memory = Memory::holding(path, bytes)?;
        let text = source::utf8(&mut memory, bytes)?;
        // Twice over the lines: what is made of them is kept, they are not.
        let (mut count, mut numbers) = (0, true);
        for line in lines_of(path, &text) {
            let line = line?;
            count += 1;
            numbers = numbers && line.ends.iter().all(|end| node_number(end).is_some());
        }
        if count == 0 {
            return Err(source::empty(
                path,
                "there is no edge",
                "write lines \"u v\" or \"u v w\"",
            ));
        }
        let ids = match self.ids {
            NodeIds::Auto if numbers => NodeIds::Zero,
            NodeIds::Auto => NodeIds::Text,
            given => given,
        };
        memory.items("the edges", count, size_of::<(usize, usize, f64)>())?;
        if ids == NodeIds::Text {
            // A name is kept twice, and every end may be another one.
            memory.items("the names of the nodes", 2 * count, 160)?;
            memory.take("the names of the nodes", 2 * text.len() as u64)?;
        }
        let mut names = Names::default();
        let mut edges = Vec::with_capacity(count);
        let mut largest = 0;
        for line in lines_of(path, &text) {
            let line = line?;
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

/// The lines of a list, one by one; all have the columns of the first.
struct Lines<'a, L> {
    path: &'a Path,
    lines: L,
    width: Option<usize>,
}

fn lines_of<'a>(
    path: &'a Path,
    text: &'a str,
) -> impl Iterator<Item = Result<Line<'a>, DataError>> {
    let mut lines = source::content_lines(text, &['#', '%']).peekable();
    lines.next_if(|(_, line)| is_header(line));
    Lines { path, lines, width: None }
}

/// Whether a first line names columns.
fn is_header(line: &str) -> bool {
    const ENDS: [[&str; 2]; 6] = [
        ["source", "target"],
        ["from", "to"],
        ["src", "dst"],
        ["u", "v"],
        ["i", "j"],
        ["node1", "node2"],
    ];
    let ([u, v, weight], _) = cells(line);
    let ends =
        |names: &[&str; 2]| u.eq_ignore_ascii_case(names[0]) && v.eq_ignore_ascii_case(names[1]);
    weight.eq_ignore_ascii_case("weight") || ENDS.iter().any(ends)
}

impl<'a, L: Iterator<Item = (usize, &'a str)>> Iterator for Lines<'a, L> {
    type Item = Result<Line<'a>, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (number, content) = self.lines.next()?;
        let (cells, got) = cells(content);
        let expected = *self.width.get_or_insert(got);
        let ragged = |expected| DataError::Ragged {
            path: self.path.to_owned(),
            line: number,
            expected,
            got,
        };
        let [u, v, weight] = cells;
        Some(match got {
            _ if got != expected => Err(ragged(expected)),
            2 | 3 if u.is_empty() || v.is_empty() => {
                Err(source::refused(self.path, number, "node", "", "a node"))
            }
            2 => Ok(Line { number, ends: [u, v], weight: None }),
            3 => Ok(Line { number, ends: [u, v], weight: Some(weight) }),
            _ => Err(ragged(2)),
        })
    }
}

/// The first three cells of a line, and how many it has.
fn cells(line: &str) -> ([&str; 3], usize) {
    fn gather<'a>(all: impl Iterator<Item = &'a str>) -> ([&'a str; 3], usize) {
        let (mut first, mut count) = ([""; 3], 0);
        for cell in all {
            if let Some(place) = first.get_mut(count) {
                *place = cell;
            }
            count += 1;
        }
        (first, count)
    }
    match ['\t', ','].into_iter().find(|separator| line.contains(*separator)) {
        Some(separator) => gather(line.split(separator).map(str::trim)),
        None => gather(line.split_whitespace()),
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

//! Matrix Market coordinate files as edge lists.
//!
//! `%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric`, comments that start
//! with `%`, a line `rows columns entries`, then `i j [value]` counted from 1. The matrix must be
//! square. Each stored entry is one edge: of a symmetric matrix each pair is stored once, of a
//! general one both directions may be. Entries of a pattern weigh 1. Format: Boisvert, Pozo and
//! Remington, NISTIR 5935, 1996.

use super::edges::MAX_NODES;
use super::{memory::Memory, source};
use crate::{DataError, EdgeList};
use std::path::Path;

/// Reads a file. O(bytes).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<EdgeList, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?)
}

/// Reads bytes; `path` names them in messages.
///
/// # Errors
/// A first line that is not of the format, an unsupported kind of matrix, a matrix that is not
/// square, an entry outside it, more or fewer entries than promised.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<EdgeList, DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    let text = source::utf8(&mut memory, bytes)?;
    let first = text.lines().next().unwrap_or_default();
    let cells = cells_per_entry(path, first)?;
    let mut lines = source::content_lines(&text, &['%']);
    let sizes = lines.next().ok_or_else(|| {
        source::empty(path, "there is no size line", "write \"rows columns entries\"")
    })?;
    let (nodes, entries) = size_line(path, sizes)?;
    // At least four bytes an entry: a promise of more is not kept.
    let most = entries.min(source::most_lines(&text));
    memory.items("the entries", most, size_of::<(usize, usize, f64)>())?;
    let mut edges = Vec::with_capacity(most);
    let mut follow = 0;
    for (line, content) in lines {
        let fields: Vec<&str> = content.split_whitespace().take(cells + 1).collect();
        if fields.len() != cells {
            let (expected, got) = (cells, content.split_whitespace().count());
            return Err(DataError::Ragged { path: path.to_owned(), line, expected, got });
        }
        let node = |at: usize, column: &str| {
            let index = fields[at].parse::<usize>().ok().and_then(|index| index.checked_sub(1));
            index.filter(|index| *index < nodes).ok_or_else(|| {
                let expected = format!("a whole number from 1 to {nodes}");
                source::refused(path, line, column, fields[at], expected)
            })
        };
        let (row, column) = (node(0, "row")?, node(1, "column")?);
        let weight = match fields.get(2) {
            Some(cell) => source::finite(path, line, || "value".to_owned(), cell)?,
            None => 1.0,
        };
        if edges.len() < most {
            edges.push((row, column, weight));
        }
        follow += 1;
    }
    if follow != entries {
        return Err(DataError::Format {
            path: path.to_owned(),
            problem: format!("{entries} entries are promised, but {follow} follow"),
            remedy: "the file is cut short or its size line is wrong: fetch it again".to_owned(),
        });
    }
    Ok(EdgeList { nodes, edges, ids: None })
}

/// Checks the first line; the number of cells of an entry.
fn cells_per_entry(path: &Path, first: &str) -> Result<usize, DataError> {
    let refuse = |column: &str, value: &str, expected: &str| {
        source::refused(path, 1, column, value, expected)
    };
    let first = first.trim().to_ascii_lowercase();
    let words: Vec<&str> = first.split_whitespace().collect();
    let [banner, object, format, field, symmetry] = *words.as_slice() else {
        let expected = "\"%%MatrixMarket matrix coordinate real symmetric\" or alike";
        return Err(refuse("banner", &first, expected));
    };
    if (banner, object) != ("%%matrixmarket", "matrix") {
        return Err(refuse("banner", &first, "a line that starts \"%%MatrixMarket matrix\""));
    }
    if format != "coordinate" {
        return Err(refuse("format", format, "coordinate"));
    }
    if !matches!(symmetry, "general" | "symmetric") {
        return Err(refuse("symmetry", symmetry, "general or symmetric"));
    }
    match field {
        "real" | "integer" => Ok(3),
        "pattern" => Ok(2),
        _ => Err(refuse("field", field, "real, integer or pattern")),
    }
}

/// The nodes and the entries that the size line promises.
fn size_line(path: &Path, (line, content): (usize, &str)) -> Result<(usize, usize), DataError> {
    let fields: Vec<&str> = content.split_whitespace().collect();
    let sizes: Option<Vec<usize>> = fields.iter().map(|field| field.parse().ok()).collect();
    match sizes.as_deref() {
        Some(&[rows, columns, entries]) if rows == columns && (1..MAX_NODES).contains(&rows) => {
            Ok((rows, entries))
        }
        _ => {
            let expected = format!("\"n n entries\" of a square matrix with 0 < n < {MAX_NODES}");
            Err(source::refused(path, line, "size line", content, expected))
        }
    }
}

//! Sparse matrices as `scipy.sparse.save_npz` writes them.
//!
//! An archive of `data`, `indices`, `indptr`, `shape` and `format`. Compressed rows (`csr`) are read as
//! they stand; compressed columns (`csc`) are turned round. Rows are points.

use super::memory::Memory;
use super::{archive, npy, source};
use crate::{DataError, EdgeList};
use gaussfield_points::Points;
use sprs::{CsMat, CsMatI};
use std::path::Path;

/// The sparse points in a `.npz` file. O(bytes).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<Points, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?)
}

/// The sparse points in the bytes of a `.npz` file.
///
/// # Errors
/// A damaged archive, a missing member, a layout other than `csr` and `csc`, indices that do not fit
/// the shape, numbers that are not finite.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Points, DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    Ok(Points::sparse(matrix(&mut memory, bytes)?)?)
}

/// The graph whose weights are the matrix in the bytes of a `.npz` file: each entry is one edge, of a
/// symmetric matrix both directions are there.
///
/// # Errors
/// As [`parse`]; a matrix that is not square.
pub fn parse_graph(path: &Path, bytes: &[u8]) -> Result<EdgeList, DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    let matrix = matrix(&mut memory, bytes)?;
    let (nodes, columns) = matrix.shape();
    if nodes != columns {
        return Err(DataError::Format {
            path: path.to_owned(),
            problem: format!("the matrix is {nodes} x {columns}, which is no graph"),
            remedy: "save a row and a column for each node, or read it as rows of features"
                .to_owned(),
        });
    }
    memory.items("the edges", matrix.nnz(), size_of::<(usize, usize, f64)>())?;
    let edges = matrix.iter().map(|(&weight, (row, column))| (row, column, weight)).collect();
    Ok(EdgeList { nodes, edges, ids: None })
}

/// The matrix, in compressed rows.
fn matrix(memory: &mut Memory<'_>, bytes: &[u8]) -> Result<CsMat<f64>, DataError> {
    let path = memory.path;
    let wrong = |problem: String, remedy: &str| DataError::Format {
        path: path.to_owned(),
        problem,
        remedy: remedy.to_owned(),
    };
    let again = "write it again with scipy.sparse.save_npz";
    let columns = match layout(&archive::zip_member(memory, bytes, "format", ".npy")?) {
        Some("csr") => false,
        Some("csc") => true,
        _ => return Err(wrong("the layout is neither csr nor csc".to_owned(), "save m.tocsr()")),
    };
    let numbers = |name: &str| -> Result<Vec<f64>, DataError> {
        Ok(npy::parse_npz(path, bytes, name)?.into_iter().collect())
    };
    let whole = |name: &str| -> Result<Vec<usize>, DataError> {
        let place = |value: f64| {
            let inside = value >= 0.0 && value.fract() == 0.0 && value <= 9.0e15;
            inside.then_some(value as usize)
        };
        let all: Option<Vec<usize>> = numbers(name)?.into_iter().map(place).collect();
        all.ok_or_else(|| wrong(format!("{name:?} holds a number that is no place"), again))
    };
    let shape = whole("shape")?;
    let &[rows, dim] = shape.as_slice() else {
        return Err(wrong(format!("the shape has {} numbers, not 2", shape.len()), again));
    };
    let (indptr, indices, data) = (whole("indptr")?, whole("indices")?, numbers("data")?);
    memory.items("the sparse matrix", indptr.len() + indices.len() + data.len(), 3 * 8)?;
    let lines = if columns { dim } else { rows };
    // What the header promises is compared with what is there before memory is asked for.
    if indptr.len().checked_sub(1) != Some(lines) {
        let problem = format!("\"indptr\" has {} numbers for {lines} lines", indptr.len());
        return Err(wrong(problem, again));
    }
    // Nothing below checks where a line begins and ends before it reads there.
    let ends = indptr.last().copied();
    let ordered = indptr.first() == Some(&0) && indptr.is_sorted() && ends == Some(indices.len());
    if !ordered || indices.len() != data.len() {
        let problem = "\"indptr\" does not part the indices into lines".to_owned();
        return Err(wrong(problem, again));
    }
    let across = if columns { rows } else { dim };
    if let Some(index) = indices.iter().find(|&&index| index >= across) {
        return Err(wrong(format!("\"indices\" has {index}, but there are {across}"), again));
    }
    // Columns that are turned round begin each row somewhere, however few entries there are.
    if columns {
        memory.items("the rows of the matrix", rows, 2 * 8)?;
    }
    let built = if columns {
        CsMatI::try_new_csc((rows, dim), indptr, indices, data)
    } else {
        CsMatI::new_from_unsorted((rows, dim), indptr, indices, data)
    };
    let matrix = built.map_err(|(_, _, _, error)| wrong(error.to_string(), again))?;
    Ok(if columns { matrix.to_csr() } else { matrix })
}

/// The word in the member `format`: bytes or UCS-4, after the header.
fn layout(bytes: &[u8]) -> Option<&'static str> {
    let letters: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
    ["csr", "csc"].into_iter().find(|name| letters.ends_with(name.as_bytes()))
}

//! The svmlight / libsvm format: one sparse row a line.
//!
//! `label [qid:n] index:value index:value … # comment`. The label is kept as text (`+1` and `1`
//! are two classes), the classes in the order of first appearance. A `qid` and what follows a
//! `#` is passed over, as are blank lines.

use super::edges::MAX_NODES;
use super::{memory::Memory, source};
use crate::{DataError, Dataset};
use gaussfield_core::Progress;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use sprs::CsMat;
use std::path::Path;

/// How features are numbered in an svmlight file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IndexBase {
    /// From 0 where an index 0 occurs anywhere, from 1 otherwise.
    #[default]
    Auto,
    /// The first feature has index 0.
    Zero,
    /// The first feature has index 1, as the format's inventors have it.
    One,
}

/// The greatest index. What comes after reading has arrays of as many numbers as there are features:
/// one large index in a short file would ask for all memory.
const MAX_INDEX: usize = MAX_NODES;

/// Lines between two reports.
const HEARD: usize = 1 << 12;

/// Reads a file. O(bytes), and each row is sorted.
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>, base: IndexBase) -> Result<Dataset, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?, base)
}

/// Reads bytes; `path` names them in messages.
///
/// # Errors
/// An empty file, a missing label, a pair that is not `index:value`, an index that occurs twice
/// in a row or is 0 where counting starts at 1, a value that is no finite number.
pub fn parse(path: &Path, bytes: &[u8], base: IndexBase) -> Result<Dataset, DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    let text = source::utf8(&mut memory, bytes)?;
    let (lines, pairs) = (source::most_lines(&text), source::occurrences(&text, b':'));
    memory.items("the rows", lines, 24 + source::NAMED_ROW)?;
    memory.items("the features", pairs, 2 * 16)?; // the line at hand has them once more
    memory.take("the names of the classes", 2 * text.len() as u64)?;
    let mut labels = Vec::with_capacity(lines);
    let mut indptr = Vec::with_capacity(lines + 1);
    indptr.push(0);
    let (mut indices, mut data) = (Vec::with_capacity(pairs), Vec::with_capacity(pairs));
    let stage = Progress::stage("reading", Some(lines as u64));
    for (line, content) in source::content_lines(&text, &['#']) {
        if line % HEARD == 0 {
            stage.advance(HEARD as u64).map_err(DataError::Cancelled)?;
        }
        let content = content.split('#').next().unwrap_or_default();
        let mut fields = content.split_whitespace();
        let Some(label) = fields.next() else { continue };
        if label.contains(':') {
            return Err(source::refused(path, line, "label", label, "a label before the features"));
        }
        labels.push(Some(label));
        for (index, value) in row(path, line, content, fields, base)? {
            indices.push(index);
            data.push(value);
        }
        indptr.push(indices.len());
    }
    if labels.is_empty() {
        return Err(source::empty(path, "there is no row", "write lines \"label index:value …\""));
    }
    let from_zero = match base {
        IndexBase::Zero => true,
        IndexBase::One => false,
        IndexBase::Auto => indices.contains(&0),
    };
    let shift = usize::from(!from_zero);
    indices.iter_mut().for_each(|index| *index -= shift);
    let dim = indices.iter().max().map_or(0, |largest| largest + 1);
    if dim == 0 {
        return Err(source::empty(path, "no row has a feature", "write pairs index:value"));
    }
    let matrix = CsMat::new((labels.len(), dim), indptr, indices, data);
    Ok(Dataset::new(source::stem(path), Points::sparse(matrix)?, Labels::from_names(labels)))
}

/// The pairs of one line, sorted by index.
fn row<'a>(
    path: &Path,
    line: usize,
    content: &str,
    fields: impl Iterator<Item = &'a str>,
    base: IndexBase,
) -> Result<Vec<(usize, f64)>, DataError> {
    let mut row = Vec::with_capacity(source::occurrences(content, b':'));
    for field in fields.filter(|field| !field.starts_with("qid:")) {
        let wrong = |expected: &str| source::refused(path, line, "feature", field, expected);
        let (index, value) = field.split_once(':').ok_or_else(|| wrong("a pair index:value"))?;
        let index: usize = index
            .parse()
            .ok()
            .filter(|index| *index <= MAX_INDEX)
            .ok_or_else(|| wrong("a pair whose index is a whole number up to 2^28"))?;
        if index == 0 && base == IndexBase::One {
            return Err(wrong("a pair whose index is 1 or more (or read with IndexBase::Zero)"));
        }
        let value = source::finite(path, line, || format!("feature {index}"), value)?;
        row.push((index, value));
    }
    row.sort_unstable_by_key(|(index, _)| *index);
    if let Some(twice) = row.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let index = twice[0].0.to_string();
        return Err(source::refused(path, line, "feature", &index, "an index that occurs once"));
    }
    Ok(row)
}

//! What all readers share: bytes from a file, text from bytes, numbers from text.

use super::memory::{self, Memory};
use crate::DataError;
use gaussfield_core::files::{ReadFault, read_whole};
use gaussfield_labels::Labels;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

/// The bytes of a file, if the memory of readers has as many.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, DataError> {
    let budget = memory::budget();
    read_whole(path, budget).map_err(|error| match error.source {
        ReadFault::OverBudget(over) => DataError::TooLarge {
            path: path.to_owned(),
            what: "the file".to_owned(),
            bytes: over.bytes.into(),
            limit: budget.bytes,
        },
        ReadFault::Io(source) => DataError::Io { path: path.to_owned(), source },
        other => DataError::Io { path: path.to_owned(), source: std::io::Error::other(other) },
    })
}

/// The bytes behind gzip, or the bytes themselves when they are not gzip.
pub(super) fn unpacked<'b>(
    memory: &mut Memory<'_>,
    bytes: &'b [u8],
) -> Result<Cow<'b, [u8]>, DataError> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let reader = flate2::read::MultiGzDecoder::new(bytes);
        memory.unpack("the unpacked gzip stream", reader).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(bytes))
    }
}

/// UTF-8 text without a byte-order mark, unpacked if need be.
pub(super) fn utf8<'b>(
    memory: &mut Memory<'_>,
    bytes: &'b [u8],
) -> Result<Cow<'b, str>, DataError> {
    let path = memory.path;
    let refuse = |bytes: &[u8], error: std::str::Utf8Error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + good.iter().filter(|&&b| b == b'\n').count();
        DataError::Format {
            path: path.to_owned(),
            problem: format!("line {line} holds a byte that is not UTF-8 text"),
            remedy: "save the file as UTF-8, or choose the reader of its binary format".to_owned(),
        }
    };
    let unpacked = unpacked(memory, bytes)?;
    if [[0xff, 0xfe], [0xfe, 0xff]].iter().any(|mark| unpacked.starts_with(mark)) {
        return Err(DataError::Format {
            path: path.to_owned(),
            problem: "the file is UTF-16 text".to_owned(),
            remedy: "save it as UTF-8, which spreadsheets call \"CSV UTF-8\"".to_owned(),
        });
    }
    match unpacked {
        Cow::Borrowed(b) => match std::str::from_utf8(b) {
            Ok(text) => Ok(Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text))),
            Err(error) => Err(refuse(b, error)),
        },
        Cow::Owned(b) => match String::from_utf8(b) {
            Ok(mut text) => {
                if text.starts_with('\u{feff}') {
                    text.remove(0);
                }
                Ok(Cow::Owned(text))
            }
            Err(error) => Err(refuse(error.as_bytes(), error.utf8_error())),
        },
    }
}

/// Latin-1 text: every byte is the character of the same number. At most two bytes each.
pub(super) fn latin1(bytes: &[u8]) -> String {
    let length = bytes.len() + bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let mut text = String::with_capacity(length);
    text.extend(bytes.iter().map(|&b| char::from(b)));
    text
}

/// At most as many lines as this are in the text, whichever way they end.
pub(super) fn most_lines(text: &str) -> usize {
    1 + text.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count()
}

/// How often a byte occurs.
pub(super) fn occurrences(text: &str, byte: u8) -> usize {
    text.bytes().filter(|&other| other == byte).count()
}

/// What [`Labels::from_names`] takes for a row, besides the letters of the names, if every name is
/// another one.
pub(super) const NAMED_ROW: usize = 192;

/// The lines that are neither blank nor comments, with their 1-based numbers, trimmed.
pub(super) fn content_lines<'a>(
    text: &'a str,
    comments: &'a [char],
) -> impl Iterator<Item = (usize, &'a str)> {
    text.lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()))
        .filter(move |(_, line)| !line.is_empty() && !line.starts_with(comments))
}

/// A text cut to a length that fits a message.
pub(super) fn shown(value: &str) -> String {
    const LONGEST: usize = 60;
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// A [`DataError::Parse`].
pub(super) fn refused(
    path: &Path,
    line: usize,
    column: impl Into<String>,
    value: &str,
    expected: impl Into<String>,
) -> DataError {
    DataError::Parse {
        path: path.to_owned(),
        line,
        column: column.into(),
        value: shown(value),
        expected: expected.into(),
    }
}

/// A finite number from a cell. `column` is only called for the message.
pub(super) fn finite(
    path: &Path,
    line: usize,
    column: impl FnOnce() -> String,
    cell: &str,
) -> Result<f64, DataError> {
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(DataError::NotFinite {
            path: path.to_owned(),
            line,
            column: column(),
            value: shown(cell),
        }),
        Err(_) => Err(refused(path, line, column(), cell, "a number")),
    }
}

/// Labels from whole numbers: the classes are the distinct numbers in ascending order, named by
/// their digits.
pub(super) fn number_labels(values: &[i64]) -> Result<Labels, DataError> {
    let distinct: Vec<i64> = values.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let classes = values.iter().map(|value| distinct.binary_search(value).ok()).collect();
    Ok(Labels::new(classes, distinct.iter().map(i64::to_string).collect())?)
}

/// An [`DataError::Empty`].
pub(super) fn empty(path: &Path, what: &str, remedy: &str) -> DataError {
    DataError::Empty { path: path.to_owned(), what: what.to_owned(), remedy: remedy.to_owned() }
}

/// A name for a data set: the file name up to its first dot.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_owned()
}

//! What all readers share: bytes from a file, text from bytes, numbers from text.

use crate::DataError;
use gaussfield_labels::Labels;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

/// The most bytes a compressed file may unpack to.
pub(super) const MAX_UNPACKED: u64 = 4 << 30;

/// The bytes of a file.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, DataError> {
    std::fs::read(path).map_err(DataError::io(path))
}

/// The bytes behind gzip, or the bytes themselves when they are not gzip.
pub(super) fn unpacked<'a>(path: &Path, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, DataError> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let reader = flate2::read::MultiGzDecoder::new(bytes);
        limited(path, reader, "gzip").map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(bytes))
    }
}

/// Reads a decompressor to its end, but not past [`MAX_UNPACKED`].
pub(super) fn limited(path: &Path, from: impl Read, kind: &str) -> Result<Vec<u8>, DataError> {
    let mut unpacked = Vec::new();
    from.take(MAX_UNPACKED + 1).read_to_end(&mut unpacked).map_err(|error| DataError::Format {
        path: path.to_owned(),
        problem: format!("the {kind} stream is damaged or cut short ({error})"),
        remedy: "fetch the file again".to_owned(),
    })?;
    if unpacked.len() as u64 > MAX_UNPACKED {
        return Err(DataError::TooLarge {
            path: path.to_owned(),
            what: format!("the unpacked {kind} stream"),
            bytes: unpacked.len() as u128,
            limit: MAX_UNPACKED,
        });
    }
    Ok(unpacked)
}

/// UTF-8 text without a byte-order mark, unpacked if need be.
pub(super) fn utf8<'a>(path: &Path, bytes: &'a [u8]) -> Result<Cow<'a, str>, DataError> {
    let refuse = |bytes: &[u8], error: std::str::Utf8Error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + good.iter().filter(|&&b| b == b'\n').count();
        DataError::Format {
            path: path.to_owned(),
            problem: format!("line {line} holds a byte that is not UTF-8 text"),
            remedy: "save the file as UTF-8, or choose the reader of its binary format".to_owned(),
        }
    };
    match unpacked(path, bytes)? {
        Cow::Borrowed(b) => match std::str::from_utf8(b) {
            Ok(text) => Ok(Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text))),
            Err(error) => Err(refuse(b, error)),
        },
        Cow::Owned(b) => match String::from_utf8(b) {
            Ok(text) => Ok(Cow::Owned(match text.strip_prefix('\u{feff}') {
                Some(rest) => rest.to_owned(),
                None => text,
            })),
            Err(error) => Err(refuse(error.as_bytes(), error.utf8_error())),
        },
    }
}

/// Latin-1 text: every byte is the character of the same number.
pub(super) fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| char::from(b)).collect()
}

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

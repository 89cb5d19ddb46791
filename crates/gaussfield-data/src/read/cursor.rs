//! A place in the bytes of a binary file.

use crate::DataError;
use std::path::Path;

/// A place in the bytes of a binary file; reading past the end is an error, not a panic.
pub(super) struct Cursor<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Self { path, bytes, at: 0 }
    }

    /// The bytes not yet read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// The next `count` bytes; `what` names them in the message.
    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], DataError> {
        let rest = self.rest();
        let taken = rest.get(..count).ok_or_else(|| DataError::Format {
            path: self.path.to_owned(),
            problem: format!(
                "{what} at byte {} needs {count} bytes, but {} are left",
                self.at,
                rest.len()
            ),
            remedy: "the file is cut short or damaged: fetch it again".to_owned(),
        })?;
        self.at += count;
        Ok(taken)
    }

    /// The next `N` bytes as an array.
    pub(super) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], DataError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    /// Moves on to the next multiple of `step` bytes, or to the end.
    pub(super) fn align(&mut self, step: usize) {
        self.at = self.at.next_multiple_of(step).min(self.bytes.len());
    }
}

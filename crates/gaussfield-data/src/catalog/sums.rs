//! sha256 sums, streamed, so that a large file needs little memory.

use super::FileEntry;
use crate::DataError;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The sum of all a reader gives.
fn of_reader(mut from: impl Read) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hex(hasher))
}

/// The sum of bytes in memory.
pub(super) fn of_bytes(bytes: &[u8]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(bytes);
    hex(hasher)
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The sum of a file as it stands.
pub(super) fn of_file(path: &Path) -> Result<String, DataError> {
    File::open(path).and_then(of_reader).map_err(DataError::io(path))
}

/// The sum the catalogue speaks of, for bytes that are or will be a file: of the bytes, or of what
/// they unpack to. A damaged gzip stream has no sum; the reason stands in its place.
pub(super) fn of_entry(file: &FileEntry, from: impl Read) -> std::io::Result<String> {
    if file.unpacked_sha256.is_none() {
        return of_reader(from);
    }
    // One byte more than expected is enough to make the sums differ: no bomb is unpacked.
    let limited = MultiGzDecoder::new(from).take(file.bytes.saturating_add(1));
    of_reader(limited).or_else(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput
        | std::io::ErrorKind::InvalidData
        | std::io::ErrorKind::UnexpectedEof => Ok(format!("none (not a gzip file: {error})")),
        _ => Err(error),
    })
}

/// An error unless the sums are equal; `path` names the bytes.
pub(super) fn expect(path: &Path, expected: &str, got: String) -> Result<(), DataError> {
    if expected == got {
        return Ok(());
    }
    Err(DataError::Checksum { path: path.to_owned(), expected: expected.to_owned(), got })
}

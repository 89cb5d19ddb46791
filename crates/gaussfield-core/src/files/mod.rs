//! Files that are there whole or not at all, and that say what they hold.
//!
//! [`write_atomically`] is how every crate here writes: a reader, a later run or a machine that lost
//! its power sees the file as it was or as it is now, never a part of it. A [`Format`] puts a line
//! before the content that names its kind, its version, its length and its checksum, so that a
//! file that is cut, changed by one bit, of another kind or of a version not known is refused with the
//! reason and never read as something else.
//!
//! ```
//! use gaussfield_core::files::{Format, Refused};
//!
//! const NOTES: Format = Format { name: "notes", oldest: 1, newest: 2 };
//! let mut file = NOTES.seal(b"two moons");
//! assert!(file.starts_with(b"gaussfield-file 1 notes 2 9 "));
//! assert_eq!(NOTES.open(&file)?.content, b"two moons");
//! *file.last_mut().unwrap() ^= 1;
//! assert!(matches!(NOTES.open(&file), Err(Refused::Changed { .. })));
//! # Ok::<(), Refused>(())
//! ```
//!
//! The feature `faults` is for tests: it makes the n-th call to the system fail, below a folder
//! (`files::faults`).

mod disk;
#[cfg(feature = "faults")]
pub mod faults;
mod sealed;
#[cfg(test)]
mod tests;
mod whole;

pub use sealed::{Format, Opened, Refused, is_sealed};
pub use whole::{NotRead, NotWritten, ReadFault, read_whole, write_atomically};

use sha2::{Digest as _, Sha256};
use std::io::{self, Read};

/// The sha256 of all that a reader gives, in hexadecimal digits. Little memory, however much it is.
///
/// ```
/// let sum = gaussfield_core::files::sha256(&b"abc"[..])?;
/// assert!(sum.starts_with("ba7816bf8f01cfea"));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of the reader.
pub fn sha256(mut from: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match from.read(&mut block) {
            Ok(0) => return Ok(hex(hasher)),
            Ok(count) => hasher.update(block.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The sha256 of pieces one after the other.
pub fn sha256_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    pieces.into_iter().for_each(|piece| hasher.update(piece));
    hex(hasher)
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

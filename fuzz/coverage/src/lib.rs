//! What every target of `cargo fuzz` does.

#![forbid(unsafe_code)]

use gaussfield_fuzz::formats::FORMATS;

/// Reads the bytes as a format. Panics, memory and time are watched by the fuzzer.
pub fn check(name: &str, bytes: &[u8]) {
    for format in FORMATS.iter().filter(|format| format.name == name) {
        (format.read)(bytes);
    }
}

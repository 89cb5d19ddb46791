//! A line before the content that says what it is and that it is unchanged.

use super::sha256_of;

/// What every sealed file begins with.
const MAGIC: &str = "gaussfield-file";

/// How the line itself is laid out.
const LAYOUT: &str = "1";

/// The line is not longer; what is, is none.
const LONGEST_LINE: usize = 256;

/// A kind of file: its name, and which versions of it are read here.
///
/// A sealed file is one line, `gaussfield-file 1 NAME VERSION LENGTH SHA256`, and then the content,
/// LENGTH bytes. The sum is that of `NAME VERSION LENGTH`, a line feed and the content: a change of any
/// bit of the file is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// The name: letters, digits and `-`.
    pub name: &'static str,
    /// The oldest version read.
    pub oldest: u32,
    /// The newest version read, and the one written.
    pub newest: u32,
}

/// The content of a sealed file that is what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened<'a> {
    /// Its version.
    pub version: u32,
    /// All bytes after the first line.
    pub content: &'a [u8],
}

/// Why a file is not taken for what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// It was never sealed.
    #[error("it is no file of gaussfield's: it does not begin with {MAGIC:?}; give another file")]
    Foreign,
    /// The first line is of a layout that is not known here.
    #[error(
        "its first line has the layout {found:?}, and this program knows {LAYOUT:?}: the file is \
         damaged, or a newer program wrote it"
    )]
    Layout {
        /// The layout.
        found: String,
    },
    /// The first line is none.
    #[error("its first line is damaged ({line:?}): take a copy of the file, or make it anew")]
    Line {
        /// The line, or the beginning of it.
        line: String,
    },
    /// It holds something else.
    #[error("it holds {found:?}, not {expected:?}: give the file that was written for this")]
    OtherFormat {
        /// What it says to hold.
        found: String,
        /// What was asked for.
        expected: &'static str,
    },
    /// A version that is not read here.
    #[error(
        "it has format version {found}, but this program reads versions {oldest} to {newest}: make \
         it anew, or use the program that wrote it"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The oldest version read here.
        oldest: u32,
        /// The newest version read here.
        newest: u32,
    },
    /// It has been cut, or something was added.
    #[error(
        "it has {got} bytes after its first line where {expected} were written: take a copy of the \
         file, or make it anew"
    )]
    Length {
        /// Bytes written.
        expected: u64,
        /// Bytes there.
        got: u64,
    },
    /// The sum is another one.
    #[error(
        "it was changed after it was written (sha256 {got}, not {expected}): take a copy of the \
         file, or make it anew"
    )]
    Changed {
        /// The sum that was written.
        expected: String,
        /// The sum of what is there.
        got: String,
    },
}

/// Whether the bytes begin as a sealed file does.
pub fn is_sealed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC.as_bytes())
}

impl Format {
    /// The content with the line before it, as the newest version.
    pub fn seal(&self, content: &[u8]) -> Vec<u8> {
        let what = said(self.name, self.newest, content.len() as u64);
        let sum = sha256_of([what.as_bytes(), b"\n", content]);
        let mut file = line(&what, &sum).into_bytes();
        file.extend_from_slice(content);
        file
    }

    /// The content of a sealed file, if it is unchanged, of this kind and of a known version.
    ///
    /// # Errors
    /// [`Refused`], with the reason.
    pub fn open<'a>(&self, file: &'a [u8]) -> Result<Opened<'a>, Refused> {
        if !is_sealed(file) {
            return Err(Refused::Foreign);
        }
        let head = file.get(..LONGEST_LINE.min(file.len())).unwrap_or_default();
        let end = head.iter().position(|&byte| byte == b'\n').map_or(head.len(), |at| at + 1);
        let (head, content) = file.split_at(end);
        let damaged = || Refused::Line { line: String::from_utf8_lossy(head).trim_end().into() };
        let text = std::str::from_utf8(head).map_err(|_| damaged())?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let [_, layout, name, version, length, sum] = words[..] else { return Err(damaged()) };
        if layout != LAYOUT {
            return Err(Refused::Layout { found: layout.to_owned() });
        }
        let version: u32 = version.parse().map_err(|_| damaged())?;
        let expected: u64 = length.parse().map_err(|_| damaged())?;
        let what = said(name, version, expected);
        // Every byte of the line counts, those that parsing passes over too.
        if line(&what, sum) != text {
            return Err(damaged());
        }
        let got = content.len() as u64;
        if got != expected {
            return Err(Refused::Length { expected, got });
        }
        let found = sha256_of([what.as_bytes(), b"\n", content]);
        if found != sum {
            return Err(Refused::Changed { expected: sum.to_owned(), got: found });
        }
        if name != self.name {
            return Err(Refused::OtherFormat { found: name.to_owned(), expected: self.name });
        }
        if !(self.oldest..=self.newest).contains(&version) {
            let (oldest, newest) = (self.oldest, self.newest);
            return Err(Refused::Version { found: version, oldest, newest });
        }
        Ok(Opened { version, content })
    }
}

/// What the sum covers besides the content.
fn said(name: &str, version: u32, length: u64) -> String {
    format!("{name} {version} {length}")
}

fn line(what: &str, sum: &str) -> String {
    format!("{MAGIC} {LAYOUT} {what} {sum}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOY: Format = Format { name: "toy", oldest: 2, newest: 3 };

    #[test]
    fn every_flipped_bit_and_every_cut_is_found() {
        for content in [&b""[..], b"x", b"{\"a\": 0.25}\n", &[0xff; 300]] {
            let file = TOY.seal(content);
            assert_eq!(TOY.open(&file), Ok(Opened { version: 3, content }));
            for bit in 0..8 * file.len() {
                let mut flipped = file.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert!(TOY.open(&flipped).is_err(), "bit {bit}");
            }
            for length in 0..file.len() {
                assert!(TOY.open(&file[..length]).is_err(), "{length} bytes");
            }
            let mut longer = file.clone();
            longer.push(b' ');
            assert!(matches!(TOY.open(&longer), Err(Refused::Length { .. })));
        }
    }

    #[test]
    fn refusals_say_why() {
        let file = TOY.seal(b"content");
        let other = Format { name: "other", ..TOY };
        for (refused, word) in [
            (TOY.open(b"{}").unwrap_err(), "no file of gaussfield's"),
            (other.open(&file).unwrap_err(), "\"toy\", not \"other\""),
            (Format { oldest: 4, newest: 5, ..TOY }.open(&file).unwrap_err(), "versions 4 to 5"),
            (Format { oldest: 1, newest: 2, ..TOY }.open(&file).unwrap_err(), "version 3"),
            (TOY.open(b"gaussfield-file 2 toy 3 0 0\n").unwrap_err(), "newer program"),
            (TOY.open(b"gaussfield-file 1 toy 3 +0 0\n").unwrap_err(), "damaged"),
            (TOY.open(&file[..file.len() - 2]).unwrap_err(), "5 bytes"),
        ] {
            assert!(refused.to_string().contains(word), "{refused}");
        }
    }
}

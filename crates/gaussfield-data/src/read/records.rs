//! The records of a CSV, one by one: the file is never in memory as a whole.

use super::memory::Memory;
use crate::DataError;
use csv::{Position, StringRecord};
use flate2::read::MultiGzDecoder;
use gaussfield_core::{Cancelled, Progress, Stage};
use std::io::{self, Read};
use std::path::Path;

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 16;
/// What a byte of a record may take at most while it is read: kept to count lines, in the record, and
/// as the end of a cell of its own, in lists that grow by doubling.
const RECORD_BYTE: u64 = 32;

/// The records of a table, and the line at which the last of them begins.
pub(super) struct Records<'a> {
    records: csv::Reader<Lines<'a>>,
    longest: u64,
    pub(super) record: StringRecord,
    pub(super) line: usize,
}

impl<'a> Records<'a> {
    /// Of a stream, which may be packed by gzip; `length` is the number of its bytes, if that is known.
    pub(super) fn new(
        path: &Path,
        from: impl Read + 'a,
        length: Option<u64>,
        delimiter: u8,
    ) -> Result<Self, DataError> {
        let stage = Progress::stage("reading", length);
        let lines = Lines::new(Counted { from, stage })
            .map_err(|error| DataError::Io { path: path.to_owned(), source: error })?;
        if lines.utf16 {
            return Err(DataError::Format {
                path: path.to_owned(),
                problem: "the file is UTF-16 text".to_owned(),
                remedy: "save it as UTF-8, which spreadsheets call \"CSV UTF-8\"".to_owned(),
            });
        }
        let records = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .buffer_capacity(BLOCK)
            .from_reader(lines);
        Ok(Self { records, longest: 0, record: StringRecord::new(), line: 1 })
    }

    /// Reads the next record; whether there is one.
    pub(super) fn next(&mut self, memory: &mut Memory<'_>) -> Result<bool, DataError> {
        self.records.get_mut().most = self.longest + memory.left() / RECORD_BYTE;
        let read = self.records.read_record(&mut self.record);
        let lines = self.records.get_mut();
        if lines.longest > self.longest {
            memory.take("a row", (lines.longest - self.longest) * RECORD_BYTE)?;
            self.longest = lines.longest;
        }
        match read {
            Ok(more) => {
                self.line = lines.line_of(self.record.position());
                // What lies after a quotation mark that is never closed is one cell to the parser.
                let goes_on =
                    || self.record.iter().next_back().is_some_and(|cell| cell.contains('\n'));
                if more && lines.ended && lines.quotes % 2 == 1 && goes_on() {
                    return Err(DataError::Format {
                        path: memory.path.to_owned(),
                        problem: format!(
                            "a quotation mark is opened in the row of line {} and not closed up to \
                             the end of the file",
                            self.line
                        ),
                        remedy: "close it, or write a quotation mark inside a cell twice"
                            .to_owned(),
                    });
                }
                Ok(more)
            }
            Err(error) => Err(refused(memory.path, lines, error)),
        }
    }

    /// The bytes up to the record that comes next.
    pub(super) fn bytes(&self) -> u64 {
        self.records.position().byte()
    }

    /// Whether these bytes are those of the file.
    pub(super) fn is_packed(&self) -> bool {
        self.records.get_ref().packed
    }
}

/// What an error of the parser or below it says of the file.
fn refused(path: &Path, lines: &mut Lines<'_>, error: csv::Error) -> DataError {
    let format = |problem: String, remedy: &str| DataError::Format {
        path: path.to_owned(),
        problem,
        remedy: remedy.to_owned(),
    };
    match error.into_kind() {
        csv::ErrorKind::Utf8 { pos, .. } => {
            let line = lines.line_of(pos.as_ref());
            format(
                format!("line {line} holds a byte that is not UTF-8 text"),
                "save the file as UTF-8, or choose the reader of its binary format",
            )
        }
        csv::ErrorKind::Io(error) => match error.downcast::<TooLong>() {
            Ok(TooLong { bytes, limit }) => DataError::TooLarge {
                path: path.to_owned(),
                what: "a row".to_owned(),
                bytes: u128::from(bytes) * u128::from(RECORD_BYTE),
                limit,
            },
            Err(error) => match error.downcast::<Cancelled>() {
                Ok(cancelled) => DataError::Cancelled(cancelled),
                Err(error) if lines.packed => format(
                    format!("the unpacked gzip stream is damaged or cut short ({error})"),
                    "fetch the file again",
                ),
                Err(source) => DataError::Io { path: path.to_owned(), source },
            },
        },
        other => format(format!("{other:?}"), "save the file as plain CSV in UTF-8"),
    }
}

/// A stream that tells how far it is, and stops when it is asked to.
struct Counted<R> {
    from: R,
    stage: Stage,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = again(|| self.from.read(into))?;
        self.stage.advance(count as u64).map_err(io::Error::other)?;
        Ok(count)
    }
}

/// Repeats what a signal has interrupted.
fn again(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// One record is longer than memory allows.
#[derive(Debug, thiserror::Error)]
#[error("a row of {bytes} bytes")]
struct TooLong {
    bytes: u64,
    limit: u64,
}

/// Text without its byte-order mark, unpacked, that remembers what was handed on since the last record:
/// the line that an editor shows is counted from there.
///
/// The parser's own line number is that of the place where it stopped before the record, which is a
/// line or more too small after blank lines and after CR LF.
struct Lines<'a> {
    from: Box<dyn Read + 'a>,
    packed: bool,
    utf16: bool,
    kept: Vec<u8>,
    /// How many of the kept bytes are counted.
    counted: usize,
    /// The place of the first byte that is not counted.
    at: u64,
    line: usize,
    after_cr: bool,
    /// Quotation marks so far, and whether the end was seen.
    quotes: u64,
    ended: bool,
    /// How many bytes may be kept, how many were at most, beyond what is read ahead.
    most: u64,
    longest: u64,
    limit: u64,
}

impl<'a> Lines<'a> {
    fn new(mut from: impl Read + 'a) -> io::Result<Self> {
        let magic = first(&mut from, 2)?;
        let packed = magic == [0x1f, 0x8b];
        let whole = io::Cursor::new(magic).chain(from);
        let mut from: Box<dyn Read + 'a> = match packed {
            true => Box::new(MultiGzDecoder::new(io::BufReader::with_capacity(BLOCK, whole))),
            false => Box::new(whole),
        };
        // What cannot be unpacked is told by the first record.
        let (start, fault) = match first(&mut from, 3) {
            Ok(start) => (start, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let utf16 = is_utf16(&start);
        let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&start).to_vec();
        let from = Box::new(io::Cursor::new(start).chain(Failing(fault)).chain(from));
        let limit = super::memory::budget().bytes;
        let (kept, counted, at, line, after_cr) = (Vec::new(), 0, 0, 1, false);
        let (most, longest) = (0, 0);
        let (quotes, ended) = (0, false);
        Ok(Self {
            from,
            packed,
            utf16,
            kept,
            counted,
            at,
            line,
            after_cr,
            quotes,
            ended,
            most,
            longest,
            limit,
        })
    }

    /// The line of the record that begins at a place, or after blank lines there.
    fn line_of(&mut self, start: Option<&Position>) -> usize {
        let start = start.map_or(0, Position::byte);
        while let Some(&byte) = self.kept.get(self.counted)
            && (self.at < start || byte == b'\n' || byte == b'\r')
        {
            self.at += 1;
            self.counted += 1;
            // CR LF is one line end, and a lone CR is one too.
            self.line += usize::from(byte == b'\r' || (byte == b'\n' && !self.after_cr));
            self.after_cr = byte == b'\r';
        }
        self.line
    }
}

impl Read for Lines<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.kept.drain(..self.counted);
        self.counted = 0;
        self.longest = self.longest.max(self.kept.len() as u64);
        if self.longest > self.most {
            return Err(io::Error::other(TooLong { bytes: self.longest, limit: self.limit }));
        }
        let count = again(|| self.from.read(into))?;
        let bytes = into.get(..count).unwrap_or_default();
        self.quotes += bytes.iter().filter(|&&byte| byte == b'"').count() as u64;
        self.ended |= count == 0;
        self.kept.extend_from_slice(bytes);
        Ok(count)
    }
}

/// Says once what went wrong, and is empty otherwise.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Whether text begins so in UTF-16: by its mark, or by a letter of one byte beside a zero.
fn is_utf16(start: &[u8]) -> bool {
    match start {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        &[a, 0, b] | &[0, a, b] if a.is_ascii_graphic() => (start[0] == 0) == (b == 0),
        _ => false,
    }
}

/// The first bytes of a stream, as many as there are.
fn first(from: &mut impl Read, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

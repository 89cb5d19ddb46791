//! The heads of Parquet's pages: how much each of them becomes, before it is unpacked.
//!
//! A head is a struct of Thrift's compact protocol; its second field is the length unpacked, its third
//! the length as stored.

use super::damaged;
use crate::DataError;
use parquet::file::metadata::ColumnChunkMetaData;
use std::path::Path;

/// Structs inside structs that a head may have.
const DEEPEST: usize = 16;

/// The bytes of the largest page of a column chunk, unpacked.
pub(super) fn largest(
    path: &Path,
    file: &[u8],
    chunk: &ColumnChunkMetaData,
) -> Result<u64, DataError> {
    let outside = || damaged(path, "a column lies outside the file");
    let place = |number: i64| usize::try_from(number).map_err(|_| outside());
    let begin = place(chunk.dictionary_page_offset().map_or(chunk.data_page_offset(), |offset| {
        if offset > 0 { offset.min(chunk.data_page_offset()) } else { chunk.data_page_offset() }
    }))?;
    let end = begin.checked_add(place(chunk.compressed_size())?).ok_or_else(outside)?;
    let mut rest = file.get(begin..end).ok_or_else(outside)?;
    let mut largest = 0;
    while !rest.is_empty() {
        let mut head = Head { rest, unpacked: None, stored: None };
        let read = head.fields(0);
        let (Some(()), Some(unpacked), Some(stored)) = (read, head.unpacked, head.stored) else {
            return Err(damaged(path, "the head of a page"));
        };
        let length = |number: i64| usize::try_from(number).ok();
        let (unpacked, stored) = length(unpacked)
            .zip(length(stored))
            .ok_or_else(|| damaged(path, "a page of negative length"))?;
        rest = head.rest.get(stored..).ok_or_else(|| damaged(path, "a page is cut short"))?;
        largest = largest.max(unpacked as u64);
    }
    Ok(largest)
}

struct Head<'a> {
    rest: &'a [u8],
    unpacked: Option<i64>,
    stored: Option<i64>,
}

impl Head<'_> {
    /// The fields of a struct up to its end; `None` where the bytes end before.
    fn fields(&mut self, depth: usize) -> Option<()> {
        let mut field = 0_i64;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Some(());
            }
            field = match byte >> 4 {
                0 => self.whole()?,
                delta => field + i64::from(delta),
            };
            match (depth, field, byte & 0x0f) {
                (0, 2, 5) => self.unpacked = Some(self.whole()?),
                (0, 3, 5) => self.stored = Some(self.whole()?),
                (_, _, kind) => self.pass(kind, depth)?,
            }
        }
    }

    /// Passes over a value of a type.
    fn pass(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth >= DEEPEST {
            return None;
        }
        match kind {
            1 | 2 => Some(()),
            3 => self.skip(1),
            4..=6 => self.whole().map(drop),
            7 => self.skip(8),
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.skip(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                for _ in 0..count {
                    // A truth value in a list has a byte of its own.
                    match head & 0x0f {
                        1 | 2 => self.skip(1)?,
                        kind => self.pass(kind, depth + 1)?,
                    }
                }
                Some(())
            }
            12 => self.fields(depth + 1),
            _ => None,
        }
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.rest = self.rest.get(count..)?;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A whole number in zigzag.
    fn whole(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }
}

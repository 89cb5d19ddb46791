//! MATLAB 5 files: the full numeric arrays in them.
//!
//! A file is a header of 128 bytes and a sequence of elements, each a tag (type and size) and
//! its data, padded to 8 bytes. An array is an element of type `miMATRIX`, plain or inside a
//! zlib stream (`miCOMPRESSED`); its numbers may be stored in a smaller type than the array's
//! class. Cells, structures, text, sparse and complex arrays are passed over. Only little-endian
//! files are read. Format: "MAT-File Format", The MathWorks, level 5.

use super::number::{ByteOrder, Number};
use super::{cursor::Cursor, memory::Memory, source};
use crate::DataError;
use std::path::Path;

/// A numeric array of any number of dimensions.
#[derive(Debug, Clone, PartialEq)]
pub struct MatArray {
    /// The variable's name.
    pub name: String,
    /// The sizes of its dimensions, two or more.
    pub shape: Vec<usize>,
    /// The numbers, the first dimension fastest.
    pub values: Vec<f64>,
}

const COMPRESSED: u32 = 15;
const MATRIX: u32 = 14;
const COMPLEX: u8 = 0x08;

/// All numeric arrays of a file. O(bytes, unpacked).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<Vec<MatArray>, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?)
}

/// All numeric arrays in the bytes of a file; `path` names them in messages.
///
/// # Errors
/// [`DataError::Format`] for bytes that are not of the format or do not fit the arrays' shapes.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<MatArray>, DataError> {
    parse_within(&mut Memory::holding(path, bytes)?, bytes)
}

pub(super) fn parse_within(
    memory: &mut Memory<'_>,
    bytes: &[u8],
) -> Result<Vec<MatArray>, DataError> {
    let path = memory.path;
    let mut cursor = Cursor::new(path, bytes);
    let header = cursor.take(128, "the header")?;
    match &header[124..128] {
        [_, 0x01, b'I', b'M'] => {}
        [0x01, _, b'M', b'I'] => return Err(damaged(path, "the file is big-endian")),
        _ => return Err(damaged(path, "the file is no MATLAB 5 file")),
    }
    let mut arrays = Vec::new();
    while !cursor.is_at_end() {
        let (kind, data) = element(&mut cursor)?;
        match kind {
            // A compressed element is not padded: the next one follows at once.
            COMPRESSED => {
                let zlib = flate2::read::ZlibDecoder::new(data);
                let data = memory.unpack("the unpacked zlib stream", zlib)?;
                let mut inner = Cursor::new(path, &data);
                let (kind, data) = element(&mut inner)?;
                if kind == MATRIX {
                    arrays.extend(matrix(memory, data)?);
                }
            }
            MATRIX => {
                arrays.extend(matrix(memory, data)?);
                cursor.align(8);
            }
            _ => cursor.align(8),
        }
    }
    Ok(arrays)
}

/// Picks an array by name.
pub(super) fn named(path: &Path, arrays: Vec<MatArray>, name: &str) -> Result<MatArray, DataError> {
    let available = arrays.iter().map(|array| array.name.clone()).collect();
    arrays.into_iter().find(|array| array.name == name).ok_or_else(|| DataError::NoSuchMember {
        path: path.to_owned(),
        name: name.to_owned(),
        available,
    })
}

fn damaged(path: &Path, problem: impl Into<String>) -> DataError {
    DataError::Format {
        path: path.to_owned(),
        problem: problem.into(),
        remedy: "save it in MATLAB with -v7 or -v6 on a little-endian machine".to_owned(),
    }
}

/// The type and the data of the next element; padding is left to the caller.
fn element<'a>(cursor: &mut Cursor<'a>) -> Result<(u32, &'a [u8]), DataError> {
    let word = u32::from_le_bytes(cursor.array("an element's type")?);
    let small = word >> 16;
    if small != 0 {
        // The small format: size and type share the first word, the data fill the second.
        let data = cursor.take(4, "a small element")?;
        return Ok((word & 0xffff, data.get(..small as usize).unwrap_or(data)));
    }
    let size = u32::from_le_bytes(cursor.array("an element's size")?);
    Ok((word, cursor.take(size as usize, "an element")?))
}

/// The number type behind an element type.
fn number(kind: u32) -> Option<Number> {
    Some(match kind {
        1 => Number::I8,
        2 => Number::U8,
        3 => Number::I16,
        4 => Number::U16,
        5 => Number::I32,
        6 => Number::U32,
        7 => Number::F32,
        9 => Number::F64,
        12 => Number::I64,
        13 => Number::U64,
        _ => return None,
    })
}

/// The array in a `miMATRIX` element, if it is full, real and numeric.
fn matrix(memory: &mut Memory<'_>, data: &[u8]) -> Result<Option<MatArray>, DataError> {
    let path = memory.path;
    let mut cursor = Cursor::new(path, data);
    let (_, flags) = padded(&mut cursor)?;
    let [class, flags, ..] = *flags else {
        return Ok(None);
    };
    // Classes 6 (double) to 15 (64-bit) are the full numeric arrays.
    if !(6..=15).contains(&class) || flags & COMPLEX != 0 {
        return Ok(None);
    }
    let (_, sizes) = padded(&mut cursor)?;
    let (_, name) = padded(&mut cursor)?;
    let name = source::latin1(name);
    let mut shape = Vec::new();
    for size in sizes.chunks_exact(4) {
        let size = i32::from_le_bytes([size[0], size[1], size[2], size[3]]);
        let size = usize::try_from(size)
            .map_err(|_| damaged(path, format!("array {name:?} has a dimension of {size}")))?;
        shape.push(size);
    }
    let (kind, numbers) = padded(&mut cursor)?;
    let number = number(kind)
        .ok_or_else(|| damaged(path, format!("array {name:?} has numbers of type {kind}")))?;
    let count = shape.iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
    let values = number.decode(memory, numbers, count, ByteOrder::Little)?;
    Ok(Some(MatArray { name, shape, values }))
}

/// The next element inside an array, and on to the next multiple of 8 bytes.
fn padded<'a>(cursor: &mut Cursor<'a>) -> Result<(u32, &'a [u8]), DataError> {
    let found = element(cursor)?;
    cursor.align(8);
    Ok(found)
}

//! Numbers in binary files.

use super::memory::Memory;
use crate::DataError;
use std::path::Path;

/// A machine number type that a binary file may store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

/// The order of the bytes of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// Whole numbers up to 2⁵³ are exact in an `f64`.
const EXACT: u64 = 1 << 53;

impl Number {
    /// Bytes of one number.
    pub(super) fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// All numbers in `bytes` as `f64`, without loss.
    ///
    /// The length is checked here: it must be `count` numbers and nothing more.
    pub(super) fn decode(
        self,
        memory: &mut Memory<'_>,
        bytes: &[u8],
        count: Option<usize>,
        order: ByteOrder,
    ) -> Result<Vec<f64>, DataError> {
        let wanted = count.and_then(|count| count.checked_mul(self.size()));
        if wanted != Some(bytes.len()) {
            let wanted = wanted.map_or("more bytes than can be counted".to_owned(), |wanted| {
                format!("{wanted} bytes")
            });
            return Err(DataError::Format {
                path: memory.path.to_owned(),
                problem: format!(
                    "the header promises {wanted} of numbers, but {} bytes follow",
                    bytes.len()
                ),
                remedy: "the file is cut short or damaged: fetch or write it again".to_owned(),
            });
        }
        memory.items("the numbers of the array", bytes.len() / self.size(), 8)?;
        macro_rules! all {
            ($number:ty) => {
                numbers(bytes, order)
                    .map(|(b, order)| match order {
                        ByteOrder::Little => f64::from(<$number>::from_le_bytes(b)),
                        ByteOrder::Big => f64::from(<$number>::from_be_bytes(b)),
                    })
                    .collect()
            };
        }
        Ok(match self {
            Self::U8 => bytes.iter().map(|&b| f64::from(b)).collect(),
            Self::I8 => all!(i8),
            Self::U16 => all!(u16),
            Self::I16 => all!(i16),
            Self::U32 => all!(u32),
            Self::I32 => all!(i32),
            Self::F32 => all!(f32),
            Self::F64 => all!(f64),
            Self::U64 | Self::I64 => return self.decode_wide(memory.path, bytes, order),
        })
    }

    /// 64-bit whole numbers, refused where an `f64` would round them.
    fn decode_wide(
        self,
        path: &Path,
        bytes: &[u8],
        order: ByteOrder,
    ) -> Result<Vec<f64>, DataError> {
        let mut all = Vec::with_capacity(bytes.len() / self.size());
        for (at, (b, order)) in numbers(bytes, order).enumerate() {
            let raw = match order {
                ByteOrder::Little => u64::from_le_bytes(b),
                ByteOrder::Big => u64::from_be_bytes(b),
            };
            let negative = self == Self::I64 && raw.cast_signed() < 0;
            let size = if negative { raw.cast_signed().unsigned_abs() } else { raw };
            if size > EXACT {
                let sign = if negative { "-" } else { "" };
                return Err(DataError::Format {
                    path: path.to_owned(),
                    problem: format!("number {at} is {sign}{size}, which is past 2^53"),
                    remedy: "such numbers are identifiers, not features: leave them out".to_owned(),
                });
            }
            all.push(if negative { -(size as f64) } else { size as f64 });
        }
        Ok(all)
    }
}

/// The numbers' bytes; what is left over at the end is ignored (the length was checked).
fn numbers<const N: usize>(
    bytes: &[u8],
    order: ByteOrder,
) -> impl Iterator<Item = ([u8; N], ByteOrder)> {
    bytes.chunks_exact(N).map(move |chunk| {
        let mut array = [0; N];
        array.copy_from_slice(chunk);
        (array, order)
    })
}

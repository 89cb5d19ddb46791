//! The idx format of MNIST: `…-images-idx3-ubyte` and `…-labels-idx1-ubyte`, plain or gzipped.
//!
//! Two zero bytes, a byte for the type, a byte for the number of dimensions, then the dimensions
//! as big-endian 32-bit numbers, then the numbers, the last dimension fastest.

use super::number::{ByteOrder, Number};
use super::{cursor::Cursor, npy, source};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use ndarray::Array2;
use std::path::Path;

/// An idx file as a matrix: one row an item, the further dimensions laid out along the row.
/// O(bytes).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<Array2<f64>, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?)
}

/// The matrix in the bytes of an idx file; see [`read`].
///
/// # Errors
/// [`DataError::Format`] for bytes that are not of the format or do not fit the dimensions.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Array2<f64>, DataError> {
    let bytes = source::unpacked(path, bytes)?;
    let mut cursor = Cursor::new(path, &bytes);
    let refuse = |problem: String| DataError::Format {
        path: path.to_owned(),
        problem,
        remedy: "give an idx file, such as those of MNIST".to_owned(),
    };
    let [zero, zero_too, kind, dimensions] = cursor.array("the magic number")?;
    if (zero, zero_too) != (0, 0) || dimensions == 0 {
        return Err(refuse("the file does not start as an idx file".to_owned()));
    }
    let number = match kind {
        0x08 => Number::U8,
        0x09 => Number::I8,
        0x0b => Number::I16,
        0x0c => Number::I32,
        0x0d => Number::F32,
        0x0e => Number::F64,
        _ => return Err(refuse(format!("the element type 0x{kind:02x} is unknown"))),
    };
    let mut shape = Vec::new();
    for _ in 0..dimensions {
        shape.push(u32::from_be_bytes(cursor.array("a dimension")?) as usize);
    }
    let rows = shape[0];
    let columns = shape[1..].iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
    let count = columns.and_then(|columns| columns.checked_mul(rows));
    let numbers = number.decode(path, cursor.rest(), count, ByteOrder::Big)?;
    Array2::from_shape_vec((rows, columns.unwrap_or(0)), numbers)
        .map_err(|error| refuse(error.to_string()))
}

/// The labels in an idx file of one dimension; the classes are the distinct numbers in ascending
/// order, named by their digits.
///
/// # Errors
/// As [`read`], and [`DataError::Format`] for more than one dimension or fractions.
pub fn read_labels(path: impl AsRef<Path>) -> Result<Labels, DataError> {
    let path = path.as_ref();
    npy::labels(path, &read(path)?)
}

/// Images and their labels from two idx files.
///
/// # Errors
/// As [`read`] and [`read_labels`]; an empty file; [`DataError::LengthMismatch`].
pub fn read_dataset(
    images: impl AsRef<Path>,
    labels: impl AsRef<Path>,
) -> Result<Dataset, DataError> {
    let (images, labels) = (images.as_ref(), labels.as_ref());
    let (rows, classes) = (read(images)?, read_labels(labels)?);
    npy::dataset(images, rows, labels, classes, source::stem(images))
}

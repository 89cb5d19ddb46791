//! The idx format of MNIST: `…-images-idx3-ubyte` and `…-labels-idx1-ubyte`, plain or gzipped.
//!
//! Two zero bytes, a byte for the type, a byte for the number of dimensions, then the dimensions
//! as big-endian 32-bit numbers, then the numbers, the last dimension fastest.

use super::number::{ByteOrder, Number};
use super::{cursor::Cursor, memory::Memory, npy, source};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use ndarray::{Array2, Axis};
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
    let mut memory = Memory::holding(path, bytes)?;
    let bytes = source::unpacked(&mut memory, bytes)?;
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
    let numbers = number.decode(&mut memory, cursor.rest(), count, ByteOrder::Big)?;
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
    read_pairs([(images, labels)])
}

/// The images and labels of several pairs of idx files, one after the other, as one data set,
/// such as the training and the test side of MNIST. The name is that of the first images.
///
/// # Errors
/// As [`read_dataset`]; images of another size, or other classes, than those of the first pair.
pub fn read_pairs<I: AsRef<Path>, L: AsRef<Path>>(
    pairs: impl IntoIterator<Item = (I, L)>,
) -> Result<Dataset, DataError> {
    let mut pairs = pairs.into_iter();
    let Some((images, labels)) = pairs.next() else {
        return Err(source::empty(Path::new("idx"), "no file was given", "give its files"));
    };
    let (first, names) = (images.as_ref(), labels.as_ref());
    let (mut rows, known) = pair(first, names)?;
    let mut classes = known.as_slice().to_vec();
    for (images, labels) in pairs {
        let (images, labels) = (images.as_ref(), labels.as_ref());
        let unlike = |path: &Path, what: &str| DataError::Format {
            path: path.to_owned(),
            problem: format!("its {what} are not those of {}", first.display()),
            remedy: "fetch the data set again".to_owned(),
        };
        let (more, theirs) = pair(images, labels)?;
        rows.append(Axis(0), more.view()).map_err(|_| unlike(images, "image sizes"))?;
        if theirs.names() != known.names() {
            return Err(unlike(labels, "classes"));
        }
        classes.extend_from_slice(theirs.as_slice());
    }
    let all = Labels::new(classes, known.names().to_vec())?;
    npy::dataset(first, rows, names, all, source::stem(first))
}

/// Images and as many labels.
fn pair(images: &Path, labels: &Path) -> Result<(Array2<f64>, Labels), DataError> {
    let (rows, classes) = (read(images)?, read_labels(labels)?);
    if rows.nrows() != classes.len() {
        let (path, points) = (labels.to_owned(), rows.nrows());
        return Err(DataError::LengthMismatch { path, points, labels: classes.len() });
    }
    Ok((rows, classes))
}

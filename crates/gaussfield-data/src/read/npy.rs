//! NumPy arrays: `.npy` files and the members of `.npz` archives.
//!
//! One- and two-dimensional arrays of whole numbers (8 to 64 bits, signed or not), `float32`,
//! `float64` or `bool`, of either byte order, in C or Fortran order. An archive's member is named
//! without its `.npy`. Format: NumPy enhancement proposal 1 (versions 1.0, 2.0 and 3.0).

use super::number::{ByteOrder, Number};
use super::{archive, cursor::Cursor, memory::Memory, source};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use gaussfield_points::{Points, PointsError};
use ndarray::{Array2, ShapeBuilder};
use std::path::Path;

/// The matrix in a `.npy` file; a one-dimensional array becomes one column. O(bytes).
///
/// # Errors
/// As [`parse`], and [`DataError::Io`].
pub fn read(path: impl AsRef<Path>) -> Result<Array2<f64>, DataError> {
    let path = path.as_ref();
    parse(path, &source::bytes(path)?)
}

/// The matrix in the bytes of a `.npy` file.
///
/// # Errors
/// Bytes that are not of the format, an element type that is no real number, more than two
/// dimensions, a shape that does not fit the number of bytes.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Array2<f64>, DataError> {
    parse_within(Memory::holding(path, bytes)?, bytes)
}

fn parse_within(mut memory: Memory<'_>, bytes: &[u8]) -> Result<Array2<f64>, DataError> {
    let path = memory.path;
    let bytes = source::unpacked(&mut memory, bytes)?;
    let mut cursor = Cursor::new(path, &bytes);
    let header = Header::parse(path, &mut cursor)?;
    let (rows, columns) = match header.shape.as_slice() {
        [rows] => (*rows, 1),
        [rows, columns] => (*rows, *columns),
        shape => {
            let problem = format!("the array has {} dimensions", shape.len());
            return Err(format(path, problem, "save it with one or two dimensions"));
        }
    };
    let count = rows.checked_mul(columns);
    let numbers = header.number.decode(&mut memory, cursor.rest(), count, header.order)?;
    if header.fortran {
        memory.items("the numbers of the array, row by row", numbers.len(), 8)?;
    }
    let array = Array2::from_shape_vec((rows, columns).set_f(header.fortran), numbers)
        .map_err(|error| format(path, error.to_string(), "save the array again"))?;
    // Only an array in Fortran order is copied.
    let in_c_order = array.is_standard_layout();
    Ok(if in_c_order { array } else { array.as_standard_layout().into_owned() })
}

/// The labels in a `.npy` file of whole numbers: the classes are the distinct numbers in
/// ascending order, named by their digits. Every row is labelled, a negative number is a class
/// like any other.
///
/// # Errors
/// As [`read`], and [`DataError::Format`] for more than one column or a number that is not whole.
pub fn read_labels(path: impl AsRef<Path>) -> Result<Labels, DataError> {
    let path = path.as_ref();
    labels(path, &read(path)?)
}

/// The labels in the bytes of a `.npy` file; see [`read_labels`].
///
/// # Errors
/// As [`read_labels`].
pub fn parse_labels(path: &Path, bytes: &[u8]) -> Result<Labels, DataError> {
    labels(path, &parse(path, bytes)?)
}

/// Points and their labels from two files. The name is that of the points' folder.
///
/// # Errors
/// As [`read`] and [`read_labels`]; an empty array; [`DataError::NotFinite`];
/// [`DataError::LengthMismatch`].
pub fn read_dataset(
    points: impl AsRef<Path>,
    labels: impl AsRef<Path>,
) -> Result<Dataset, DataError> {
    let (points, labels) = (points.as_ref(), labels.as_ref());
    let (rows, classes) = (read(points)?, read_labels(labels)?);
    let name = points.parent().map(source::stem).filter(|name| !name.is_empty());
    dataset(points, rows, labels, classes, name.unwrap_or_else(|| source::stem(points)))
}

/// The matrix that is one member of a `.npz` archive. O(bytes).
///
/// # Errors
/// As [`parse`]; a damaged archive; [`DataError::NoSuchMember`] with the names of the members.
pub fn read_npz(path: impl AsRef<Path>, member: &str) -> Result<Array2<f64>, DataError> {
    let path = path.as_ref();
    parse_npz(path, &source::bytes(path)?, member)
}

/// The matrix that is one member of an archive in memory; see [`read_npz`].
///
/// # Errors
/// As [`read_npz`].
pub fn parse_npz(path: &Path, bytes: &[u8], member: &str) -> Result<Array2<f64>, DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    let unpacked = archive::zip_member(&mut memory, bytes, member, ".npy")?;
    let place = path.join(member);
    parse_within(memory.named(&place), &unpacked)
}

/// Points and labels from two members of a `.npz` archive.
///
/// # Errors
/// As [`read_npz`] and [`read_dataset`].
pub fn read_npz_dataset(
    path: impl AsRef<Path>,
    points: &str,
    labels: &str,
) -> Result<Dataset, DataError> {
    let path = path.as_ref();
    let bytes = source::bytes(path)?;
    let rows = parse_npz(path, &bytes, points)?;
    let classes = self::labels(&path.join(labels), &parse_npz(path, &bytes, labels)?)?;
    dataset(&path.join(points), rows, &path.join(labels), classes, source::stem(path))
}

/// Puts points and labels together, checking that they fit.
pub(super) fn dataset(
    points_path: &Path,
    rows: Array2<f64>,
    labels_path: &Path,
    labels: Labels,
    name: String,
) -> Result<Dataset, DataError> {
    if rows.is_empty() {
        return Err(source::empty(points_path, "the array is empty", "save at least one row"));
    }
    if rows.nrows() != labels.len() {
        return Err(DataError::LengthMismatch {
            path: labels_path.to_owned(),
            points: rows.nrows(),
            labels: labels.len(),
        });
    }
    let points = Points::dense(rows).map_err(|error| match error {
        PointsError::NotFinite { row, column, value } => DataError::NotFinite {
            path: points_path.to_owned(),
            line: row + 1,
            column: format!("column {}", column + 1),
            value: value.to_string(),
        },
        other => other.into(),
    })?;
    Ok(Dataset::new(name, points, labels))
}

/// One column of whole numbers as labels.
pub(super) fn labels(path: &Path, array: &Array2<f64>) -> Result<Labels, DataError> {
    if array.ncols() != 1 {
        let problem = format!("labels are one column, but the array has {}", array.ncols());
        return Err(format(path, problem, "save the class of each row as one whole number"));
    }
    let mut numbers = Vec::new();
    for (row, &value) in array.iter().enumerate() {
        // Past 2^53 neighbouring whole numbers would fall together.
        if value.fract() != 0.0 || value.abs() > 9.0e15 {
            let problem = format!("label {value} of row {} is not a whole number", row + 1);
            return Err(format(path, problem, "save the class of each row as one whole number"));
        }
        numbers.push(value as i64);
    }
    source::number_labels(&numbers)
}

fn format(path: &Path, problem: String, remedy: &str) -> DataError {
    DataError::Format { path: path.to_owned(), problem, remedy: remedy.to_owned() }
}

/// What stands before the numbers.
struct Header {
    number: Number,
    order: ByteOrder,
    fortran: bool,
    shape: Vec<usize>,
}

impl Header {
    fn parse(path: &Path, cursor: &mut Cursor<'_>) -> Result<Self, DataError> {
        if cursor.take(6, "the magic string")? != b"\x93NUMPY" {
            let problem = "the file does not start as a .npy file".to_owned();
            return Err(format(path, problem, "save it with numpy.save"));
        }
        let [major, _minor] = cursor.array("the version")?;
        let length = match major {
            1 => usize::from(u16::from_le_bytes(cursor.array("the header length")?)),
            2 | 3 => u32::from_le_bytes(cursor.array("the header length")?) as usize,
            _ => {
                let problem = format!("version {major} of the .npy format is unknown");
                return Err(format(path, problem, "save it with version 1.0, 2.0 or 3.0"));
            }
        };
        let text = source::latin1(cursor.take(length, "the header")?);
        let missing = |key: &str| {
            let problem = format!("the header {:?} has no usable {key:?}", source::shown(&text));
            format(path, problem, "save the array again with numpy.save")
        };
        let descr = value_of(&text, "descr").and_then(quoted).ok_or_else(|| missing("descr"))?;
        let (number, order) = element(descr).ok_or_else(|| {
            let problem = format!("elements of type {descr:?} are no real numbers");
            format(path, problem, "convert the array with .astype(\"float64\") and save it again")
        })?;
        let fortran = value_of(&text, "fortran_order").ok_or_else(|| missing("fortran_order"))?;
        let fortran = match fortran {
            _ if fortran.starts_with("True") => true,
            _ if fortran.starts_with("False") => false,
            _ => return Err(missing("fortran_order")),
        };
        let shape = value_of(&text, "shape").and_then(tuple).ok_or_else(|| missing("shape"))?;
        Ok(Self { number, order, fortran, shape })
    }
}

/// What follows `'key':` in the header's dictionary.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let at = ['\'', '"'].iter().find_map(|quote| {
        let quoted = format!("{quote}{key}{quote}");
        text.find(&quoted).map(|at| at + quoted.len())
    })?;
    Some(text.get(at..)?.trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text.get(1..)?.split(quote).next()
}

fn tuple(text: &str) -> Option<Vec<usize>> {
    let inside = text.strip_prefix('(')?.split(')').next()?;
    let numbers = inside.split(',').map(str::trim).filter(|number| !number.is_empty());
    numbers.map(|number| number.parse().ok()).collect()
}

/// The element type behind a type string such as `<f8`.
fn element(descr: &str) -> Option<(Number, ByteOrder)> {
    let order = match descr.chars().next()? {
        '<' | '|' | '=' => ByteOrder::Little,
        '>' => ByteOrder::Big,
        _ => return None,
    };
    let number = match descr.get(1..)? {
        "u1" | "b1" => Number::U8,
        "i1" => Number::I8,
        "u2" => Number::U16,
        "i2" => Number::I16,
        "u4" => Number::U32,
        "i4" => Number::I32,
        "u8" => Number::U64,
        "i8" => Number::I64,
        "f4" => Number::F32,
        "f8" => Number::F64,
        _ => return None,
    };
    Some((number, order))
}

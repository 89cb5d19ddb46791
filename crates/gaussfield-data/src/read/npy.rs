//! NumPy arrays: `.npy` files and the members of `.npz` archives.
//!
//! Arrays of whole numbers (8 to 64 bits, signed or not), `float32`, `float64` or `bool`, of either byte
//! order, in C or Fortran order; labels may be text. An archive's member is named without its `.npy`. Format: NumPy enhancement proposal 1 (versions 1.0, 2.0 and 3.0).

use super::number::{ByteOrder, Number};
use super::{archive, cursor::Cursor, memory::Memory, source};
use crate::{DataError, Dataset};
use gaussfield_labels::Labels;
use gaussfield_points::{Points, PointsError};
use ndarray::{Array2, ArrayD, ShapeBuilder, ShapeError};
use std::path::Path;

/// The matrix in a `.npy` file. A one-dimensional array becomes one column; of one with more than two
/// dimensions, such as a stack of images, each item becomes a row. O(bytes).
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
/// Bytes that are not of the format, an element type that is no real number, no dimension, a shape that
/// does not fit the number of bytes.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Array2<f64>, DataError> {
    parse_within(Memory::holding(path, bytes)?, bytes)
}

fn parse_within(mut memory: Memory<'_>, bytes: &[u8]) -> Result<Array2<f64>, DataError> {
    let path = memory.path;
    let bytes = source::unpacked(&mut memory, bytes)?;
    let mut cursor = Cursor::new(path, &bytes);
    let header = Header::parse(path, &mut cursor)?;
    let Element::Number(number) = header.element else {
        return Err(no_number(path, &header.descr));
    };
    let Some((&rows, inner)) = header.shape.split_first() else {
        let problem = "the array has 0 dimensions".to_owned();
        return Err(format(path, problem, "save it with one or two dimensions"));
    };
    let product =
        |sizes: &[usize]| sizes.iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
    let (columns, count) = (product(inner), product(&header.shape));
    let numbers = number.decode(&mut memory, cursor.rest(), count, header.order)?;
    if header.fortran {
        memory.items("the numbers of the array, row by row", numbers.len(), 8)?;
    }
    let unfit = |error: ShapeError| format(path, error.to_string(), "save the array again");
    let shape = header.shape.set_f(header.fortran);
    let array = ArrayD::from_shape_vec(shape, numbers).map_err(unfit)?;
    // Only an array in Fortran order is copied.
    let in_c_order = array.is_standard_layout();
    let array = if in_c_order { array } else { array.as_standard_layout().into_owned() };
    array.into_shape_with_order((rows, columns.unwrap_or(0))).map_err(unfit)
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

/// The texts that are one member of an archive in memory, as `numpy` saves an array of `str` or bytes;
/// none if the member holds numbers.
///
/// # Errors
/// As [`read_npz`]; texts that are no list, or no Unicode.
pub fn parse_npz_texts(
    path: &Path,
    bytes: &[u8],
    member: &str,
) -> Result<Option<Vec<String>>, DataError> {
    let mut memory = Memory::holding(path, bytes)?;
    let unpacked = archive::zip_member(&mut memory, bytes, member, ".npy")?;
    let place = path.join(member);
    let mut cursor = Cursor::new(&place, &unpacked);
    let header = Header::parse(&place, &mut cursor)?;
    let (size, wide) = match header.element {
        Element::Number(_) => return Ok(None),
        Element::Unicode(letters) => (letters.saturating_mul(4), true),
        Element::Bytes(size) => (size, false),
    };
    let (bytes, remedy) = (cursor.rest(), "save the class of each row as one text");
    let &[count] = header.shape.as_slice() else {
        let problem = format!("the texts have {} dimensions", header.shape.len());
        return Err(format(&place, problem, remedy));
    };
    if count.checked_mul(size) != Some(bytes.len()) {
        let problem = format!("{} bytes are no {count} texts of {size} bytes", bytes.len());
        return Err(format(&place, problem, "fetch or write the file again"));
    }
    memory.items("the texts", count, size_of::<String>().saturating_add(size))?;
    let text = |row: usize| {
        let cell = bytes.get(row * size..(row + 1) * size).unwrap_or_default();
        let text = match wide {
            false => String::from_utf8(cell.to_vec()).ok(),
            true => {
                let letters = cell.chunks_exact(4).map(|b| match header.order {
                    ByteOrder::Little => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
                    ByteOrder::Big => u32::from_be_bytes([b[0], b[1], b[2], b[3]]),
                });
                letters.map(char::from_u32).collect()
            }
        };
        let text = text.map(|text| text.trim_end_matches('\0').trim().to_owned());
        text.ok_or_else(|| format(&place, format!("text {} is no Unicode", row + 1), remedy))
    };
    (0..count).map(text).collect::<Result<_, _>>().map(Some)
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

fn no_number(path: &Path, descr: &str) -> DataError {
    let problem = format!("elements of type {descr:?} are no real numbers");
    format(path, problem, "convert the array with .astype(\"float64\") and save it again")
}

/// What an array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Number(Number),
    /// Letters of four bytes, so many a text.
    Unicode(usize),
    /// So many bytes a text.
    Bytes(usize),
}

/// What stands before the numbers.
struct Header {
    element: Element,
    /// What the file calls it.
    descr: String,
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
        let (element, order) = element(descr).ok_or_else(|| no_number(path, descr))?;
        let fortran = value_of(&text, "fortran_order").ok_or_else(|| missing("fortran_order"))?;
        let fortran = match fortran {
            _ if fortran.starts_with("True") => true,
            _ if fortran.starts_with("False") => false,
            _ => return Err(missing("fortran_order")),
        };
        let shape = value_of(&text, "shape").and_then(tuple).ok_or_else(|| missing("shape"))?;
        Ok(Self { element, descr: descr.to_owned(), order, fortran, shape })
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
fn element(descr: &str) -> Option<(Element, ByteOrder)> {
    let order = match descr.chars().next()? {
        '<' | '|' | '=' => ByteOrder::Little,
        '>' => ByteOrder::Big,
        _ => return None,
    };
    let kind = descr.get(1..)?;
    let number = match kind {
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
        _ => {
            let size = kind.get(1..)?.parse().ok().filter(|&size: &usize| size <= 1 << 20)?;
            let element = match kind.get(..1)? {
                "U" => Element::Unicode(size),
                "S" => Element::Bytes(size),
                _ => return None,
            };
            return Some((element, order));
        }
    };
    Some((Element::Number(number), order))
}

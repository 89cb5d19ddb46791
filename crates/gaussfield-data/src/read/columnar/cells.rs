//! The cells of a column as numbers or as text.

use crate::DataError;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::DataType;
use std::path::Path;

/// Whole numbers up to 2⁵³ are exact in an `f64`.
const EXACT: u64 = 1 << 53;

/// Whether the cells of a column can be features.
pub(super) fn is_number(kind: &DataType) -> bool {
    kind.is_numeric() || matches!(kind, DataType::Boolean | DataType::Null)
}

/// A column of numbers.
pub(super) struct Numbers<'a> {
    path: &'a Path,
    name: &'a str,
    column: &'a ArrayRef,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(path: &'a Path, name: &'a str, column: &'a ArrayRef) -> Self {
        Self { path, name, column }
    }

    /// A number, if it is there; `first` is the number of rows before the batch.
    pub(super) fn get(&self, row: usize, first: usize) -> Result<Option<f64>, DataError> {
        let column = self.column;
        if column.is_null(row) {
            return Ok(None);
        }
        macro_rules! of {
            ($type:ty) => {
                column.as_primitive::<$type>().value(row)
            };
        }
        let wide = |negative: bool, size: u64| {
            if size > EXACT {
                let sign = if negative { "-" } else { "" };
                let what = format!("{sign}{size} is past 2^53");
                let remedy = "such numbers are identifiers, not features: ignore the column";
                return Err(self.refused(first + row, &what, remedy));
            }
            Ok(if negative { -(size as f64) } else { size as f64 })
        };
        let number = match column.data_type() {
            DataType::Null => return Ok(None),
            DataType::Boolean => f64::from(u8::from(column.as_boolean().value(row))),
            DataType::Int8 => of!(Int8Type).into(),
            DataType::Int16 => of!(Int16Type).into(),
            DataType::Int32 => of!(Int32Type).into(),
            DataType::Int64 => {
                let number = of!(Int64Type);
                wide(number < 0, number.unsigned_abs())?
            }
            DataType::UInt8 => of!(UInt8Type).into(),
            DataType::UInt16 => of!(UInt16Type).into(),
            DataType::UInt32 => of!(UInt32Type).into(),
            DataType::UInt64 => wide(false, of!(UInt64Type))?,
            DataType::Float16 => of!(Float16Type).to_f64(),
            DataType::Float32 => of!(Float32Type).into(),
            DataType::Float64 => of!(Float64Type),
            DataType::Decimal32(..) => decimal(column.as_primitive::<Decimal32Type>(), row),
            DataType::Decimal64(..) => decimal(column.as_primitive::<Decimal64Type>(), row),
            DataType::Decimal128(..) => decimal(column.as_primitive::<Decimal128Type>(), row),
            DataType::Decimal256(..) => decimal(column.as_primitive::<Decimal256Type>(), row),
            kind => {
                let what = format!("a cell of type {kind} is no number");
                return Err(self.refused(first + row, &what, "ignore the column"));
            }
        };
        match number {
            number if number.is_nan() => Ok(None),
            number if number.is_finite() => Ok(Some(number)),
            number => {
                let what = format!("{number} is not finite");
                Err(self.refused(first + row, &what, "fill in the value or remove the row"))
            }
        }
    }

    fn refused(&self, row: usize, what: &str, remedy: &str) -> DataError {
        DataError::Format {
            path: self.path.to_owned(),
            problem: format!("row {}, column {:?}: {what}", row + 1, self.name),
            remedy: remedy.to_owned(),
        }
    }
}

/// Decimal digits as the nearest number.
fn decimal<T: DecimalType>(column: &PrimitiveArray<T>, row: usize) -> f64 {
    column.value_as_string(row).parse().unwrap_or(f64::NAN)
}

/// A cell as text, if it is there; `first` is the number of rows before the batch.
pub(super) fn text(
    path: &Path,
    name: &str,
    column: &ArrayRef,
    row: usize,
    first: usize,
) -> Result<Option<String>, DataError> {
    if column.is_null(row) {
        return Ok(None);
    }
    Ok(Some(match column.data_type() {
        DataType::Null => return Ok(None),
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => column.as_string_view().value(row).to_owned(),
        DataType::Binary => {
            return utf8(path, name, column.as_binary::<i32>().value(row), row, first);
        }
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let slice = dictionary.slice(row, 1);
            let key = slice.as_any_dictionary().normalized_keys().first().copied();
            let key = key.unwrap_or_default();
            return text(path, name, dictionary.values(), key, first);
        }
        kind if is_number(kind) => {
            let number = Numbers::new(path, name, column).get(row, first)?;
            return Ok(number.map(|number| number.to_string()));
        }
        kind => {
            return Err(DataError::Format {
                path: path.to_owned(),
                problem: format!("column {name:?} holds {kind}, which is neither text nor number"),
                remedy: "convert it, or choose another column".to_owned(),
            });
        }
    }))
}

/// Bytes that are text, as old writers store it.
fn utf8(
    path: &Path,
    name: &str,
    bytes: &[u8],
    row: usize,
    first: usize,
) -> Result<Option<String>, DataError> {
    let text = String::from_utf8(bytes.to_vec()).map_err(|_| DataError::Format {
        path: path.to_owned(),
        problem: format!("row {}, column {name:?} holds bytes that are not UTF-8", first + row + 1),
        remedy: "write the column as text".to_owned(),
    })?;
    Ok(Some(text))
}

//! Range checks of the generators' parameters.

use crate::DataError;

/// More points of a figure than this are surely a slip.
const MOST: usize = 1 << 24;

fn refuse(name: &'static str, value: impl ToString, expected: impl Into<String>) -> DataError {
    DataError::Argument { name, value: value.to_string(), expected: expected.into() }
}

/// A count of at least `least`, and not absurd.
pub(super) fn count(name: &'static str, value: usize, least: usize) -> Result<(), DataError> {
    if (least..=MOST).contains(&value) {
        return Ok(());
    }
    Err(refuse(name, value, format!("between {least} and {MOST}")))
}

/// A count of at least `least`, however large.
pub(super) fn at_least(name: &'static str, value: usize, least: usize) -> Result<(), DataError> {
    if value >= least {
        return Ok(());
    }
    Err(refuse(name, value, format!("at least {least}")))
}

/// A count that may be at most `most`, which another parameter sets.
pub(super) fn at_most(
    name: &'static str,
    value: usize,
    most: usize,
    what: &str,
) -> Result<(), DataError> {
    if value <= most {
        return Ok(());
    }
    Err(refuse(name, value, format!("at most {most}, {what}")))
}

/// A finite number above zero.
pub(super) fn positive(name: &'static str, value: f64) -> Result<(), DataError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(refuse(name, value, "a finite number above 0"))
}

/// A finite number, zero or more.
pub(super) fn not_negative(name: &'static str, value: f64) -> Result<(), DataError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(refuse(name, value, "a finite number, 0 or more"))
}

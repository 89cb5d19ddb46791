//! Ranges of settings, checked in one line.

use crate::OutOfRange;
use std::borrow::Cow;

/// A setting that must satisfy `inside`; `allowed` continues "it must be".
///
/// # Errors
/// [`OutOfRange`] if it does not.
pub fn range(
    name: impl Into<Cow<'static, str>>,
    value: f64,
    inside: bool,
    allowed: &'static str,
) -> Result<(), OutOfRange> {
    if inside {
        return Ok(());
    }
    Err(OutOfRange { name: name.into(), value, allowed: allowed.into() })
}

/// A number above zero.
///
/// # Errors
/// [`OutOfRange`] for zero, a negative number, infinity or NaN.
pub fn positive(name: impl Into<Cow<'static, str>>, value: f64) -> Result<(), OutOfRange> {
    range(name, value, value > 0.0 && value.is_finite(), "positive and finite")
}

/// A number of at least zero.
///
/// # Errors
/// [`OutOfRange`] for a negative number, infinity or NaN.
pub fn not_negative(name: impl Into<Cow<'static, str>>, value: f64) -> Result<(), OutOfRange> {
    range(name, value, value >= 0.0 && value.is_finite(), "finite and not negative")
}

/// Any finite number.
///
/// # Errors
/// [`OutOfRange`] for infinity or NaN.
pub fn finite(name: impl Into<Cow<'static, str>>, value: f64) -> Result<(), OutOfRange> {
    range(name, value, value.is_finite(), "a finite number")
}

/// A number strictly between zero and one.
///
/// # Errors
/// [`OutOfRange`] for any other.
pub fn fraction(name: impl Into<Cow<'static, str>>, value: f64) -> Result<(), OutOfRange> {
    range(name, value, value > 0.0 && value < 1.0, "above 0 and below 1")
}

/// A count of at least `least`.
///
/// # Errors
/// [`OutOfRange`] for less.
pub fn at_least(
    name: impl Into<Cow<'static, str>>,
    value: usize,
    least: usize,
) -> Result<(), OutOfRange> {
    if value >= least {
        return Ok(());
    }
    let allowed = format!("at least {least}").into();
    Err(OutOfRange { name: name.into(), value: value as f64, allowed })
}

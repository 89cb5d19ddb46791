//! Numbers and times as a reader wants them.

use std::time::Duration;

/// A number with about four significant digits: `94.7`, `0.6931`, `1.2e-8`, `12000`.
///
/// Integers below 10⁷ are written whole; trailing zeros are dropped.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() { "not a number".to_owned() } else { format!("{value}") };
    }
    if size < 1e-300 {
        return "0".to_owned();
    }
    if size < 1e7 && (value - value.round()).abs() < 1e-9 * size.max(1.0) {
        return format!("{value:.0}");
    }
    if !(1e-4..1e7).contains(&size) {
        return trim(&format!("{value:.3e}"));
    }
    // Digits after the point such that four significant ones remain; at least one.
    let decimals = (3.0 - size.log10().floor()).clamp(1.0, 8.0) as usize;
    trim(&format!("{value:.decimals$}"))
}

/// A mean with its spread, both with so many decimals: `94.6 ± 1.2`.
pub fn mean_spread(mean: f64, spread: f64, decimals: usize) -> String {
    format!("{mean:.decimals$} ± {spread:.decimals$}")
}

/// A mean with its spread, which gets two significant digits: `94.61 ± 1.2` is `94.6 ± 1.2`.
pub fn mean_and_spread(mean: f64, spread: f64) -> String {
    let size = spread.abs();
    if !mean.is_finite() || !(1e-6..1e7).contains(&size) {
        return format!("{} ± {}", number(mean), number(spread));
    }
    let decimals = (1.0 - size.log10().floor()).clamp(0.0, 8.0) as usize;
    mean_spread(mean, spread, decimals)
}

/// A duration as `4.2 s`, `3 min 5 s` or `2 h 7 min`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Drops zeros after the decimal point, in the mantissa if there is an exponent.
fn trim(text: &str) -> String {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    match exponent {
        Some(exponent) => format!("{mantissa}e{exponent}"),
        None => mantissa.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_true() {
        let table = [
            (94.7, "94.7"),
            (0.619_049, "0.619"),
            (12_000.0, "12000"),
            (1.2e-8, "1.2e-8"),
            (-0.5, "-0.5"),
            (0.0, "0"),
            (123_456_789.0, "1.235e8"),
            (1_234.567, "1234.6"),
            (f64::NAN, "not a number"),
        ];
        for (value, text) in table {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn a_mean_has_the_digits_its_spread_allows() {
        let table = [
            (94.61, 1.19, "94.6 ± 1.2"),
            (0.511_797, 0.004_145, "0.5118 ± 0.0041"),
            (1.0, 0.0, "1 ± 0"),
            (12_345.6, 321.0, "12346 ± 321"),
            (f64::NAN, 1.0, "not a number ± 1"),
        ];
        for (mean, spread, text) in table {
            assert_eq!(mean_and_spread(mean, spread), text);
        }
    }

    #[test]
    fn durations_use_the_fitting_unit() {
        assert_eq!(duration(Duration::from_millis(4_200)), "4.2 s");
        assert_eq!(duration(Duration::from_secs(185)), "3 min 5 s");
        assert_eq!(duration(Duration::from_secs(7_620)), "2 h 7 min");
    }
}

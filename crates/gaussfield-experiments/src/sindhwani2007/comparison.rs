//! How sure a mean over draws is.

use gaussfield_labels::metrics::MeanStd;

/// The fewest draws on which a claim is decided: fewer say nothing about their own spread.
pub(super) const FEWEST: usize = 3;

/// Whether a mean is above zero by two of its standard errors.
pub(super) fn clearly_positive(over: MeanStd) -> bool {
    over.trials >= FEWEST && over.is_above(0.0, 2.0)
}

/// A mean with its standard error, in words.
pub(super) fn with_error(over: MeanStd) -> String {
    match over.standard_error() {
        Some(error) => {
            format!("{:.2} ± {error:.2} (standard error, {} draws)", over.mean, over.trials)
        }
        None => format!("{:.2} (one draw)", over.mean),
    }
}

/// On which side of zero a mean lies, in words.
pub(super) fn side(over: MeanStd) -> &'static str {
    let negative = MeanStd { mean: -over.mean, ..over };
    if clearly_positive(over) {
        "above zero by more than two standard errors"
    } else if clearly_positive(negative) {
        "below zero by more than two standard errors"
    } else {
        "within two standard errors of zero"
    }
}

/// A statistic of all draws with its jackknife standard error, as if it were a mean: `of` gives it
/// without one draw, or with all.
pub(super) fn jackknife(
    draws: usize,
    of: impl Fn(Option<usize>) -> anyhow::Result<f64>,
) -> anyhow::Result<MeanStd> {
    let whole = of(None)?;
    if draws < FEWEST {
        return Ok(MeanStd { mean: whole, std: None, trials: draws });
    }
    let without = (0..draws).map(|draw| of(Some(draw))).collect::<anyhow::Result<Vec<f64>>>()?;
    // MeanStd divides by n − 1; the jackknife multiplies the sum of squares by (n − 1)/n, and the
    // standard error divides by √n once more.
    let spread = MeanStd::over(&without)?.std.unwrap_or(0.0);
    Ok(MeanStd { mean: whole, std: Some(spread * (draws - 1) as f64), trials: draws })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_standard_errors_and_three_draws() {
        let over = |values: &[f64]| MeanStd::over(values).unwrap();
        assert!(clearly_positive(over(&[1.0, 1.2, 0.8])));
        assert!(!clearly_positive(over(&[1.0, 1.2])) && !clearly_positive(over(&[1.0])));
        assert!(!clearly_positive(over(&[3.0, -1.0, 0.5])));
        assert!(side(over(&[-1.0, -1.2, -0.8])).starts_with("below"));
        assert!(side(over(&[3.0, -1.0, 0.5])).starts_with("within"));
        assert_eq!(with_error(over(&[1.0, 2.0, 3.0])), "2.00 ± 0.58 (standard error, 3 draws)");
        assert_eq!(with_error(over(&[1.0])), "1.00 (one draw)");
    }

    /// Of a mean the jackknife is the usual standard error.
    #[test]
    fn the_jackknife_of_a_mean() {
        let values = [1.0, 2.0, 4.0, 8.0];
        let found = jackknife(4, |without| {
            let kept = values.iter().enumerate().filter(|(at, _)| Some(*at) != without);
            Ok(MeanStd::over(&kept.map(|(_, value)| *value).collect::<Vec<_>>())?.mean)
        });
        let (found, plain) = (found.unwrap(), MeanStd::over(&values).unwrap());
        assert!((found.mean - plain.mean).abs() < 1e-12);
        assert!((found.std.unwrap() - plain.std.unwrap()).abs() < 1e-12);
    }
}

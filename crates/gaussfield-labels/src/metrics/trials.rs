//! Mean and spread over repeated trials.

use crate::LabelsError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Mean and standard deviation of a measure over trials. Prints as `0.947 ± 0.012 (10 trials)`,
/// with the digits asked for (`{:.2}`; three by default).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeanStd {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation, divisor n − 1; `None` for one trial, which has no spread.
    pub std: Option<f64>,
    /// How many trials.
    pub trials: usize,
}

impl MeanStd {
    /// Sums up the results of trials, in two passes so that no digits cancel.
    ///
    /// # Errors
    /// No trial, or a result that is not finite.
    pub fn over(results: &[f64]) -> Result<Self, LabelsError> {
        if let Some((trial, &value)) = results.iter().enumerate().find(|(_, r)| !r.is_finite()) {
            return Err(LabelsError::BadTrial { trial, value });
        }
        let trials = results.len();
        if trials == 0 {
            return Err(LabelsError::NoTrials);
        }
        // In units of the largest result, times four so that differences fit too: no sum overflows.
        let largest = results.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
        let unit = if largest > f64::MAX.sqrt() / 1e8 { power_of_two_above(largest) } else { 1.0 };
        let count = trials as f64;
        let mean = results.iter().map(|r| r / unit).sum::<f64>() / count;
        let squares: f64 = results.iter().map(|r| (r / unit - mean) * (r / unit - mean)).sum();
        let std = (trials > 1).then(|| ((squares / (count - 1.0)).sqrt() * unit).min(f64::MAX));
        Ok(Self { mean: mean * unit, std, trials })
    }

    /// How far the mean itself is off: deviation / √trials; `None` for one trial.
    pub fn standard_error(&self) -> Option<f64> {
        self.std.map(|std| std / (self.trials as f64).sqrt())
    }

    /// Whether the mean is above a limit by more than so many of its standard errors; never for one
    /// trial.
    pub fn is_above(&self, limit: f64, errors: f64) -> bool {
        self.standard_error().is_some_and(|error| self.mean - limit > errors * error)
    }

    /// Whether the mean is below a limit by more than so many of its standard errors; never for one
    /// trial.
    pub fn is_below(&self, limit: f64, errors: f64) -> bool {
        self.standard_error().is_some_and(|error| limit - self.mean > errors * error)
    }
}

/// A power of two, so that dividing by it changes no digit.
fn power_of_two_above(value: f64) -> f64 {
    value.log2().floor().min(1023.0).exp2()
}

/// The mean, and the deviation if there is one.
impl From<MeanStd> for (f64, Option<f64>) {
    fn from(over: MeanStd) -> Self {
        (over.mean, over.std)
    }
}

impl From<MeanStd> for (f64, Option<f64>, usize) {
    fn from(over: MeanStd) -> Self {
        (over.mean, over.std, over.trials)
    }
}

impl fmt::Display for MeanStd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(3);
        match self.std {
            Some(std) => {
                write!(f, "{:.digits$} ± {std:.digits$} ({} trials)", self.mean, self.trials)
            }
            None => write!(f, "{:.digits$} (1 trial)", self.mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_numbers_have_a_mean_and_a_spread() {
        let same = MeanStd::over(&[1e308; 3]).unwrap();
        assert!((same.mean / 1e308 - 1.0).abs() < 1e-15 && same.std.unwrap() < 1e293);
        let apart = MeanStd::over(&[1e308, -1e308]).unwrap();
        assert!(apart.mean.abs() < 1e293);
        assert!((apart.std.unwrap() / (2_f64.sqrt() * 1e308) - 1.0).abs() < 1e-15);
        let widest = MeanStd::over(&[f64::MAX, -f64::MAX]).unwrap();
        assert!(widest.std.unwrap().is_finite());
    }

    #[test]
    fn sample_deviation_and_its_text() {
        let result = MeanStd::over(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert!((result.mean - 5.0).abs() < 1e-15);
        assert!((result.std.unwrap() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-15);
        assert!((result.standard_error().unwrap() - (4.0_f64 / 7.0).sqrt()).abs() < 1e-15);
        // Four and a half is 0.66 standard errors below.
        assert!(
            result.is_above(4.5, 0.6) && !result.is_above(4.5, 0.7) && !result.is_below(4.5, 0.0)
        );
        assert!(result.is_below(5.5, 0.6) && !result.is_below(5.5, 0.7));
        assert_eq!(result.to_string(), "5.000 ± 2.138 (8 trials)");
        assert_eq!(format!("{result:.1}"), "5.0 ± 2.1 (8 trials)");
    }

    #[test]
    fn one_trial_has_no_spread() {
        let result = MeanStd::over(&[0.5]).unwrap();
        assert_eq!((result.std, result.standard_error()), (None, None));
        assert!(!result.is_above(0.0, 2.0) && !result.is_below(1.0, 2.0));
        assert_eq!(result.to_string(), "0.500 (1 trial)");
    }
}

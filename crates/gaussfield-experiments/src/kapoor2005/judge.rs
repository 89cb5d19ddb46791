//! How numbers are compared with the paper's.

use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::Claim;

/// The paper's error bars: the standard error times this. Bars that do not overlap differ.
pub(super) const BAR: f64 = 1.64;

/// What a coin gets wrong, in per cent.
const CHANCE: f64 = 50.0;

/// The error bar of a mean over trials.
pub(super) fn bar(over: MeanStd) -> f64 {
    MeanStd { std: over.std.map(|std| BAR * std), ..over }.standard_error().unwrap_or(0.0)
}

/// A printed error rate with its bar: holds where both bars overlap.
pub(super) fn rate(
    id: &str,
    place: &str,
    method: &str,
    (paper, paper_bar): (f64, f64),
    ours: MeanStd,
) -> Claim {
    Claim::new(id, place, format!("{method}: {paper:.2} ± {paper_bar:.1} % wrong"))
        .paper(paper)
        .over(ours)
        .within_bars(paper_bar, bar(ours))
        .opposite(CHANCE)
        .because("bars are 1.64 standard errors")
}

/// Whether one mean is below another by more than both bars.
pub(super) fn clearly_below(low: MeanStd, high: MeanStd) -> bool {
    low.mean + bar(low) < high.mean - bar(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_that_overlap_hold() {
        let ours = MeanStd::over(&[10.0, 14.0]).unwrap();
        // Standard error 2, bar 3.28.
        assert!((bar(ours) - 3.28).abs() < 1e-9);
        let verdict = |paper| rate("a", "b", "c", (paper, 1.0), ours).verdict();
        assert_eq!(verdict(16.0), gaussfield_report::Verdict::Holds);
        assert_eq!(verdict(17.0), gaussfield_report::Verdict::Differs);
        let far = MeanStd::over(&[20.0, 21.0]).unwrap();
        assert!(clearly_below(ours, far) && !clearly_below(far, ours));
    }
}

//! How numbers are compared with the paper's.

use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::{Claim, Verdict};

/// The paper's error bars: the standard error times this. Bars that do not overlap differ.
pub(super) const BAR: f64 = 1.64;

/// The error bar of a mean over trials.
pub(super) fn bar(over: MeanStd) -> f64 {
    over.std.map_or(0.0, |std| BAR * std / (over.trials as f64).sqrt())
}

/// A printed error rate with its bar: holds where both bars overlap.
pub(super) fn rate(
    id: &str,
    place: &str,
    method: &str,
    (paper, paper_bar): (f64, f64),
    ours: MeanStd,
) -> Claim {
    let allowed = paper_bar + bar(ours);
    Claim::new(id, place, format!("{method}: {paper:.2} ± {paper_bar:.1} % wrong"))
        .paper(paper)
        .ours(ours.mean, ours.std)
        .within(allowed)
        .because(&format!(
            "the tolerance is the paper's error bar of {paper_bar:.1} and ours of {:.1}, both 1.64 \
             standard errors: bars that overlap do not differ",
            bar(ours)
        ))
}

/// Adds the best explanation we have to a claim that differs.
pub(super) fn explained(claim: Claim, words: &str) -> Claim {
    if claim.verdict() == Verdict::Differs { claim.because(words) } else { claim }
}

/// Whether one mean is below another by more than both bars.
pub(super) fn clearly_below(low: MeanStd, high: MeanStd) -> bool {
    low.mean + bar(low) < high.mean - bar(high)
}

/// The correlation of two lists by ranks (Spearman), ties at their mean rank; 0 for a constant.
pub(super) fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let moment = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    let spread = (moment(&a, &a) * moment(&b, &b)).sqrt();
    if spread > 0.0 { moment(&a, &b) / spread } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
    let not_above = |value: f64| values.iter().filter(|other| **other <= value).count() as f64;
    values.iter().map(|&value| (below(value) + not_above(value) - 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_whatever_the_scale() {
        assert!((rank_correlation(&[1.0, 2.0, 5.0], &[0.1, 7.0, 8.0]) - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&[1.0, 2.0, 5.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        assert!(rank_correlation(&[1.0, 1.0, 1.0], &[3.0, 2.0, 1.0]).abs() < 1e-12);
        let ties = rank_correlation(&[1.0, 1.0, 2.0], &[1.0, 2.0, 3.0]);
        assert!((ties - 0.75_f64.sqrt()).abs() < 1e-12, "{ties}");
    }

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

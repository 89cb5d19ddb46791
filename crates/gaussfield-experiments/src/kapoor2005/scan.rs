//! Evidence and accuracy along one parameter, for several numbers of labels.

use anyhow::Result;
use gaussfield_labels::metrics::{self, rank_correlation};
use gaussfield_labels::{ClassPrior, Decision, HeldOut, Transductive};
use gaussfield_report::Claim;
use gaussfield_report::plot::{LineChart, Series, Width};
use serde::{Deserialize, Serialize};

/// What one set of labels says at one value of the parameter.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Look {
    pub(super) evidence: f64,
    /// Accuracy on the unlabelled points, in per cent.
    pub(super) accuracy: f64,
    /// The same where as many points are given to one class as to the other.
    pub(super) halved: f64,
}

impl Look {
    pub(super) fn of(
        held_out: &HeldOut,
        answer: &impl Transductive,
        evidence: f64,
    ) -> Result<Self> {
        let scores = answer.scores().select(held_out.nodes())?;
        let right = |decision: Decision| -> Result<f64> {
            Ok(100.0 * metrics::accuracy(held_out, &decision.decide(&scores)?)?)
        };
        let even = Decision::Proportions(ClassPrior::uniform(scores.classes())?);
        Ok(Self { evidence, accuracy: right(Decision::Argmax)?, halved: right(even)? })
    }
}

/// The parameter's values, the numbers of labels of each class, and what was seen.
pub(super) struct Scan {
    pub(super) grid: Vec<f64>,
    pub(super) counts: Vec<usize>,
    /// By value, by number of labels, by draw of labels.
    pub(super) looks: Vec<Vec<Vec<Look>>>,
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

impl Scan {
    /// The mean over draws at every value.
    fn along(&self, count: usize, of: impl Fn(&Look) -> f64) -> Vec<f64> {
        self.looks.iter().map(|at| mean(at[count].iter().map(&of))).collect()
    }

    fn evidence(&self, count: usize) -> Vec<f64> {
        self.along(count, |look| look.evidence)
    }

    fn accuracy(&self, count: usize) -> Vec<f64> {
        self.along(count, |look| look.accuracy)
    }

    /// How much larger the log evidence is at its best than on average over the grid: by how
    /// much, in nats, the labels tell a good value from a bad one.
    fn peak(&self, count: usize) -> f64 {
        let curve = self.evidence(count);
        curve.iter().copied().fold(f64::NEG_INFINITY, f64::max) - mean(curve.iter().copied())
    }

    /// The value of largest evidence.
    pub(super) fn best(&self, count: usize) -> Option<f64> {
        let curve = self.evidence(count);
        let best = (0..curve.len()).max_by(|&a, &b| curve[a].total_cmp(&curve[b]))?;
        self.grid.get(best).copied()
    }

    /// Log evidence below its maximum, one line for each number of labels.
    pub(super) fn chart(&self, parameter: &str, title: &str, log_x: bool) -> LineChart {
        let mut chart =
            LineChart::new(parameter, "log evidence − its maximum").title(title).width(Width::Half);
        if log_x {
            chart = chart.log_x();
        }
        for (at, count) in self.counts.iter().enumerate() {
            let curve = self.evidence(at);
            let most = curve.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let points = self.grid.iter().copied().zip(curve.into_iter().map(move |y| y - most));
            chart = chart.series(Series::new(format!("{count} a class"), points).smooth());
        }
        chart
    }

    /// Accuracy against log evidence: a point for each value of the parameter.
    pub(super) fn cloud(&self, title: &str) -> LineChart {
        let mut chart = LineChart::new("log evidence of a label", "accuracy (%)")
            .title(title)
            .width(Width::Half);
        for (at, &count) in self.counts.iter().enumerate() {
            // Each label, so that all numbers of labels fit on one axis.
            let labels = 2.0 * count as f64;
            let evidence = self.evidence(at).into_iter().map(move |y| y / labels);
            let points = evidence.zip(self.accuracy(at));
            let series = Series::new(format!("{count} a class"), points).points_only();
            chart = chart.series(series.like(at));
        }
        chart
    }

    /// Flat with few labels, peaked with many.
    pub(super) fn peaks(&self, claim: Claim) -> Claim {
        let peaks: Vec<f64> = (0..self.counts.len()).map(|at| self.peak(at)).collect();
        let grows = peaks.windows(2).all(|pair| pair[0] < pair[1]);
        let words: Vec<String> = self
            .counts
            .iter()
            .zip(&peaks)
            .map(|(count, peak)| format!("{peak:.2} with {count} a class"))
            .collect();
        let (first, last) = (peaks.first().copied(), peaks.last().copied());
        claim
            .paper("flat with few labels, peakier with more")
            .ours_value(format!("{:.2} → {:.2} nats", first.unwrap_or(0.0), last.unwrap_or(0.0)))
            .holds_if(
                grows,
                format!(
                    "the largest log evidence above its mean over the grid: {}; asked to grow \
                     with every number of labels",
                    words.join(", ")
                ),
            )
    }

    /// How the evidence and another number go together, over the grid.
    pub(super) fn rank(&self, count: usize, of: impl Fn(&Look) -> f64) -> f64 {
        let (evidence, other) = (self.evidence(count), self.along(count, of));
        rank_correlation(evidence.into_iter().zip(other)).unwrap_or(0.0)
    }

    /// The evidence and the accuracy go together, with the most labels.
    pub(super) fn correlates(&self, claim: Claim) -> Claim {
        let most = self.counts.len().saturating_sub(1);
        let (evidence, accuracy) = (self.evidence(most), self.accuracy(most));
        let rank = self.rank(most, |look| look.accuracy);
        let best = (0..evidence.len()).max_by(|&a, &b| evidence[a].total_cmp(&evidence[b]));
        let at_best = best.map_or(f64::NAN, |best| accuracy[best]);
        claim.paper("highly correlated").ours(rank, None).holds_if(
            rank >= HIGH,
            format!(
                "rank correlation over the grid with {} labels a class; high is read as at least \
                 {HIGH}; the accuracy is {:.1} % where the evidence is largest, {:.1} % at its best \
                 and {:.1} % at its worst",
                self.counts.get(most).copied().unwrap_or(0),
                at_best,
                accuracy.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                accuracy.iter().copied().fold(f64::INFINITY, f64::min),
            ),
        )
    }
}

/// A high correlation.
const HIGH: f64 = 0.7;

#[cfg(test)]
mod tests {
    use super::*;
    use gaussfield_report::Verdict;

    fn scan(peaks: [f64; 2]) -> Scan {
        let look =
            |evidence: f64, accuracy: f64| vec![Look { evidence, accuracy, halved: accuracy }];
        let at =
            |share: f64| vec![look(peaks[0] * share, 50.0), look(peaks[1] * share, 90.0 * share)];
        Scan {
            grid: vec![1.0, 2.0, 3.0],
            counts: vec![1, 5],
            looks: vec![at(0.0), at(1.0), at(0.5)],
        }
    }

    #[test]
    fn growing_peaks_and_ranks_are_told() {
        let claim = || Claim::new("a", "b", "c");
        assert_eq!(scan([0.1, 2.0]).peaks(claim()).verdict(), Verdict::Holds);
        assert_eq!(scan([2.0, 0.1]).peaks(claim()).verdict(), Verdict::Differs);
        assert_eq!(scan([0.1, 2.0]).correlates(claim()).verdict(), Verdict::Holds);
        assert_eq!(scan([0.1, -2.0]).correlates(claim()).verdict(), Verdict::Differs);
        assert_eq!(scan([0.1, 2.0]).best(1), Some(2.0));
    }
}

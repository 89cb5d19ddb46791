//! Do the probabilities mean what they say?

use super::check_scores;
use crate::{HeldOut, LabelsError, Scores};
use gaussfield_core::check;
use serde::Serialize;
use std::fmt;

/// Do 80 % of the nodes called with 80 % confidence turn out right?
///
/// The confidence of a node is its largest score, and its class that of the argmax. Nodes are put
/// into bins of equal width by confidence, and each bin compares its mean confidence with its
/// accuracy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    bins: Vec<Bin>,
}

/// One row of a [`Calibration`] table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bin {
    /// Smallest confidence of the bin, included.
    pub from: f64,
    /// Largest confidence of the bin; excluded, but for the last bin, which ends at 1.
    pub to: f64,
    /// How many nodes fall into it.
    pub count: usize,
    /// Their mean confidence; `None` for an empty bin.
    pub confidence: Option<f64>,
    /// The share of them that is right; `None` for an empty bin.
    pub accuracy: Option<f64>,
}

impl Bin {
    /// |confidence − accuracy|; `None` for an empty bin.
    pub fn gap(&self) -> Option<f64> {
        Some((self.confidence? - self.accuracy?).abs())
    }
}

impl Calibration {
    /// The table with the given number of bins over [0, 1]. O(uC).
    ///
    /// # Errors
    /// No bin, another number of rows than nodes in the set, or of columns than classes.
    pub fn new(held_out: &HeldOut, scores: &Scores, bins: usize) -> Result<Self, LabelsError> {
        check::at_least("the number of bins of a calibration table", bins, 1)?;
        check_scores(held_out, scores)?;
        let mut counts = vec![0_usize; bins];
        let mut confidences = vec![0.0; bins];
        let mut rights = vec![0_usize; bins];
        let judged = scores.confidence().into_iter().zip(scores.argmax()).zip(held_out.truth());
        for ((confidence, predicted), &truth) in judged {
            let bin = ((confidence * bins as f64) as usize).min(bins - 1);
            counts[bin] += 1;
            confidences[bin] += confidence;
            rights[bin] += usize::from(predicted == truth);
        }
        let bin = |b: usize| {
            let mean = |sum: f64| (counts[b] > 0).then(|| sum / counts[b] as f64);
            Bin {
                from: b as f64 / bins as f64,
                to: (b + 1) as f64 / bins as f64,
                count: counts[b],
                confidence: mean(confidences[b]),
                accuracy: mean(rights[b] as f64),
            }
        };
        Ok(Self { bins: (0..bins).map(bin).collect() })
    }

    /// The rows, by increasing confidence.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// Expected calibration error: the mean gap, each bin weighted by its nodes.
    pub fn expected_error(&self) -> f64 {
        let total: usize = self.bins.iter().map(|bin| bin.count).sum();
        let weighted = |bin: &Bin| bin.gap().map(|gap| gap * bin.count as f64);
        self.bins.iter().filter_map(weighted).sum::<f64>() / total as f64
    }
}

/// The bins that have nodes, and the expected calibration error.
impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "confidence      nodes    mean  accuracy")?;
        for bin in &self.bins {
            if let (Some(confidence), Some(accuracy)) = (bin.confidence, bin.accuracy) {
                let (from, to, count) = (bin.from, bin.to, bin.count);
                writeln!(f, "{from:.3}–{to:.3}  {count:>7}  {confidence:.4}    {accuracy:.4}")?;
            }
        }
        writeln!(f, "expected calibration error {:.4}", self.expected_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Labels;
    use ndarray::array;

    #[test]
    fn by_hand() {
        // Confidences 0.9 (wrong), 0.9 (right), 0.6 (right), 1.0 (right).
        let truth = Labels::numbered(&[0, 1, 0, 1], 2).unwrap();
        let held_out = HeldOut::of(&truth, &[0, 1, 2, 3]).unwrap();
        let scores = Scores::binary(array![0.9, 0.9, 0.4, 1.0].view()).unwrap();
        let table = Calibration::new(&held_out, &scores, 5).unwrap();
        let counts: Vec<usize> = table.bins().iter().map(|bin| bin.count).collect();
        assert_eq!(counts, [0, 0, 0, 1, 3]);
        assert!(table.bins()[0].gap().is_none());
        let last = &table.bins()[4];
        assert!((last.confidence.unwrap() - 2.8 / 3.0).abs() < 1e-15);
        assert!((last.accuracy.unwrap() - 2.0 / 3.0).abs() < 1e-15);
        assert!((table.expected_error() - (0.4 + 0.8) / 4.0).abs() < 1e-15);
        let text = table.to_string();
        assert_eq!(text.lines().count(), 4);
        assert!(text.contains("0.800–1.000        3  0.9333    0.6667"), "{text}");
        assert!(text.contains("0.3000"));
    }
}

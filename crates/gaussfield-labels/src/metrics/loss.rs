//! Shares of right and wrong classes, and proper scores of probabilities.

use super::{check_predictions, check_scores};
use crate::{HeldOut, LabelsError, Scores};

/// The smallest probability [`log_loss`] counts: one certain mistake costs −ln 10⁻¹⁵ ≈ 34.5
/// instead of making every comparison infinite.
pub const LOG_LOSS_CLIP: f64 = 1e-15;

/// The share of the set whose predicted class is right.
///
/// # Errors
/// Another number of predictions than nodes in the set, or a class past the last.
pub fn accuracy(held_out: &HeldOut, predicted: &[usize]) -> Result<f64, LabelsError> {
    check_predictions(held_out, predicted)?;
    let right = predicted.iter().zip(held_out.truth()).filter(|(p, t)| p == t).count();
    Ok(right as f64 / held_out.len() as f64)
}

/// The share of the set whose predicted class is wrong: 1 − [`accuracy`].
///
/// # Errors
/// As [`accuracy`].
pub fn error(held_out: &HeldOut, predicted: &[usize]) -> Result<f64, LabelsError> {
    check_predictions(held_out, predicted)?;
    let wrong = predicted.iter().zip(held_out.truth()).filter(|(p, t)| p != t).count();
    Ok(wrong as f64 / held_out.len() as f64)
}

/// −(1/u) Σ_i ln F_{i,t(i)} in nats, t(i) the true class; probabilities below [`LOG_LOSS_CLIP`]
/// count as that. A proper score: the truth's own frequencies are the best constant prediction.
///
/// # Errors
/// Another number of rows than nodes in the set, or of columns than classes.
pub fn log_loss(held_out: &HeldOut, scores: &Scores) -> Result<f64, LabelsError> {
    check_scores(held_out, scores)?;
    let loss = |(i, &t): (usize, &usize)| -scores.values()[[i, t]].max(LOG_LOSS_CLIP).ln();
    Ok(held_out.truth().iter().enumerate().map(loss).sum::<f64>() / held_out.len() as f64)
}

/// Brier's score (1/u) Σ_i Σ_c (F_ic − \[t(i) = c\])², between 0 and 2, as Brier (1950) wrote it.
/// For two classes it is twice the mean of (f − t)². A proper score.
///
/// # Errors
/// As [`log_loss`].
pub fn brier(held_out: &HeldOut, scores: &Scores) -> Result<f64, LabelsError> {
    check_scores(held_out, scores)?;
    let mut sum = 0.0;
    for (row, &truth) in scores.values().outer_iter().zip(held_out.truth()) {
        for (class, &p) in row.iter().enumerate() {
            let gap = if class == truth { p - 1.0 } else { p };
            sum += gap * gap;
        }
    }
    Ok(sum / held_out.len() as f64)
}

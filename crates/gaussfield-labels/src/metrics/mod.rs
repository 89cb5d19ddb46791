//! How good are classes and scores on nodes the method has not seen?
//!
//! Every measure takes a [`HeldOut`] set and one prediction (or row of scores) for each of its
//! nodes, in its order.
//!
//! | measure | looks at | range | best |
//! |---|---|---|---|
//! | [`accuracy`], [`error`] | classes | [0, 1] | 1, 0 |
//! | [`log_loss`] | scores | [0, 34.54] | 0 |
//! | [`brier`] | scores | [0, 2] | 0 |
//! | [`ConfusionMatrix`] | classes | counts | diagonal |
//! | [`Calibration`] | scores | gap in [0, 1] | 0 |
//!
//! [`MeanStd`] sums a measure up over trials; [`rank_correlation`] tells whether two measures agree
//! on which is better.

mod calibration;
mod confusion;
mod loss;
mod rank;
mod trials;

pub use calibration::{Bin, Calibration};
pub use confusion::ConfusionMatrix;
pub use loss::{LOG_LOSS_CLIP, accuracy, brier, error, log_loss};
pub use rank::rank_correlation;
pub use trials::MeanStd;

use crate::{HeldOut, LabelsError, Scores};
use gaussfield_core::SizeMismatch;

/// One class for each node of the set, each of them a class.
fn check_predictions(held_out: &HeldOut, predicted: &[usize]) -> Result<(), LabelsError> {
    SizeMismatch::check("predicted classes", held_out.len(), predicted.len())?;
    let classes = held_out.classes();
    match predicted.iter().zip(held_out.nodes()).find(|(class, _)| **class >= classes) {
        Some((&class, &node)) => Err(LabelsError::NoSuchClass { node, class, classes }),
        None => Ok(()),
    }
}

/// One row of scores for each node of the set, over the same classes.
fn check_scores(held_out: &HeldOut, scores: &Scores) -> Result<(), LabelsError> {
    SizeMismatch::check("rows of scores", held_out.len(), scores.nodes())?;
    SizeMismatch::check("classes of the scores", held_out.classes(), scores.classes())?;
    Ok(())
}

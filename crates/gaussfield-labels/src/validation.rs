//! Cross-validation: how good a method is, judged by labels it was not shown.

use crate::{Labels, LabelsError};
use gaussfield_core::Progress;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// How labels are held out in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Folds {
    /// Each label once, alone.
    LeaveOneOut,
    /// k parts of nearly equal size, each held out once. Every class is spread over the parts as
    /// evenly as it goes; within that the seed decides.
    KFold {
        /// Number of parts: at least 2, at most the number of labels.
        k: usize,
        /// Seed of the draw.
        seed: u64,
    },
}

impl Folds {
    /// Five folds, or leave-one-out below ten labels: the protocol of Sindhwani, Chu and Keerthi
    /// (IJCAI 2007), section 4.
    pub fn five_or_leave_one_out(labels: &Labels, seed: u64) -> Self {
        let labelled: usize = labels.counts().iter().sum();
        if labelled < 10 { Self::LeaveOneOut } else { Self::KFold { k: 5, seed } }
    }

    /// The nodes of each fold, in increasing order: every labelled node is in exactly one.
    ///
    /// # Errors
    /// No label; fewer than 2 folds, or more folds than labels.
    pub fn split(self, labels: &Labels) -> Result<Vec<Vec<usize>>, LabelsError> {
        let mut nodes = labels.labelled();
        if nodes.is_empty() {
            return Err(LabelsError::NoLabels);
        }
        let folds = match self {
            Self::LeaveOneOut => nodes.len(),
            Self::KFold { k, .. } => k,
        };
        if folds < 2 || folds > nodes.len() {
            return Err(LabelsError::BadFolds { folds, labelled: nodes.len() });
        }
        if let Self::KFold { seed, .. } = self {
            // Shuffled, then class by class (the sort keeps the order within a class): dealing out
            // one after the other spreads each class evenly.
            nodes.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
            nodes.sort_by_key(|&node| labels.get(node));
        }
        let mut parts = vec![Vec::new(); folds];
        for (position, node) in nodes.into_iter().enumerate() {
            parts[position % folds].push(node);
        }
        parts.iter_mut().for_each(|part| part.sort_unstable());
        Ok(parts)
    }
}

/// What [`cross_validate`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossValidation {
    /// The labelled nodes, in increasing order, each with the class predicted when it was held
    /// out.
    pub predictions: Vec<(usize, usize)>,
    /// How many of the predictions are wrong.
    pub errors: usize,
}

/// Holds out the labels fold by fold and counts the wrong predictions.
///
/// `predict` is given the labels that are left and the nodes held out, and says the class of each
/// of these, in their order. It still sees the *points* of all nodes, so a graph or a kernel can
/// be made once for all folds: labels are hidden, nodes are not.
///
/// Where the labels that are left are all of one class, that class is predicted and `predict` is
/// not asked: nothing else could come out, and many methods refuse.
///
/// ```
/// use gaussfield_labels::{Folds, Labels, LabelsError, cross_validate};
///
/// // One number a node, and the rule of the nearest number that is still labelled.
/// let points: [f64; 6] = [0.0, 1.0, 0.5, 3.0, 4.0, 3.5];
/// let labels = Labels::numbered(&[0, 0, 0, 1, 1, 1], 2)?;
/// let found = cross_validate(&labels, Folds::LeaveOneOut, |given, held_out| {
///     let distance = |i: usize, j: usize| (points[i] - points[j]).abs();
///     let nearest = |&i: &usize| {
///         let all = given.labelled().into_iter();
///         all.min_by(|&j, &k| distance(i, j).total_cmp(&distance(i, k))).and_then(|j| given.get(j))
///     };
///     Ok::<_, LabelsError>(held_out.iter().filter_map(nearest).collect())
/// })?;
/// assert_eq!(found.errors, 0);
/// # Ok::<(), LabelsError>(())
/// ```
///
/// # Errors
/// As [`Folds::split`]; an error of `predict`; [`LabelsError::FoldLength`] if it gives another
/// number of classes than nodes.
pub fn cross_validate<E: From<LabelsError>>(
    labels: &Labels,
    folds: Folds,
    mut predict: impl FnMut(&Labels, &[usize]) -> Result<Vec<usize>, E>,
) -> Result<CrossValidation, E> {
    let parts = folds.split(labels)?;
    let mut predictions = Vec::new();
    let stage = Progress::stage("cross-validation", Some(parts.len() as u64));
    for (fold, held_out) in parts.iter().enumerate() {
        stage.step().map_err(LabelsError::from)?;
        let kept: Vec<usize> =
            parts.iter().filter(|&part| part != held_out).flatten().copied().collect();
        let given = labels.keep(&kept)?;
        let predicted = match only_class(&given) {
            Some(class) => vec![class; held_out.len()],
            None => predict(&given, held_out)?,
        };
        let (expected, got) = (held_out.len(), predicted.len());
        if expected != got {
            return Err(LabelsError::FoldLength { fold, expected, got }.into());
        }
        predictions.extend(held_out.iter().copied().zip(predicted));
    }
    predictions.sort_unstable();
    let wrong = |&&(node, class): &&(usize, usize)| labels.get(node) != Some(class);
    let errors = predictions.iter().filter(wrong).count();
    Ok(CrossValidation { predictions, errors })
}

/// The one class that has labels.
fn only_class(labels: &Labels) -> Option<usize> {
    let counts = labels.counts();
    let mut with_labels = counts.iter().enumerate().filter(|&(_, &count)| count > 0);
    match (with_labels.next(), with_labels.next()) {
        (Some((class, _)), None) => Some(class),
        _ => None,
    }
}

/// What [`choose`] chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Place of the chosen candidate in the grid.
    pub best: usize,
    /// What cross-validation found for each candidate, in the order of the grid.
    pub tried: Vec<CrossValidation>,
}

/// The candidate of a grid with the fewest errors in [`cross_validate`], all on the same folds.
///
/// With few labels many candidates tie. Then the *first* of the best is chosen, so the order of
/// the grid states the preference.
///
/// # Errors
/// An empty grid; else as [`cross_validate`].
pub fn choose<P, E: From<LabelsError>>(
    grid: &[P],
    labels: &Labels,
    folds: Folds,
    mut predict: impl FnMut(&P, &Labels, &[usize]) -> Result<Vec<usize>, E>,
) -> Result<Choice, E> {
    let tried = grid
        .iter()
        .map(|candidate| {
            cross_validate(labels, folds, |given, held_out| predict(candidate, given, held_out))
        })
        .collect::<Result<Vec<_>, E>>()?;
    // `min_by_key` keeps the first of equal candidates.
    let best = (0..tried.len()).min_by_key(|&at| tried[at].errors);
    let best = best.ok_or(LabelsError::EmptyGrid)?;
    Ok(Choice { best, tried })
}

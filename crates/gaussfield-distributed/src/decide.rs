//! From scores to classes, over all members.

use crate::world::{all, sum};
use crate::{DistributedError, World};
use gaussfield_labels::{Decision, Scores, balance_counts};
use ndarray::Array2;

/// Most numbers that a decision by counts may bring together on each member: 1 GiB.
const TOGETHER: u64 = 1 << 27;

/// The class of each row of scores, labelled ones included, and the share of it that the decision
/// compares. Masses and counts are those of the rows of all members without a label.
///
/// # Errors
/// A prior of another number of classes; a decision that only one machine can make.
pub fn decide(
    world: &impl World,
    scores: &Array2<f64>,
    labelled: &[Option<u32>],
    decision: &Decision,
) -> Result<(Vec<usize>, Vec<f64>), DistributedError> {
    let classes = scores.ncols();
    let mut shares = scores.clone();
    let open: Vec<usize> = (0..shares.nrows()).filter(|&node| labelled[node].is_none()).collect();
    match decision {
        Decision::Argmax => {}
        Decision::ClassMass(prior) => {
            prior.check_classes(classes)?;
            let mut masses = vec![0.0; classes];
            for &node in &open {
                masses.iter_mut().zip(shares.row(node)).for_each(|(mass, x)| *mass += x);
            }
            sum(world, &mut masses);
            for &node in &open {
                let row = shares.row(node).to_owned();
                // As class mass normalisation does on one machine.
                let share = |c: usize| match masses[c] > 0.0 {
                    true => prior.as_slice()[c] * (row[c] / masses[c]),
                    false => 0.0,
                };
                let total: f64 = (0..classes).map(share).sum();
                if total > 0.0 {
                    (0..classes).for_each(|c| shares[[node, c]] = share(c) / total);
                }
            }
        }
        Decision::Counts(prior) => {
            prior.check_classes(classes)?;
            let own: Vec<f64> = open.iter().flat_map(|&node| shares.row(node).to_vec()).collect();
            let numbers = crate::world::total(world, own.len() as f64) as u64;
            if numbers > TOGETHER {
                return Err(DistributedError::OneMachine {
                    what: "a decision by counts",
                    numbers,
                    most: TOGETHER,
                    remedy: "decide by class mass instead",
                });
            }
            let parts = all(world, &own);
            let before: usize = parts[..world.rank()].iter().map(|part| part.len() / classes).sum();
            let together = parts.concat();
            let rows = together.len() / classes;
            let matrix = Array2::from_shape_fn((rows, classes), |(i, c)| together[i * classes + c]);
            let balanced = balance_counts(&Scores::normalised(matrix)?, prior)?.scores;
            for (at, &node) in open.iter().enumerate() {
                shares.row_mut(node).assign(&balanced.values().row(before + at));
            }
        }
        other => {
            let what = match other {
                Decision::Proportions(_) => "a decision by proportions",
                Decision::Median => "a decision by the median",
                _ => "this decision",
            };
            return Err(DistributedError::OneMachine {
                what,
                numbers: crate::world::total(world, scores.len() as f64) as u64,
                most: 0,
                remedy: "decide by the largest score, by class mass or by counts",
            });
        }
    }
    let classes = largest(&shares);
    let of_class = classes.iter().enumerate().map(|(node, &class)| shares[[node, class]]).collect();
    Ok((classes, of_class))
}

/// The class of the largest score of each row; of equal ones the first.
pub(crate) fn largest(scores: &Array2<f64>) -> Vec<usize> {
    let of = |row: ndarray::ArrayView1<f64>| {
        (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best })
    };
    scores.rows().into_iter().map(of).collect()
}

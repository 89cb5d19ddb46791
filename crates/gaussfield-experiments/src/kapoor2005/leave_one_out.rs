//! Harmonic functions and local-and-global consistency with a width chosen by leaving one label
//! out.

use anyhow::Result;
use gaussfield_graph::Graph;
use gaussfield_harmonic::{Consistency, Field, Harmonic};
use gaussfield_labels::{ClassPrior, Islands, Labels};

/// A method that is judged by leaving out one label after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Local and global consistency (Zhou et al. 2003), α = 0.99.
    Consistency,
    /// The harmonic function (Zhu et al. 2003), decided at ½.
    Harmonic,
}

impl Method {
    /// The field, where a part that no label reaches says nothing: with consistency every class
    /// counts alike there, with the harmonic function every label.
    pub(super) fn fit(self, graph: &Graph, visible: &Labels) -> Result<Field> {
        Ok(match self {
            Self::Consistency => {
                let islands = Islands::Prior(ClassPrior::uniform(visible.classes())?);
                Consistency { islands, ..Consistency::default() }.fit(graph, visible)?
            }
            Self::Harmonic => {
                let counts = visible.counts();
                let all = counts.iter().sum::<usize>() as f64;
                let prior = match counts.iter().min() {
                    Some(0) | None => ClassPrior::add_one(visible)?,
                    _ => ClassPrior::given(counts.iter().map(|&l| l as f64 / all).collect())?,
                };
                let islands = Islands::Prior(prior);
                Harmonic { islands, ..Harmonic::default() }.fit(graph, visible)?
            }
        })
    }
}

/// How many labels are told wrongly by the others; one that they say nothing about counts, and a
/// tie too.
pub(super) fn errors(field: &Field) -> Result<usize> {
    let left_out = field.leave_one_out()?;
    let wrong = |(row, node): &(ndarray::ArrayView1<'_, f64>, &usize)| {
        let own = field.labels().get(**node);
        let score = |class: Option<usize>| class.map_or(0.0, |class| row[class]);
        let others = (0..row.len()).filter(|&class| Some(class) != own).map(|class| row[class]);
        left_out.islands.contains(node) || others.fold(f64::NEG_INFINITY, f64::max) >= score(own)
    };
    let rows = left_out.scores.values();
    Ok(rows.rows().into_iter().zip(&left_out.nodes).filter(wrong).count())
}

/// The place of the best candidate: the middle one of those with the fewest errors.
pub(super) fn middle_of_best(errors: &[usize]) -> Option<usize> {
    let least = errors.iter().min()?;
    let best: Vec<usize> = (0..errors.len()).filter(|&at| errors[at] == *least).collect();
    best.get((best.len() - 1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_equally_good_candidates_is_taken() {
        assert_eq!(middle_of_best(&[3, 1, 1, 1, 2]), Some(2));
        assert_eq!(middle_of_best(&[1, 3, 1]), Some(0));
        assert_eq!(middle_of_best(&[]), None);
    }
}

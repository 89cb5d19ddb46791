//! Stored permutations, so that everyone uses the same labels.

use super::{Pool, Split};
use crate::DataError;
use gaussfield_labels::Labels;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Stored permutations: trial t with l labels uses the first l nodes of permutation t.
///
/// The first `smallest` nodes of a permutation are drawn again until they hold every class, so
/// every labelled set of that size or larger does, and the sets of a trial are nested. Trial t
/// depends on the seed and on t only, not on how many trials there are.
///
/// Invariant: every permutation names each node at most once, has the same length, and its length
/// is at least `smallest`. Reading (serde) checks it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Trials {
    nodes: usize,
    smallest: usize,
    permutations: Vec<Vec<usize>>,
}

#[derive(Deserialize)]
struct Unchecked {
    nodes: usize,
    smallest: usize,
    permutations: Vec<Vec<usize>>,
}

impl TryFrom<Unchecked> for Trials {
    type Error = DataError;

    fn try_from(from: Unchecked) -> Result<Self, DataError> {
        let Unchecked { nodes, smallest, permutations } = from;
        let length = permutations.first().map_or(0, Vec::len);
        for (trial, permutation) in permutations.iter().enumerate() {
            let mut sorted = permutation.clone();
            sorted.sort_unstable();
            let repeated = sorted.windows(2).any(|pair| pair[0] == pair[1]);
            let outside = sorted.last().is_some_and(|&node| node >= nodes);
            if repeated || outside || permutation.len() != length || length < smallest {
                return Err(DataError::Argument {
                    name: "permutations",
                    value: format!("trial {trial} with {} nodes", permutation.len()),
                    expected: format!(
                        "{length} different nodes below {nodes}, at least {smallest} of them"
                    ),
                });
            }
        }
        Ok(Self { nodes, smallest, permutations })
    }
}

impl Trials {
    /// Draws `count` permutations for labelled sets whose sizes lie in `sizes`.
    ///
    /// Only the first `sizes.end()` nodes of each permutation are kept. Cost: O(n) a trial and
    /// O(smallest) a redraw.
    ///
    /// # Errors
    /// [`DataError::Argument`] for an empty range, for sizes below the number of classes or above
    /// the number of labels; [`DataError::Redraws`] if no draw held every class.
    pub fn draw(
        labels: &Labels,
        count: usize,
        sizes: RangeInclusive<usize>,
        seed: u64,
    ) -> Result<Self, DataError> {
        let (smallest, largest) = sizes.into_inner();
        if smallest > largest {
            let value = format!("{smallest}..={largest}");
            let expected = "a range whose start is not above its end".to_owned();
            return Err(DataError::Argument { name: "sizes", value, expected });
        }
        let permutations = (0..count)
            .map(|trial| {
                let mut pool = Pool::new(labels)?;
                pool.check(largest)?;
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(trial as u64);
                pool.draw(smallest, &mut rng)?;
                let (_, rest) = pool.nodes.split_at_mut(smallest);
                rest.shuffle(&mut rng);
                pool.nodes.truncate(largest);
                Ok(pool.nodes)
            })
            .collect::<Result<_, DataError>>()?;
        Ok(Self { nodes: labels.len(), smallest, permutations })
    }

    /// The number of trials.
    pub fn len(&self) -> usize {
        self.permutations.len()
    }

    /// Whether there is no trial.
    pub fn is_empty(&self) -> bool {
        self.permutations.is_empty()
    }

    /// The number of nodes of the data set they were drawn for.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The sizes of labelled sets that can be asked for.
    pub fn sizes(&self) -> RangeInclusive<usize> {
        let largest = self.permutations.first().map_or(self.smallest, Vec::len);
        self.smallest..=largest
    }

    /// The labelled nodes of a trial: the first `count` nodes of its permutation.
    ///
    /// # Errors
    /// [`DataError::Argument`] for a trial that does not exist or a size outside
    /// [`Trials::sizes`].
    pub fn split(&self, trial: usize, count: usize) -> Result<Split, DataError> {
        let permutation = self.permutations.get(trial).ok_or_else(|| DataError::Argument {
            name: "trial",
            value: trial.to_string(),
            expected: format!("below {}, the number of trials", self.len()),
        })?;
        match permutation.get(..count) {
            Some(first) if count >= self.smallest => Ok(Split::of(first.to_vec())),
            _ => Err(DataError::Argument {
                name: "count",
                value: count.to_string(),
                expected: format!("in {:?}, the sizes the trials were drawn for", self.sizes()),
            }),
        }
    }
}

//! The nodes that may be drawn, and the draw that holds every class.

use crate::DataError;
use gaussfield_labels::{Labels, LabelsError};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Draws that may miss a class before the search for a good one is given up.
const MOST_DRAWS: usize = 1_000_000;

/// The labelled nodes of a data set; draws reorder them.
pub(super) struct Pool<'a> {
    /// The nodes, the drawn ones first after [`Pool::draw`].
    pub(super) nodes: Vec<usize>,
    classes: &'a [Option<usize>],
    /// Number of classes that some node has.
    occurring: usize,
    names: usize,
}

impl<'a> Pool<'a> {
    pub(super) fn new(labels: &'a Labels) -> Result<Self, DataError> {
        let nodes = labels.labelled();
        if nodes.is_empty() {
            return Err(LabelsError::NoLabels.into());
        }
        let occurring = labels.counts().iter().filter(|&&size| size > 0).count();
        Ok(Self { nodes, classes: labels.as_slice(), occurring, names: labels.classes() })
    }

    /// The class of a node of this pool.
    ///
    /// # Panics
    /// If the node is not from this pool: a broken contract inside this module.
    pub(super) fn class(&self, node: usize) -> usize {
        self.classes[node].expect("a pool holds labelled nodes only")
    }

    /// Whether `count` nodes can hold every class.
    pub(super) fn check(&self, count: usize) -> Result<(), DataError> {
        let (least, most) = (self.occurring, self.nodes.len());
        if (least..=most).contains(&count) {
            return Ok(());
        }
        let expected = format!(
            "between {least}, the number of classes, and {most}, the number of nodes with a label"
        );
        Err(DataError::Argument { name: "count", value: count.to_string(), expected })
    }

    /// Moves `count` random nodes to the front, again and again until they hold every class.
    pub(super) fn draw(&mut self, count: usize, rng: &mut ChaCha8Rng) -> Result<(), DataError> {
        self.check(count)?;
        let mut last_seen = vec![0; self.names];
        for draw in 1..=MOST_DRAWS {
            let mut found = 0;
            for place in 0..count {
                // Fisher–Yates on the front only; what came before does not matter.
                let other = rng.random_range(place..self.nodes.len());
                self.nodes.swap(place, other);
                let class = self.class(self.nodes[place]);
                if last_seen[class] != draw {
                    last_seen[class] = draw;
                    found += 1;
                }
            }
            if found == self.occurring {
                return Ok(());
            }
        }
        let (labelled, classes) = (count, self.occurring);
        Err(DataError::Redraws { labelled, classes, tries: MOST_DRAWS })
    }
}

/// `count` shared out among classes of the given sizes: one to each that has a node, the rest in
/// proportion by largest remainder, never more than a class has.
///
/// Expects (number of non-empty classes) ≤ `count` ≤ Σ sizes.
pub(super) fn shares(sizes: &[usize], count: usize) -> Vec<usize> {
    let total: usize = sizes.iter().sum();
    // u128: sizes of 2⁶³ times a count would not fit, and a float would break ties by rounding.
    let exact = |size: usize| size as u128 * count as u128;
    let mut quota: Vec<usize> = sizes
        .iter()
        .map(|&size| ((exact(size) / total as u128) as usize).max(usize::from(size > 0)))
        .collect();
    let given = |quota: &[usize]| quota.iter().sum::<usize>();
    // The surplus of a class is how far its quota lies above its exact share, times the total.
    let surplus = |class: usize, quota: &[usize]| {
        quota[class] as i128 * total as i128 - exact(sizes[class]) as i128
    };
    while given(&quota) < count {
        let open = (0..sizes.len()).filter(|&class| quota[class] < sizes[class]);
        let Some(class) = open.min_by_key(|&class| (surplus(class, &quota), class)) else { break };
        quota[class] += 1;
    }
    while given(&quota) > count {
        // The minimum of one for rare classes is paid for by the class with the largest surplus.
        let rich = (0..sizes.len()).filter(|&class| quota[class] > 1);
        let Some(class) = rich.max_by_key(|&class| (surplus(class, &quota), class)) else { break };
        quota[class] -= 1;
    }
    quota
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn shares_follow_the_sizes_with_one_each_at_least() {
        for (sizes, count, want) in [
            (vec![50, 30, 20], 10, vec![5, 3, 2]),
            (vec![1, 1, 98], 3, vec![1, 1, 1]),
            (vec![1, 1, 98], 10, vec![1, 1, 8]),
            (vec![10, 10, 10], 4, vec![2, 1, 1]),
            (vec![5, 0, 5], 3, vec![2, 0, 1]),
            (vec![3, 4], 7, vec![3, 4]),
        ] {
            assert_eq!(shares(&sizes, count), want, "{sizes:?} {count}");
        }
    }
}

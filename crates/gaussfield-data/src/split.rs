//! Splits: which labels a method may see.
//!
//! A [`Split`] is one draw of labelled nodes. [`Trials`] are stored permutations: every method in
//! a trial sees the same labels, and within a trial a larger labelled set contains the smaller
//! ones. Only nodes whose class is known are drawn; a class counts if some node has it.
//!
//! ```
//! use gaussfield_data::{generate::TwoMoons, split::{Split, Trials}};
//!
//! let moons = TwoMoons::default().generate(3)?;
//! let split = Split::random(&moons.labels, 4, 17)?;
//! let visible = split.partial(&moons.labels)?; // labels for 4 nodes, none for the others
//! assert_eq!(visible.labelled(), split.labelled());
//!
//! let trials = Trials::draw(&moons.labels, 10, 2..=50, 17)?;
//! let (few, many) = (trials.split(0, 2)?, trials.split(0, 50)?);
//! assert!(few.labelled().iter().all(|node| many.labelled().contains(node)));
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

mod pool;
mod trials;

pub use trials::Trials;

use crate::DataError;
use gaussfield_labels::Labels;
use pool::Pool;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// One draw of labelled nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    labelled: Vec<usize>,
}

impl Split {
    /// `count` nodes at random, drawn again until every class is among them (zhu2003, section 7).
    ///
    /// All sets of that size that hold every class are equally likely. Cost: O(n), and O(`count`)
    /// a redraw; at most one million redraws.
    ///
    /// # Errors
    /// [`DataError::Argument`] if `count` is below the number of classes or above the number of
    /// labels; [`DataError::Redraws`] if a class is so rare that no draw held it.
    pub fn random(labels: &Labels, count: usize, seed: u64) -> Result<Self, DataError> {
        let mut pool = Pool::new(labels)?;
        pool.draw(count, &mut ChaCha8Rng::seed_from_u64(seed))?;
        Ok(Self::of(pool.nodes.get(..count).unwrap_or_default().to_vec()))
    }

    /// `count` nodes in proportion to the classes' sizes, at least one of each.
    ///
    /// Shares are rounded by largest remainder; ties go to the lower class number.
    ///
    /// # Errors
    /// [`DataError::Argument`] if `count` is below the number of classes or above the number of
    /// labels.
    pub fn stratified(labels: &Labels, count: usize, seed: u64) -> Result<Self, DataError> {
        let pool = Pool::new(labels)?;
        pool.check(count)?;
        let quota = pool::shares(&labels.counts(), count);
        Ok(Self::by_quota(&pool, &quota, seed))
    }

    /// `count` nodes of every class.
    ///
    /// # Errors
    /// [`DataError::Argument`] if `count` is 0 or a class has fewer nodes.
    pub fn per_class(labels: &Labels, count: usize, seed: u64) -> Result<Self, DataError> {
        let pool = Pool::new(labels)?;
        let counts = labels.counts();
        let fewest = counts.iter().copied().filter(|&size| size > 0).min().unwrap_or(0);
        if count == 0 || count > fewest {
            let expected = format!("between 1 and {fewest}, the size of the smallest class");
            return Err(DataError::Argument { name: "count", value: count.to_string(), expected });
        }
        let quota: Vec<usize> = counts.iter().map(|&size| count.min(size)).collect();
        Ok(Self::by_quota(&pool, &quota, seed))
    }

    fn by_quota(pool: &Pool, quota: &[usize], seed: u64) -> Self {
        let mut order = pool.nodes.clone();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let mut left = quota.to_vec();
        let drawn = order.into_iter().filter(|&node| {
            let room = left.get_mut(pool.class(node)).filter(|room| **room > 0);
            room.map(|room| *room -= 1).is_some()
        });
        Self::of(drawn.collect())
    }

    fn of(mut labelled: Vec<usize>) -> Self {
        labelled.sort_unstable();
        Self { labelled }
    }

    /// The labelled nodes, in increasing order.
    pub fn labelled(&self) -> &[usize] {
        &self.labelled
    }

    /// The number of labelled nodes, l.
    pub fn len(&self) -> usize {
        self.labelled.len()
    }

    /// Whether no node is labelled.
    pub fn is_empty(&self) -> bool {
        self.labelled.is_empty()
    }

    /// The labels a method may see: those of the labelled nodes.
    ///
    /// # Errors
    /// [`DataError::Labels`] if the split was drawn for more nodes than `labels` has.
    pub fn partial(&self, labels: &Labels) -> Result<Labels, DataError> {
        Ok(labels.keep(&self.labelled)?)
    }
}

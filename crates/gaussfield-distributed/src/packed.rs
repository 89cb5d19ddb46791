//! A graph as bytes: what stages keep of it.

use crate::world::{Item, agree, unpacked};
use crate::{DistributedError, Part, World};

/// Offsets, rows, starts, columns and numbers of a part.
type Pieces = (Vec<u64>, Vec<u64>, Vec<usize>, Vec<u64>, Vec<f64>);

impl Part {
    /// As bytes, for [`Stages::keep`](crate::Stages::keep).
    pub fn to_bytes(&self) -> Vec<u8> {
        let own = self.rows.len();
        let counts = [self.offsets.len(), own, self.columns.len()];
        let words = 4 + counts[0] + 2 * own + 2 * counts[2];
        let mut bytes = Vec::with_capacity(8 * words);
        let mut put = |word: u64| word.put(&mut bytes);
        counts.iter().for_each(|&count| put(count as u64));
        self.offsets.iter().chain(&self.rows).for_each(|&word| put(word));
        self.starts.iter().for_each(|&start| put(start as u64));
        for &place in &self.columns {
            put(match (place as usize).checked_sub(own) {
                Some(ghost) => self.halo.ghosts[ghost],
                None => self.first + u64::from(place),
            });
        }
        self.numbers.iter().for_each(|number| put(number.to_bits()));
        bytes
    }

    /// From such bytes, on as many members as had made them.
    ///
    /// # Errors
    /// Bytes that are none of a part.
    pub fn from_bytes(world: &impl World, bytes: &[u8]) -> Result<Self, DistributedError> {
        let wrong = || DistributedError::File {
            path: "the graph".into(),
            problem: "is not what a graph is kept as".into(),
            remedy: "make the graph again",
        };
        let cut = cut(world, bytes).ok_or_else(wrong);
        let (offsets, rows, starts, columns, numbers) = agree(world, cut)?;
        Ok(Self::new(world, offsets, rows, starts, columns, numbers))
    }
}

fn cut(world: &impl World, bytes: &[u8]) -> Option<Pieces> {
    let mut words = Words(bytes);
    let counts = words.next(3)?;
    let (offsets, rows) = (words.next(counts[0])?, words.next(counts[1])?);
    let starts = words.next(counts[1].checked_add(1)?)?;
    let starts: Vec<usize> = starts.into_iter().map(|start| start as usize).collect();
    let columns = words.next(counts[2])?;
    let numbers: Vec<f64> = unpacked(words.bytes(counts[2])?);
    let own = offsets.get(world.rank() + 1)?.checked_sub(*offsets.get(world.rank())?)?;
    let all = *offsets.last()?;
    let sound = offsets.len() == world.size() + 1
        && offsets.is_sorted()
        && own == rows.len() as u64
        && starts.is_sorted()
        && starts.last() == Some(&columns.len())
        && columns.iter().all(|&column| column < all);
    sound.then_some((offsets, rows, starts, columns, numbers))
}

/// Words of eight bytes, from the first to the last.
pub(crate) struct Words<'a>(pub(crate) &'a [u8]);

impl<'a> Words<'a> {
    /// The bytes of the next few.
    pub(crate) fn bytes(&mut self, count: u64) -> Option<&'a [u8]> {
        let bytes = usize::try_from(count).ok()?.checked_mul(8)?;
        let (own, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(own)
    }

    /// The next few as whole numbers.
    pub(crate) fn next(&mut self, count: u64) -> Option<Vec<u64>> {
        self.bytes(count).map(unpacked)
    }
}

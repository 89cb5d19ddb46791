//! The nearest nodes of many rows, and the graph that they make.

use crate::World;
use crate::halo::owner;
use crate::world::Item;

/// A node and how far it is. Stands for nothing where the node is [`NOBODY`].
pub(crate) type Near = (f64, u64);

const NOBODY: u64 = u64::MAX;

/// Up to k nearest nodes of each row, nearest first; of equally near ones the lower.
#[derive(Debug)]
pub(crate) struct Lists {
    most: usize,
    entries: Vec<Near>,
}

impl Lists {
    /// So many rows without any.
    pub(crate) fn new(rows: usize, most: usize) -> Self {
        Self { most, entries: vec![(f64::INFINITY, NOBODY); rows * most] }
    }

    /// Bytes of each entry.
    pub(crate) const BYTES: usize = size_of::<Near>();

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.entries.len() / self.most.max(1)
    }

    /// What is known of a row.
    pub(crate) fn of(&self, row: usize) -> &[Near] {
        let all = &self.entries[row * self.most..][..self.most];
        &all[..all.partition_point(|near| near.1 != NOBODY)]
    }

    /// Adds some to a row, none of which it has.
    pub(crate) fn add(&mut self, row: usize, found: impl Iterator<Item = Near>) {
        let all = &mut self.entries[row * self.most..][..self.most];
        for near in found {
            let before =
                |known: &Near| known.0.total_cmp(&near.0).then(known.1.cmp(&near.1)).is_lt();
            let at = all.partition_point(before);
            if at < all.len() {
                all[at..].rotate_right(1);
                all[at] = near;
            }
        }
    }
}

/// Rows of a graph with lengths: starts, columns and lengths.
pub(crate) type Edges = (Vec<usize>, Vec<u64>, Vec<f64>);

/// Both directions of every edge of the lists, by row and column: each is told to the owner of its other
/// end.
pub(crate) fn symmetric(world: &impl World, offsets: &[u64], lists: Lists) -> Edges {
    let (me, rows) = (world.rank(), lists.rows());
    let first = offsets[me];
    let own = first..offsets[me + 1];
    let mut parcels: Vec<Vec<u8>> = vec![Vec::new(); world.size()];
    let mut starts = vec![0; rows + 1];
    for (row, node) in (0..rows).zip(first..) {
        starts[row + 1] += lists.of(row).len();
        for &(length, other) in lists.of(row) {
            if own.contains(&other) {
                starts[(other - first) as usize + 1] += 1;
            } else {
                let parcel = &mut parcels[owner(offsets, other)];
                [other, node, length.to_bits()].into_iter().for_each(|word| word.put(parcel));
            }
        }
    }
    let told = world.swap(parcels);
    let told = || {
        told.iter().flat_map(|parcel| parcel.chunks_exact(24)).map(|edge| {
            let word = |at: usize| u64::take(&edge[8 * at..][..8]);
            ((word(0) - first) as usize, word(1), f64::from_bits(word(2)))
        })
    };
    told().for_each(|(row, ..)| starts[row + 1] += 1);
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let (mut columns, mut lengths) = (vec![0; starts[rows]], vec![0.0; starts[rows]]);
    let mut next = starts.clone();
    let mut put = |row: usize, column: u64, length: f64| {
        (columns[next[row]], lengths[next[row]]) = (column, length);
        next[row] += 1;
    };
    for (row, node) in (0..rows).zip(first..) {
        for &(length, other) in lists.of(row) {
            put(row, other, length);
            if own.contains(&other) {
                put((other - first) as usize, node, length);
            }
        }
    }
    told().for_each(|(row, column, length)| put(row, column, length));
    drop(lists);
    sorted(starts, columns, lengths)
}

/// Rows by column, each column once. Both ends of an edge may have found it, with lengths that differ in
/// the last digit: the shorter counts, here as there.
fn sorted(mut starts: Vec<usize>, mut columns: Vec<u64>, mut lengths: Vec<f64>) -> Edges {
    let (mut kept, mut begin) = (0, 0);
    let mut row = Vec::new();
    for end in &mut starts[1..] {
        row.clear();
        row.extend(columns[begin..*end].iter().copied().zip(lengths[begin..*end].iter().copied()));
        row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        row.dedup_by_key(|edge| edge.0);
        begin = *end;
        for &(column, length) in &row {
            (columns[kept], lengths[kept]) = (column, length);
            kept += 1;
        }
        *end = kept;
    }
    columns.truncate(kept);
    lengths.truncate(kept);
    lengths.shrink_to_fit();
    (starts, columns, lengths)
}

/// What one member knows of a query, on its way: length and node, one after the other.
pub(crate) fn nearby(bytes: &[u8]) -> Near {
    let words: [u64; 2] = [u64::take(&bytes[..8]), u64::take(&bytes[8..16])];
    (f64::from_bits(words[0]), words[1])
}

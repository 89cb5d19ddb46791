//! The k nearest so far of every row, and how close a pair must be to matter to it.

use super::frame::Frame;
use super::order::{NOBODY, Packed};
use super::screen::{Found, rank};
use super::tile::{NO_LIMIT, close_pairs};
use crate::metric::Space;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Candidates of a row that wait for their exact distances.
const WAITING: usize = 32;

/// Lists under construction. Whatever the order in which pairs are offered, a row ends up with the
/// first k by (distance, index) of all that were offered: a limit only leaves out what is surely
/// further than k others.
#[derive(Debug)]
pub(super) struct Nearest<'a> {
    points: &'a Space,
    queries: &'a Space,
    frame: &'a Frame,
    k: usize,
    packed: &'a Packed,
    /// ½d² that matters to the row at each place, as bits. It only falls: one that was read a
    /// moment ago lets more pairs pass, never fewer.
    limits: Vec<AtomicU32>,
    blocks: Vec<Mutex<Block>>,
}

/// The lists of a block of places.
#[derive(Debug)]
struct Block {
    /// k for each place, the first `counts` of them filled and sorted.
    found: Vec<Found>,
    counts: Vec<u32>,
    waiting: Vec<u32>,
    waits: Vec<u32>,
    scratch: Vec<Found>,
}

impl<'a> Nearest<'a> {
    /// Empty lists for the queries as they are packed.
    pub(super) fn new(
        (points, queries): (&'a Space, &'a Space),
        frame: &'a Frame,
        k: usize,
        packed: &'a Packed,
    ) -> Self {
        let block = |places: &Range<usize>| {
            Mutex::new(Block {
                found: vec![(0.0, 0); k * places.len()],
                counts: vec![0; places.len()],
                waiting: vec![0; WAITING * places.len()],
                waits: vec![0; places.len()],
                scratch: Vec::with_capacity(k + WAITING),
            })
        };
        let limits = (0..packed.order.len()).map(|_| AtomicU32::new(NO_LIMIT.to_bits())).collect();
        let blocks = packed.blocks.iter().map(block).collect();
        Self { points, queries, frame, k, packed, limits, blocks }
    }

    /// The limit of the row at a place.
    pub(super) fn limit(&self, place: usize) -> f32 {
        f32::from_bits(self.limits[place].load(Ordering::Relaxed))
    }

    /// The exact distance between the row at a place and a point.
    pub(super) fn distance(&self, place: usize, point: u32) -> f64 {
        let query = self.packed.order[place] as usize;
        self.queries.distance(query, self.points, point as usize)
    }

    /// The row at a place surely has k points within `distance`.
    pub(super) fn bound(&self, place: usize, distance: f64) {
        let limit = self.frame.half_limit(self.queries, distance);
        // Never negative: bits of such numbers are ordered as the numbers are.
        self.limits[place].fetch_min(limit.to_bits(), Ordering::Relaxed);
    }

    /// Finds k points within one block for every row of another: no neighbour is further than
    /// those. With `itself` the rows are the points, and none is its own neighbour.
    pub(super) fn bound_within(
        &self,
        (block, itself): (usize, bool),
        (points, columns): (&Packed, Range<usize>),
    ) {
        let rows = self.packed.blocks[block].clone();
        let mut hits = Vec::new();
        let (all, none) = (vec![NO_LIMIT; rows.len()], vec![-NO_LIMIT; columns.len()]);
        let (left, right) = (self.packed.side(&rows, &all), points.side(&columns, &none));
        close_pairs(left, right, self.packed.dims, &mut hits);
        let mut closest: Vec<Vec<(f32, u32)>> = vec![Vec::new(); rows.len()];
        for hit in hits {
            let (row, point) =
                (hit.row as usize, points.order[columns.start + hit.column as usize]);
            if !(itself && self.packed.order[rows.start + row] == point) {
                closest[row].push((hit.closeness, point));
            }
        }
        for (place, mut closest) in rows.zip(closest) {
            if closest.len() >= self.k {
                closest.select_nth_unstable_by(self.k - 1, |x, y| y.0.total_cmp(&x.0));
                let distances = closest[..self.k].iter().map(|&(_, j)| self.distance(place, j));
                self.bound(place, distances.fold(0.0, f64::max));
            }
        }
    }

    /// The lists of a block, for this thread alone.
    pub(super) fn open(&self, block: usize) -> Open<'_> {
        let inner = self.blocks[block].lock().unwrap_or_else(PoisonError::into_inner);
        Open { nearest: self, start: self.packed.blocks[block].start, inner }
    }

    /// Ranks all candidates that still wait; gives the places with fewer than k neighbours.
    pub(super) fn settle(&self) -> Vec<usize> {
        let settle = |block: usize| -> Vec<usize> {
            let places = self.packed.blocks[block].clone();
            let mut open = self.open(block);
            let real = places.filter(|&place| self.packed.order[place] != NOBODY);
            real.filter(|&place| open.settle(place) < self.k).collect()
        };
        (0..self.blocks.len()).into_par_iter().map(settle).collect::<Vec<_>>().concat()
    }

    /// All lists, by query and nearest first; those of each query have k entries.
    pub(super) fn finish(self) -> (Vec<u32>, Vec<f64>) {
        let rows = self.queries.len() * self.k;
        let (mut indices, mut distances) = (vec![0; rows], vec![0.0; rows]);
        for (block, places) in self.blocks.into_iter().zip(&self.packed.blocks) {
            let block = block.into_inner().unwrap_or_else(PoisonError::into_inner);
            for (place, list) in places.clone().zip(block.found.chunks(self.k)) {
                let query = self.packed.order[place];
                if query == NOBODY {
                    continue;
                }
                let at = query as usize * self.k;
                for (to, &(distance, index)) in list.iter().enumerate() {
                    indices[at + to] = index;
                    distances[at + to] = distance;
                }
            }
        }
        (indices, distances)
    }
}

/// A block whose lists this thread may change.
#[derive(Debug)]
pub(super) struct Open<'a> {
    nearest: &'a Nearest<'a>,
    start: usize,
    inner: MutexGuard<'a, Block>,
}

impl Open<'_> {
    /// A point that may be a neighbour of the row at a place.
    pub(super) fn offer(&mut self, place: usize, point: u32) {
        let row = place - self.start;
        let (k, block) = (self.nearest.k, &mut *self.inner);
        // Many copies of one point: none is nearer than those at distance zero.
        if block.counts[row] as usize == k {
            let (distance, index) = block.found[k * row + k - 1];
            if distance == 0.0 && point > index {
                return;
            }
        }
        let waits = &mut block.waits[row];
        block.waiting[WAITING * row + *waits as usize] = point;
        *waits += 1;
        if *waits as usize == WAITING {
            self.settle(place);
        }
    }

    /// Ranks the candidates of a row; gives the length of its list.
    fn settle(&mut self, place: usize) -> usize {
        let (row, k) = (place - self.start, self.nearest.k);
        let block = &mut *self.inner;
        let (count, waits) = (block.counts[row] as usize, block.waits[row] as usize);
        block.waits[row] = 0;
        let list = &mut block.found[k * row..k * (row + 1)];
        let scratch = &mut block.scratch;
        scratch.clear();
        scratch.extend_from_slice(&list[..count]);
        let worst = if count == k { list[k - 1] } else { (f64::INFINITY, NOBODY) };
        for &point in &block.waiting[WAITING * row..WAITING * row + waits] {
            let distance = self.nearest.distance(place, point);
            if (distance, point) < worst {
                scratch.push((distance, point));
            }
        }
        if scratch.len() == count {
            return count;
        }
        rank(scratch, scratch.len());
        // A pair that was met twice has the same distance both times.
        scratch.dedup();
        scratch.truncate(k);
        list[..scratch.len()].copy_from_slice(scratch);
        block.counts[row] = scratch.len() as u32;
        let last = if scratch.len() == k { scratch.last().copied() } else { None };
        if let Some((distance, _)) = last {
            self.nearest.bound(place, distance);
        }
        block.counts[row] as usize
    }

    /// The list of a row, as far as it is ranked.
    pub(super) fn list(&self, place: usize) -> &[Found] {
        let (row, k) = (place - self.start, self.nearest.k);
        &self.inner.found[k * row..k * row + self.inner.counts[row] as usize]
    }
}

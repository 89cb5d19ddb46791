//! Exact search by matrix products in `f32`, every pair of blocks once.

use super::Meter;
use super::frame::{Coordinates, Frame};
use super::nearest::Nearest;
use super::order::{NOBODY, Packed, by_halves};
use super::screen::Found;
use super::tile::{Hit, NO_LIMIT, PANEL, close_pairs};
use crate::GraphError;
use crate::metric::Space;
use gaussfield_core::Progress;
use ndarray::ArrayView2;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Points and queries in blocks of rows that mostly lie close together.
#[derive(Debug)]
pub(super) struct Products {
    frame: Frame,
    points: Blocks,
    /// `None`: the points themselves.
    queries: Option<Blocks>,
}

/// Rows in blocks, and how far each block extends.
#[derive(Debug)]
struct Blocks {
    packed: Packed,
    extents: Vec<Extent>,
}

#[derive(Debug)]
struct Extent {
    centre: Vec<f32>,
    radius: f32,
}

impl Products {
    /// For the neighbours of queries among points, or of points among each other.
    pub(super) fn new(
        space: &Space,
        points: ArrayView2<'_, f64>,
        queries: Option<ArrayView2<'_, f64>>,
    ) -> Self {
        let frame = Frame::new(space, points, queries.unwrap_or(points));
        let blocks = |rows| Blocks::new(&frame.coordinates(rows));
        let (points, queries) = (blocks(points), queries.map(blocks));
        Self { frame, points, queries }
    }

    /// The k nearest points of each query by (distance, index): indices and distances.
    pub(super) fn k_nearest(
        &self,
        spaces: (&Space, &Space),
        k: usize,
    ) -> Result<(Vec<u32>, Vec<f64>), GraphError> {
        let of_queries = self.queries.as_ref().unwrap_or(&self.points);
        let nearest = Nearest::new(spaces, &self.frame, k, &of_queries.packed);
        self.bound_by_closest_blocks(&nearest)?;
        let (left, right) = (&of_queries.packed, &self.points.packed);
        self.for_each_pair(|scratch, (a, b)| {
            let (rows, columns) = (left.blocks[a].clone(), right.blocks[b].clone());
            let symmetric = self.queries.is_none();
            scratch.left.clear();
            scratch.left.extend(rows.clone().map(|place| nearest.limit(place)));
            scratch.right.clear();
            let limit = |place| if symmetric { nearest.limit(place) } else { -NO_LIMIT };
            scratch.right.extend(columns.clone().map(limit));
            let widest = scratch.left.iter().chain(&scratch.right).fold(0.0, |a: f32, b| a.max(*b));
            if of_queries.extents[a].surely_beyond(&self.points.extents[b], widest) {
                return Ok(());
            }
            let Scratch { left: of_rows, right: of_columns, hits } = scratch;
            close_pairs(
                left.side(&rows, of_rows),
                right.side(&columns, of_columns),
                left.dims,
                hits,
            );
            let same = symmetric && a == b;
            let mut open = nearest.open(a);
            for hit in hits.iter() {
                let (row, column) =
                    (rows.start + hit.row as usize, columns.start + hit.column as usize);
                let least = left.halves[row] - of_rows[hit.row as usize];
                if hit.closeness >= least && !(same && row == column) {
                    open.offer(row, right.order[column]);
                }
            }
            drop(open);
            if symmetric && !same {
                let mut open = nearest.open(b);
                for hit in hits.iter() {
                    let row = rows.start + hit.row as usize;
                    let least = left.halves[row] - of_columns[hit.column as usize];
                    if hit.closeness >= least {
                        open.offer(columns.start + hit.column as usize, left.order[row]);
                    }
                }
            }
            Ok(())
        })?;
        nearest.settle();
        Ok(nearest.finish())
    }

    /// All points within `eps` of each query, by increasing index; a point finds itself too.
    pub(super) fn within(
        &self,
        (points, queries): (&Space, &Space),
        eps: f64,
        meter: &Meter,
    ) -> Result<Vec<Vec<Found>>, GraphError> {
        let of_queries = self.queries.as_ref().unwrap_or(&self.points);
        let (left, right) = (&of_queries.packed, &self.points.packed);
        let limit = self.frame.half_limit(queries, eps);
        let empty = |places: &Range<usize>| Mutex::new(vec![Vec::new(); places.len()]);
        let lists: Vec<Mutex<Vec<Vec<Found>>>> = left.blocks.iter().map(empty).collect();
        let add = |block: usize, row: usize, found: Found| {
            lists[block].lock().unwrap_or_else(PoisonError::into_inner)[row].push(found);
        };
        self.for_each_pair(|scratch, (a, b)| {
            let (rows, columns) = (left.blocks[a].clone(), right.blocks[b].clone());
            if of_queries.extents[a].surely_beyond(&self.points.extents[b], limit) {
                return Ok(());
            }
            scratch.left.clear();
            scratch.left.resize(rows.len(), limit);
            scratch.right.clear();
            scratch.right.resize(columns.len(), limit);
            let Scratch { left: of_rows, right: of_columns, hits } = scratch;
            close_pairs(
                left.side(&rows, of_rows),
                right.side(&columns, of_columns),
                left.dims,
                hits,
            );
            let other = self.queries.is_none() && a != b;
            for hit in hits.iter() {
                let (row, column) = (hit.row as usize, hit.column as usize);
                let (i, j) = (left.order[rows.start + row], right.order[columns.start + column]);
                let distance = queries.distance(i as usize, points, j as usize);
                if distance <= eps {
                    meter.add(if other { 2 } else { 1 })?;
                    add(a, row, (distance, j));
                    if other {
                        add(b, column, (distance, i));
                    }
                }
            }
            Ok(())
        })?;
        let mut sorted = vec![Vec::new(); queries.len()];
        for (places, lists) in left.blocks.iter().zip(lists) {
            let lists = lists.into_inner().unwrap_or_else(PoisonError::into_inner);
            for (place, mut list) in places.clone().zip(lists) {
                if left.order[place] != NOBODY {
                    list.sort_unstable_by_key(|&(_, index)| index);
                    sorted[left.order[place] as usize] = list;
                }
            }
        }
        Ok(sorted)
    }

    /// Goes through the pairs of blocks on all threads, close ones first: what is found there
    /// leaves little to be found in the others. Each pair of points comes once if the queries are
    /// the points, except within a block.
    fn for_each_pair(
        &self,
        visit: impl Fn(&mut Scratch, (usize, usize)) -> Result<(), GraphError> + Sync,
    ) -> Result<(), GraphError> {
        let (points, queries) = (&self.points.extents, self.queries.as_ref());
        let partners = |a: usize| match queries {
            Some(queries) => (0..points.len()).map(|b| (&queries.extents[a], b)).collect(),
            None => (a..points.len()).map(|b| (&points[a], b)).collect::<Vec<_>>(),
        };
        let count = queries.map_or(points.len(), |queries| queries.extents.len());
        let pairs = |a: usize| -> Vec<(f32, u32, u32)> {
            let pair =
                |(extent, b): (&Extent, usize)| (extent.apart(&points[b]), a as u32, b as u32);
            partners(a).into_iter().map(pair).collect()
        };
        let mut pairs = (0..count).into_par_iter().map(pairs).collect::<Vec<_>>().concat();
        pairs.par_sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let stage = Progress::stage("neighbour search", Some(pairs.len() as u64));
        let next = AtomicUsize::new(0);
        let worker = |_| {
            let mut scratch = Scratch::default();
            while let Some(&(_, a, b)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                visit(&mut scratch, (a as usize, b as usize))?;
                stage.step()?;
            }
            Ok(())
        };
        (0..rayon::current_num_threads()).into_par_iter().map(worker).collect()
    }

    /// Finds k points of the closest block for every query: no neighbour is further than those.
    fn bound_by_closest_blocks(&self, nearest: &Nearest<'_>) -> Result<(), GraphError> {
        let of_queries = self.queries.as_ref().unwrap_or(&self.points);
        let (left, right) = (&of_queries.packed, &self.points.packed);
        let stage = Progress::stage("neighbours close by", Some(left.blocks.len() as u64));
        let bound = |a: usize| {
            stage.step()?;
            let closest = match &self.queries {
                None => Some(a),
                Some(queries) => {
                    let apart = |b: &usize| queries.extents[a].apart(&self.points.extents[*b]);
                    (0..right.blocks.len()).min_by(|x, y| apart(x).total_cmp(&apart(y)))
                }
            };
            let Some(b) = closest else { return Ok(()) };
            let columns = right.blocks[b].clone();
            nearest.bound_within((a, self.queries.is_none()), (right, columns));
            Ok(())
        };
        (0..left.blocks.len()).into_par_iter().map(bound).collect()
    }
}

/// What a thread keeps from one pair of blocks to the next.
#[derive(Debug, Default)]
struct Scratch {
    left: Vec<f32>,
    right: Vec<f32>,
    hits: Vec<Hit>,
}

impl Blocks {
    fn new(coordinates: &Coordinates) -> Self {
        let n = coordinates.len();
        // Small enough to keep all threads busy, large enough to be worth a tile; at most 2048.
        let leaf = (n / 64).clamp(64, 512).max(n / 2048).next_multiple_of(PANEL);
        let (order, bounds) = by_halves(coordinates, leaf);
        let groups: Vec<&[u32]> = bounds.iter().map(|bounds| &order[bounds.clone()]).collect();
        let extents = groups.par_iter().map(|group| Extent::new(coordinates, group)).collect();
        Self { packed: Packed::new(coordinates, &groups), extents }
    }
}

impl Extent {
    fn new(coordinates: &Coordinates, group: &[u32]) -> Self {
        let mut centre = vec![0.0; coordinates.dims];
        for &i in group {
            let row = coordinates.row(i as usize);
            centre.iter_mut().zip(row).for_each(|(c, x)| *c += x / group.len() as f32);
        }
        let radius = group.iter().map(|&i| apart(&centre, coordinates.row(i as usize)));
        let radius = radius.fold(0.0, f32::max);
        Self { centre, radius }
    }

    /// The distance between the centres.
    fn apart(&self, other: &Self) -> f32 {
        apart(&self.centre, &other.centre)
    }

    /// Whether all pairs of rows of two blocks have a ½d² above a limit. The rows have norms of at
    /// most one, so that an absolute slack covers the rounding.
    fn surely_beyond(&self, other: &Self, limit: f32) -> bool {
        let gap = self.apart(other) - self.radius - other.radius - 1e-4;
        gap > 0.0 && 0.5 * gap * gap > limit
    }
}

pub(super) fn apart(x: &[f32], z: &[f32]) -> f32 {
    x.iter().zip(z).map(|(x, z)| (x - z) * (x - z)).sum::<f32>().sqrt()
}

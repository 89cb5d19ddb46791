//! Approximate search: points in cells around centres, and every query looks into a few of them.

use super::centres::{Closest, centres, closest, grouped};
use super::frame::{Coordinates, Frame};
use super::nearest::Nearest;
use super::order::{NOBODY, Packed};
use super::screen::Found;
use super::tile::{Hit, NO_LIMIT, PANEL, Panels, close_pairs};
use crate::GraphError;
use crate::metric::Space;
use gaussfield_core::{Progress, check};
use ndarray::ArrayView2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Points of a cell, on average, where their number is not given.
const CELL: usize = 256;

/// Queries that look into a cell together.
const ROWS: usize = 512;

/// Queries whose lists are compared with exact ones.
const CHECKED: usize = 1000;

/// Cells of an approximate search: points are grouped around centres (k-means), and a query is
/// compared with the points of the cells whose centres are nearest to it.
///
/// Among the points looked at the nearest are exact, with exact distances; what lies in other cells
/// is missed. How much that is, is measured on some of the queries and told by
/// [`Neighbours::recall`](crate::Neighbours::recall). More probes find more and take longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cells {
    /// How many cells a query looks into, at least 1. Default: 8.
    pub probes: usize,
    /// About how many cells there are, at most one for every 32 points. Default: one for every 256.
    pub cells: Option<usize>,
}

impl Default for Cells {
    fn default() -> Self {
        Self { probes: 8, cells: None }
    }
}

/// How many of the true neighbours a search has found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// The share of the exact lists that was found, between 0 and 1.
    pub share: f64,
    /// The number of lists that were compared.
    pub sample: usize,
}

/// Indices and distances by query, and how good they are.
pub(super) type Approximate = (Vec<u32>, Vec<f64>, Recall);

impl Cells {
    /// The cells for n points.
    ///
    /// # Errors
    /// No probe, no cell.
    fn count(self, n: usize) -> Result<usize, GraphError> {
        check::at_least("the probes of an approximate search", self.probes, 1)?;
        let cells = self.cells.unwrap_or(n.div_ceil(CELL).max(1));
        check::at_least("the cells of an approximate search", cells, 1)?;
        Ok(cells.min(n.max(1)))
    }

    /// Bytes that a search takes beside lists and copies of the points.
    pub(super) fn bytes(self, queries: usize) -> u64 {
        16_u64.saturating_mul(queries as u64).saturating_mul(self.probes as u64)
    }

    pub(super) fn k_nearest(
        self,
        (points, queries): (&Space, &Space),
        (of_points, of_queries): (ArrayView2<'_, f64>, Option<ArrayView2<'_, f64>>),
        k: usize,
    ) -> Result<Approximate, GraphError> {
        let cells = self.count(of_points.nrows())?;
        let frame = Frame::new(points, of_points, of_queries.unwrap_or(of_points));
        let here = frame.coordinates(of_points);
        let centres = centres(&here, cells)?;
        let probes = self.probes.min(centres.nrows());
        let from_points = closest(&here, &centres, if of_queries.is_some() { 1 } else { probes })?;
        let cells = centres.nrows();
        let there = of_queries.map(|rows| frame.coordinates(rows));
        let from_queries = match &there {
            Some(there) => Some(closest(there, &centres, probes)?),
            None => None,
        };
        let packed = grouped(&here, &from_points, cells);
        let others = there.as_ref().zip(from_queries.as_ref());
        let others = others.map(|(there, closest)| grouped(there, closest, cells));
        let left = others.as_ref().unwrap_or(&packed);
        let chosen = from_queries.as_ref().unwrap_or(&from_points);
        let nearest = Nearest::new((points, queries), &frame, k, left);
        let look = Look { left, right: &packed, symmetric: others.is_none(), nearest: &nearest };
        look.visit_cells(there.as_ref().unwrap_or(&here), chosen)?;
        look.complete(points.len());
        let recall = look.recall(there.as_ref().unwrap_or(&here), &frame, (points, queries), k)?;
        let (indices, distances) = nearest.finish();
        Ok((indices, distances, recall))
    }
}

/// Queries on the left look into cells on the right.
struct Look<'a> {
    left: &'a Packed,
    right: &'a Packed,
    /// The queries are the points.
    symmetric: bool,
    nearest: &'a Nearest<'a>,
}

/// Rows gathered for a tile.
#[derive(Default)]
struct Gathered {
    rows: Vec<f32>,
    halves: Vec<f32>,
    limits: Vec<f32>,
    hits: Vec<Hit>,
}

impl Gathered {
    /// The rows of some places, with their limits.
    fn fill(&mut self, look: &Look<'_>, coordinates: &Coordinates, places: &[u32]) {
        let (dims, padded) = (coordinates.dims, places.len().next_multiple_of(PANEL));
        self.rows.clear();
        self.rows.resize(padded * dims, 0.0);
        self.halves.clear();
        self.halves.resize(padded, f32::INFINITY);
        self.limits.clear();
        self.limits.resize(padded, -NO_LIMIT);
        for (row, &place) in places.iter().enumerate() {
            let i = look.left.order[place as usize] as usize;
            self.halves[row] = coordinates.halves[i];
            self.limits[row] = look.nearest.limit(place as usize);
            let panel = (row / PANEL) * PANEL * dims + row % PANEL;
            for (d, &x) in coordinates.row(i).iter().enumerate() {
                self.rows[panel + PANEL * d] = x;
            }
        }
    }

    /// The pairs with a block of points that matter to a row, or to a point.
    fn meet(&mut self, right: Panels<'_>, dims: usize) {
        let left = Panels { rows: &self.rows, halves: &self.halves, limits: &self.limits };
        close_pairs(left, right, dims, &mut self.hits);
        // By row, so that a list is opened once.
        self.hits.sort_unstable_by_key(|hit| (hit.row, hit.column));
    }
}

impl Look<'_> {
    /// All queries into all cells they have chosen. What each finds is decided by the cells alone,
    /// in whatever order they are taken.
    fn visit_cells(&self, coordinates: &Coordinates, chosen: &Closest) -> Result<(), GraphError> {
        let cells = self.right.blocks.len();
        let stage = Progress::stage("neighbour search", Some(2 * cells as u64));
        let bound = |cell: usize| {
            let columns = self.right.blocks[cell].clone();
            self.nearest.bound_within((cell, self.symmetric), (self.right, columns));
            Ok(stage.step()?)
        };
        (0..cells).into_par_iter().map(bound).collect::<Result<(), GraphError>>()?;
        let visitors = self.visitors(chosen);
        let look = |gathered: &mut Gathered, cell: usize| {
            for places in visitors[cell].chunks(ROWS) {
                self.visit_cell(gathered, coordinates, cell, places);
            }
            Ok(stage.step()?)
        };
        (0..cells).into_par_iter().map_init(Gathered::default, look).collect()
    }

    /// For each cell the places of the queries that look into it, in increasing order.
    fn visitors(&self, chosen: &Closest) -> Vec<Vec<u32>> {
        let mut visitors = vec![Vec::new(); self.right.blocks.len()];
        for (place, &query) in self.left.order.iter().enumerate() {
            if query != NOBODY {
                let at = query as usize * chosen.each;
                for &cell in &chosen.cells[at..at + chosen.each] {
                    visitors[cell as usize].push(place as u32);
                }
            }
        }
        visitors
    }

    fn visit_cell(
        &self,
        gathered: &mut Gathered,
        coordinates: &Coordinates,
        cell: usize,
        places: &[u32],
    ) {
        let columns = self.right.blocks[cell].clone();
        let limit = |at| if self.symmetric { self.nearest.limit(at) } else { -NO_LIMIT };
        let limits: Vec<f32> = columns.clone().map(limit).collect();
        gathered.fill(self, coordinates, places);
        gathered.meet(self.right.side(&columns, &limits), self.right.dims);
        let Gathered { hits, halves, limits: of_rows, .. } = gathered;
        let of_row = |hit: &Hit| places[hit.row as usize] as usize;
        let others = |hit: &&Hit| {
            let point = self.right.order[columns.start + hit.column as usize];
            !(self.symmetric && self.left.order[of_row(hit)] == point)
        };
        for run in hits.chunk_by(|a, b| self.block_of(of_row(a)) == self.block_of(of_row(b))) {
            let mut open = self.nearest.open(self.block_of(of_row(&run[0])));
            for hit in run.iter().filter(others) {
                if hit.closeness >= halves[hit.row as usize] - of_rows[hit.row as usize] {
                    let point = self.right.order[columns.start + hit.column as usize];
                    open.offer(of_row(hit), point);
                }
            }
        }
        if self.symmetric {
            // The same pair, seen from the other end.
            let mut open = self.nearest.open(cell);
            for hit in hits.iter().filter(others) {
                if hit.closeness >= halves[hit.row as usize] - limits[hit.column as usize] {
                    let place = columns.start + hit.column as usize;
                    open.offer(place, self.left.order[of_row(hit)]);
                }
            }
        }
    }

    fn block_of(&self, place: usize) -> usize {
        self.left.blocks.partition_point(|block| block.end <= place)
    }

    /// Queries whose cells hold fewer than k points look at all of them.
    fn complete(&self, points: usize) {
        self.nearest.settle().into_par_iter().for_each(|place| {
            let mut open = self.nearest.open(self.block_of(place));
            let own = self.symmetric.then_some(self.left.order[place]);
            (0..points as u32).filter(|&j| Some(j) != own).for_each(|j| open.offer(place, j));
        });
        self.nearest.settle();
    }

    /// Some of the lists compared with the exact ones.
    fn recall(
        &self,
        coordinates: &Coordinates,
        frame: &Frame,
        spaces: (&Space, &Space),
        k: usize,
    ) -> Result<Recall, GraphError> {
        let places: Vec<u32> = (0..self.left.order.len() as u32)
            .filter(|&place| self.left.order[place as usize] != NOBODY)
            .collect();
        let step = places.len().div_ceil(CHECKED).max(1);
        let checked: Vec<u32> = places.iter().copied().step_by(step).collect();
        let own: Vec<u32> = checked.iter().map(|&at| self.left.order[at as usize]).collect();
        let packed = Packed::new(coordinates, &own.chunks(ROWS).collect::<Vec<_>>());
        let exact = Nearest::new(spaces, frame, k, &packed);
        let list = |place: u32| -> Vec<Found> {
            let open = self.nearest.open(self.block_of(place as usize));
            open.list(place as usize).to_vec()
        };
        let lists: Vec<Vec<Found>> = checked.iter().map(|&place| list(place)).collect();
        let rows_of = |block: usize| packed.blocks[block].clone().zip(&lists[block * ROWS..]);
        let stage = Progress::stage("recall of the search", Some(packed.blocks.len() as u64));
        for (block, rows) in packed.blocks.iter().enumerate() {
            for (place, list) in rows_of(block) {
                list.last().iter().for_each(|(distance, _)| exact.bound(place, *distance));
            }
            self.right.blocks.par_iter().for_each_init(Vec::new, |hits, columns| {
                let (none, limits) = (vec![-NO_LIMIT; columns.len()], limits_of(&exact, rows));
                let (left, right) = (packed.side(rows, &limits), self.right.side(columns, &none));
                close_pairs(left, right, packed.dims, hits);
                let mut open = exact.open(block);
                for hit in hits.iter() {
                    let place = rows.start + hit.row as usize;
                    let point = self.right.order[columns.start + hit.column as usize];
                    if !(self.symmetric && packed.order[place] == point) {
                        open.offer(place, point);
                    }
                }
            });
            stage.step()?;
        }
        exact.settle();
        let mut found = 0;
        for block in 0..packed.blocks.len() {
            let open = exact.open(block);
            for (place, list) in rows_of(block) {
                found += open.list(place).iter().filter(|right| list.contains(right)).count();
            }
        }
        let sample = checked.len();
        Ok(Recall { share: found as f64 / (k * sample).max(1) as f64, sample })
    }
}

fn limits_of(nearest: &Nearest<'_>, places: &Range<usize>) -> Vec<f32> {
    places.clone().map(|place| nearest.limit(place)).collect()
}

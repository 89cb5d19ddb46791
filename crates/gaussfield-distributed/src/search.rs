//! The neighbour graph of points that lie with several members.

use crate::cells::{Cells, owners};
use crate::halo::owner;
use crate::shards::OwnPoints;
use crate::world::{agree, all, packed, sum, swap, total};
use crate::{DistributedError, Part, World};
use gaussfield_core::{Budget, check};
use gaussfield_graph::{Metric, Neighbours, Recall, SearchOptions};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Points of a cell, on average.
const CELL: u64 = 512;
/// Lists that are compared with exact ones.
const CHECKED: u64 = 500;
/// Up to so many points of a member its own search is exact.
const EXACT: usize = 20_000;

/// How neighbours are looked for where points lie with several members. Approximate, by name: a point is
/// compared with those of the members that own its nearest cells, and there by the approximate search
/// of one machine. What was found is measured ([`Found::recall`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// Neighbours of each point, at least 1. Default 10.
    pub k: usize,
    /// Nearest cells whose owners are asked, at least 1. Default 8.
    pub probes: usize,
    /// Memory of this member for lists and copies of the points. Default 4 GiB.
    pub budget: Budget,
}

impl Default for Search {
    fn default() -> Self {
        Self { k: 10, probes: 8, budget: Budget::default() }
    }
}

/// A graph and how it was found: the facts are the same on all members.
#[derive(Debug)]
pub struct Found {
    /// Lengths of the edges: a point and each of its neighbours, in both directions.
    pub part: Part,
    /// The share of true neighbours found, on some of the points.
    pub recall: Recall,
    /// Cells.
    pub cells: usize,
    /// Queries that went to another member, for each point.
    pub shipped: f64,
}

/// The k nearest of one query so far: length and node.
type List = Vec<(f64, u64)>;

impl Search {
    /// The graph of all points, each of which goes to the member that owns its cell.
    ///
    /// # Errors
    /// No neighbour or no probe, as many neighbours as points, a search that one member cannot make.
    pub fn graph(&self, world: &impl World, points: OwnPoints) -> Result<Found, DistributedError> {
        check::at_least("the number of neighbours", self.k, 1)?;
        check::at_least("the cells that are probed", self.probes, 1)?;
        let (rows, members) = (points.total, world.size());
        if rows <= self.k as u64 {
            let (k, points) = (self.k, rows as usize);
            let most = points.saturating_sub(1);
            return Err(gaussfield_graph::GraphError::BadNeighbourCount { k, points, most }.into());
        }
        // Enough for fair shares, and no more than sums over all members bear.
        let fair = 16 * members as u64;
        let wanted = (rows / CELL).min(8192).max(fair).min((rows / 8).max(1));
        let cells = Cells::new(world, (points.rows.view(), points.first), rows, wanted as usize);
        let own = Moved::new(world, &cells, points)?;
        let (lists, shipped) = self.lists(world, &cells, &own)?;
        let recall = self.recall(world, &own, &lists)?;
        let Moved { offsets, rows, .. } = own;
        let edges = symmetric(world, &offsets, lists);
        let part = Part::from_sorted(world, offsets, rows, &edges);
        Ok(Found { part, recall, cells: cells.len(), shipped })
    }

    /// The list of every own point, nearest first; and queries shipped a point.
    fn lists(
        &self,
        world: &impl World,
        cells: &Cells,
        own: &Moved,
    ) -> Result<(Vec<List>, f64), DistributedError> {
        let (me, n) = (world.rank(), own.rows.len());
        let dense = own.matrix()?;
        let each = self.probes.min(cells.len());
        let probed = cells.nearest(dense, each);
        // For each member the own points that ask it.
        let mut asking: Vec<Vec<u32>> = vec![Vec::new(); world.size()];
        for (point, probed) in (0..n as u32).zip(probed.chunks_exact(each)) {
            for &cell in probed {
                let to = own.owners[cell as usize];
                // Points come in order: one that asked already is the last.
                if to != me && asking[to].last() != Some(&point) {
                    asking[to].push(point);
                }
            }
        }
        let shipped: usize = asking.iter().map(Vec::len).sum();
        let ship = |points: &Vec<u32>| -> Vec<f64> {
            points.iter().flat_map(|&point| dense.row(point as usize).to_vec()).collect()
        };
        let queries = swap(world, asking.iter().map(ship).collect());
        let answers: Result<Vec<Vec<u8>>, DistributedError> =
            queries.iter().map(|queries| self.answer(own, queries, self.search(n))).collect();
        let answers = world.swap(agree(world, answers)?);
        let mine = agree(world, self.among_own(own))?;
        let mut lists = mine;
        for (points, answer) in asking.iter().zip(&answers) {
            let found: Vec<(f64, u64)> = answer.chunks_exact(16).map(entry).collect();
            let each = found.len() / points.len().max(1);
            for (&point, found) in points.iter().zip(found.chunks(each.max(1))) {
                lists[point as usize].extend_from_slice(found);
            }
        }
        for list in &mut lists {
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            list.truncate(self.k);
        }
        let shipped = total(world, shipped as f64) / total(world, n as f64);
        Ok((lists, shipped))
    }

    /// How one member searches its own points.
    fn search(&self, points: usize) -> SearchOptions {
        let search = match points <= EXACT {
            true => gaussfield_graph::Search::Auto,
            false => gaussfield_graph::Search::Cells(gaussfield_graph::Cells {
                probes: self.probes,
                cells: None,
            }),
        };
        SearchOptions { search, budget: self.budget }
    }

    fn among_own(&self, own: &Moved) -> Result<Vec<List>, DistributedError> {
        let n = own.points.len();
        let k = self.k.min(n - 1);
        if k == 0 {
            return Ok(vec![Vec::new(); n]);
        }
        let found = Neighbours::search(&own.points, Metric::Euclidean, k, self.search(n))?;
        let list = |i: usize| {
            let nodes = found.indices(i).iter().map(|&j| own.first + u64::from(j));
            found.distances(i).iter().copied().zip(nodes).collect()
        };
        Ok((0..n).map(list).collect())
    }

    /// For each query the nearest own points, as many as there are up to k.
    fn answer(
        &self,
        own: &Moved,
        queries: &[f64],
        options: SearchOptions,
    ) -> Result<Vec<u8>, DistributedError> {
        let dims = own.points.dim();
        let count = queries.len() / dims.max(1);
        if count == 0 {
            return Ok(Vec::new());
        }
        let rows = Array2::from_shape_fn((count, dims), |(i, d)| queries[i * dims + d]);
        let queries = Points::dense(rows)?;
        let k = self.k.min(own.points.len());
        let found = Neighbours::query(&own.points, &queries, Metric::Euclidean, k, options)?;
        let mut bytes = Vec::with_capacity(16 * k * count);
        for i in 0..count {
            for (&distance, &j) in found.distances(i).iter().zip(found.indices(i)) {
                bytes.extend(packed(&[distance.to_bits(), own.first + u64::from(j)]));
            }
        }
        Ok(bytes)
    }

    /// The lists of some points, compared with exact ones of all members.
    fn recall(
        &self,
        world: &impl World,
        own: &Moved,
        lists: &[List],
    ) -> Result<Recall, DistributedError> {
        let nodes = own.offsets[world.size()];
        let step = (nodes / CHECKED).max(1);
        let chosen: Vec<usize> =
            (0..own.rows.len()).filter(|&i| (own.first + i as u64).is_multiple_of(step)).collect();
        let dense = own.matrix()?;
        let of = |&point: &usize| dense.row(point).to_vec();
        let asked = all(world, &chosen.iter().flat_map(of).collect::<Vec<f64>>());
        let exact = SearchOptions { search: gaussfield_graph::Search::Auto, budget: self.budget };
        let mut wide = *self;
        wide.k += 1; // the point itself is among them
        let answers: Result<Vec<Vec<u8>>, DistributedError> =
            asked.iter().map(|queries| wide.answer(own, queries, exact)).collect();
        let answers = world.swap(agree(world, answers)?);
        let (mut right, mut sought) = (0, 0);
        for (at, &point) in chosen.iter().enumerate() {
            let mut truth: List = Vec::new();
            for answer in &answers {
                let each = answer.len() / chosen.len().max(1);
                truth.extend(answer[at * each..(at + 1) * each].chunks_exact(16).map(entry));
            }
            truth.retain(|&(_, node)| node != own.first + point as u64);
            truth.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            truth.truncate(self.k);
            sought += truth.len();
            let found = |entry: &&(f64, u64)| lists[point].iter().any(|own| own.1 == entry.1);
            right += truth.iter().filter(found).count();
        }
        let mut counts = [right as f64, sought as f64, chosen.len() as f64];
        sum(world, &mut counts);
        Ok(Recall { share: counts[0] / counts[1].max(1.0), sample: counts[2] as usize })
    }
}

fn entry(bytes: &[u8]) -> (f64, u64) {
    let words: Vec<u64> = crate::world::unpacked(bytes);
    (f64::from_bits(words[0]), words[1])
}

/// The points of this member's cells.
struct Moved {
    offsets: Vec<u64>,
    /// The first node of this member.
    first: u64,
    /// The row of each point.
    rows: Vec<u64>,
    points: Points,
    /// To whom each cell belongs.
    owners: Vec<usize>,
}

impl Moved {
    /// The points as they are stored: in dense rows.
    fn matrix(&self) -> Result<ArrayView2<'_, f64>, DistributedError> {
        let (method, needs) = (gaussfield_graph::Search::Auto, "dense");
        Ok(self
            .points
            .as_dense()
            .ok_or(gaussfield_graph::GraphError::WrongStorage { method, needs })?)
    }

    /// Sends every point to the owner of its cell; there they stand by cell and row.
    fn new(world: &impl World, cells: &Cells, points: OwnPoints) -> Result<Self, DistributedError> {
        let of = cells.nearest(points.rows.view(), 1);
        let mut counts = vec![0.0; cells.len()];
        of.iter().for_each(|&cell| counts[cell as usize] += 1.0);
        sum(world, &mut counts);
        let owners = owners(&counts, world.size());
        let dims = points.rows.ncols();
        let mut parcels: Vec<Vec<f64>> = vec![Vec::new(); world.size()];
        for ((row, &cell), number) in points.rows.rows().into_iter().zip(&of).zip(points.first..) {
            let parcel = &mut parcels[owners[cell as usize]];
            parcel.extend([number as f64, f64::from(cell)]);
            parcel.extend(row);
        }
        drop(points);
        let received = swap(world, parcels).concat();
        let mut order: Vec<(u32, u64, usize)> = received
            .chunks_exact(dims + 2)
            .enumerate()
            .map(|(at, point)| (point[1] as u32, point[0] as u64, at))
            .collect();
        order.sort_unstable();
        let rows: Vec<u64> = order.iter().map(|&(_, row, _)| row).collect();
        let number = |(i, d): (usize, usize)| received[order[i].2 * (dims + 2) + 2 + d];
        let matrix = Array2::from_shape_fn((rows.len(), dims), number);
        drop(received);
        let counts = world.gather(&[rows.len() as f64]);
        let mut offsets = vec![0];
        counts.iter().for_each(|&count| offsets.push(offsets[offsets.len() - 1] + count as u64));
        if let Some(member) = counts.iter().position(|&count| count < 0.5) {
            let (members, rows) = (world.size(), offsets[world.size()]);
            return Err(DistributedError::NoRows { member, members, rows });
        }
        let points = agree(world, Points::dense(matrix))?;
        let first = offsets[world.rank()];
        Ok(Self { offsets, first, rows, points, owners })
    }
}

/// Both directions of every edge of the lists, sorted: each is told to the owner of its other end.
fn symmetric(world: &impl World, offsets: &[u64], lists: Vec<List>) -> Vec<(u64, u64, f64)> {
    let first = offsets[world.rank()];
    let mut edges = Vec::new();
    let mut parcels: Vec<Vec<u64>> = vec![Vec::new(); world.size()];
    for (list, node) in lists.into_iter().zip(first..) {
        for (distance, other) in list {
            edges.push((node, other, distance));
            parcels[owner(offsets, other)].extend([other, node, distance.to_bits()]);
        }
    }
    for parcel in swap(world, parcels) {
        let told = parcel.chunks_exact(3);
        edges.extend(told.map(|edge| (edge[0], edge[1], f64::from_bits(edge[2]))));
    }
    // Both ends may have found it, with lengths that differ in the last digit: the shorter counts, here
    // as there.
    edges.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    edges.dedup_by_key(|edge| (edge.0, edge.1));
    edges
}

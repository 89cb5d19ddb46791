//! The neighbour graph of points that lie with several members.

use crate::lists::{Lists, Near, nearby, symmetric};
use crate::placed::Placed;
use crate::shards::OwnPoints;
use crate::world::{Item, agree, sum, total, unpacked};
use crate::{DistributedError, Part, World};
use gaussfield_core::{Budget, SizeMismatch, check};
use gaussfield_graph::{Metric, Neighbours, Recall, SearchOptions};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

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

impl Search {
    /// The graph of all points, each of which goes to the member that owns its cell.
    ///
    /// # Errors
    /// No neighbour or no probe, as many neighbours as points, a search that one member cannot make.
    pub fn graph(&self, world: &impl World, points: OwnPoints) -> Result<Found, DistributedError> {
        self.check(points.total, 1)?;
        self.link(world, Placed::new(world, points, self.budget)?)
    }

    /// The graph of points that lie with their owners already.
    ///
    /// # Errors
    /// As [`Search::graph`].
    pub fn link(&self, world: &impl World, placed: Placed) -> Result<Found, DistributedError> {
        self.check(placed.nodes(), 1)?;
        let mut lists = self.lists(world, placed.rows.len())?;
        agree(world, self.among_own(&placed, &mut lists))?;
        let queries = placed.matrix()?;
        let shipped = self.ask(world, &placed, queries, &mut lists, false)?;
        let recall = self.recall(world, &placed, &lists)?;
        let Placed { offsets, rows, cells, points, .. } = placed;
        drop(points);
        let (starts, columns, lengths) = symmetric(world, &offsets, lists);
        let part = Part::new(world, offsets, rows, starts, columns, lengths);
        Ok(Found { part, recall, cells: cells.len(), shipped })
    }

    /// The k nearest of all placed points, for each row.
    pub(crate) fn nearest(
        &self,
        world: &impl World,
        placed: &Placed,
        rows: ArrayView2<f64>,
    ) -> Result<Lists, DistributedError> {
        self.check(placed.nodes(), 0)?;
        let mut lists = self.lists(world, rows.nrows())?;
        self.ask(world, placed, rows, &mut lists, true)?;
        Ok(lists)
    }

    /// Lists without entries, if there is memory for them and for what becomes of them: both directions
    /// of each entry, and those that are told to others.
    fn lists(&self, world: &impl World, rows: usize) -> Result<Lists, DistributedError> {
        let bytes = (rows as u64).saturating_mul(self.k as u64).saturating_mul(Lists::BYTES as u64);
        agree(world, self.budget.take("the lists of neighbours", bytes.saturating_mul(4)))?;
        Ok(Lists::new(rows, self.k))
    }

    /// `own` is 1 where a point is no neighbour of itself.
    fn check(&self, rows: u64, own: u64) -> Result<(), DistributedError> {
        check::at_least("the number of neighbours", self.k, 1)?;
        check::at_least("the cells that are probed", self.probes, 1)?;
        let most = rows.saturating_sub(own) as usize;
        if self.k > most {
            let (k, points) = (self.k, rows as usize);
            return Err(gaussfield_graph::GraphError::BadNeighbourCount { k, points, most }.into());
        }
        Ok(())
    }

    /// Adds to each list what the owners of the nearest cells of its row know, this member only if `own`;
    /// the k nearest stay. Gives queries shipped a row.
    fn ask(
        &self,
        world: &impl World,
        placed: &Placed,
        rows: ArrayView2<f64>,
        lists: &mut Lists,
        own: bool,
    ) -> Result<f64, DistributedError> {
        let (me, n) = (world.rank(), rows.nrows());
        let each = self.probes.min(placed.cells.len());
        let probed = placed.cells.nearest(rows, each);
        // For each member the rows that ask it.
        let mut asking: Vec<Vec<u32>> = vec![Vec::new(); world.size()];
        for (row, probed) in (0..n as u32).zip(probed.chunks_exact(each)) {
            for &cell in probed {
                let to = placed.owners[cell as usize];
                // Rows come in order: one that asked already is the last.
                if (own || to != me) && asking[to].last() != Some(&row) {
                    asking[to].push(row);
                }
            }
        }
        let asked_others = asking.iter().enumerate().filter(|&(to, _)| to != me);
        let shipped: usize = asked_others.map(|(_, rows)| rows.len()).sum();
        // Queries there and back, and their answers.
        let bytes = (8 * rows.ncols() + Lists::BYTES * self.k) as u64;
        agree(world, self.budget.take("the queries", (2 * shipped as u64).saturating_mul(bytes)))?;
        let ship = |asking: &Vec<u32>| {
            let mut parcel = Vec::with_capacity(8 * rows.ncols() * asking.len());
            for &row in asking {
                rows.row(row as usize).iter().for_each(|x| x.put(&mut parcel));
            }
            parcel
        };
        let queries = world.swap(asking.iter().map(ship).collect());
        let options = self.search(placed.points.len());
        let answers: Result<Vec<Vec<u8>>, DistributedError> =
            queries.into_iter().map(|queries| self.answer(placed, &queries, options)).collect();
        let answers = world.swap(agree(world, answers)?);
        for (asking, answer) in asking.iter().zip(answers) {
            let each = answer.len() / asking.len().max(1);
            for (&row, found) in asking.iter().zip(answer.chunks_exact(each.max(1))) {
                lists.add(row as usize, found.chunks_exact(Lists::BYTES).map(nearby));
            }
        }
        Ok(total(world, shipped as f64) / total(world, n as f64))
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

    fn among_own(&self, own: &Placed, lists: &mut Lists) -> Result<(), DistributedError> {
        let n = own.points.len();
        let k = self.k.min(n - 1);
        if k > 0 {
            let found = Neighbours::search(&own.points, Metric::Euclidean, k, self.search(n))?;
            for i in 0..n {
                let nodes = found.indices(i).iter().map(|&j| own.first + u64::from(j));
                lists.add(i, found.distances(i).iter().copied().zip(nodes));
            }
        }
        Ok(())
    }

    /// For each query the nearest own points, as many as there are up to k.
    fn answer(
        &self,
        own: &Placed,
        queries: &[u8],
        options: SearchOptions,
    ) -> Result<Vec<u8>, DistributedError> {
        let dims = own.points.dim();
        let count = queries.len() / (8 * dims).max(1);
        if count == 0 {
            return Ok(Vec::new());
        }
        let rows = Array2::from_shape_vec((count, dims), unpacked(queries));
        let rows = rows.map_err(|_| SizeMismatch {
            what: "bytes of the queries",
            expected: 8 * dims * count,
            got: queries.len(),
        })?;
        let queries = Points::dense(rows)?;
        let k = self.k.min(own.points.len());
        let found = Neighbours::query(&own.points, &queries, Metric::Euclidean, k, options)?;
        let mut bytes = Vec::with_capacity(Lists::BYTES * k * count);
        for i in 0..count {
            for (distance, &j) in found.distances(i).iter().zip(found.indices(i)) {
                distance.put(&mut bytes);
                (own.first + u64::from(j)).put(&mut bytes);
            }
        }
        Ok(bytes)
    }

    /// The lists of some points, compared with exact ones of all members.
    fn recall(
        &self,
        world: &impl World,
        own: &Placed,
        lists: &Lists,
    ) -> Result<Recall, DistributedError> {
        let nodes = own.offsets[world.size()];
        let step = (nodes / CHECKED).max(1);
        let chosen: Vec<usize> =
            (0..own.rows.len()).filter(|&i| (own.first + i as u64).is_multiple_of(step)).collect();
        let dense = own.matrix()?;
        let mut asked = Vec::new();
        for &point in &chosen {
            dense.row(point).iter().for_each(|x| x.put(&mut asked));
        }
        let asked = world.swap(vec![asked; world.size()]);
        let exact = SearchOptions { search: gaussfield_graph::Search::Auto, budget: self.budget };
        let mut wide = *self;
        wide.k += 1; // the point itself is among them
        let answers: Result<Vec<Vec<u8>>, DistributedError> =
            asked.iter().map(|queries| wide.answer(own, queries, exact)).collect();
        let answers = world.swap(agree(world, answers)?);
        let (mut right, mut sought) = (0, 0);
        for (at, &point) in chosen.iter().enumerate() {
            let mut truth = Lists::new(1, self.k);
            for answer in &answers {
                let each = answer.len() / chosen.len().max(1);
                let found = answer[at * each..][..each].chunks_exact(Lists::BYTES).map(nearby);
                truth.add(0, found.filter(|&(_, node)| node != own.first + point as u64));
            }
            sought += truth.of(0).len();
            let found = |near: &&Near| lists.of(point).iter().any(|own| own.1 == near.1);
            right += truth.of(0).iter().filter(found).count();
        }
        let mut counts = [right as f64, sought as f64, chosen.len() as f64];
        sum(world, &mut counts);
        Ok(Recall { share: counts[0] / counts[1].max(1.0), sample: counts[2] as usize })
    }
}

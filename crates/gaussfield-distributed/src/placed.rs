//! Points that lie with the owners of their cells.

use crate::cells::{Cells, owners};
use crate::part::enough;
use crate::shards::OwnPoints;
use crate::world::{agree, packed, sum, swap, unpacked};
use crate::{DistributedError, World};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2};

/// Points of a cell, on average.
const CELL: u64 = 512;

/// The points of this member's cells, and whom each cell belongs to: what neighbours are looked for in.
#[derive(Debug)]
pub struct Placed {
    pub(crate) cells: Cells,
    /// To whom each cell belongs.
    pub(crate) owners: Vec<usize>,
    /// The first node of each member, and the number of all.
    pub(crate) offsets: Vec<u64>,
    /// The first node of this member.
    pub(crate) first: u64,
    /// The row of each point.
    pub(crate) rows: Vec<u64>,
    pub(crate) points: Points,
}

impl Placed {
    /// Sends every point to the owner of its cell; there they stand by cell and row.
    ///
    /// # Errors
    /// Fewer points than members, or so many equal ones that a member is left without.
    pub fn new(world: &impl World, points: OwnPoints) -> Result<Self, DistributedError> {
        let total = points.total;
        enough(total, world.size())?;
        // Enough for fair shares, and no more than sums over all members bear.
        let fair = 16 * world.size() as u64;
        let wanted = (total / CELL).min(8192).max(fair).min((total / 8).max(1));
        let cells = Cells::new(world, (points.rows.view(), points.first), total, wanted as usize);
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
        Ok(Self { cells, owners, offsets, first, rows, points })
    }

    /// How many points all members have.
    pub fn nodes(&self) -> u64 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Numbers of a point.
    pub fn width(&self) -> usize {
        self.points.dim()
    }

    /// The points as they are stored: in dense rows.
    pub(crate) fn matrix(&self) -> Result<ArrayView2<'_, f64>, DistributedError> {
        let (method, needs) = (gaussfield_graph::Search::Auto, "dense");
        Ok(self
            .points
            .as_dense()
            .ok_or(gaussfield_graph::GraphError::WrongStorage { method, needs })?)
    }

    /// As bytes, for [`Stages::keep`](crate::Stages::keep).
    ///
    /// # Errors
    /// None for points that were placed.
    pub fn to_bytes(&self) -> Result<Vec<u8>, DistributedError> {
        let (points, centres) = (self.matrix()?, self.cells.centres());
        let mut words = [self.offsets.len(), self.rows.len(), centres.nrows(), points.ncols()]
            .map(|count| count as u64)
            .to_vec();
        words.extend(&self.offsets);
        words.extend(&self.rows);
        words.extend(self.owners.iter().map(|&owner| owner as u64));
        words.extend(centres.iter().map(|x| u64::from(x.to_bits())));
        words.extend(points.iter().map(|x| x.to_bits()));
        Ok(packed(&words))
    }

    /// From such bytes, on as many members as had made them.
    ///
    /// # Errors
    /// Bytes that are none of placed points.
    pub fn from_bytes(world: &impl World, bytes: &[u8]) -> Result<Self, DistributedError> {
        let wrong = || DistributedError::File {
            path: "the points of the graph".into(),
            problem: "are not what placed points are kept as".into(),
            remedy: "make the graph again",
        };
        agree(world, Self::cut(world, &unpacked(bytes)).ok_or_else(wrong))
    }

    fn cut(world: &impl World, words: &[u64]) -> Option<Self> {
        let (head, mut rest) = words.split_at_checked(4)?;
        let mut next = |count: usize| -> Option<&[u64]> {
            let (own, after) = rest.split_at_checked(count)?;
            rest = after;
            Some(own)
        };
        let [_, rows, cells, width] = [0, 1, 2, 3].map(|at: usize| head[at] as usize);
        let offsets = next(head[0] as usize)?.to_vec();
        let rows = next(rows)?.to_vec();
        let owners: Vec<usize> = next(cells)?.iter().map(|&owner| owner as usize).collect();
        let centres = next(cells.checked_mul(width)?)?.iter();
        let centres = centres.map(|&bits| f32::from_bits(bits as u32)).collect();
        let points = next(rows.len().checked_mul(width)?)?.iter();
        let points = points.map(|&bits| f64::from_bits(bits)).collect();
        let (first, end) = (*offsets.get(world.rank())?, *offsets.get(world.rank() + 1)?);
        let sound = offsets.len() == world.size() + 1
            && offsets.is_sorted()
            && end.checked_sub(first) == Some(rows.len() as u64)
            && owners.iter().all(|&owner| owner < world.size());
        let matrix = Array2::from_shape_vec((rows.len(), width), points).ok()?;
        let points = Points::dense(matrix).ok()?;
        let cells = Cells::at(Array2::from_shape_vec((cells, width), centres).ok()?);
        sound.then_some(Self { cells, owners, offsets, first, rows, points })
    }
}

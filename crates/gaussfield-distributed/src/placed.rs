//! Points that lie with the owners of their cells.

use crate::cells::{Cells, owners};
use crate::packed::Words;
use crate::part::enough;
use crate::shards::OwnPoints;
use crate::world::{Item, agree, sum, unpacked};
use crate::{DistributedError, World};
use gaussfield_core::Budget;
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
    /// Fewer points than members, or so many equal ones that a member is left without; points that
    /// take more than the memory of a member.
    pub fn new(
        world: &impl World,
        points: OwnPoints,
        memory: Budget,
    ) -> Result<Self, DistributedError> {
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
        let own = owners.iter().zip(&counts).filter(|&(&owner, _)| owner == world.rank());
        let expected: f64 = own.map(|(_, count)| count).sum();
        // Sent, received, and as they stand then.
        let copies = points.rows.nrows() as u64 + 2 * expected as u64;
        let taken =
            memory.take("points on their way to their owner", copies * (12 + 8 * dims as u64));
        agree(world, taken)?;
        let mut parcels = vec![Vec::new(); world.size()];
        for (row, number) in points.rows.rows().into_iter().zip(points.first..) {
            let cell = of[(number - points.first) as usize];
            let parcel = &mut parcels[owners[cell as usize]];
            number.put(parcel);
            cell.put(parcel);
            row.iter().for_each(|x| x.put(parcel));
        }
        drop(points);
        let received = world.swap(parcels);
        let mut order: Vec<(u32, u64, &[u8])> = received
            .iter()
            .flat_map(|parcel| parcel.chunks_exact(12 + 8 * dims))
            .map(|point| (u32::take(&point[8..12]), u64::take(&point[..8]), &point[12..]))
            .collect();
        order.sort_unstable();
        let rows: Vec<u64> = order.iter().map(|&(_, row, _)| row).collect();
        let mut numbers = Vec::with_capacity(rows.len() * dims);
        for (.., point) in &order {
            numbers.extend(point.chunks_exact(8).map(f64::take));
        }
        drop(order);
        drop(received);
        let shaped = Array2::from_shape_vec((rows.len(), dims), numbers);
        let matrix = agree(world, shaped)?;
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
        let counts = [self.offsets.len(), self.rows.len(), centres.nrows(), points.ncols()];
        let words = 4 + counts[0] + counts[1] + counts[2] + centres.len() + points.len();
        let mut bytes = Vec::with_capacity(8 * words);
        let mut put = |word: u64| word.put(&mut bytes);
        counts.iter().for_each(|&count| put(count as u64));
        self.offsets.iter().chain(&self.rows).for_each(|&word| put(word));
        self.owners.iter().for_each(|&owner| put(owner as u64));
        centres.iter().for_each(|x| put(u64::from(x.to_bits())));
        points.iter().for_each(|x| put(x.to_bits()));
        Ok(bytes)
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
        agree(world, Self::cut(world, bytes).ok_or_else(wrong))
    }

    fn cut(world: &impl World, bytes: &[u8]) -> Option<Self> {
        let mut words = Words(bytes);
        let counts = words.next(4)?;
        let [_, _, cells, width] = [0, 1, 2, 3].map(|at: usize| counts[at]);
        let (offsets, rows) = (words.next(counts[0])?, words.next(counts[1])?);
        let owners = words.next(cells)?;
        let owners: Vec<usize> = owners.into_iter().map(|owner| owner as usize).collect();
        let centres = words.next(cells.checked_mul(width)?)?.into_iter();
        let centres = centres.map(|bits| f32::from_bits(bits as u32)).collect();
        let points = words.bytes((rows.len() as u64).checked_mul(width)?)?;
        let points: Vec<f64> = unpacked(points);
        let (cells, width) = (cells as usize, width as usize);
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

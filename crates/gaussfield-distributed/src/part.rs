//! The rows of a graph that one member holds.

use crate::halo::{Halo, owner};
use crate::world::{agree, swap, total};
use crate::{DistributedError, World};
use std::collections::HashMap;

/// Weights further apart than this are refused: no distributed preconditioner was seen to hold beyond.
const SPREAD: f64 = 1e48;

/// One member's rows of a symmetric graph: with each edge a number, its weight or its length.
///
/// Nodes are numbered through by member: this one has those from its offset to the next. What a node
/// was called where it came from, its row, is kept beside it.
#[derive(Debug)]
pub struct Part {
    /// The first node of each member, and the number of all.
    pub(crate) offsets: Vec<u64>,
    /// The first of this member.
    pub(crate) first: u64,
    /// The row of each own node.
    pub(crate) rows: Vec<u64>,
    /// The row of each ghost.
    pub(crate) ghost_rows: Vec<u64>,
    pub(crate) starts: Vec<usize>,
    /// Places: the own nodes, then the ghosts.
    pub(crate) columns: Vec<u32>,
    /// Weights or lengths.
    pub(crate) numbers: Vec<f64>,
    pub(crate) halo: Halo,
}

impl Part {
    /// From rows with sorted columns, all of whose mirrors are there too.
    pub(crate) fn new(
        world: &impl World,
        offsets: Vec<u64>,
        rows: Vec<u64>,
        starts: Vec<usize>,
        named: Vec<u64>,
        numbers: Vec<f64>,
    ) -> Self {
        let (halo, columns) = Halo::new(world, &offsets, &named);
        drop(named);
        // Row numbers go as doubles, exact below 2⁵³.
        let named: Vec<f64> = rows.iter().map(|&row| row as f64).collect();
        let ghost_rows = halo.fetch_one(world, &named).into_iter().map(|row| row as u64).collect();
        let first = offsets[world.rank()];
        Self { offsets, first, rows, ghost_rows, starts, columns, numbers, halo }
    }

    /// From edges (i, j, weight) between `nodes` rows, each edge once, with any member: rows are dealt
    /// out evenly, in their order.
    ///
    /// # Errors
    /// Fewer rows than members, a row past the end, an edge twice or from a row to itself, a weight that is
    /// negative or not finite.
    pub fn from_edges(
        world: &impl World,
        nodes: u64,
        edges: &[(u64, u64, f64)],
    ) -> Result<Self, DistributedError> {
        enough(nodes, world.size())?;
        let offsets = even(nodes, world.size());
        let check = |&(from, to, weight): &(u64, u64, f64)| {
            let problem = if from.max(to) >= nodes {
                format!("there are {nodes} rows, numbered from 0")
            } else if from == to {
                "an edge leads to another row".into()
            } else if !(weight.is_finite() && weight >= 0.0) {
                format!("its weight is {weight}, but must be finite and not negative")
            } else {
                return Ok(());
            };
            Err(DistributedError::Edge { from, to, problem })
        };
        agree(world, edges.iter().try_for_each(check))?;
        let mut parcels: Vec<Vec<u64>> = vec![Vec::new(); world.size()];
        for &(from, to, weight) in edges.iter().filter(|edge| edge.2 > 0.0) {
            for (from, to) in [(from, to), (to, from)] {
                parcels[owner(&offsets, from)].extend([from, to, weight.to_bits()]);
            }
        }
        let mut own: Vec<(u64, u64, f64)> = Vec::new();
        for parcel in swap(world, parcels) {
            own.extend(
                parcel.chunks_exact(3).map(|edge| (edge[0], edge[1], f64::from_bits(edge[2]))),
            );
        }
        own.sort_unstable_by_key(|&(from, to, _)| (from, to));
        let twice = own.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
        let refused = match twice {
            Some(&[(from, to, _), _]) => {
                Err(DistributedError::Edge { from, to, problem: "give each edge once".into() })
            }
            _ => Ok(()),
        };
        agree(world, refused)?;
        let range = offsets[world.rank()]..offsets[world.rank() + 1];
        Ok(Self::from_sorted(world, offsets, range.collect(), &own))
    }

    /// From the directed edges of this member's nodes, sorted.
    fn from_sorted(
        world: &impl World,
        offsets: Vec<u64>,
        rows: Vec<u64>,
        edges: &[(u64, u64, f64)],
    ) -> Self {
        let first = offsets[world.rank()];
        let mut starts = vec![0; rows.len() + 1];
        edges.iter().for_each(|&(from, ..)| starts[(from - first) as usize + 1] += 1);
        for i in 0..rows.len() {
            starts[i + 1] += starts[i];
        }
        let columns = edges.iter().map(|edge| edge.1).collect();
        let numbers = edges.iter().map(|edge| edge.2).collect();
        Self::new(world, offsets, rows, starts, columns, numbers)
    }

    /// The edges of this member's nodes: two rows, and the weight or length.
    pub fn directed(&self) -> Vec<(u64, u64, f64)> {
        let of = |node: usize| {
            let (places, numbers) = self.row(node);
            let to = places.iter().map(|&place| self.row_of(place)).zip(numbers);
            to.map(move |(to, &number)| (self.rows[node], to, number))
        };
        (0..self.len()).flat_map(of).collect()
    }

    /// How many nodes this member has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many nodes all members have.
    pub fn nodes(&self) -> u64 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Edges of all members, each once.
    pub fn edges(&self, world: &impl World) -> u64 {
        (total(world, self.columns.len() as f64) / 2.0) as u64
    }

    /// The share of the edges whose ends lie with different members.
    pub fn cut(&self, world: &impl World) -> f64 {
        let own = self.rows.len() as u32;
        let cut = self.columns.iter().filter(|&&column| column >= own).count();
        total(world, cut as f64) / total(world, self.columns.len() as f64).max(1.0)
    }

    /// The row of each node of this member.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The class of each node of this member that is among these labels (row, class).
    pub fn labelled(&self, labels: &[(u64, u32)]) -> Vec<Option<u32>> {
        let by_row: HashMap<u64, u32> = labels.iter().copied().collect();
        self.rows.iter().map(|row| by_row.get(row).copied()).collect()
    }

    /// The row of a place.
    pub(crate) fn row_of(&self, place: u32) -> u64 {
        let place = place as usize;
        self.rows.get(place).copied().unwrap_or_else(|| self.ghost_rows[place - self.rows.len()])
    }

    /// The places of the neighbours of an own node, and the numbers of their edges.
    pub(crate) fn row(&self, node: usize) -> (&[u32], &[f64]) {
        let range = self.starts[node]..self.starts[node + 1];
        (&self.columns[range.clone()], &self.numbers[range])
    }

    /// The sum of the weights of each own node.
    pub(crate) fn degrees(&self) -> Vec<f64> {
        (0..self.len()).map(|node| self.row(node).1.iter().sum()).collect()
    }

    /// The root of the mean square of all numbers: for lengths, the length scale that is taken where none
    /// is given.
    pub fn root_mean_square(&self, world: &impl World) -> f64 {
        let squares: f64 = self.numbers.iter().map(|number| number * number).sum();
        (total(world, squares) / total(world, self.numbers.len() as f64).max(1.0)).sqrt()
    }

    /// Weights exp(−d²/σ²) in place of lengths d.
    ///
    /// # Errors
    /// A length scale that is not positive, weights that no distributed solver resolves.
    pub fn weighted(mut self, world: &impl World, scale: f64) -> Result<Self, DistributedError> {
        gaussfield_core::check::positive("the length scale", scale)?;
        self.numbers.iter_mut().for_each(|number| *number = weight(*number, scale));
        self.check_spread(world)?;
        Ok(self)
    }

    /// Puts the weights of these lengths in.
    pub(crate) fn weigh(&mut self, lengths: &[f64], scale: f64) {
        self.numbers.iter_mut().zip(lengths).for_each(|(to, &d)| *to = weight(d, scale));
    }

    /// Refuses weights that lie too far apart, and names the smallest.
    pub(crate) fn check_spread(&self, world: &impl World) -> Result<(), DistributedError> {
        let mut least = (f64::INFINITY, 0, 0);
        let mut most = 0.0_f64;
        for node in 0..self.len() {
            let (columns, weights) = self.row(node);
            for (&column, &weight) in columns.iter().zip(weights) {
                most = most.max(weight);
                if weight < least.0 {
                    least = (weight, self.rows[node], self.row_of(column));
                }
            }
        }
        let all = world.gather(&[least.0, least.1 as f64, least.2 as f64, most]);
        let members = || all.chunks_exact(4);
        let most = members().map(|own| own[3]).fold(0.0, f64::max);
        let least = members().fold([f64::INFINITY, 0.0, 0.0], |least, own| {
            if own[0] < least[0] { [own[0], own[1], own[2]] } else { least }
        });
        if least[0] * SPREAD < most {
            let (from, to) = (least[1] as u64, least[2] as u64);
            return Err(DistributedError::Spread { least: least[0], most, from, to });
        }
        Ok(())
    }
}

/// exp(−d²/σ²).
fn weight(length: f64, scale: f64) -> f64 {
    (-(length / scale).powi(2)).exp()
}

/// Where the rows of each member begin if they are dealt out evenly; of fewer rows than members some
/// get none.
pub(crate) fn even(rows: u64, members: usize) -> Vec<u64> {
    let at = |member: usize| (u128::from(rows) * member as u128 / members as u128) as u64;
    (0..=members).map(at).collect()
}

/// Refuses fewer rows than members.
pub(crate) fn enough(rows: u64, members: usize) -> Result<(), DistributedError> {
    match rows < members as u64 {
        true => Err(DistributedError::NoRows { member: rows as usize, members, rows }),
        false => Ok(()),
    }
}

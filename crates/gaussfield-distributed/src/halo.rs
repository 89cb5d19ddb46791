//! Rows of others: which ones a member needs, and who needs which of its own.

use crate::World;
use crate::world::{max, sum, swap};
use gaussfield_laplacian::shared::{Block, Team};

/// Who sends what to whom, for one distribution of nodes.
#[derive(Debug)]
pub(crate) struct Halo {
    /// The nodes of others, increasing: those of one member stand together.
    pub(crate) ghosts: Vec<u64>,
    /// To whom, and which of the own.
    sends: Vec<(usize, Vec<u32>)>,
    /// From whom, and how many.
    receives: Vec<(usize, usize)>,
}

impl Halo {
    /// For the nodes that rows of this member are linked to. Member r has the nodes
    /// `offsets[r]..offsets[r + 1]`. Gives the columns as places, ghosts behind the own.
    pub(crate) fn new(world: &impl World, offsets: &[u64], columns: &[u64]) -> (Self, Vec<u32>) {
        let (me, size) = (world.rank(), world.size());
        let own = offsets[me]..offsets[me + 1];
        let mut ghosts: Vec<u64> =
            columns.iter().copied().filter(|node| !own.contains(node)).collect();
        ghosts.sort_unstable();
        ghosts.dedup();
        let mut asked = vec![Vec::new(); size];
        ghosts.iter().for_each(|&node| asked[owner(offsets, node)].push(node));
        let some =
            |(rank, nodes): (usize, &Vec<u64>)| (!nodes.is_empty()).then_some((rank, nodes.len()));
        let receives = asked.iter().enumerate().filter_map(some).collect();
        let wanted = swap(world, asked);
        let sends = wanted.into_iter().enumerate().filter(|(_, nodes)| !nodes.is_empty());
        let place = |node: u64| (node - own.start) as u32;
        let sends = sends.map(|(rank, nodes)| (rank, nodes.into_iter().map(place).collect()));
        let sends = sends.collect();
        let rows = (own.end - own.start) as u32;
        let local = |node: &u64| match own.contains(node) {
            true => place(*node),
            false => rows + ghosts.partition_point(|ghost| ghost < node) as u32,
        };
        let places = columns.iter().map(local).collect();
        (Self { ghosts, sends, receives }, places)
    }

    /// The rows of the ghosts, of `width` numbers each.
    pub(crate) fn fetch(&self, world: &impl World, own: &[f64], ghosts: &mut [f64], width: usize) {
        let pack = |(to, rows): &(usize, Vec<u32>)| {
            let mut numbers = Vec::with_capacity(rows.len() * width);
            for &row in rows {
                numbers.extend_from_slice(&own[row as usize * width..][..width]);
            }
            (*to, numbers)
        };
        let sends: Vec<(usize, Vec<f64>)> = self.sends.iter().map(pack).collect();
        let mut rest = ghosts;
        let mut receives = Vec::with_capacity(self.receives.len());
        for &(from, count) in &self.receives {
            let (own, after) = rest.split_at_mut(count * width);
            rest = after;
            receives.push((from, own));
        }
        world.trade(&sends, &mut receives);
    }

    /// One number of each ghost.
    pub(crate) fn fetch_one(&self, world: &impl World, own: &[f64]) -> Vec<f64> {
        let mut ghosts = vec![0.0; self.ghosts.len()];
        self.fetch(world, own, &mut ghosts, 1);
        ghosts
    }
}

/// Which member has a node.
pub(crate) fn owner(offsets: &[u64], node: u64) -> usize {
    offsets.partition_point(|&first| first <= node) - 1
}

/// All members, as conjugate gradients see them.
#[derive(Debug)]
pub(crate) struct Members<'a, W> {
    pub(crate) world: &'a W,
    pub(crate) halo: &'a Halo,
}

impl<W: World> Team for Members<'_, W> {
    fn sum(&self, values: &mut [f64]) {
        sum(self.world, values);
    }

    fn max(&self, values: &mut [f64]) {
        max(self.world, values);
    }

    fn exchange(&self, own: &Block, ghosts: &mut Block) {
        let width = own.width();
        self.halo.fetch(self.world, own.data(), ghosts.data_mut(), width);
    }
}

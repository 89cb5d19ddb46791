//! Nodes eliminated one by one, each clique replaced by a sampled tree.

use super::lists::Lists;
use super::queue::ByDegree;
use super::sweep::Scalar;
use crate::engine::arrangement::Arranged;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Not among the neighbours of the node at hand.
const NONE: u32 = u32::MAX;
/// Eliminated.
const GONE: u32 = u32::MAX - 1;
/// The ground as a neighbour: what the excess leads to.
const GROUND: u32 = u32::MAX;

/// The graph that is left.
pub(super) struct Elimination {
    /// Each edge in the lists of both its nodes. Edges to eliminated nodes are passed over.
    lists: Lists,
    /// The weight to the ground.
    excess: Vec<f64>,
    queue: ByDegree,
    random: ChaCha8Rng,
    /// The neighbours of the node at hand, merged; and where each node stands among them, if it is
    /// not [`GONE`].
    star: Vec<(f64, u32)>,
    at: Vec<u32>,
    /// By how much the degree of each neighbour changed.
    changes: Vec<(u32, i64)>,
    /// Σ of the weights from here on.
    tails: Vec<f64>,
}

impl Elimination {
    pub(super) fn new(system: &Arranged, seed: u64) -> Self {
        let n = system.len();
        let mut lists = Lists::new(n, system.coupling().stored());
        let mut degrees = vec![0; n];
        for (i, degree) in degrees.iter_mut().enumerate() {
            system.coupling().for_each(i, |j, weight| {
                if j != i {
                    lists.push(i as u32, j as u32, weight);
                    *degree += 1;
                }
            });
        }
        Self {
            lists,
            excess: system.excess().to_vec(),
            queue: ByDegree::new(degrees),
            random: ChaCha8Rng::seed_from_u64(seed),
            star: Vec::new(),
            at: vec![NONE; n],
            changes: Vec::new(),
            tails: Vec::new(),
        }
    }

    /// Eliminates the next node, writes its column and gives its number.
    pub(super) fn next<F: Scalar>(
        &mut self,
        entries: &mut Vec<(u32, F)>,
        pivots: &mut Vec<f64>,
    ) -> Option<u32> {
        let node = self.queue.pop()?;
        self.at[node as usize] = GONE;
        self.gather(node);
        // The small ones first: each is joined to one of the larger.
        self.star.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.tails.clear();
        self.tails.resize(self.star.len() + 1, 0.0);
        for at in (0..self.star.len()).rev() {
            self.tails[at] = self.tails[at + 1] + self.star[at].0;
        }
        let total = self.tails[0];
        pivots.push(total);
        for &(weight, neighbour) in self.star.iter().filter(|entry| entry.1 != GROUND) {
            entries.push((neighbour, F::rounded(weight / total)));
        }
        self.join(total);
        for (neighbour, by) in self.changes.drain(..) {
            self.queue.change(neighbour, by);
        }
        Some(node)
    }

    /// Merges the edges of a node that lead to what is left, and takes them off the list.
    fn gather(&mut self, node: u32) {
        let Self { lists, star, at, changes, .. } = self;
        star.clear();
        lists.take(node, |neighbour, weight| match at[neighbour as usize] {
            GONE => {}
            NONE => {
                at[neighbour as usize] = star.len() as u32;
                star.push((weight, neighbour));
                changes.push((neighbour, -1));
            }
            place => {
                star[place as usize].0 += weight;
                changes[place as usize].1 -= 1;
            }
        });
        let excess = self.excess[node as usize];
        if excess > 0.0 {
            self.star.push((excess, GROUND));
        }
    }

    /// Joins each neighbour i but the last to a larger one, drawn by weight: weight wᵢ Σ_{j>i} wⱼ / Σ w,
    /// so that the pair (i, j) has wᵢ wⱼ / Σ w on average, as in the clique.
    fn join(&mut self, total: f64) {
        for i in 0..self.star.len().saturating_sub(1) {
            let (weight, from) = self.star[i];
            let tail = self.tails[i + 1];
            let drawn = self.random.random::<f64>() * tail;
            let larger = self.tails[i + 1..self.star.len()].partition_point(|&rest| rest > drawn);
            let (_, to) = self.star[i + larger.max(1)];
            let joined = weight * (tail / total);
            match (from, to) {
                (GROUND, node) | (node, GROUND) => self.excess[node as usize] += joined,
                _ if joined > 0.0 => {
                    self.add(from, to, joined);
                    self.add(to, from, joined);
                }
                _ => {}
            }
        }
        for &(_, neighbour) in self.star.iter().filter(|entry| entry.1 != GROUND) {
            self.at[neighbour as usize] = NONE;
        }
    }

    fn add(&mut self, owner: u32, node: u32, weight: f64) {
        self.lists.push(owner, node, weight);
        // Ground is no node, so that places among the neighbours and among the changes agree until
        // sorting; afterwards the change is found by the mark.
        self.changes[self.at[owner as usize] as usize].1 += 1;
    }
}

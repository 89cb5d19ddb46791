//! Nodes eliminated one by one, each clique replaced by a sampled tree.

use super::queue::ByDegree;
use super::sweep::Scalar;
use crate::engine::arrangement::Arranged;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// No edge.
const NONE: u32 = u32::MAX;
/// The ground as a neighbour: what the excess leads to.
const GROUND: u32 = u32::MAX;

/// One direction of an edge, in the list of its node.
struct Half {
    node: u32,
    next: u32,
    weight: f64,
}

/// The graph that is left.
pub(super) struct Elimination {
    /// The first edge of each node's list. Edges to eliminated nodes are passed over.
    heads: Vec<u32>,
    halves: Vec<Half>,
    /// The first unused place among the halves.
    unused: u32,
    /// The weight to the ground.
    excess: Vec<f64>,
    gone: Vec<bool>,
    queue: ByDegree,
    random: ChaCha8Rng,
    /// The neighbours of the node at hand, merged; and where each node stands among them.
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
        let mut halves = Vec::with_capacity(system.coupling().stored());
        let mut heads = vec![NONE; n];
        let mut degrees = vec![0; n];
        for (i, (head, degree)) in heads.iter_mut().zip(&mut degrees).enumerate() {
            system.coupling().for_each(i, |j, weight| {
                if j != i {
                    let next = std::mem::replace(head, halves.len() as u32);
                    halves.push(Half { node: j as u32, next, weight });
                    *degree += 1;
                }
            });
        }
        Self {
            heads,
            halves,
            unused: NONE,
            excess: system.excess().to_vec(),
            gone: vec![false; n],
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
        self.gone[node as usize] = true;
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
        self.star.clear();
        let mut half = self.heads[node as usize];
        while half != NONE {
            let Half { node: neighbour, next, weight } = self.halves[half as usize];
            self.halves[half as usize].next = std::mem::replace(&mut self.unused, half);
            half = next;
            if self.gone[neighbour as usize] {
                continue;
            }
            match self.at[neighbour as usize] {
                NONE => {
                    self.at[neighbour as usize] = self.star.len() as u32;
                    self.star.push((weight, neighbour));
                    self.changes.push((neighbour, -1));
                }
                at => {
                    self.star[at as usize].0 += weight;
                    self.changes[at as usize].1 -= 1;
                }
            }
        }
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
        let next = self.heads[owner as usize];
        let half = Half { node, next, weight };
        let place = self.unused;
        if place == NONE {
            self.heads[owner as usize] = self.halves.len() as u32;
            self.halves.push(half);
        } else {
            self.unused = self.halves[place as usize].next;
            self.halves[place as usize] = half;
            self.heads[owner as usize] = place;
        }
        // Ground is no node, so that places among the neighbours and among the changes agree until
        // sorting; afterwards the change is found by the mark.
        self.changes[self.at[owner as usize] as usize].1 += 1;
    }
}

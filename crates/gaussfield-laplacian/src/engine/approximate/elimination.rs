//! Nodes eliminated one by one, each clique replaced by a sampled tree.

use super::lists::Lists;
use super::order::order;
use super::sweep::{Eliminated, Scalar};
use crate::coupling::Coupling;
use crate::engine::arrangement::Arranged;
use gaussfield_core::Stage;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Nodes between two reports.
const HEARD: u32 = 1 << 14;
/// Not among the neighbours of the node at hand.
const NONE: u32 = u32::MAX;
/// The ground as a neighbour: what the excess leads to.
const GROUND: u32 = u32::MAX;

/// The graph that is left. Nodes go by their turn in the order of elimination.
struct Elimination<'a> {
    coupling: &'a Coupling,
    /// Turn → node.
    order: Vec<u32>,
    /// Node → turn.
    turns: Vec<u32>,
    /// Edges that were joined, each in the list of the end whose turn comes first. Those that the system
    /// has are read from it.
    joined: Lists,
    /// The weight to the ground, by turn.
    excess: Vec<f64>,
    random: ChaCha8Rng,
    /// The neighbours of the node at hand, merged; and where each stands among them.
    star: Vec<(f64, u32)>,
    at: Vec<u32>,
    /// Σ of the weights from here on.
    tails: Vec<f64>,
}

/// Eliminates all nodes of a system.
pub(super) fn eliminated<F: Scalar>(system: &Arranged, seed: u64, stage: &Stage) -> Eliminated<F> {
    let n = system.len();
    let order = order(system.coupling());
    let mut turns = vec![NONE; n];
    for (turn, &node) in order.iter().enumerate() {
        turns[node as usize] = turn as u32;
    }
    let excess = order.iter().map(|&node| system.excess()[node as usize]).collect();
    let mut elimination = Elimination {
        coupling: system.coupling(),
        order,
        turns,
        joined: Lists::new(n, system.coupling().stored()),
        excess,
        random: ChaCha8Rng::seed_from_u64(seed),
        star: Vec::new(),
        at: vec![NONE; n],
        tails: Vec::new(),
    };
    // Mostly one entry or somewhat more for each of the system, in both triangles. Room that is not used
    // takes no memory and is given back; room that is added takes a copy.
    let stored = system.coupling().stored();
    let mut factor = Eliminated::with_capacity(n, stored + stored / 2);
    for turn in 0..n as u32 {
        elimination.next(turn, &mut factor);
        if turn % HEARD == HEARD - 1 {
            // Whether to go on is asked by whoever began the stage, as soon as it is over.
            let _ = stage.advance(u64::from(HEARD));
        }
    }
    (factor.order, factor.turns) = (elimination.order, elimination.turns);
    factor.entries.shrink_to_fit();
    factor
}

impl Elimination<'_> {
    /// Eliminates the node whose turn it is, and writes its column.
    fn next<F: Scalar>(&mut self, turn: u32, factor: &mut Eliminated<F>) {
        self.gather(turn);
        // The small ones first: each is joined to one of the larger.
        self.star.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.tails.clear();
        self.tails.resize(self.star.len() + 1, 0.0);
        for at in (0..self.star.len()).rev() {
            self.tails[at] = self.tails[at + 1] + self.star[at].0;
        }
        let total = self.tails[0];
        for &(weight, neighbour) in self.star.iter().filter(|entry| entry.1 != GROUND) {
            factor.entries.push((neighbour, F::rounded(weight / total)));
        }
        factor.pivots.push(total);
        factor.starts.push(factor.entries.len());
        self.join(total);
    }

    /// Merges the edges that lead from a node to what is left.
    fn gather(&mut self, turn: u32) {
        let Self { coupling, order, turns, joined, star, at, .. } = self;
        star.clear();
        let mut meet = |neighbour: u32, weight: f64| match at[neighbour as usize] {
            NONE => {
                at[neighbour as usize] = star.len() as u32;
                star.push((weight, neighbour));
            }
            place => star[place as usize].0 += weight,
        };
        coupling.for_each(order[turn as usize] as usize, |node, weight| {
            let neighbour = turns[node];
            if neighbour > turn {
                meet(neighbour, weight);
            }
        });
        joined.take(turn, meet);
        for &(_, neighbour) in star.iter() {
            at[neighbour as usize] = NONE;
        }
        let excess = self.excess[turn as usize];
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
            let (first, last) = (from.min(to), from.max(to));
            if last == GROUND {
                self.excess[first as usize] += joined;
            } else if joined > 0.0 {
                self.joined.push(first, last, joined);
            }
        }
    }
}

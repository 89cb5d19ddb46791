//! Nodes in an order in which neighbours stand near each other.
//!
//! Points come in any order, and then every neighbour is a cache line far away. Here the graph is cut
//! into clusters of a thousand nodes or so, grown one beside the other; the vectors of a cluster and
//! of those around it stay in the caches while their rows are worked on. Nothing of it is seen
//! outside: right-hand sides are put in this order on their way in, solutions back on their way out.

use super::block::{Block, ROWS as PIECE, combine, with_width};
use super::team::Operator;
use crate::Grounded;
use crate::coupling::{Coupling, SparsePattern, SparseRows};
use pulp::Arch;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// Systems whose vectors fit the caches in any order are left as they are.
const FROM: usize = 8192;
/// With more neighbours than this on average no order brings them together.
const CROWDED: usize = 128;
/// Nodes of a cluster.
const CLUSTER: usize = 1024;
/// Rows that one task rewrites.
const ROWS: usize = 1024;
/// Not yet placed.
const NONE: u32 = u32::MAX;

/// An order of the rows of a system.
#[derive(Debug)]
pub(crate) struct Arrangement {
    /// Place → row.
    pub(crate) rows: Vec<u32>,
    /// Row → place.
    places: Vec<u32>,
}

impl Arrangement {
    /// Grows clusters breadth first. `None` where it would not pay. O(n + m).
    pub(crate) fn new(coupling: &Coupling) -> Option<Self> {
        let Coupling::Sparse(matrix) = coupling else { return None };
        if !pays(coupling) {
            return None;
        }
        let n = coupling.len();
        let pattern = &matrix.pattern;
        let mut places = vec![NONE; n];
        let mut rows = Vec::with_capacity(n);
        // Where clusters may begin: what the last ones reached and did not take.
        let mut seeds = VecDeque::new();
        let mut front = VecDeque::new();
        for first in 0..n {
            seeds.push_back(first as u32);
            while let Some(seed) = seeds.pop_front() {
                if places[seed as usize] != NONE {
                    continue;
                }
                let full = rows.len() + CLUSTER;
                front.push_back(seed);
                while rows.len() < full
                    && let Some(row) = front.pop_front()
                {
                    if places[row as usize] != NONE {
                        continue;
                    }
                    places[row as usize] = rows.len() as u32;
                    rows.push(row);
                    let open = |j: &u32| places[*j as usize] == NONE;
                    front.extend(pattern.row(row as usize).iter().copied().filter(open));
                }
                seeds.extend(front.drain(..));
            }
        }
        Some(Self { rows, places })
    }

    /// The weights of a system in this order.
    pub(crate) fn coupling(&self, matrix: &SparseRows) -> SparseRows {
        let mut starts = Vec::with_capacity(self.rows.len() + 1);
        let mut end = 0;
        starts.push(end);
        for &row in &self.rows {
            end += matrix.pattern.row(row as usize).len();
            starts.push(end);
        }
        let (mut columns, mut weights) = (vec![0; end], vec![0.0; end]);
        let mut tasks = Vec::new();
        let (mut rest_columns, mut rest_weights) = (&mut columns[..], &mut weights[..]);
        for (rows, starts) in self.rows.chunks(ROWS).zip(starts.chunks(ROWS)) {
            let last = rows.last().map_or(0, |&row| matrix.pattern.row(row as usize).len());
            let length = starts[rows.len() - 1] - starts[0] + last;
            let (own_columns, after) = rest_columns.split_at_mut(length);
            rest_columns = after;
            let (own_weights, after) = rest_weights.split_at_mut(length);
            rest_weights = after;
            tasks.push((rows, own_columns, own_weights));
        }
        tasks.into_par_iter().for_each(|(rows, columns, weights)| {
            let mut entries: Vec<(u32, f64)> = Vec::new();
            let mut target = columns.iter_mut().zip(weights);
            for &row in rows {
                let (neighbours, weights) = matrix.row(row as usize);
                entries.clear();
                let placed = neighbours.iter().map(|&j| self.places[j as usize]);
                entries.extend(placed.zip(weights.iter().copied()));
                entries.sort_unstable_by_key(|entry| entry.0);
                for (&(column, weight), (to, at)) in entries.iter().zip(&mut target) {
                    (*to, *at) = (column, weight);
                }
            }
        });
        SparseRows { pattern: Arc::new(SparsePattern { starts, columns }), weights }
    }

    /// Numbers of the rows, in this order.
    pub(crate) fn vector(&self, numbers: &[f64]) -> Vec<f64> {
        self.rows.par_iter().with_min_len(ROWS).map(|&row| numbers[row as usize]).collect()
    }
}

fn pays(coupling: &Coupling) -> bool {
    let n = coupling.len();
    n >= FROM && coupling.stored() <= CROWDED * n
}

/// A system as conjugate gradients go through it.
#[derive(Debug)]
pub(crate) struct Arranged {
    /// None for the order in which it was given.
    order: Option<Arc<Arrangement>>,
    own: Option<(Coupling, Vec<f64>, Vec<f64>)>,
    system: Grounded,
}

impl Arranged {
    pub(crate) fn new(system: &Grounded, order: Option<Arc<Arrangement>>) -> Self {
        let own = match (&order, system.coupling()) {
            (Some(order), Coupling::Sparse(matrix)) => Some((
                Coupling::Sparse(order.coupling(matrix)),
                order.vector(system.excess()),
                order.vector(system.diagonal_slice()),
            )),
            _ => None,
        };
        Self { order, own, system: system.clone() }
    }

    /// Bytes that it takes beside the system, at most.
    pub(crate) fn bytes(system: &Grounded) -> u64 {
        if pays(system.coupling()) { system.bytes() } else { 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.system.len()
    }

    pub(crate) fn coupling(&self) -> &Coupling {
        self.own.as_ref().map_or(self.system.coupling(), |(coupling, ..)| coupling)
    }

    pub(crate) fn excess(&self) -> &[f64] {
        self.own.as_ref().map_or(self.system.excess(), |(_, excess, _)| excess)
    }

    /// The row of the system at a place.
    pub(crate) fn row(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order.rows[place] as usize)
    }

    /// The place of a row of the system.
    pub(crate) fn place(&self, row: usize) -> usize {
        self.order.as_ref().map_or(row, |order| order.places[row] as usize)
    }
}

impl Operator for Arranged {
    fn rows(&self) -> usize {
        self.len()
    }

    fn apply(&self, x: &Block, _: &Block, y: &mut Block) -> Vec<f64> {
        let (coupling, excess) = (self.coupling(), self.excess());
        with_width!(x.width(), W => {
            let x = x.rows::<W>();
            let pieces = y.rows_mut::<W>().par_chunks_mut(PIECE).enumerate();
            // In the widest vectors that the machine has: the same sums in the same order.
            let arch = Arch::new();
            let parts = pieces.map(|(piece, y)| {
                arch.dispatch(
                    #[inline(always)]
                    || {
                        let mut products = [0.0; W];
                        for (at, y) in y.iter_mut().enumerate() {
                            let i = piece * PIECE + at;
                            *y = coupling.flow(i, excess[i], |j| x[j]);
                            for c in 0..W {
                                products[c] += x[i][c] * y[c];
                            }
                        }
                        products
                    },
                )
            });
            combine(parts.collect(), |x, y| x + y)
        })
    }

    fn diagonal(&self) -> &[f64] {
        self.own.as_ref().map_or(self.system.diagonal_slice(), |(.., diagonal)| diagonal)
    }
}

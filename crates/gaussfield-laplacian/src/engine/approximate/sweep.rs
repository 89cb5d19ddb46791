//! Passes through an approximate factor, forth and back.

use crate::engine::block::{Block, with_width};
use pulp::Arch;
use rayon::prelude::*;
use std::fmt::Debug;
use std::ops::{AddAssign, Mul};

/// Most columns that go through the factor side by side.
const WIDE: usize = 8;

/// Numbers of a factor.
pub(crate) trait Scalar:
    Copy + Default + Debug + Send + Sync + AddAssign + Mul<Output = Self>
{
    fn rounded(number: f64) -> Self;
    fn wide(self) -> f64;
}

impl Scalar for f32 {
    fn rounded(number: f64) -> Self {
        number as f32
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Scalar for f64 {
    fn rounded(number: f64) -> Self {
        number
    }

    fn wide(self) -> f64 {
        self
    }
}

/// What an elimination leaves behind.
#[derive(Debug)]
pub(super) struct Eliminated<F> {
    /// The nodes, in the order of elimination: turn → node.
    pub(super) order: Vec<u32>,
    /// Node → turn.
    pub(super) turns: Vec<u32>,
    /// Where the entries of each of them begin.
    pub(super) starts: Vec<usize>,
    /// Neighbours that were left, by their turns, with their share −L of the weight to all, the ground included.
    pub(super) entries: Vec<(u32, F)>,
    /// D: the weight to all.
    pub(super) pivots: Vec<f64>,
}

impl<F> Eliminated<F> {
    pub(super) fn with_capacity(n: usize, entries: usize) -> Self {
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        let (entries, pivots) = (Vec::with_capacity(entries), Vec::with_capacity(n));
        Self { order: Vec::new(), turns: Vec::new(), starts, entries, pivots }
    }
}

impl Eliminated<f32> {
    pub(super) fn widened(self) -> Eliminated<f64> {
        let Self { order, turns, starts, entries, pivots } = self;
        let entries = entries.into_iter().map(|(turn, share)| (turn, share.wide())).collect();
        Eliminated { order, turns, starts, entries, pivots }
    }
}

/// L D Lᵀ with numbers of one precision.
///
/// Vectors on their way through it stand in the order of elimination: of the rows that an entry joins
/// one is the next, and the others, of each degree, are not far from those that the last one needed.
#[derive(Debug)]
pub(crate) struct Sweep<F> {
    order: Vec<u32>,
    turns: Vec<u32>,
    starts: Vec<usize>,
    entries: Vec<(u32, F)>,
    /// unit·D⁻¹; zero for a part without ground, whose constant is left where it is.
    inverse_pivots: Vec<F>,
    unit: f64,
}

impl<F: Scalar> Sweep<F> {
    /// Pivots are divided by `unit`.
    pub(super) fn new(factor: Eliminated<F>, unit: f64) -> Self {
        let Eliminated { order, turns, starts, entries, pivots } = factor;
        let inverse = |&pivot: &f64| {
            let inverse = unit / pivot;
            F::rounded(if inverse.is_finite() { inverse } else { 0.0 })
        };
        let inverse_pivots = pivots.iter().map(inverse).collect();
        Self { order, turns, starts, entries, inverse_pivots, unit }
    }

    /// One array for each share of the columns.
    pub(super) fn scratch(&self, width: usize) -> Vec<Vec<F>> {
        let (shares, wide) = shares(width);
        (0..shares).map(|_| vec![F::default(); wide * self.order.len()]).collect()
    }

    /// z = (L D Lᵀ)⁻¹ r / scale. The columns are dealt out to the threads; each share of them goes
    /// through the factor once. The numbers of a column do not depend on its company.
    pub(super) fn solve(&self, r: &Block, scale: f64, z: &mut Block, memory: &mut Vec<Vec<F>>) {
        let width = r.width();
        let (shares, wide) = shares(width);
        if memory.len() != shares || memory.iter().any(|x| x.len() != wide * self.order.len()) {
            *memory = self.scratch(width);
        }
        memory.par_iter_mut().enumerate().for_each(|(share, x)| {
            let first = share * wide;
            with_width!(wide, W => {
                let x = x.as_chunks_mut().0;
                // In the widest vectors that the machine has: the same numbers.
                Arch::new().dispatch(#[inline(always)] || self.pass::<W>(r, first, x))
            });
        });
        let back = 1.0 / (scale * self.unit);
        let memory = &*memory;
        z.update_rows(|i, row| {
            let turn = self.turns[i] as usize;
            for (row, x) in row.chunks_mut(wide).zip(memory) {
                for (z, x) in row.iter_mut().zip(&x[turn * wide..]) {
                    *z = x.wide() * back;
                }
            }
        });
    }

    /// The pivot of the node that was eliminated at this place, times `scale`.
    fn pivot(&self, at: usize, scale: f64) -> f64 {
        scale * self.unit / self.inverse_pivots[at].wide()
    }

    /// ln det (scale · L D Lᵀ).
    pub(super) fn log_det(&self, scale: f64) -> f64 {
        (0..self.order.len()).map(|at| self.pivot(at, scale).ln()).sum()
    }

    /// r = L D^½ y for D times `scale`.
    pub(super) fn root(&self, y: &Block, scale: f64, r: &mut Block) {
        let width = y.width();
        let place = |node: u32| node as usize * width..(node as usize + 1) * width;
        let r = r.data_mut();
        r.fill(0.0);
        for (at, &node) in self.order.iter().enumerate() {
            let root = self.pivot(at, scale).sqrt();
            let own = &y.data()[place(node)];
            for &(neighbour, share) in &self.entries[self.starts[at]..self.starts[at + 1]] {
                let share = root * share.wide();
                let neighbour = place(self.order[neighbour as usize]);
                r[neighbour].iter_mut().zip(own).for_each(|(r, y)| *r -= share * y);
            }
            r[place(node)].iter_mut().zip(own).for_each(|(r, y)| *r += root * y);
        }
    }

    /// Columns `first`… of r through the factor, in x.
    #[inline(always)]
    fn pass<const W: usize>(&self, r: &Block, first: usize, x: &mut [[F; W]]) {
        let width = r.width();
        for (x, &node) in x.iter_mut().zip(&self.order) {
            let r = &r.data()[node as usize * width..][first..width];
            *x = [F::default(); W];
            for (x, r) in x.iter_mut().zip(r) {
                *x = F::rounded(*r);
            }
        }
        // L y = r, then D⁻¹.
        for at in 0..x.len() {
            let own = x[at];
            for &(neighbour, share) in &self.entries[self.starts[at]..self.starts[at + 1]] {
                let target = &mut x[neighbour as usize];
                for c in 0..W {
                    target[c] += share * own[c];
                }
            }
            let inverse = self.inverse_pivots[at];
            x[at] = own.map(|x| x * inverse);
        }
        // Lᵀ x = y.
        for at in (0..x.len()).rev() {
            let mut own = x[at];
            for &(neighbour, share) in &self.entries[self.starts[at]..self.starts[at + 1]] {
                let source = x[neighbour as usize];
                for c in 0..W {
                    own[c] += share * source[c];
                }
            }
            x[at] = own;
        }
    }
}

/// Into how many shares columns are dealt out, and how many each has at most.
fn shares(width: usize) -> (usize, usize) {
    let shares = width.div_ceil(WIDE).max(rayon::current_num_threads().min(width));
    let wide = crate::engine::block::width_for(width.div_ceil(shares));
    (width.div_ceil(wide), wide)
}

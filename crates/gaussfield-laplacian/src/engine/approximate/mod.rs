//! An approximate factor L D Lᵀ ≈ A with about as many entries as A has.

mod elimination;
mod lists;
mod order;
mod sweep;

use super::arrangement::Arranged;
use super::block::Block;
use super::team::Operator;
use elimination::eliminated;
use gaussfield_core::Stage;
use sweep::{Eliminated, Sweep};

/// Where weights or pivots lie further apart, numbers are kept in double precision. What is left of a
/// part that hangs on by weak links is a small sum of large numbers over a small pivot: in single
/// precision it would be all rounding.
const SPREAD: f64 = 1e5;

/// L D Lᵀ, L with ones on the diagonal.
///
/// Eliminating a node exactly joins its neighbours by a clique. Here each clique is replaced by a
/// random tree on the same nodes whose weights are right on average (Kyng and Sachdeva 2016; Gao,
/// Kyng and Spielman 2023), so that edges never become more. Everything is sums of non-negative
/// numbers: weak links keep their digits.
///
/// The factor itself is rounded to single precision where its numbers allow it. That makes it
/// another factor, about as good, in half the memory; what it is good for, conjugate gradients in
/// double precision, does not become less exact.
#[derive(Debug)]
pub(crate) enum ApproximateFactor {
    Single(Sweep<f32>),
    Double(Sweep<f64>),
}

/// Memory for the solves with a factor.
#[derive(Debug)]
pub(crate) enum Scratch {
    Single(Vec<Vec<f32>>),
    Double(Vec<Vec<f64>>),
}

impl ApproximateFactor {
    /// Samples with this seed: the same system, the same factor. The stage counts nodes.
    pub(crate) fn new(system: &Arranged, seed: u64, stage: &Stage) -> Self {
        let (least, most) = range(system.diagonal());
        if most > SPREAD * least {
            return Self::Double(Sweep::new(eliminated(system, seed, stage), 1.0));
        }
        let factor: Eliminated<f32> = eliminated(system, seed, stage);
        let (least, most) = range(&factor.pivots);
        if most <= SPREAD * least {
            // The largest pivot counts as 1.
            Self::Single(Sweep::new(factor, most))
        } else {
            Self::Double(Sweep::new(factor.widened(), 1.0))
        }
    }

    /// Memory for blocks of this width.
    pub(crate) fn scratch(&self, width: usize) -> Scratch {
        match self {
            Self::Single(sweep) => Scratch::Single(sweep.scratch(width)),
            Self::Double(sweep) => Scratch::Double(sweep.scratch(width)),
        }
    }

    /// z = (L D Lᵀ)⁻¹ r / scale.
    pub(crate) fn solve(&self, r: &Block, scale: f64, z: &mut Block, scratch: &mut Scratch) {
        match (self, scratch) {
            (Self::Single(sweep), Scratch::Single(memory)) => sweep.solve(r, scale, z, memory),
            (Self::Double(sweep), Scratch::Double(memory)) => sweep.solve(r, scale, z, memory),
            // Memory of another factor: not what this one left.
            (own, other) => {
                *other = own.scratch(r.width());
                own.solve(r, scale, z, other);
            }
        }
    }

    /// ln det of the factor times `scale`.
    pub(crate) fn log_det(&self, scale: f64) -> f64 {
        match self {
            Self::Single(sweep) => sweep.log_det(scale),
            Self::Double(sweep) => sweep.log_det(scale),
        }
    }

    /// r = √scale · L D^½ y.
    pub(crate) fn root(&self, y: &Block, scale: f64, r: &mut Block) {
        match self {
            Self::Single(sweep) => sweep.root(y, scale, r),
            Self::Double(sweep) => sweep.root(y, scale, r),
        }
    }
}

/// The least and the largest of the positive numbers.
fn range(numbers: &[f64]) -> (f64, f64) {
    let positive = numbers.iter().filter(|&&number| number > 0.0);
    positive
        .fold((f64::INFINITY, 0.0), |(least, most), &number| (least.min(number), most.max(number)))
}

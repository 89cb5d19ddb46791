//! Preconditioned conjugate gradients on many columns at once.
//!
//! Each column has its own scalars and leaves the block when it is done; the pass over the matrix
//! is shared. Around it runs iterative refinement: the residual is recomputed in difference form,
//! which keeps its digits, and corrected again until it really is small.

use super::block::Block;
use super::preconditioner::Preparation;
use super::scaling::PowerOfTwo;
use crate::{Grounded, LaplacianError};
use gaussfield_core::{Budget, Cancelled, NotConverged, OverBudget, Progress, Stage};
use ndarray::{Array2, ArrayView2, s};

/// Columns that share a pass: more would not fit the caches.
const WIDTH: usize = 16;
/// Refinements after the first run.
const ROUNDS: usize = 8;

#[derive(Debug)]
pub(crate) struct ConjugateGradient {
    pub(crate) preparation: Preparation,
    /// Relative residual to reach; certification may have tightened it.
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: usize,
    /// What is left for vectors.
    pub(crate) budget: Budget,
}

/// Columns solved.
pub(crate) struct Run {
    pub(crate) values: Array2<f64>,
    pub(crate) effort: Effort,
}

/// How much was done.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Effort {
    /// Iterations of the slowest column.
    pub(crate) slowest: usize,
    /// Iterations of all columns together.
    pub(crate) total: usize,
}

/// When a column is done.
struct Limits<'a> {
    /// Residual to reach.
    goal: &'a [f64],
    /// Largest entry of the solution so far.
    size: &'a [f64],
    tolerance: f64,
    most: usize,
}

/// Where a run begins.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    pub(crate) values: ArrayView2<'a, f64>,
    /// Whether the values come from another system. A column is then not done by its residual
    /// alone, and one that is worse than nothing starts at zero.
    pub(crate) guessed: bool,
}

impl ConjugateGradient {
    /// Whether the vectors for so many right-hand sides fit the budget.
    pub(crate) fn check_columns(&self, n: usize, columns: usize) -> Result<(), OverBudget> {
        // Right-hand sides, start and solution, twice; and what the columns of one pass need.
        let numbers = n * (4 * (columns + 1) + 12 * WIDTH.min(columns + 1));
        self.budget.take("the vectors of conjugate gradients", 8 * numbers as u64).map(|_| ())
    }

    /// Solves all columns to `tolerance`, [`WIDTH`] at a time, from `start`.
    pub(crate) fn solve(
        &self,
        system: &Grounded,
        rhs: ArrayView2<f64>,
        start: Start,
        tolerance: f64,
    ) -> Result<Run, LaplacianError> {
        let (n, columns) = rhs.dim();
        let mut values = Array2::zeros((n, columns));
        let mut effort = Effort::default();
        let stage = Progress::stage("conjugate gradients", None);
        for first in (0..columns).step_by(WIDTH) {
            let range = s![.., first..columns.min(first + WIDTH)];
            let block = |view: ArrayView2<f64>| {
                let part = view.slice(range);
                Block { columns: part.ncols(), data: part.iter().copied().collect() }
            };
            let mut b = block(rhs);
            let mut x = block(start.values);
            // Columns brought to size 1, exactly: squares of their entries stay in range.
            let scales: Vec<PowerOfTwo> =
                b.largest().into_iter().map(PowerOfTwo::normalising).collect();
            b.update_rows(|_, row| scale(row, &scales, false));
            x.update_rows(|_, row| scale(row, &scales, false));
            let (mut x, done) = self.refine(system, &b, x, start.guessed, tolerance, &stage)?;
            x.update_rows(|_, row| scale(row, &scales, true));
            for (target, &value) in values.slice_mut(range).iter_mut().zip(&x.data) {
                *target = value;
            }
            effort.slowest = effort.slowest.max(done.slowest);
            effort.total += done.total;
        }
        Ok(Run { values, effort })
    }

    /// Runs conjugate gradients on the residual until the true residual of every column is below
    /// tolerance·‖b‖, or as small as rounding x allows.
    fn refine(
        &self,
        system: &Grounded,
        b: &Block,
        mut x: Block,
        guessed: bool,
        tolerance: f64,
        stage: &Stage,
    ) -> Result<(Block, Effort), LaplacianError> {
        let sizes = b.norms();
        let goals: Vec<f64> = sizes.iter().map(|norm| tolerance * norm).collect();
        let mut residual = residual(system, b, &x);
        let mut before = residual.norms();
        // Worse than nothing.
        let useless = |c: usize| guessed && (before[c] > sizes[c] || before[c].is_nan());
        if (0..b.columns).any(useless) {
            let useless: Vec<usize> = (0..b.columns).filter(|&c| useless(c)).collect();
            x.update_rows(|_, row| useless.iter().for_each(|&c| row[c] = 0.0));
            residual = self::residual(system, b, &x);
            before = residual.norms();
        }
        // A small residual tells nothing of a guess where a part hangs on by weak links: the
        // preconditioned residual is asked as well.
        let waits = |c: usize| before[c] > goals[c] || (guessed && goals[c] > 0.0);
        let mut open: Vec<usize> = (0..b.columns).filter(|&c| waits(c)).collect();
        let mut effort = Effort::default();
        let mut round = 0;
        while !open.is_empty() {
            let goal: Vec<f64> = open.iter().map(|&c| 0.5 * goals[c]).collect();
            let size = x.select(&open).largest();
            let limits = Limits {
                goal: &goal,
                size: &size,
                tolerance,
                most: self.max_iterations - effort.slowest,
            };
            let (delta, done) = self.correct(system, residual.select(&open), limits, stage)?;
            for (at, &c) in open.iter().enumerate() {
                x.add_column(c, &delta, at);
            }
            effort.slowest += done.slowest;
            effort.total += done.total;
            round += 1;
            residual = self::residual(system, b, &x);
            let now = residual.norms();
            // Rounding x alone moves A x by about ε·‖D x‖.
            let floor = x.weighted_norms(system.diagonal_slice());
            let reached = |c: usize| now[c] <= goals[c] || now[c] <= 4.0 * f64::EPSILON * floor[c];
            let stuck = effort.slowest >= self.max_iterations || round > ROUNDS;
            // A NaN counts as no progress.
            let progress = |c: usize| now[c] < 0.5 * before[c];
            let failed = |c: usize| !reached(c) && (stuck || !progress(c));
            if open.iter().any(|&c| failed(c)) {
                let ratio = |&c: &usize| tolerance * now[c] / goals[c];
                return Err(LaplacianError::NotConverged(NotConverged {
                    method: "the method of conjugate gradients",
                    iterations: effort.slowest,
                    measure: "the relative residual",
                    reached: open.iter().map(ratio).fold(0.0, f64::max),
                    tolerance,
                    remedy: "allow more iterations, use the approximate Cholesky preconditioner, \
                             or a direct solver",
                }));
            }
            open.retain(|&c| !reached(c));
            before = now;
        }
        Ok((x, effort))
    }

    /// Conjugate gradients for A δ = r, from zero. A column is done when ‖r‖ ≤ its goal and the
    /// preconditioned residual, an estimate of the error itself, is below tolerance times the
    /// largest entry of the solution (before, or δ): a cluster that hangs on by weak links
    /// has a tiny residual, but not a tiny error.
    fn correct(
        &self,
        system: &Grounded,
        mut r: Block,
        limits: Limits,
        stage: &Stage,
    ) -> Result<(Block, Effort), Cancelled> {
        let Limits { goal, size, tolerance, most } = limits;
        let n = system.len();
        let mut result = Block::zeros(n, r.columns);
        let mut active: Vec<usize> = (0..r.columns).collect();
        let mut d = Block::zeros(n, r.columns);
        let mut z = Block::zeros(n, r.columns);
        self.preparation.apply(&r, &mut z);
        let mut p = z.clone();
        let mut product = Block::zeros(n, r.columns);
        let mut rz = r.dots(&z);
        let mut iterations = 0;
        let mut total = 0;
        let mut norms = r.norms();
        loop {
            let small = |at: usize| norms[at] <= goal[active[at]];
            let mut done = vec![false; active.len()];
            if (0..active.len()).any(small) {
                let (errors, sizes) = (z.largest(), d.largest());
                for (at, &c) in active.iter().enumerate() {
                    done[at] = small(at) && errors[at] <= tolerance * sizes[at].max(size[c]);
                }
            }
            // A column without a direction left (or with a NaN) can go no further.
            let alive = |at: usize| rz[at] > 0.0;
            let ended = |at: usize| done[at] || !alive(at) || iterations >= most;
            let (out, keep): (Vec<usize>, Vec<usize>) =
                (0..active.len()).partition(|&at| ended(at));
            for &at in &out {
                result.add_column(active[at], &d, at);
            }
            total += iterations * out.len();
            if keep.is_empty() {
                return Ok((result, Effort { slowest: iterations, total }));
            }
            if !out.is_empty() {
                (d, r, p) = (d.select(&keep), r.select(&keep), p.select(&keep));
                rz = keep.iter().map(|&at| rz[at]).collect();
                active = keep.iter().map(|&at| active[at]).collect();
                (z, product) = (Block::zeros(n, keep.len()), Block::zeros(n, keep.len()));
            }
            system.apply_rows(&p.data, &mut product.data, p.columns);
            let curvature = p.dots(&product);
            let step: Vec<f64> = rz.iter().zip(&curvature).map(|(rz, pap)| rz / pap).collect();
            norms = Block::advance(&step, (&mut d, &p), (&mut r, &product));
            self.preparation.apply(&r, &mut z);
            let new = r.dots(&z);
            let beta: Vec<f64> = new.iter().zip(&rz).map(|(new, old)| new / old).collect();
            p.scale_and_add(&beta, &z);
            rz = new;
            iterations += 1;
            stage.step()?;
        }
    }
}

/// Multiplies each column by its power of two, or divides.
fn scale(row: &mut [f64], scales: &[PowerOfTwo], back: bool) {
    for (x, &scale) in row.iter_mut().zip(scales) {
        *x = if back { scale.inverse().times(*x) } else { scale.times(*x) };
    }
}

/// b − A x in difference form.
fn residual(system: &Grounded, b: &Block, x: &Block) -> Block {
    let mut r = Block::zeros(system.len(), x.columns);
    system.apply_rows(&x.data, &mut r.data, x.columns);
    let minus = vec![-1.0; x.columns];
    r.scale_and_add(&minus, b);
    r
}

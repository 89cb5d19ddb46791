//! Preconditioned conjugate gradients on a block of columns, whoever shares the work.
//!
//! Each column has its own scalars; the passes over matrix and preconditioner are shared. Around it
//! runs iterative refinement: the residual is recomputed in difference form, which keeps its digits,
//! and corrected again until it really is small.

use super::block::Block;
use super::team::{Operator, Precondition, Team};
use crate::LaplacianError;
use gaussfield_core::{Cancelled, NotConverged, Stage};

/// Refinements after the first run.
const ROUNDS: usize = 8;

/// A system with what it takes to iterate on it.
#[derive(Debug)]
pub struct Iteration<'a, T, A, M> {
    /// Who shares the work.
    pub team: &'a T,
    /// The rows of this member.
    pub operator: &'a A,
    /// M ≈ A.
    pub preconditioner: &'a M,
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Most iterations of a column.
    pub max_iterations: usize,
}

/// How much was done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Effort {
    /// Iterations of the slowest column.
    pub slowest: usize,
    /// Iterations of all columns together.
    pub total: usize,
}

/// A block solved.
#[derive(Debug)]
pub struct Refined {
    /// The solutions.
    pub values: Block,
    /// What it took.
    pub effort: Effort,
    /// The largest ‖b − A x‖ / ‖b‖ of a column.
    pub residual: f64,
}

/// Where a run begins.
#[derive(Debug)]
pub enum Start {
    /// At nothing.
    Zero,
    /// At an earlier result for the same system.
    Known(Block),
    /// At values from another system: a column is not done by its residual alone, and one that is
    /// worse than nothing starts at zero.
    Guessed(Block),
}

/// When a column is done.
struct Limits<'a> {
    /// Residual to reach.
    goal: &'a [f64],
    /// Largest entry of the solution so far.
    size: &'a [f64],
    most: usize,
}

impl<T: Team, A: Operator, M: Precondition> Iteration<'_, T, A, M> {
    /// Runs conjugate gradients on the residual until the true residual of each of the first `columns`
    /// columns is below tolerance·‖b‖, or as small as rounding x allows. `right(i, row)` writes b.
    ///
    /// # Errors
    /// A residual that does not become small, in time or at all; a stage that was cancelled.
    pub fn solve(
        &self,
        columns: usize,
        right: &(impl Fn(usize, &mut [f64]) + Sync),
        start: Start,
        stage: &Stage,
    ) -> Result<Refined, LaplacianError> {
        let n = self.operator.rows();
        let mut residual = Block::zeros(n, columns);
        residual.update_rows(right);
        let sizes = self.norms(residual.squares());
        let goals: Vec<f64> = sizes.iter().map(|norm| self.tolerance * norm).collect();
        let mut before = sizes.clone();
        let (mut x, guessed) = match start {
            Start::Zero => (None, false),
            Start::Known(x) => (Some(x), false),
            Start::Guessed(x) => (Some(x), true),
        };
        if let Some(x) = &mut x {
            before = self.residual(x, right, &mut residual);
            // Worse than nothing.
            let useless = |&c: &usize| guessed && (before[c] > sizes[c] || before[c].is_nan());
            let useless: Vec<usize> = (0..columns).filter(useless).collect();
            if !useless.is_empty() {
                x.update_rows(|_, row| useless.iter().for_each(|&c| row[c] = 0.0));
                before = self.residual(x, right, &mut residual);
            }
        }
        // A small residual tells nothing of a guess where a part hangs on by weak links: the
        // preconditioned residual is asked as well.
        let waits = |&c: &usize| before[c] > goals[c] || (guessed && goals[c] > 0.0);
        let mut open: Vec<usize> = (0..columns).filter(waits).collect();
        let mut effort = Effort::default();
        let mut round = 0;
        while !open.is_empty() {
            let goal: Vec<f64> = open.iter().map(|&c| 0.5 * goals[c]).collect();
            let most = self.max_iterations - effort.slowest;
            let (values, done) = match x.take() {
                None if open.len() == columns => {
                    let limits = Limits { goal: &goal, size: &vec![0.0; columns], most };
                    self.correct(&mut residual, open.len(), limits, stage)?
                }
                known => {
                    let mut x = known.unwrap_or_else(|| Block::zeros(n, columns));
                    let size = self.largest(&x);
                    let size: Vec<f64> = open.iter().map(|&c| size[c]).collect();
                    let limits = Limits { goal: &goal, size: &size, most };
                    let mut rest = residual.select(&open);
                    let (delta, done) = self.correct(&mut rest, open.len(), limits, stage)?;
                    x.add_columns(&open, &delta);
                    (x, done)
                }
            };
            effort.slowest += done.slowest;
            effort.total += done.total;
            round += 1;
            let now = self.residual(&values, right, &mut residual);
            // Rounding x alone moves A x by about ε·‖D x‖.
            let floor = self.norms(values.weighted_squares(self.operator.diagonal()));
            let reached = |c: usize| now[c] <= goals[c] || now[c] <= 4.0 * f64::EPSILON * floor[c];
            let stuck = effort.slowest >= self.max_iterations || round > ROUNDS;
            // A NaN counts as no progress.
            let progress = |c: usize| now[c] < 0.5 * before[c];
            let failed = |c: usize| !reached(c) && (stuck || !progress(c));
            if open.iter().any(|&c| failed(c)) {
                let ratio = |&c: &usize| self.tolerance * now[c] / goals[c];
                return Err(LaplacianError::NotConverged(NotConverged {
                    method: "the method of conjugate gradients",
                    iterations: effort.slowest,
                    measure: "the relative residual",
                    reached: open.iter().map(ratio).fold(0.0, f64::max),
                    tolerance: self.tolerance,
                    remedy: "allow more iterations, use the approximate Cholesky preconditioner, \
                             or a direct solver",
                }));
            }
            open.retain(|&c| !reached(c));
            before = now;
            x = Some(values);
        }
        let relative = (0..columns).filter(|&c| sizes[c] > 0.0).map(|c| before[c] / sizes[c]);
        let residual = relative.fold(0.0, f64::max);
        let values = x.unwrap_or_else(|| Block::zeros(n, columns));
        Ok(Refined { values, effort, residual })
    }

    /// Conjugate gradients for A δ = r, from zero. A column is done when ‖r‖ ≤ its goal and the
    /// preconditioned residual, an estimate of the error itself, is below tolerance times the
    /// largest entry of the solution (before, or δ): a cluster that hangs on by weak links
    /// has a tiny residual, but not a tiny error.
    fn correct(
        &self,
        r: &mut Block,
        columns: usize,
        limits: Limits,
        stage: &Stage,
    ) -> Result<(Block, Effort), Cancelled> {
        let Limits { goal, size, most } = limits;
        let n = self.operator.rows();
        let mut d = Block::zeros(n, columns);
        let mut ghosts = Block::zeros(self.operator.ghosts(), columns);
        // M⁻¹r, and A p once that was used: one is always done with when the other is made.
        let mut image = Block::zeros(n, columns);
        let mut scratch = self.preconditioner.scratch(r.width());
        self.preconditioner.apply(r, &mut image, &mut scratch);
        let mut p = image.clone();
        let mut rz = self.sums(r.dots(&image));
        let mut norms = self.norms(r.squares());
        let first = norms.clone();
        let mut going = vec![true; columns];
        let mut effort = Effort::default();
        loop {
            let small = |c: usize| going[c] && norms[c] <= goal[c];
            let mut ends: Vec<bool> = (0..columns)
                // A column without a direction left (or with a NaN) can go no further.
                .map(|c| rz[c].is_nan() || rz[c] <= 0.0 || effort.slowest >= most)
                .collect();
            if (0..columns).any(small) {
                let (errors, sizes) = (self.largest(&image), self.largest(&d));
                for c in (0..columns).filter(|&c| small(c)) {
                    ends[c] |= errors[c] <= self.tolerance * sizes[c].max(size[c]);
                }
            }
            for c in 0..columns {
                if going[c] && ends[c] {
                    going[c] = false;
                    effort.total += effort.slowest;
                }
            }
            if !going.contains(&true) {
                return Ok((d, effort));
            }
            self.team.exchange(&p, &mut ghosts);
            let curvature = self.sums(self.operator.apply(&p, &ghosts, &mut image));
            // Columns that are done stay where they are.
            let ratio = |c: usize, over: f64, under: f64| if going[c] { over / under } else { 0.0 };
            let step: Vec<f64> = (0..columns).map(|c| ratio(c, rz[c], curvature[c])).collect();
            norms = self.norms(Block::advance(&step, (&mut d, &p), (&mut *r, &image)));
            self.preconditioner.apply(r, &mut image, &mut scratch);
            let new = self.sums(r.dots(&image));
            let turn: Vec<f64> = (0..columns).map(|c| ratio(c, new[c], rz[c])).collect();
            p.scale_and_add(&turn, &image);
            rz = new;
            effort.slowest += 1;
            let way = |c: usize| Stage::way(first[c], norms[c], goal[c]);
            let slowest = (0..columns).filter(|&c| going[c]).map(way).fold(1.0, f64::min);
            stage.reach(slowest)?;
        }
    }

    /// r = b − A x in difference form; gives its norms.
    fn residual(
        &self,
        x: &Block,
        right: &(impl Fn(usize, &mut [f64]) + Sync),
        r: &mut Block,
    ) -> Vec<f64> {
        let mut ghosts = Block::zeros(self.operator.ghosts(), x.width());
        self.team.exchange(x, &mut ghosts);
        self.operator.apply(x, &ghosts, r);
        r.update_rows(|i, row| {
            let mut b = [0.0; super::block::MOST];
            right(i, &mut b[..row.len()]);
            for (r, b) in row.iter_mut().zip(b) {
                *r = b - *r;
            }
        });
        self.norms(r.squares())
    }

    fn sums(&self, mut own: Vec<f64>) -> Vec<f64> {
        self.team.sum(&mut own);
        own
    }

    fn norms(&self, squares: Vec<f64>) -> Vec<f64> {
        self.sums(squares).into_iter().map(f64::sqrt).collect()
    }

    fn largest(&self, block: &Block) -> Vec<f64> {
        let mut largest = block.largest();
        self.team.max(&mut largest);
        largest
    }
}

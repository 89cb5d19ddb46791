//! Conjugate gradients as a solver: many columns, a block at a time, in an order that suits the
//! caches.

use super::arrangement::Arranged;
use super::block::{Block, MOST};
use super::iteration::{Effort, Iteration, Start};
use super::preconditioner::Preparation;
use super::scaling::PowerOfTwo;
use super::team::Solo;
use crate::LaplacianError;
use gaussfield_core::{Budget, OverBudget, Progress};
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, Axis};

/// Rows that one task copies.
const ROWS: usize = 1024;

#[derive(Debug)]
pub(crate) struct ConjugateGradient {
    pub(crate) arranged: Arranged,
    pub(crate) preparation: Preparation,
    /// Relative residual to reach; certification may have tightened it.
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: usize,
    /// What is left for vectors.
    pub(crate) budget: Budget,
}

/// Right-hand sides or solutions: those of the caller, and perhaps one more.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub(crate) given: ArrayView2<'a, f64>,
    pub(crate) last: Option<&'a [f64]>,
}

impl Columns<'_> {
    fn count(&self) -> usize {
        self.given.ncols() + usize::from(self.last.is_some())
    }

    /// Columns `first`… of a row.
    fn read(&self, row: usize, first: usize, into: &mut [f64]) {
        let given = self.given.row(row);
        for (at, into) in into.iter_mut().enumerate() {
            *into = match given.get(first + at) {
                Some(&number) => number,
                None if first + at == given.len() => self.last.map_or(0.0, |last| last[row]),
                None => 0.0,
            };
        }
    }
}

/// Columns solved.
pub(crate) struct Run {
    pub(crate) values: Array2<f64>,
    /// The solution of the one more.
    pub(crate) last: Option<Vec<f64>>,
    pub(crate) effort: Effort,
    /// The largest ‖b − A x‖ / ‖b‖ of a column.
    pub(crate) residual: f64,
}

impl ConjugateGradient {
    /// Whether the vectors for so many right-hand sides fit the budget.
    pub(crate) fn check_columns(&self, n: usize, columns: usize) -> Result<(), OverBudget> {
        // Right-hand sides and solutions, twice; four blocks and one of half the precision.
        let numbers = n * (4 * (columns + 1) + 5 * MOST.min(columns + 1));
        self.budget.take("the vectors of conjugate gradients", 8 * numbers as u64).map(|_| ())
    }

    /// Solves all columns to `tolerance`, [`MOST`] at a time, from `start`: values, and whether they
    /// come from another system.
    pub(crate) fn solve(
        &self,
        right: Columns,
        start: Option<(Columns, bool)>,
        tolerance: f64,
    ) -> Result<Run, LaplacianError> {
        let columns = right.count();
        let n = self.arranged.len();
        let mut values = Array2::zeros((n, right.given.ncols()));
        let mut last = right.last.map(|_| vec![0.0; n]);
        let mut effort = Effort::default();
        let mut residual = 0.0_f64;
        let iteration = Iteration {
            team: &Solo,
            operator: &self.arranged,
            preconditioner: &self.preparation,
            tolerance,
            max_iterations: self.max_iterations,
        };
        let stage = Progress::shares("conjugate gradients");
        for first in (0..columns).step_by(MOST) {
            stage.part(first / MOST, columns.div_ceil(MOST));
            let width = MOST.min(columns - first);
            // Columns brought to size 1, exactly: squares of their entries stay in range.
            let scales = self.scales(right, first, width);
            let read = |from: Columns, i: usize, row: &mut [f64]| {
                let row = &mut row[..width];
                from.read(self.arranged.row(i), first, row);
                row.iter_mut().zip(&scales).for_each(|(x, scale)| *x = scale.times(*x));
            };
            let start = match start {
                None => Start::Zero,
                Some((from, guessed)) => {
                    let mut block = Block::zeros(n, width);
                    block.update_rows(|i, row| read(from, i, row));
                    if guessed { Start::Guessed(block) } else { Start::Known(block) }
                }
            };
            let right = |i: usize, row: &mut [f64]| read(right, i, row);
            let done = iteration.solve(width, &right, start, &stage)?;
            self.write(&done.values, first, &scales, &mut values, last.as_deref_mut());
            effort.slowest = effort.slowest.max(done.effort.slowest);
            effort.total += done.effort.total;
            residual = residual.max(done.residual);
        }
        Ok(Run { values, last, effort, residual })
    }

    /// For each column the power of two that brings it to size 1.
    fn scales(&self, right: Columns, first: usize, width: usize) -> Vec<PowerOfTwo> {
        let largest = |mut largest: [f64; MOST], row: usize| {
            let mut numbers = [0.0; MOST];
            right.read(row, first, &mut numbers[..width]);
            for (largest, number) in largest.iter_mut().zip(numbers) {
                *largest = largest.max(number.abs());
            }
            largest
        };
        let join = |mut a: [f64; MOST], b: [f64; MOST]| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = a.max(b));
            a
        };
        let rows = (0..self.arranged.len()).into_par_iter().with_min_len(ROWS);
        let largest = rows.fold(|| [0.0; MOST], largest).reduce(|| [0.0; MOST], join);
        largest[..width].iter().map(|&largest| PowerOfTwo::normalising(largest)).collect()
    }

    /// Puts a block of solutions where it belongs.
    fn write(
        &self,
        block: &Block,
        first: usize,
        scales: &[PowerOfTwo],
        values: &mut Array2<f64>,
        last: Option<&mut [f64]>,
    ) {
        let inverse: Vec<PowerOfTwo> = scales.iter().map(|scale| scale.inverse()).collect();
        let (width, given) = (block.width(), values.ncols());
        let solved =
            |row: usize| &block.data()[self.arranged.place(row) * width..][..inverse.len()];
        let tasks = values.axis_chunks_iter_mut(Axis(0), ROWS).into_par_iter().enumerate();
        tasks.for_each(|(task, mut rows)| {
            for (at, mut row) in rows.rows_mut().into_iter().enumerate() {
                let solved = solved(task * ROWS + at).iter().zip(&inverse);
                for (to, (&x, inverse)) in row.iter_mut().skip(first).zip(solved) {
                    *to = inverse.times(x);
                }
            }
        });
        if let Some(last) = last
            && let Some(at) = given.checked_sub(first).filter(|&at| at < inverse.len())
        {
            for (row, to) in last.iter_mut().enumerate() {
                *to = inverse[at].times(solved(row)[at]);
            }
        }
    }
}

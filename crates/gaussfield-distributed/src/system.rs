//! Grounded systems whose rows are shared, and their solution for many right-hand sides.

use crate::columns::{Columns, Group};
use crate::engine::{Engine, Prepared};
use crate::halo::{Halo, Members};
use crate::world::{agree, max};
use crate::{DistributedError, Part, World};
use gaussfield_core::{Budget, Progress, check};
use gaussfield_laplacian::shared::{Block, Iteration, MOST, Precondition, SharedRows, Start};
use ndarray::{Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

/// By how much the tolerance is tightened where solutions do not add up, and how often.
const TIGHTEN: f64 = 1e-2;
const TIGHTENINGS: usize = 2;

/// How shared systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolveOptions {
    /// The preconditioner.
    pub engine: Engine,
    /// ‖b − A x‖ / ‖b‖ of every column. Default 1e-10.
    pub tolerance: f64,
    /// Most iterations of a column. Default 2000.
    pub max_iterations: usize,
    /// How far from 1 solutions may add up, where they must. Default 1e-6.
    pub partition_tolerance: f64,
    /// Memory of this member for the system, its columns and the scores; what the preconditioner takes is
    /// not counted. Default 4 GiB.
    pub budget: Budget,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self {
            engine: Engine::default(),
            tolerance: 1e-10,
            max_iterations: 2000,
            partition_tolerance: 1e-6,
            budget: Budget::default(),
        }
    }
}

impl SolveOptions {
    pub(crate) fn check(&self) -> Result<(), DistributedError> {
        check::fraction("the tolerance", self.tolerance)?;
        check::fraction("the partition tolerance", self.partition_tolerance)?;
        check::at_least("the number of iterations allowed", self.max_iterations, 1)?;
        Ok(())
    }

    /// Whether there is memory for a system on all rows and so many columns. A call of all members.
    pub(crate) fn room(
        &self,
        world: &impl World,
        part: &Part,
        columns: usize,
    ) -> Result<(), DistributedError> {
        let (rows, wide) = (part.len(), columns.min(MOST));
        // A number and a column for each weight, four numbers a row.
        let system = (part.columns.len() as u64) * 12 + (rows as u64) * 32;
        let taken = (self.budget)
            .take("the rows of the system", system)
            // Right-hand sides, solutions and scores.
            .and_then(|left| left.matrix("the scores", rows, columns.saturating_mul(3)))
            .and_then(|left| left.matrix("the vectors of conjugate gradients", rows, 6 * wide));
        agree(world, taken)?;
        Ok(())
    }
}

/// How a shared system was solved: the same on all members.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SolvedFacts {
    /// The preconditioner.
    pub engine: Engine,
    /// Unknowns of all members.
    pub unknowns: u64,
    /// Iterations of the slowest column.
    pub iterations: usize,
    /// The largest ‖b − A x‖ / ‖b‖ of a column, the product in difference form.
    pub residual: f64,
    /// How far solutions were from adding up to 1.
    pub partition_error: f64,
    /// Columns that an earlier run had solved.
    #[serde(default)]
    pub columns_kept: usize,
    /// Seconds that this member took to make the preconditioner, and to solve.
    pub seconds: (f64, f64),
}

/// A = L(s·W_II) + diag(e) on the nodes I, the rows of this member.
#[derive(Debug)]
pub(crate) struct System {
    pub(crate) rows: SharedRows,
    pub(crate) halo: Halo,
    /// The own node of each row.
    pub(crate) nodes: Vec<u32>,
    /// The number of the first row among those of all members (only hypre counts so), and of all rows.
    #[cfg_attr(not(feature = "hypre"), expect(dead_code))]
    pub(crate) first: u64,
    pub(crate) total: u64,
}

impl System {
    /// On the nodes for which `inside` holds; `excess` is of all own nodes.
    pub(crate) fn new(
        world: &impl World,
        part: &Part,
        inside: &[bool],
        scale: f64,
        excess: &[f64],
    ) -> Result<Self, DistributedError> {
        let nodes: Vec<u32> =
            (0..part.len() as u32).filter(|&node| inside[node as usize]).collect();
        let counts = world.gather(&[nodes.len() as f64]);
        let mut offsets = vec![0];
        counts.iter().for_each(|&count| offsets.push(offsets[offsets.len() - 1] + count as u64));
        let (first, total) = (offsets[world.rank()], offsets[world.size()]);
        // The number of each node in the system, as a double; −1 outside.
        let mut numbers = vec![-1.0; part.len()];
        for (at, &node) in nodes.iter().enumerate() {
            numbers[node as usize] = (first + at as u64) as f64;
        }
        numbers.extend(part.halo.fetch_one(world, &numbers));
        let (mut starts, mut columns, mut weights) = (vec![0], Vec::new(), Vec::new());
        for &node in &nodes {
            let (places, of) = part.row(node as usize);
            for (&place, &weight) in places.iter().zip(of) {
                let number = numbers[place as usize];
                if number >= 0.0 && weight > 0.0 {
                    columns.push(number as u64);
                    weights.push(scale * weight);
                }
            }
            starts.push(columns.len());
        }
        let (halo, columns) = Halo::new(world, &offsets, &columns);
        let excess = nodes.iter().map(|&node| excess[node as usize]).collect();
        let made = SharedRows::new(starts, columns, weights, excess, halo.ghosts.len());
        let rows = agree(world, made)?;
        Ok(Self { rows, halo, nodes, first, total })
    }

    /// A X = B for every column. Solutions of right-hand sides that add up to e must add up to 1; where
    /// the given do not, one more column is solved that makes them.
    pub(crate) fn solve<W: World>(
        &self,
        world: &W,
        part: &Part,
        right: ArrayView2<f64>,
        options: &SolveOptions,
        prepared: &Prepared<'_, W>,
        kept: Option<&Columns<'_>>,
    ) -> Result<(Array2<f64>, SolvedFacts), DistributedError> {
        let begun = std::time::Instant::now();
        let excess = self.rows.excess();
        let closing: Vec<f64> =
            right.rows().into_iter().zip(excess).map(|(row, e)| e - row.sum()).collect();
        let mut open = [0.0_f64];
        for (rest, e) in closing.iter().zip(excess) {
            open[0] = open[0].max(rest.abs() - 64.0 * f64::EPSILON * e);
        }
        max(world, &mut open);
        let columns = right.ncols() + usize::from(open[0] > 0.0);
        let number = |row: usize, column: usize| match right.get((row, column)) {
            Some(&number) => number,
            None => closing[row],
        };
        // One group alone is kept as the scores that are made of it.
        let kept = kept.filter(|_| columns > MOST);
        let mut values = Array2::zeros((self.nodes.len(), columns));
        let mut tolerance = options.tolerance;
        let mut facts = SolvedFacts {
            engine: prepared.engine,
            unknowns: self.total,
            iterations: 0,
            residual: 0.0,
            partition_error: f64::INFINITY,
            columns_kept: 0,
            seconds: (prepared.seconds, 0.0),
        };
        for round in 0..=TIGHTENINGS {
            let team = Members { world, halo: &self.halo };
            let iteration = Iteration {
                team: &team,
                operator: &self.rows,
                preconditioner: prepared,
                tolerance,
                max_iterations: options.max_iterations,
            };
            let (mut slowest, mut residual) = (0, 0.0_f64);
            for first in (0..columns).step_by(MOST) {
                let width = MOST.min(columns - first);
                let group = Group { round, tolerance, first, width };
                let known = kept.map(|kept| kept.kept(world, group, self.nodes.len()));
                if let Some(known) = known.transpose()?.flatten() {
                    values.slice_mut(s![.., first..first + width]).assign(&known.values);
                    slowest = slowest.max(known.iterations);
                    residual = residual.max(known.residual);
                    facts.columns_kept += width;
                    continue;
                }
                let scales = self.scales(world, first, width, &number);
                let from = (round > 0).then(|| (values.view(), first));
                let done = self.block(&iteration, (first, width), &scales, &number, from)?;
                slowest = slowest.max(done.effort.slowest);
                residual = residual.max(done.residual);
                let wide = done.values.width();
                for (mut row, solved) in
                    values.rows_mut().into_iter().zip(done.values.data().chunks_exact(wide))
                {
                    for c in 0..width {
                        row[first + c] = solved[c] / scales[c];
                    }
                }
                if let Some(kept) = kept {
                    let facts = (done.effort.slowest, done.residual);
                    kept.keep(world, group, values.view(), facts)?;
                }
            }
            facts.iterations += slowest;
            facts.residual = residual;
            let (error, row) = self.partition_error(world, part, &values);
            facts.partition_error = error;
            if error <= options.partition_tolerance {
                facts.seconds.1 = begun.elapsed().as_secs_f64();
                if columns > right.ncols() {
                    let asked: Vec<usize> = (0..right.ncols()).collect();
                    values = values.select(Axis(1), &asked);
                }
                return Ok((values, facts));
            }
            if round == TIGHTENINGS {
                let allowed = options.partition_tolerance;
                return Err(DistributedError::Partition { error, row, allowed });
            }
            tolerance *= TIGHTEN;
        }
        Ok((values, facts))
    }

    /// One block of columns.
    fn block<W: World, P: Precondition>(
        &self,
        iteration: &Iteration<'_, Members<'_, W>, SharedRows, P>,
        (first, width): (usize, usize),
        scales: &[f64],
        number: &(impl Fn(usize, usize) -> f64 + Sync),
        from: Option<(ArrayView2<f64>, usize)>,
    ) -> Result<gaussfield_laplacian::shared::Refined, DistributedError> {
        let right = |row: usize, into: &mut [f64]| {
            for c in 0..width {
                into[c] = scales[c] * number(row, first + c);
            }
        };
        let start = match from {
            None => Start::Zero,
            Some((values, first)) => {
                let mut block = Block::zeros(self.nodes.len(), width);
                block.update_rows(|i, row| {
                    (0..width).for_each(|c| row[c] = scales[c] * values[[i, first + c]]);
                });
                Start::Known(block)
            }
        };
        let stage = Progress::shares("conjugate gradients");
        Ok(iteration.solve(width, &right, start, &stage)?)
    }

    /// For each column the power of two that brings its largest number to about 1.
    fn scales(
        &self,
        world: &impl World,
        first: usize,
        width: usize,
        number: &impl Fn(usize, usize) -> f64,
    ) -> Vec<f64> {
        let mut largest = vec![0.0_f64; width];
        for row in 0..self.nodes.len() {
            for c in 0..width {
                largest[c] = largest[c].max(number(row, first + c).abs());
            }
        }
        max(world, &mut largest);
        let power = |largest: f64| {
            if largest > 0.0 {
                (-largest.log2().floor()).clamp(-1000.0, 1000.0).exp2()
            } else {
                1.0
            }
        };
        largest.into_iter().map(power).collect()
    }

    /// The largest |Σ x − 1| of a row, beside the largest number, and the row where it is.
    fn partition_error(&self, world: &impl World, part: &Part, values: &Array2<f64>) -> (f64, u64) {
        let mut size = [1.0_f64];
        values.iter().for_each(|x| size[0] = size[0].max(x.abs()));
        max(world, &mut size);
        let mut worst = (0.0, 0);
        for (row, &node) in values.rows().into_iter().zip(&self.nodes) {
            let error = (row.sum() - 1.0).abs() / size[0];
            let error = if error.is_nan() { f64::INFINITY } else { error };
            if error > worst.0 {
                worst = (error, part.rows[node as usize]);
            }
        }
        let all = world.gather(&[worst.0, worst.1 as f64]);
        let worst = all.chunks_exact(2).fold((0.0, 0.0), |worst: (f64, f64), own| {
            if own[0] > worst.0 { (own[0], own[1]) } else { worst }
        });
        (worst.0, worst.1 as u64)
    }
}

//! Preconditioners of shared systems.

use crate::DistributedError;
use crate::World;
use crate::system::System;
use crate::world::sum;
use gaussfield_core::dense::Spd;
use gaussfield_laplacian::shared::{Block, Memory, Operator, OwnBlock, Precondition};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Aggregates of each member.
const AGGREGATES: usize = 32;

/// How shared systems are preconditioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Engine {
    /// An approximate Cholesky factor of the rows of each member: nothing to send, but iterations grow
    /// with the members.
    #[default]
    Block,
    /// The same, and a correction by constants on groups of nodes of all members. It saves iterations on
    /// graphs without clusters and costs some on others: try it. Not for weights that lie many powers of
    /// ten apart.
    Coarse,
    /// Algebraic multigrid (BoomerAMG of hypre), with the feature `hypre`: about ten iterations for any
    /// size, any number of members, any weights.
    Hypre,
}

/// [`Engine::Coarse`]: M⁻¹ = block⁻¹ + Z (ZᵀAZ)⁻¹ Zᵀ, symmetric and positive definite as both are. Z has
/// a column for each aggregate, 1 on its nodes.
#[derive(Debug)]
pub(crate) struct Coarse<'a, W> {
    world: &'a W,
    own: OwnBlock,
    /// The aggregate of each own row.
    aggregates: Vec<u32>,
    factor: Spd,
}

impl<'a, W: World> Coarse<'a, W> {
    /// Nodes that follow each other lie near each other, as cells are numbered: runs of them are the
    /// aggregates.
    pub(crate) fn new(world: &'a W, system: &System) -> Result<Self, DistributedError> {
        let rows = system.rows.rows();
        let each = rows.div_ceil(AGGREGATES).max(1);
        let base = (world.rank() * AGGREGATES) as u32;
        let aggregates: Vec<u32> = (0..rows).map(|row| base + (row / each) as u32).collect();
        let named: Vec<f64> = aggregates.iter().map(|&at| f64::from(at)).collect();
        let ghosts = system.halo.fetch_one(world, &named);
        let size = AGGREGATES * world.size();
        let mut matrix = vec![0.0; size * size];
        for (row, &own) in aggregates.iter().enumerate() {
            let own = own as usize;
            matrix[own * size + own] += system.rows.excess()[row];
            let (columns, weights) = system.rows.row(row);
            for (&column, &weight) in columns.iter().zip(weights) {
                let column = column as usize;
                let other = if column < rows {
                    aggregates[column] as usize
                } else {
                    ghosts[column - rows] as usize
                };
                if other != own {
                    matrix[own * size + own] += weight;
                    matrix[own * size + other] -= weight;
                }
            }
        }
        sum(world, &mut matrix);
        for at in 0..size {
            // An aggregate without rows, or so weakly tied that nothing is left of its ties.
            matrix[at * size + at] *= 1.0 + 1e-12;
            if matrix[at * size + at] <= 0.0 {
                matrix[at * size + at] = 1.0;
            }
        }
        let matrix = Array2::from_shape_fn((size, size), |(i, j)| matrix[i * size + j]);
        let factor = Spd::factorise(matrix).map_err(gaussfield_laplacian::LaplacianError::from)?;
        Ok(Self { world, own: OwnBlock::new(&system.rows)?, aggregates, factor })
    }
}

impl<W: World> Precondition for Coarse<'_, W> {
    type Scratch = Memory;

    fn scratch(&self, width: usize) -> Memory {
        self.own.scratch(width)
    }

    fn apply(&self, r: &Block, z: &mut Block, scratch: &mut Memory) {
        self.own.apply(r, z, scratch);
        let (size, width) = (self.factor.size(), r.width());
        let mut sums = vec![0.0; size * width];
        for (row, &at) in r.data().chunks_exact(width).zip(&self.aggregates) {
            let sums = &mut sums[at as usize * width..][..width];
            sums.iter_mut().zip(row).for_each(|(sum, r)| *sum += r);
        }
        sum(self.world, &mut sums);
        if let Ok(sums) = ArrayView2::from_shape((size, width), &sums) {
            let steps = self.factor.solve(sums);
            z.update_rows(|i, row| {
                let step = steps.row(self.aggregates[i] as usize);
                row.iter_mut().zip(step).for_each(|(z, step)| *z += step);
            });
        }
    }
}

//! Conjugate gradients on a system whose rows lie on several machines.
//!
//! A [`Team`] adds up, takes maxima and fetches rows of vectors; [`SharedRows`] are the rows of one
//! member; [`OwnBlock`] is a preconditioner that needs nobody else; [`Iteration`] is the very loop
//! that [`Prepared`](crate::Prepared) runs on one machine, where the team is [`Solo`]. What goes over
//! the wires is the business of whoever implements [`Team`].
//!
//! ```
//! use gaussfield_core::Progress;
//! use gaussfield_laplacian::shared::{Iteration, OwnBlock, SharedRows, Solo, Start};
//!
//! // A path 0 – 1 – 2 – 3 with its ends held at 0 and 1: unknown are 1 and 2.
//! let rows = SharedRows::new(vec![0, 1, 2], vec![1, 0], vec![1.0, 1.0], vec![1.0, 1.0], 0)?;
//! let own = OwnBlock::new(&rows)?;
//! let iteration = Iteration {
//!     team: &Solo,
//!     operator: &rows,
//!     preconditioner: &own,
//!     tolerance: 1e-12,
//!     max_iterations: 100,
//! };
//! let inflow = |i: usize, row: &mut [f64]| row[0] = [0.0, 1.0][i];
//! let stage = Progress::shares("an example");
//! let solved = iteration.solve(1, &inflow, Start::Zero, &stage)?;
//! assert!((solved.values.data()[0] - 1.0 / 3.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::engine::block::{Block, MOST};
pub use crate::engine::iteration::{Effort, Iteration, Refined, Start};
pub use crate::engine::team::{Operator, Precondition, Solo, Team};

use crate::coupling::{Coupling, SparsePattern, SparseRows};
use crate::engine::approximate::Scratch;
use crate::engine::arrangement::Arranged;
use crate::engine::block::{ROWS, combine, with_width};
use crate::engine::preconditioner::Preparation;
use crate::{Grounded, LaplacianError, Preconditioner};
use gaussfield_core::{NoSuchNode, SizeMismatch};
use rayon::prelude::*;
use std::sync::Arc;

/// The rows of A = L(W) + diag(e) that one member of a team holds: compressed sparse rows in which
/// columns below the number of rows are its own, and those above are ghosts, rows of others.
#[derive(Debug)]
pub struct SharedRows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    weights: Vec<f64>,
    excess: Vec<f64>,
    diagonal: Vec<f64>,
    ghosts: usize,
}

impl SharedRows {
    /// Row i has the weights `weights[starts[i]..starts[i + 1]]` to the columns at the same places.
    ///
    /// # Errors
    /// Lengths that do not fit each other, a column past the ghosts, a weight or an excess that is
    /// negative or not finite, weights that add up to infinity. Nodes are named by their row here.
    pub fn new(
        starts: Vec<usize>,
        columns: Vec<u32>,
        weights: Vec<f64>,
        excess: Vec<f64>,
        ghosts: usize,
    ) -> Result<Self, LaplacianError> {
        let rows = excess.len();
        SizeMismatch::check("starts of rows", rows + 1, starts.len())?;
        SizeMismatch::check("weights", columns.len(), weights.len())?;
        SizeMismatch::check("weights in all rows", columns.len(), starts[rows])?;
        if let Some(at) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(NoSuchNode { node: starts[at], nodes: starts[at + 1] }.into());
        }
        if let Some(&column) = columns.iter().find(|&&column| column as usize >= rows + ghosts) {
            return Err(NoSuchNode { node: column as usize, nodes: rows + ghosts }.into());
        }
        let mut diagonal = Vec::with_capacity(rows);
        for (i, &e) in excess.iter().enumerate() {
            let own = &weights[starts[i]..starts[i + 1]];
            let wrong = |number: &&f64| !(number.is_finite() && **number >= 0.0);
            if let Some(&value) = own.iter().chain([&e]).find(wrong) {
                return Err(LaplacianError::Excess { node: i, value });
            }
            diagonal.push(own.iter().sum::<f64>() + e);
            if !diagonal[i].is_finite() {
                return Err(LaplacianError::DegreeOverflow { node: i });
            }
        }
        Ok(Self { starts, columns, weights, excess, diagonal, ghosts })
    }

    /// eᵢ of each row.
    pub fn excess(&self) -> &[f64] {
        &self.excess
    }

    /// The columns of a row, and their weights.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.weights[range])
    }

    /// Stored weights.
    pub fn stored(&self) -> usize {
        self.weights.len()
    }
}

impl Operator for SharedRows {
    fn rows(&self) -> usize {
        self.excess.len()
    }

    fn ghosts(&self) -> usize {
        self.ghosts
    }

    fn apply(&self, x: &Block, ghosts: &Block, y: &mut Block) -> Vec<f64> {
        let n = self.excess.len();
        with_width!(x.width(), W => {
            let (x, ghosts) = (x.rows::<W>(), ghosts.rows::<W>());
            let pieces = y.rows_mut::<W>().par_chunks_mut(ROWS).enumerate();
            let parts = pieces.map(|(piece, y)| {
                let mut products = [0.0; W];
                for (at, y) in y.iter_mut().enumerate() {
                    let i = piece * ROWS + at;
                    let own = x[i];
                    let mut sum = own.map(|own| self.excess[i] * own);
                    let (columns, weights) = self.row(i);
                    for (&j, &weight) in columns.iter().zip(weights) {
                        let j = j as usize;
                        let other = if j < n { x[j] } else { ghosts[j - n] };
                        for c in 0..W {
                            sum[c] += weight * (own[c] - other[c]);
                        }
                    }
                    *y = sum;
                    for c in 0..W {
                        products[c] += own[c] * sum[c];
                    }
                }
                products
            });
            combine(parts.collect(), |x, y| x + y)
        })
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }
}

/// An approximate Cholesky factor of the rows of one member among themselves; links to others count
/// as links to the ground. Exact communication costs nothing; iterations grow with the members.
#[derive(Debug)]
pub struct OwnBlock(Preparation);

impl OwnBlock {
    /// Factorises, with a fixed seed.
    ///
    /// # Errors
    /// Weights that add up to infinity.
    pub fn new(rows: &SharedRows) -> Result<Self, LaplacianError> {
        let n = rows.excess.len();
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        let (mut columns, mut weights, mut excess) = (Vec::new(), Vec::new(), rows.excess.clone());
        for i in 0..n {
            let (of, with) = rows.row(i);
            for (&j, &weight) in of.iter().zip(with) {
                if (j as usize) < n {
                    columns.push(j);
                    weights.push(weight);
                } else {
                    excess[i] += weight;
                }
            }
            starts.push(columns.len());
        }
        let pattern = Arc::new(SparsePattern { starts, columns });
        let coupling = Coupling::Sparse(SparseRows { pattern, weights });
        let system = Grounded::assembled((0..n).collect(), coupling, excess)?;
        let arranged = Arranged::new(&system, None);
        let kind = Preconditioner::ApproximateCholesky;
        let stage = Preparation::stage(arranged.len());
        Ok(Self(Preparation::new(&arranged, kind, &stage)))
    }
}

/// What one application of an [`OwnBlock`] leaves to the next.
#[derive(Debug)]
pub struct Memory(Option<Scratch>);

impl Precondition for OwnBlock {
    type Scratch = Memory;

    fn scratch(&self, width: usize) -> Memory {
        Memory(self.0.scratch(width))
    }

    fn apply(&self, r: &Block, z: &mut Block, scratch: &mut Memory) {
        self.0.apply(r, z, &mut scratch.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two members that hold a half of a path each would exchange one row; here both halves are
    /// applied by hand, and must give what the whole gives.
    #[test]
    fn rows_with_ghosts_are_rows_of_the_whole() {
        let whole = SharedRows::new(
            vec![0, 1, 3, 4],
            vec![1, 0, 2, 1],
            vec![2.0, 2.0, 3.0, 3.0],
            vec![1.0, 0.0, 0.5],
            0,
        )
        .unwrap();
        let part =
            SharedRows::new(vec![0, 1, 3], vec![1, 0, 2], vec![2.0, 2.0, 3.0], vec![1.0, 0.0], 1)
                .unwrap();
        let block = |numbers: &[f64]| {
            let mut block = Block::zeros(numbers.len(), 1);
            block.data_mut().copy_from_slice(numbers);
            block
        };
        let (mut y, mut z) = (Block::zeros(3, 1), Block::zeros(2, 1));
        whole.apply(&block(&[1.0, 2.0, 4.0]), &block(&[]), &mut y);
        part.apply(&block(&[1.0, 2.0]), &block(&[4.0]), &mut z);
        assert_eq!(y.data()[..2], *z.data());
        assert_eq!(whole.diagonal(), [3.0, 5.0, 3.5]);
    }

    #[test]
    fn wrong_rows_are_refused() {
        let new = |starts: &[usize], columns: &[u32], weights: &[f64], excess: &[f64]| {
            let (starts, columns) = (starts.to_vec(), columns.to_vec());
            SharedRows::new(starts, columns, weights.to_vec(), excess.to_vec(), 1).unwrap_err()
        };
        assert!(matches!(new(&[0], &[], &[], &[1.0]), LaplacianError::SizeMismatch(_)));
        assert!(matches!(new(&[0, 1], &[0], &[], &[1.0]), LaplacianError::SizeMismatch(_)));
        assert!(matches!(new(&[0, 1], &[2], &[1.0], &[1.0]), LaplacianError::NoSuchNode(_)));
        assert!(matches!(new(&[0, 1], &[1], &[-1.0], &[1.0]), LaplacianError::Excess { .. }));
        let huge = [f64::MAX, f64::MAX];
        assert!(matches!(
            new(&[0, 2], &[1, 1], &huge, &[1.0]),
            LaplacianError::DegreeOverflow { node: 0 }
        ));
    }
}

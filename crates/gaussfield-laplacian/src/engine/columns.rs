//! Right-hand sides cut into blocks of columns, solved in parallel.

use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

/// Solves all columns of `rhs` in blocks of at most `width`, in parallel. `solve(block, columns)`
/// overwrites a column-major block. Blocks have fixed bounds: any number of threads gives the
/// same bits.
pub(crate) fn solve_by_columns(
    rhs: ArrayView2<f64>,
    width: usize,
    solve: impl Fn(&mut [f64], usize) + Sync,
) -> Array2<f64> {
    let (n, columns) = rhs.dim();
    let starts: Vec<usize> = (0..columns).step_by(width).collect();
    let blocks: Vec<Vec<f64>> = starts
        .par_iter()
        .map(|&start| {
            let part = rhs.slice(s![.., start..columns.min(start + width)]);
            let mut block: Vec<f64> = part.t().iter().copied().collect();
            solve(&mut block, part.ncols());
            block
        })
        .collect();
    let mut solution = Array2::zeros((n, columns));
    for (block, &start) in blocks.iter().zip(&starts) {
        for (c, column) in block.chunks_exact(n.max(1)).enumerate() {
            for (i, &value) in column.iter().enumerate() {
                solution[[i, start + c]] = value;
            }
        }
    }
    solution
}

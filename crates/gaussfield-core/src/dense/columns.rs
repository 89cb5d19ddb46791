//! Right-hand sides cut into blocks of columns, solved in parallel.

use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

/// Solves all columns of `rhs` in blocks of at most `width`, in parallel. `solve(block, columns)`
/// overwrites a column-major block. Blocks have fixed bounds: any number of threads gives the
/// same bits.
pub fn solve_by_columns(
    rhs: ArrayView2<'_, f64>,
    width: usize,
    solve: impl Fn(&mut [f64], usize) + Sync,
) -> Array2<f64> {
    let (n, columns) = rhs.dim();
    let ranges = crate::blocks::split(columns, width);
    let blocks: Vec<Vec<f64>> = ranges
        .par_iter()
        .map(|range| {
            let part = rhs.slice(s![.., range.clone()]);
            let mut block: Vec<f64> = part.t().iter().copied().collect();
            solve(&mut block, part.ncols());
            block
        })
        .collect();
    let mut solution = Array2::zeros((n, columns));
    for (block, range) in blocks.iter().zip(ranges) {
        for (column, values) in range.zip(block.chunks_exact(n.max(1))) {
            solution.column_mut(column).iter_mut().zip(values).for_each(|(out, &x)| *out = x);
        }
    }
    solution
}

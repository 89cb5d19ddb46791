//! How long dense algebra takes with the backend that was built in. Beside each other:
//!
//! ```text
//! cargo run --release -p gaussfield-core --example backends --features dense
//! cargo run --release -p gaussfield-core --example backends --features openblas
//! ```
//!
//! The second wants `OPENBLAS_NUM_THREADS=1`, as `cargo xtask` sets it, to use one core.
#![allow(clippy::print_stdout, reason = "an example that reports what it measures")]

use gaussfield_core::dense::{self, BACKEND, Spd};
use ndarray::Array2;
use std::hint::black_box;
use std::time::Instant;

const SIZES: [usize; 3] = [250, 1000, 2000];

fn main() -> Result<(), dense::DenseError> {
    println!("{BACKEND}: milliseconds, the median of some runs");
    println!("{:>6} {:>10} {:>10} {:>10} {:>10}", "n", "factor", "n solves", "eigen", "product");
    for size in SIZES {
        let matrix = smooth(size);
        let factor = Spd::factorise(matrix.clone())?;
        let runs = if size < 1000 { 9 } else { 3 };
        let row = [
            median(runs, || {
                black_box(Spd::factorise(matrix.clone()).is_ok());
            }),
            median(runs, || {
                black_box(factor.solve(matrix.view()));
            }),
            median(runs, || {
                black_box(dense::symmetric_eigen(matrix.clone()).is_ok());
            }),
            median(runs, || {
                black_box(matrix.dot(&matrix));
            }),
        ];
        println!("{size:>6} {:>10.2} {:>10.2} {:>10.2} {:>10.2}", row[0], row[1], row[2], row[3]);
    }
    Ok(())
}

/// A covariance of points on a line, far from singular.
fn smooth(size: usize) -> Array2<f64> {
    Array2::from_shape_fn((size, size), |(i, j)| {
        let gap = (i as f64 - j as f64) / 20.0;
        (-gap * gap).exp() + if i == j { 0.1 } else { 0.0 }
    })
}

fn median(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut taken: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    taken[runs / 2]
}

//! Times the smallest eigenpairs of a 10-nearest-neighbour graph of random points, and the
//! diagonal of an inverse on the same graph.
//!
//! `cargo run --release -p gaussfield-laplacian --example smallest_eigenpairs -- [points] [pairs]`
#![allow(clippy::print_stdout, reason = "an example that reports what it measures")]

use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_laplacian::{Grounded, InverseDiagonal, LanczosOptions, Laplacian, SolverOptions};
use gaussfield_points::Points;
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let points = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    let pairs = arguments.next().map_or(Ok(50), |text| text.parse())?;
    for dimensions in [2, 16] {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let rows = Array2::from_shape_fn((points, dimensions), |_| random.random::<f64>());
        let pattern = Pattern::knn(&Points::dense(rows)?, Metric::Euclidean, 10, Symmetry::Either)?;
        let sigma = pattern.mean_distance();
        let graph = Exponential { sigma }.graph(&pattern, Budget::default())?;
        println!("{points} points in {dimensions}-D, {} edges", graph.edges());
        for laplacian in [Laplacian::Combinatorial, Laplacian::Symmetric] {
            let start = Instant::now();
            let spectrum = laplacian.smallest(&graph, pairs, &LanczosOptions::default())?;
            println!(
                "  {laplacian:?}: {pairs} pairs in {:.2?}, {} solves, worst residual {:.1e}, \
                 λ from {:.3e} to {:.3e}",
                start.elapsed(),
                spectrum.solves,
                spectrum.worst_residual(),
                spectrum.values[1.min(pairs - 1)],
                spectrum.values[pairs - 1],
            );
        }
        let nodes: Vec<usize> = (0..graph.nodes()).collect();
        let system = Grounded::new(&graph, &nodes, 1.0, vec![0.01; nodes.len()])?;
        let prepared = system.prepare(&SolverOptions::default())?;
        let mut ways = vec![InverseDiagonal::Stochastic { probes: 128, seed: 0 }];
        if dimensions == 2 {
            ways.push(InverseDiagonal::Exact);
        }
        for how in ways {
            let start = Instant::now();
            let estimate = prepared.inverse_diagonal(how)?;
            let mean = estimate.values.sum() / points as f64;
            let errors =
                estimate.standard_errors.map_or(0.0, |errors| errors.sum() / points as f64);
            println!(
                "  {how:?} by {}: {:.2?}, mean {mean:.4} ± {errors:.4} each",
                estimate.solver,
                start.elapsed(),
            );
        }
    }
    Ok(())
}

//! Expectation propagation where labels contradict each other as much as they can: how it ends, and
//! after how much work and time.
//!
//!     cargo run --release -p gaussfield-gp --example ep_extremes [NAME…]
#![allow(clippy::print_stdout)]

use gaussfield_core::Budget;
use gaussfield_gp::{
    Flip, GaussianProcess, GivenCovariance, GpError, Observed, Prior, Probit, SpectralPrior,
    TiltedLikelihood, Transform,
};
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily as _};
use gaussfield_laplacian::{LanczosOptions, Laplacian};
use gaussfield_points::Points;
use ndarray::Array2;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

type Made<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Made<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part));
    for (labels, noise) in [(40, 1e-6), (200, 1e-6), (200, 1e-8), (1000, 1e-6), (1000, 1e-2)] {
        let name = format!("pairs-{labels}-{noise:e}");
        if is_wanted(&name) {
            let (prior, seen) = pairs(labels)?;
            tell(&name, &prior, &seen, Probit { noise });
        }
    }
    for (labels, wrong, epsilon) in [
        (200, 0.3, 0.01),
        (500, 0.3, 0.01),
        (1000, 0.0, 0.01),
        (1000, 0.3, 0.01),
        (1000, 0.3, 0.3),
        (1000, 0.5, 1e-4),
    ] {
        let name = format!("diffusion-{labels}-{wrong}-{epsilon}");
        if is_wanted(&name) {
            let (prior, seen) = diffusion(labels, wrong)?;
            tell(&name, &prior, &seen, Flip { epsilon });
        }
    }
    Ok(())
}

/// Pairs of points that lie together and disagree, under a smooth kernel.
fn pairs(labels: usize) -> Made<(GivenCovariance, Observed)> {
    let at = |i: usize| (i / 2) as f64 / (labels as f64 / 40.0) + 1e-3 * (i % 2) as f64;
    let kernel = |(i, j): (usize, usize)| (-((at(i) - at(j)) / 3.0).powi(2) / 2.0).exp();
    let matrix = Array2::from_shape_fn((labels, labels), kernel);
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let targets: Vec<f64> = (0..labels).map(sign).collect();
    let nodes: Vec<usize> = (0..labels).collect();
    Ok((GivenCovariance::new(matrix)?, Observed::new(&nodes, &targets)?))
}

/// Half of the points of two half circles labelled, a share of them wrong, under heat that spreads
/// on their graph.
fn diffusion(labels: usize, wrong: f64) -> Made<(SpectralPrior, Observed)> {
    let (n, mut rng) = (2 * labels, ChaCha8Rng::seed_from_u64(1));
    let rows = Array2::from_shape_fn((n, 2), |(i, d)| {
        let angle = std::f64::consts::PI * i as f64 / n as f64 * 37.0 % std::f64::consts::PI;
        let (sign, aside) = if i % 2 == 0 { (1.0, 0.0) } else { (-1.0, 1.0) };
        let place = if d == 0 { angle.cos() + aside } else { sign * angle.sin() + 0.5 * aside };
        place + 0.1 * rng.random_range(-1.0..1.0)
    });
    let pattern = Pattern::knn(&Points::dense(rows)?, Metric::Euclidean, 10, Symmetry::Either)?;
    let graph = Exponential { sigma: 0.2 }.graph(&pattern, Budget::default())?;
    let pairs = n.min(300);
    let spectrum = Laplacian::Symmetric.smallest(&graph, pairs, &LanczosOptions::default())?;
    let prior = SpectralPrior::new(&spectrum, Transform::Diffusion { sigma: 4.0 }, n as f64)?;
    let nodes: Vec<usize> = (0..labels).map(|i| 2 * i + i % 2).collect();
    let target = |&i: &usize| if (i % 2 == 0) ^ rng.random_bool(wrong) { 1.0 } else { -1.0 };
    let targets: Vec<f64> = nodes.iter().map(target).collect();
    Ok((prior, Observed::new(&nodes, &targets)?))
}

fn tell<L: TiltedLikelihood + Clone>(
    name: &str,
    prior: &impl Prior,
    seen: &Observed,
    likelihood: L,
) {
    let start = Instant::now();
    let fit = GaussianProcess::ep(likelihood).fit(prior, seen);
    let seconds = start.elapsed().as_secs_f64();
    let end = match fit {
        Ok(fit) => {
            let ep = fit.on_labels();
            format!("{} sweeps, log evidence {:.6}", ep.sweeps(), fit.log_evidence())
        }
        Err(GpError::NotConverged(end)) => {
            format!("given up after {} sweeps at {:.1e}", end.iterations, end.reached)
        }
        Err(error) => error.to_string(),
    };
    println!("{name:<24} {seconds:7.2} s  {end}");
}

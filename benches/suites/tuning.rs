//! Learning length scales: what value and gradient of the entropy cost beside one solve.
//!
//! Differentiating one scale at a time takes a solve for each of the 256; by the adjoint the
//! whole gradient should cost at most three solves.

use std::hint::black_box;

use criterion::Criterion;
use gaussfield_benches::{cloud, few_labels};
use gaussfield_core::Budget;
use gaussfield_graph::{ExponentialPerDimension, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::Labels;
use gaussfield_tune::{Entropy, Objective};

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let data = cloud(2200, 256)?;
    let labels = few_labels(&data.labels, 9)?;
    let complete = Pattern::complete(&data.points, Metric::Euclidean)?;
    measure(&mut criterion, "complete, 256 scales, 2200 points", &complete, &labels)?;
    let nearest = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
    measure(&mut criterion, "10-NN, 256 scales, 2200 points", &nearest, &labels)?;
    criterion.final_summary();
    Ok(())
}

fn measure(
    criterion: &mut Criterion,
    name: &str,
    pattern: &Pattern,
    labels: &Labels,
) -> anyhow::Result<()> {
    let budget = Budget::default();
    let sigma = pattern.mean_distance();
    let family = ExponentialPerDimension { sigmas: vec![sigma; pattern.points().dim()] };
    let entropy = Entropy::new(labels.clone()).smoothed(0.01)?;
    let graph = family.graph(pattern, budget)?;
    let solve = || Harmonic::default().fit(black_box(&graph), labels);
    let value_and_gradient = || -> anyhow::Result<Vec<f64>> {
        let graph = black_box(&family).graph(pattern, budget)?;
        let evaluation = entropy.evaluate(&graph)?;
        Ok(family.pullback(pattern, &graph, &evaluation.edges)?)
    };
    solve()?;
    value_and_gradient()?;

    let mut group = criterion.benchmark_group(format!("tuning/{name}"));
    group.bench_function("one solve", |bencher| bencher.iter(solve));
    group.bench_function("weights, value and gradient", |bencher| bencher.iter(value_and_gradient));
    group.finish();
    Ok(())
}

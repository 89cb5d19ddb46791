//! The evidence of a Gaussian process on a graph: what value and gradient cost beside the l
//! forward solves, and beside n × n inverses and products as in the report's appendix B.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, ensure};
use criterion::Criterion;
use gaussfield_benches::dense::{self, Hyper};
use gaussfield_benches::{cloud, few_labels, sheet};
use gaussfield_core::Budget;
use gaussfield_data::Dataset;
use gaussfield_gp::{GaussianProcess, GraphPrior, Observed, Prior, Sigmoid};
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_tune::{Evidence, Objective};
use ndarray::Array1;

const HYPER: Hyper = Hyper { beta: 0.1, sigma: 1000.0, gamma: 1.0 };
const NODES: usize = 4000;
const LABELS: usize = 50;

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    measure(&mut criterion, "10-NN sheet, 4000 points, 50 labels", sheet(NODES)?)?;
    measure(&mut criterion, "10-NN cloud, 4000 points, 50 labels", cloud(NODES, 16)?)?;
    criterion.final_summary();
    Ok(())
}

fn measure(criterion: &mut Criterion, name: &str, data: Dataset) -> anyhow::Result<()> {
    let budget = Budget::default();
    let labels = few_labels(&data.labels, LABELS / data.classes())?;
    let pattern = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let family = Exponential { sigma: pattern.mean_distance() };
    let graph = family.graph(&pattern, budget)?;
    // Odd classes against even ones.
    let nodes = labels.labelled();
    let sign =
        |&node: &usize| labels.get(node).map_or(1.0, |c| if c % 2 == 0 { 1.0 } else { -1.0 });
    let targets: Vec<f64> = nodes.iter().map(sign).collect();
    let observed = Observed::new(&nodes, &targets)?;
    let prior = GraphPrior::regularised(HYPER.beta, HYPER.sigma);
    let process = GaussianProcess::laplace(Sigmoid { gamma: HYPER.gamma });
    let evidence =
        Evidence::of(process, prior.clone(), observed).learning(&["beta", "sigma", "gamma"])?;

    let solves = || -> anyhow::Result<_> { Ok(prior.on(black_box(&graph))?.columns(&nodes)?) };
    let adjoint = || -> anyhow::Result<(f64, [f64; 4])> {
        let graph = black_box(&family).graph(&pattern, budget)?;
        let found = evidence.evaluate(&graph)?;
        let by_scale = family.pullback(&pattern, &graph, &found.edges)?;
        let own = <[f64; 3]>::try_from(found.parameters).ok().context("three parameters")?;
        Ok((-found.value, [-own[0], -own[1], -own[2], -by_scale[0]]))
    };
    // ∂w/∂α = 2 w d²/α³.
    let weights = graph.to_dense(budget)?;
    let by_scale = weights.mapv(|w| if w > 0.0 { -2.0 * w * w.ln() / family.sigma } else { 0.0 });
    let targets = Array1::from(targets);
    let dense = || dense::evidence(black_box(&weights), &by_scale, &nodes, &targets, HYPER);

    let (value, slopes) = adjoint()?;
    let start = Instant::now();
    let (dense_value, dense_slopes) = dense()?;
    let by_dense = start.elapsed();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1e-3);
    ensure!(close(value, dense_value), "{name}: evidence {value} but {dense_value} by n × n");
    for (slope, expected) in slopes.into_iter().zip(dense_slopes) {
        ensure!(close(slope, expected), "{name}: slope {slope} but {expected} by n × n");
    }
    solves()?;
    let mut group = criterion.benchmark_group(format!("evidence/{name}"));
    group.bench_function("forward solves", |bencher| bencher.iter(solves));
    group.bench_function("weights, value and gradient", |bencher| bencher.iter(adjoint));
    // Too long to repeat: the one run above stands for all.
    group.bench_function("appendix B, n × n", |bencher| {
        bencher.iter_custom(|times| by_dense.mul_f64(times as f64));
    });
    group.finish();
    Ok(())
}

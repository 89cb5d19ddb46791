//! Learning length scales: what value and gradient of the entropy cost beside one solve.
//!
//! Differentiating one scale at a time takes a solve for each of the 256; by the adjoint the
//! whole gradient should cost at most three solves.
//!
//! And what a search by the evidence costs on a workbench, beside fresh fits in every step.

use std::hint::black_box;

use anyhow::ensure;
use criterion::Criterion;
use gaussfield_benches::{cloud, few_labels, sheet};
use gaussfield_core::Budget;
use gaussfield_data::Dataset;
use gaussfield_gp::{Flip, GaussianProcess, GraphPrior, Observed, Sigmoid};
use gaussfield_graph::{
    Exponential, ExponentialPerDimension, Metric, Pattern, Symmetry, WeightFamily,
};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::Labels;
use gaussfield_tune::{Entropy, Evidence, Objective, Workbench};

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let data = cloud(2200, 256)?;
    let labels = few_labels(&data.labels, 9)?;
    let complete = Pattern::complete(&data.points, Metric::Euclidean)?;
    measure(&mut criterion, "complete, 256 scales, 2200 points", &complete, &labels)?;
    let nearest = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
    measure(&mut criterion, "10-NN, 256 scales, 2200 points", &nearest, &labels)?;
    evidence(&mut criterion, "10-NN sheet", sheet(4000)?)?;
    evidence(&mut criterion, "10-NN cloud", cloud(4000, 16)?)?;
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

/// Value and gradient of the evidence of 50 labels at a row of length scales, as a search meets them.
fn evidence(criterion: &mut Criterion, name: &str, data: Dataset) -> anyhow::Result<()> {
    let labels = few_labels(&data.labels, 50 / data.classes())?;
    let pattern = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let prior = GraphPrior::regularised(0.1, 1000.0);
    // Odd classes against even ones.
    let nodes = labels.labelled();
    let sign =
        |&node: &usize| labels.get(node).map_or(1.0, |c| if c % 2 == 0 { 1.0 } else { -1.0 });
    let targets: Vec<f64> = nodes.iter().map(sign).collect();
    let observed = Observed::new(&nodes, &targets)?;
    let laplace = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let laplace = Evidence::of(laplace, prior.clone(), observed.clone()).learning(&["beta"])?;
    let ep = Evidence::of(GaussianProcess::ep(Flip { epsilon: 0.1 }), prior, observed);
    let ep = ep.learning(&["beta", "epsilon"])?;
    let mut group = criterion.benchmark_group(format!("tuning/evidence, {name}, 4000 points"));
    let objectives: [(&str, &dyn Objective); 2] = [("Laplace", &laplace), ("EP", &ep)];
    for (inference, objective) in objectives {
        let search = |remember: bool| -> anyhow::Result<f64> {
            let (mut workbench, mut sum) = (Workbench::default(), 0.0);
            for step in 0..20 {
                let sigma = pattern.mean_distance() * (1.0 - 0.01 * f64::from(step));
                let graph = Exponential { sigma }.graph(&pattern, Budget::default())?;
                if !remember {
                    workbench = Workbench::default();
                }
                let found = objective.evaluate_on(&mut workbench, &graph)?;
                sum += found.value
                    + Exponential { sigma }.pullback(&pattern, &graph, &found.edges)?[0];
            }
            Ok(black_box(sum))
        };
        let (fresh, kept) = (search(false)?, search(true)?);
        ensure!((fresh - kept).abs() <= 1e-6 * fresh.abs(), "{name}: {kept} but {fresh} afresh");
        for (how, remember) in [("afresh", false), ("on a workbench", true)] {
            let id = format!("{inference}, 20 steps, {how}");
            group.bench_function(id, |bencher| bencher.iter(|| search(remember)));
        }
    }
    group.finish();
    Ok(())
}

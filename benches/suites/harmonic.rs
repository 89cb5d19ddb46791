//! Harmonic functions end to end: what the steps cost beside the solve.

use std::hint::black_box;

use criterion::Criterion;
use gaussfield_benches::{cloud, few_labels, sheet};
use gaussfield_core::Budget;
use gaussfield_data::Dataset;
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Decision, Islands, Labels, Transductive as _};
use gaussfield_points::Points;

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    measure(&mut criterion, "10-NN, 2-D, 5000 points, 2 classes", sheet(5000)?, nearest)?;
    measure(&mut criterion, "10-NN, 16-D, 5000 points, 10 classes", cloud(5000, 16)?, nearest)?;
    measure(&mut criterion, "complete, 64-D, 1000 points, 10 classes", cloud(1000, 64)?, all)?;
    criterion.final_summary();
    Ok(())
}

fn nearest(points: &Points) -> anyhow::Result<Pattern> {
    Ok(Pattern::knn(points, Metric::Euclidean, 10, Symmetry::Either)?)
}

fn all(points: &Points) -> anyhow::Result<Pattern> {
    Ok(Pattern::complete(points, Metric::Euclidean)?)
}

type MakePattern = fn(&Points) -> anyhow::Result<Pattern>;

fn measure(
    criterion: &mut Criterion,
    name: &str,
    data: Dataset,
    make_pattern: MakePattern,
) -> anyhow::Result<()> {
    let labels = few_labels(&data.labels, 5)?;
    let points = data.points;
    let prior = ClassPrior::given(vec![1.0 / labels.classes() as f64; labels.classes()])?;
    let method = Harmonic { islands: Islands::Prior(prior.clone()), ..Harmonic::default() };
    let decision = Decision::ClassMass(prior);

    let pattern = make_pattern(&points)?;
    let family = Exponential { sigma: pattern.mean_distance() };
    let graph = family.graph(&pattern, Budget::default())?;
    let solve = || method.fit(black_box(&graph), &labels);
    let whole = || end_to_end(black_box(&points), &labels, make_pattern, &method, &decision);
    solve()?;
    whole()?;

    let mut group = criterion.benchmark_group(format!("harmonic/{name}"));
    group.bench_function("solve alone", |bencher| bencher.iter(solve));
    group.bench_function("points to labels", |bencher| bencher.iter(whole));
    group.finish();
    Ok(())
}

fn end_to_end(
    points: &Points,
    labels: &Labels,
    make_pattern: MakePattern,
    method: &Harmonic,
    decision: &Decision,
) -> anyhow::Result<Vec<usize>> {
    let pattern = make_pattern(points)?;
    let family = Exponential { sigma: pattern.mean_distance() };
    let graph = family.graph(&pattern, Budget::default())?;
    let field = method.fit(&graph, labels)?;
    Ok(decision.decide(&field.interior_scores()?)?)
}

//! Learning length scales: what value and gradient of the entropy cost beside one solve, and what a
//! search saves by remembering.
//!
//! Differentiating one scale at a time takes a solve for each of the 256; by the adjoint the
//! whole gradient should cost at most three solves. A search that remembers should take at most
//! half the processor time of one that begins every step anew, by the entropy as by the evidence,
//! and a step after the first at most 1.3 times the numeric factorisation and the solves that it
//! cannot do without.

use std::hint::black_box;

use anyhow::{Context, ensure};
use criterion::Criterion;
use gaussfield_benches::{cloud, cpu_seconds, few_labels, measured_once, sheet};
use gaussfield_core::Budget;
use gaussfield_data::Dataset;
use gaussfield_data::catalog::Catalog;
use gaussfield_gp::{Flip, GaussianProcess, GraphPrior, Observed, Sigmoid};
use gaussfield_graph::{
    Exponential, ExponentialPerDimension, Graph, Metric, Pattern, Symmetry, WeightFamily,
};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::Labels;
use gaussfield_laplacian::SolverOptions;
use gaussfield_tune::{Entropy, Evidence, Learn, Minimise, Objective, Optimiser, Workbench};
use ndarray::{Array2, Axis, concatenate};

const EPSILON: f64 = 0.01;
const STEPS: u64 = 20;

fn main() -> anyhow::Result<()> {
    if std::env::args().any(|argument| argument == "--bench") {
        remembering()?;
    }
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
    let entropy = Entropy::new(labels.clone()).smoothed(EPSILON)?;
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

/// Twenty steps down the entropy of digits with fifty labels, three times: with memory, without,
/// and what no step can do without.
fn remembering() -> anyhow::Result<()> {
    let catalog = Catalog::builtin()?;
    let (name, data) = match catalog.load("usps") {
        Ok(digits) => ("digits", digits),
        Err(_) => ("cloud", cloud(11_000, 256)?),
    };
    let labels = few_labels(&data.labels, 5)?;
    let pattern = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let start = Exponential { sigma: pattern.mean_distance() };
    let entropy = Entropy::new(labels.clone()).smoothed(EPSILON)?;
    let how = Minimise {
        optimiser: Optimiser::SteepestDescent { longest: 0.05 },
        max_steps: STEPS,
        value_tolerance: 0.0,
        ..Minimise::default()
    };
    let learned = Learn::new(&pattern, &start, &entropy).by(&how).run(|_| {})?;
    let graphs = |at: &mut dyn FnMut(&Exponential, &Graph) -> anyhow::Result<()>| {
        for step in &learned.trace {
            let family = Exponential { sigma: step.parameters[0] };
            at(&family, &family.graph(&pattern, Budget::default())?)?;
        }
        anyhow::Ok(())
    };
    let mut workbench = Workbench::default();
    let with = timed(|| {
        graphs(&mut |family, graph| {
            let found = entropy.evaluate_on(&mut workbench, graph)?;
            black_box(family.pullback(&pattern, graph, &found.edges)?);
            Ok(())
        })
    })?;
    let without = timed(|| {
        graphs(&mut |family, graph| {
            let found = entropy.evaluate(graph)?;
            black_box(family.pullback(&pattern, graph, &found.edges)?);
            Ok(())
        })
    })?;
    let mut bare = gaussfield_laplacian::Workbench::new();
    let mut floor = 0.0;
    graphs(&mut |_, graph| {
        let field = entropy.field(graph)?;
        let values = field.values().select(Axis(0), field.interior());
        floor += indispensable(&mut bare, graph, &labels, &values)?;
        Ok(())
    })?;
    let what = format!("entropy, {} steps on {} {name}", learned.trace.len(), labels.len());
    for (which, seconds) in [("with memory", with), ("without", without), ("bare solves", floor)] {
        measured_once("tuning", &format!("{what}: {which}"), seconds)?;
    }
    #[expect(clippy::print_stdout, reason = "the figures of this suite")]
    {
        println!(
            "tuning/{what}: {with:.2} CPU s with memory, {without:.2} without (ratio {:.2}); \
             {floor:.2} for numeric factorisations and solves alone (ratio {:.2}); {:?}",
            with / without,
            with / floor,
            workbench.work()
        );
    }
    Ok(())
}

/// Processor seconds of preparing the system of the smoothed walk on a workbench that knows its
/// structure, and of solving for the field and the adjoint.
fn indispensable(
    workbench: &mut gaussfield_laplacian::Workbench,
    graph: &Graph,
    labels: &Labels,
    values: &Array2<f64>,
) -> anyhow::Result<f64> {
    let nodes = labels.unlabelled();
    let degrees = graph.degrees();
    let excess: Vec<f64> = nodes
        .iter()
        .map(|&node| {
            let mut held = EPSILON * degrees[node];
            graph.for_each_neighbour(node, |j, w| {
                if labels.get(j).is_some() {
                    held += (1.0 - EPSILON) * w;
                }
            });
            held
        })
        .collect();
    let ones = Array2::ones((nodes.len(), 1));
    let field = concatenate(Axis(1), &[values.view(), ones.view()])?;
    let sensitivity = values.mapv(|p| -p.max(f64::MIN_POSITIVE).ln() / nodes.len() as f64);
    let options = SolverOptions::default();
    let begun = cpu_seconds().context("no processor time to read")?;
    let prepared = workbench.prepare(graph, &nodes, 1.0 - EPSILON, excess, &options)?;
    let right = prepared.system().apply(field.view());
    workbench.solve("field", right.view())?;
    workbench.solve("adjoint", sensitivity.view())?;
    Ok(cpu_seconds().context("no processor time to read")? - begun)
}

/// Processor seconds of some work.
fn timed(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let begun = cpu_seconds().context("no processor time to read")?;
    work()?;
    Ok(cpu_seconds().context("no processor time to read")? - begun)
}

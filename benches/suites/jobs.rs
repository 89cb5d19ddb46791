//! Whole jobs, each once, as somebody waits for them: its time, its processor time and the most memory
//! the process held during it. Words after `--` choose the jobs whose name has one of them:
//! `cargo bench --bench jobs -- bipartite`.
//!
//! Full graphs and hubs are there because a direct solver would take the cube of their size.

use std::time::Instant;

use anyhow::Context;
use gaussfield_benches::{cpu_seconds, few_labels, forget_peak, measured_once, peak_mib};
use gaussfield_core::Budget;
use gaussfield_data::Dataset;
use gaussfield_data::catalog::Catalog;
use gaussfield_data::generate::ClusterManifolds;
use gaussfield_graph::{
    Exponential, ExponentialPerDimension, Graph, Metric, Pattern, SelfTuning, Symmetry,
    WeightFamily,
};
use gaussfield_harmonic::{Dynamics, Field, Harmonic};
use gaussfield_labels::{ClassPrior, Decision, HeldOut, Islands, Labels, Transductive, metrics};
use gaussfield_tune::{Entropy, Learn, Minimise, Optimiser};

type Job = fn() -> anyhow::Result<()>;

const JOBS: [(&str, Job); 6] = [
    ("bipartite", bipartite),
    ("complete", complete),
    ("star", star),
    ("hubs", hubs),
    ("scales", scales),
    ("mnist", mnist),
];

fn main() -> anyhow::Result<()> {
    // `cargo test --benches` asks for a run without measuring.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for (name, job) in JOBS {
        if words.is_empty() || words.iter().any(|word| name.contains(word)) {
            job()?;
        }
    }
    Ok(())
}

/// Does a job and tells what it took; `more` says what came of it.
fn timed<T>(
    what: &str,
    job: impl FnOnce() -> anyhow::Result<T>,
    more: impl FnOnce(&T) -> String,
) -> anyhow::Result<T> {
    forget_peak();
    let (start, begun) = (Instant::now(), cpu_seconds().unwrap_or(f64::NAN));
    let done = job().with_context(|| what.to_owned())?;
    let seconds = start.elapsed().as_secs_f64();
    let processor = cpu_seconds().unwrap_or(f64::NAN) - begun;
    measured_once("jobs", what, seconds)?;
    let peak = peak_mib().unwrap_or(f64::NAN);
    #[expect(clippy::print_stdout, reason = "the figures of this suite")]
    {
        println!(
            "jobs/{what}: {seconds:.2} s, {processor:.2} CPU s, peak {peak:.0} MiB{}",
            more(&done)
        );
    }
    Ok(done)
}

fn facts(field: &Field) -> String {
    let facts = field.solve_facts();
    format!(
        ", {:?}, {} iterations, residual {:.1e}, partition error {:.1e}",
        facts.solver, facts.iterations, facts.relative_residual, facts.partition_error
    )
}

/// Two labels in a row for each of two classes, the rest to be found.
fn two_classes(nodes: usize, labelled: [usize; 4]) -> anyhow::Result<Labels> {
    let mut classes = vec![None; nodes];
    labelled.into_iter().enumerate().for_each(|(at, node)| classes[node] = Some(at % 2));
    Ok(Labels::new(classes, vec!["even".into(), "odd".into()])?)
}

/// Every node of one half linked to every one of the other, weights between ½ and 1½.
fn bipartite() -> anyhow::Result<()> {
    const HALF: usize = 6000;
    let weight = |i: usize, j: usize| 0.5 + ((i * 7919 + j * 104_729) % 1000) as f64 / 1000.0;
    let edges = (0..HALF).flat_map(|i| (0..HALF).map(move |j| (i, HALF + j, weight(i, j))));
    let graph = Graph::from_edges(2 * HALF, edges)?;
    let labels = two_classes(2 * HALF, [0, 1, HALF, HALF + 1])?;
    let fit = || Ok(Harmonic::default().fit(&graph, &labels)?);
    timed("complete bipartite graph of 6,000 and 6,000 nodes, harmonic", fit, facts)?;
    Ok(())
}

/// All pairs of 15,000 points of ten classes.
fn complete() -> anyhow::Result<()> {
    let shape = ClusterManifolds {
        n: 15_000,
        dim: 16,
        classes: 10,
        intrinsic: 16,
        separation: 4.0,
        noise: 0.0,
    };
    let data: Dataset = shape.generate(1)?;
    let labels = few_labels(&data.labels, 10)?;
    let weights = || {
        let pattern = Pattern::complete(&data.points, Metric::Euclidean)?;
        let family = Exponential { sigma: pattern.mean_distance() };
        Ok(family.graph(&pattern, Budget::default())?)
    };
    let graph = timed("complete graph of 15,000 points, weights", weights, |_| String::new())?;
    let fit = || Ok(Harmonic::default().fit(&graph, &labels)?);
    timed("complete graph of 15,000 points, harmonic", fit, facts)?;
    Ok(())
}

/// One node linked to all others, which are not linked to each other.
fn star() -> anyhow::Result<()> {
    const NODES: usize = 1_000_000;
    let edges = (1..NODES).map(|i| (0, i, 1.0 + (i % 7) as f64));
    let graph = Graph::from_edges(NODES, edges)?;
    let labels = two_classes(NODES, [1, 2, 3, 4])?;
    let fit = || Ok(Harmonic::default().fit(&graph, &labels)?);
    timed("star of 1,000,000 nodes, harmonic", fit, facts)?;
    Ok(())
}

/// A ring of 100,000 nodes with chords, and ten hubs that are linked to every tenth node each.
fn hubs() -> anyhow::Result<()> {
    const NODES: usize = 100_000;
    let next = |i: usize, step: usize| (i, (i + step) % NODES);
    let ring = (0..NODES).flat_map(|i| [next(i, 1), next(i, 317), next(i, 10_007)]);
    let spokes = (0..NODES).map(|i| (i, NODES + i % 10));
    let edges = ring.chain(spokes).map(|(i, j)| (i, j, 1.0 + ((i + j) % 5) as f64));
    let graph = Graph::from_edges(NODES + 10, edges)?;
    let labels = two_classes(NODES + 10, [0, NODES / 2, 1, NODES / 2 + 1])?;
    let fit = || Ok(Harmonic::default().fit(&graph, &labels)?);
    timed("ring of 100,000 nodes with chords and ten hubs, harmonic", fit, facts)?;
    Ok(())
}

/// Entropy learning of the 256 scales of the digits' graph.
fn scales() -> anyhow::Result<()> {
    let data = Catalog::builtin()?.load("usps")?;
    let labels = few_labels(&data.labels, 5)?;
    let pattern = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let sigmas = vec![pattern.mean_distance(); pattern.points().dim()];
    let start = ExponentialPerDimension { sigmas };
    let entropy = Entropy::new(labels.clone()).smoothed(0.01)?;
    for (name, how) in [
        ("as it comes", Minimise::default()),
        (
            "20 steps of steepest descent",
            Minimise {
                optimiser: Optimiser::SteepestDescent { longest: 0.05 },
                max_steps: 20,
                value_tolerance: 0.0,
                ..Minimise::default()
            },
        ),
    ] {
        let search = || Ok(Learn::new(&pattern, &start, &entropy).by(&how).run(|_| {})?);
        let what = format!("entropy of {} digits, 256 scales, {name}", data.len());
        timed(&what, search, |learned| {
            format!(
                ", {} evaluations, entropy {:.6} to {:.6}, {}, {:?}",
                learned.evaluations,
                learned.trace.first().map_or(f64::NAN, |step| step.value),
                learned.value,
                learned.stop,
                learned.work
            )
        })?;
    }
    Ok(())
}

/// 70,000 digits, ten labels of each class, from points to the share of right classes: by the
/// harmonic function with class masses, and by threshold dynamics.
fn mnist() -> anyhow::Result<()> {
    let data = Catalog::builtin()?.load("mnist")?;
    let shown = few_labels(&data.labels, 10)?;
    let uniform = ClassPrior::uniform(data.labels.classes())?;
    let islands = Islands::Prior(uniform.clone());
    let right = |answer: &dyn Transductive, decision: &Decision| -> anyhow::Result<f64> {
        let scores = answer.scores().select(&shown.unlabelled())?;
        let held_out = HeldOut::new(&data.labels, &shown)?;
        Ok(metrics::accuracy(&held_out, &decision.decide(&scores)?)?)
    };
    let told = |right: &f64| format!(", {:.1} % right", 100.0 * right);
    let harmonic = || {
        let pattern = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
        let graph =
            Exponential { sigma: pattern.mean_distance() }.graph(&pattern, Budget::default())?;
        let method = Harmonic { islands: islands.clone(), ..Harmonic::default() };
        right(&method.fit(&graph, &shown)?, &Decision::ClassMass(uniform.clone()))
    };
    timed("MNIST, graph to accuracy, harmonic function and class mass", harmonic, told)?;
    let dynamics = || {
        let pattern = Pattern::knn(&data.points, Metric::Cosine, 5, Symmetry::Either)?;
        let graph = SelfTuning::default().graph(&pattern, Budget::default())?;
        let method = Dynamics { islands: islands.clone(), ..Dynamics::default() };
        right(&method.fit(&graph, &shown)?, &Decision::Argmax)
    };
    timed("MNIST, graph to accuracy, dynamics", dynamics, told)?;
    Ok(())
}

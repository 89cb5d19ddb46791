//! Work too long to repeat: each piece runs once, tells its time and the most memory the process
//! ever held, and leaves the time for the report. Words after `--` choose the pieces whose name has
//! one of them: `cargo bench --bench scale -- warped`.

use std::sync::Arc;
use std::time::Instant;

use gaussfield_benches::{cloud, few_labels, measured_once, peak_mib, sheet};
use gaussfield_core::Budget;
use gaussfield_gp::{
    Ambient, GaussianProcess, Geometry, GraphPrior, Kernel, Observed, Probit, Sigmoid, Warp,
};
use gaussfield_graph::{Exponential, Metric, Neighbours, Pattern, Search, Symmetry, WeightFamily};
use gaussfield_labels::Labels;
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use gaussfield_tune::{Evidence, Learn, Minimise, scan_neighbours};
use rayon::prelude::*;

type Piece = fn() -> anyhow::Result<()>;

fn main() -> anyhow::Result<()> {
    // `cargo test --benches` asks for a run without measuring.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let pieces: [(&str, Piece); 4] = [
        ("warped kernel", warped_grid),
        ("scan of k", scan_of_k),
        ("large graph, sheet", || large_graph("sheet", 2)),
        ("large graph, cloud", || large_graph("cloud", 16)),
    ];
    for (name, piece) in pieces {
        if words.is_empty() || words.iter().any(|word| name.contains(word)) {
            piece()?;
        }
    }
    Ok(())
}

fn tell(what: &str, since: Instant, more: &str) -> anyhow::Result<()> {
    let seconds = since.elapsed().as_secs_f64();
    measured_once("scale", what, seconds)?;
    let memory = peak_gib().map_or_else(String::new, |gib| format!(", peak {gib:.2} GiB"));
    #[expect(clippy::print_stdout, reason = "the figures of this suite")]
    {
        println!("scale/{what}: {seconds:.1} s{memory}{more}");
    }
    Ok(())
}

fn peak_gib() -> Option<f64> {
    peak_mib().map(|mib| mib / 1024.0)
}

fn observed(labels: &Labels) -> anyhow::Result<Observed> {
    let nodes = labels.labelled();
    let sign =
        |&node: &usize| labels.get(node).map_or(1.0, |c| if c % 2 == 0 { 1.0 } else { -1.0 });
    Ok(Observed::new(&nodes, &nodes.iter().map(sign).collect::<Vec<_>>())?)
}

/// k = 1 … 128 on 4000 points with 50 labels: the search, then the evidence of every graph.
fn scan_of_k() -> anyhow::Result<()> {
    let data = cloud(4000, 16)?;
    let observed = observed(&few_labels(&data.labels, 5)?)?;
    let prior = GraphPrior::regularised(0.1, 1000.0);
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let start = Instant::now();
    let points = data.points;
    let lists = Neighbours::search(&points, Metric::Euclidean, 128, Search::Auto)?;
    let counts: Vec<usize> = (1..=128).collect();
    let evidences =
        scan_neighbours(&lists, &counts, Symmetry::Either, Budget::default(), |_, graph| {
            Ok(process.fit(prior.on(graph)?, &observed)?.log_evidence())
        })?;
    let best = (0..evidences.len()).max_by(|&a, &b| evidences[a].total_cmp(&evidences[b]));
    let best = best.map_or(0, |at| counts[at]);
    tell("k from 1 to 128, 4000 points, 50 labels", start, &format!(", best k {best}"))
}

/// The kernel warped by a graph on 1500 points: five widths × six ratios × ten draws of 50 labels,
/// each with its evidence and its predictions for 500 new points; then 10,000 new points at once.
fn warped_grid() -> anyhow::Result<()> {
    const DRAWS: usize = 10;
    const LABELS: usize = 50;
    let data = cloud(2000, 16)?;
    // Points are ordered by class: every fourth is new.
    let (new, known): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(|row| row % 4 == 0);
    let points = data.points.select(&known)?;
    let queries = data.points.select(&new)?;
    let labels = data.labels.select(&known)?;
    let step = points.len() / LABELS;
    let draws = (0..DRAWS)
        .map(|draw| {
            let nodes: Vec<usize> = (0..LABELS).map(|label| label * step + draw).collect();
            observed(&labels.keep(&nodes)?)
        })
        .collect::<anyhow::Result<Vec<_>>>()?;

    let start = Instant::now();
    let budget = Budget::default();
    let pattern = Pattern::knn(&points, Metric::Euclidean, 10, Symmetry::Either)?;
    let unit = pattern.mean_distance();
    let graph = Exponential::gaussian(unit).graph(&pattern, budget)?;
    let geometry = Geometry::new(&graph, Laplacian::Symmetric, budget)?;
    let process = GaussianProcess::ep(Probit { noise: 0.01 });
    let at_width = |factor: f64| -> anyhow::Result<f64> {
        let kernel = Kernel::Rbf { width: factor * unit };
        let ambient = Ambient::new(&geometry, &points, kernel, budget)?;
        let shared = ambient.queries(&queries)?;
        let mut best = f64::NEG_INFINITY;
        for gamma_i in [0.0, 1e-6, 1e-4, 1e-2, 1.0, 100.0] {
            let warped = ambient.warp(Warp { gamma_a: 1.0, gamma_i, power: 2 })?;
            let ready = warped.queries(&shared)?;
            for observed in &draws {
                let posterior = process.fit(&warped, observed)?;
                std::hint::black_box(posterior.marginals_ready(&ready)?);
                best = best.max(posterior.log_evidence());
            }
        }
        Ok(best)
    };
    // Widths side by side: BLAS has one thread here.
    let best = [0.5, 1.0, 2.0, 4.0, 8.0].into_par_iter().map(at_width);
    let best: Vec<f64> = best.collect::<anyhow::Result<_>>()?;
    let best = best.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let what = "warped kernel, 1500 points, 500 new, 5 widths × 6 ratios × 10 draws of 50 labels";
    tell(what, start, &format!(", largest log evidence {best:.2}"))?;
    many_queries(&geometry, &points, unit, &draws[0])
}

/// What 10,000 new points add to the peak of memory.
fn many_queries(
    geometry: &Arc<Geometry>,
    points: &Points,
    unit: f64,
    observed: &Observed,
) -> anyhow::Result<()> {
    let kernel = Kernel::Rbf { width: 2.0 * unit };
    let ambient = Ambient::new(geometry, points, kernel, Budget::default())?;
    let warped = ambient.warp(Warp { gamma_a: 1.0, gamma_i: 1.0, power: 2 })?;
    let posterior = GaussianProcess::ep(Probit { noise: 0.01 }).fit(&warped, observed)?;
    let queries = cloud(10_000, 16)?.points;
    let before = peak_gib();
    let start = Instant::now();
    std::hint::black_box(posterior.marginals(&queries)?);
    let grown = before.zip(peak_gib()).map_or_else(String::new, |(before, after)| {
        format!(", {:.1} MiB more than before", 1024.0 * (after - before))
    });
    tell("warped kernel, 1500 points: 10,000 new points in batches", start, &grown)
}

/// Evidence maximisation over the length scale of a 10-NN graph of 100,000 points with 100 labels.
fn large_graph(name: &str, dim: usize) -> anyhow::Result<()> {
    let data = if dim == 2 { sheet(100_000)? } else { cloud(100_000, dim)? };
    let observed = observed(&few_labels(&data.labels, 100 / data.classes())?)?;
    let start = Instant::now();
    let pattern = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
    tell(&format!("10-NN {name}, 100,000 points: search"), start, "")?;
    let family = Exponential { sigma: pattern.mean_distance() };
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let evidence = Evidence::of(process, GraphPrior::regularised(0.1, 1000.0), observed);
    let how = Minimise { max_steps: 5, gradient_tolerance: 1e-3, ..Minimise::default() };
    let start = Instant::now();
    let learned = Learn::new(&pattern, &family, &evidence).by(&how).run(|_| {})?;
    let more = format!(
        ", {} evaluations, log evidence {:.3}, {}",
        learned.evaluations, -learned.value, learned.stop
    );
    tell(&format!("10-NN {name}, 100,000 points, 100 labels: evidence"), start, &more)
}

//! Work too long to repeat: each piece runs once and tells its time and the most memory the
//! process ever held.

use std::sync::Arc;
use std::time::Instant;

use gaussfield_benches::{cloud, few_labels, sheet};
use gaussfield_gp::{GaussianProcess, GraphPrior, Observed, Prior, Sigmoid};
use gaussfield_graph::{Exponential, Metric, Neighbours, Pattern, Search, Symmetry};
use gaussfield_labels::Labels;
use gaussfield_tune::{Evidence, Learn, Minimise, scan_neighbours};
use openblas_src as _;

fn main() -> anyhow::Result<()> {
    // `cargo test --benches` asks for a run without measuring.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    scan_of_k()?;
    large_graph("sheet", 2)?;
    large_graph("cloud", 16)
}

fn tell(what: &str, since: Instant, more: &str) {
    let seconds = since.elapsed().as_secs_f64();
    let memory = peak_gib().map_or_else(String::new, |gib| format!(", peak {gib:.2} GiB"));
    #[expect(clippy::print_stdout, reason = "the figures of this suite")]
    {
        println!("scale/{what}: {seconds:.1} s{memory}{more}");
    }
}

fn peak_gib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / (1024.0 * 1024.0))
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
    let points = Arc::new(data.points);
    let lists = Neighbours::search(&points, Metric::Euclidean, 128, Search::Auto)?;
    let counts: Vec<usize> = (1..=128).collect();
    let evidences = scan_neighbours(&lists, &points, &counts, Symmetry::Either, |_, graph| {
        Ok(process.fit(prior.on(graph)?, &observed)?.log_evidence())
    })?;
    let best = (0..evidences.len()).max_by(|&a, &b| evidences[a].total_cmp(&evidences[b]));
    let best = best.map_or(0, |at| counts[at]);
    tell("k from 1 to 128, 4000 points, 50 labels", start, &format!(", best k {best}"));
    Ok(())
}

/// Evidence maximisation over the length scale of a 10-NN graph of 100,000 points with 100 labels.
fn large_graph(name: &str, dim: usize) -> anyhow::Result<()> {
    let data = if dim == 2 { sheet(100_000)? } else { cloud(100_000, dim)? };
    let observed = observed(&few_labels(&data.labels, 100 / data.classes())?)?;
    let start = Instant::now();
    let pattern = Pattern::knn(data.points, 10, Metric::Euclidean, Symmetry::Either)?;
    tell(&format!("10-NN {name}, 100,000 points: search"), start, "");
    let family = Exponential { sigma: pattern.mean_distance() };
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let evidence = Evidence::new(process, GraphPrior::regularised(0.1, 1000.0), observed);
    let how = Minimise { max_steps: 5, gradient_tolerance: 1e-3, ..Minimise::default() };
    let start = Instant::now();
    let learned = Learn::new(&pattern, &family, &evidence).by(&how).run(|_| {})?;
    let more = format!(
        ", {} evaluations, log evidence {:.3}, {}",
        learned.evaluations, -learned.value, learned.stop
    );
    tell(&format!("10-NN {name}, 100,000 points, 100 labels: evidence"), start, &more);
    Ok(())
}

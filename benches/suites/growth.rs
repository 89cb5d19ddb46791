//! How the harmonic solve grows with the number of nodes: curved sheets that cross, ten classes with
//! ten labels each, a 10-NN graph, a relative residual of 1e-8. Every size runs three times and the
//! fastest counts; the exponent is that of a line through the logarithms. Peak memory is that of the
//! process since the graph was made, graph included.
//!
//! The same with weights raised to the 16th and 40th power, and with one label of each class, tells
//! whether iterations grow where one eigenvalue is tiny.
//!
//! Words after `--` choose sizes: `cargo bench --bench growth -- 1000000`. From [`APPROXIMATE`] nodes on
//! the neighbours are those of `Search::Cells`: the exact search would take minutes.

use std::time::Instant;

use anyhow::{Context, ensure};
use gaussfield_benches::{
    cpu_seconds, crossing_sheets, few_labels, forget_peak, measured_once, peak_mib,
};
use gaussfield_core::Budget;
use gaussfield_graph::{
    Cells, Exponential, Graph, Metric, Pattern, Search, Symmetry, WeightFamily,
};
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Islands, Labels};
use gaussfield_laplacian::{Grounded, Preconditioner, Solver, SolverOptions};

const SIZES: [usize; 3] = [10_000, 50_000, 200_000];
const RUNS: usize = 3;
const APPROXIMATE: usize = 300_000;
const TOLERANCE: f64 = 1e-8;
/// Probes of the estimate of a log-determinant.
const PROBES: usize = 16;

fn main() -> anyhow::Result<()> {
    // `cargo test --benches` asks for a run without measuring.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let named: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let sizes = if named.is_empty() { SIZES.to_vec() } else { named };
    let mut costs = Vec::new();
    for n in sizes {
        let (graph, labels, all) = problem(n)?;
        costs.push((n, solve(&graph, &labels, "")?));
        solve(&graph, &few_labels(&all, 1)?, ", one label a class")?;
        for power in [16, 40] {
            // A power may underflow: what is no edge then reaches no label.
            let heavier = raised(&graph, power)?;
            solve(&heavier, &labels, &format!(", weights to the power {power}"))?;
        }
        assembly(&graph, &labels)?;
        log_det(&graph)?;
    }
    if let Some(exponent) = exponent(&costs) {
        tell(&format!("growth: cost ∝ n^{exponent:.2}"));
    }
    Ok(())
}

/// Graph, ten labels of each class, and all labels.
fn problem(n: usize) -> anyhow::Result<(Graph, Labels, Labels)> {
    let data = crossing_sheets(n)?;
    let labels = few_labels(&data.labels, 10)?;
    let search = if n < APPROXIMATE { Search::Auto } else { Search::Cells(Cells::default()) };
    let pattern = Pattern::knn_by(&data.points, Metric::Euclidean, 10, Symmetry::Either, search)?;
    let family = Exponential { sigma: pattern.mean_distance() };
    Ok((family.graph(&pattern, Budget::default())?, labels, data.labels))
}

fn raised(graph: &Graph, power: i32) -> anyhow::Result<Graph> {
    let mut edges = Vec::with_capacity(graph.edges());
    for i in 0..graph.nodes() {
        graph.for_each_neighbour(i, |j, w| {
            if i < j {
                edges.push((i, j, w.powi(power)));
            }
        });
    }
    Ok(Graph::from_edges(graph.nodes(), edges)?)
}

/// The front door, from graph and labels to the field.
fn solve(graph: &Graph, labels: &Labels, which: &str) -> anyhow::Result<f64> {
    let n = graph.nodes();
    let solver = SolverOptions { tolerance: TOLERANCE, ..SolverOptions::default() };
    let islands = Islands::Prior(ClassPrior::uniform(labels.classes())?);
    let method = Harmonic { solver, islands };
    let (mut fastest, mut processor) = (f64::INFINITY, f64::INFINITY);
    let mut facts = None;
    let what = format!("harmonic solve{which}, {n} nodes");
    forget_peak();
    for _ in 0..RUNS {
        let (start, begun) = (Instant::now(), cpu_seconds().unwrap_or(f64::NAN));
        let field = match method.fit(graph, labels) {
            Ok(field) => field,
            // Refused is an answer for weights that no solver has to manage.
            Err(error) if !which.is_empty() => {
                tell(&format!("growth/{what}: refused: {error}"));
                return Ok(f64::NAN);
            }
            Err(error) => return Err(error.into()),
        };
        fastest = fastest.min(start.elapsed().as_secs_f64());
        processor = processor.min(cpu_seconds().unwrap_or(f64::NAN) - begun);
        facts = Some(field.solve_facts().clone());
    }
    let facts = facts.context("no run")?;
    ensure!(facts.relative_residual <= TOLERANCE, "a residual of {}", facts.relative_residual);
    measured_once("growth", &what, fastest)?;
    let peak = peak_mib().unwrap_or(f64::NAN);
    tell(&format!(
        "growth/{what}: {fastest:.3} s, {processor:.2} CPU s, peak {peak:.0} MiB, {}, {} iterations, \
         residual {:.1e}, partition error {:.1e}",
        facts.solver, facts.iterations, facts.relative_residual, facts.partition_error
    ));
    Ok(fastest)
}

/// What the front door assembles, on one thread and on all.
fn assembly(graph: &Graph, labels: &Labels) -> anyhow::Result<()> {
    let nodes = labels.unlabelled();
    let mut seconds = Vec::new();
    for threads in [1, rayon::current_num_threads()] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut fastest = f64::INFINITY;
        for _ in 0..RUNS {
            let excess = vec![1.0; nodes.len()];
            let start = Instant::now();
            let system = pool.install(|| Grounded::new(graph, &nodes, 1.0, excess))?;
            fastest = fastest.min(start.elapsed().as_secs_f64());
            std::hint::black_box(system);
        }
        let what = format!("assembly, {} nodes, {threads} threads", graph.nodes());
        measured_once("growth", &what, fastest)?;
        seconds.push(fastest);
    }
    let [one, all] = [seconds[0], seconds[1]];
    tell(&format!(
        "growth/assembly, {} nodes: {:.1} ms on one thread, {:.1} ms on {} (ratio {:.2})",
        graph.nodes(),
        1e3 * one,
        1e3 * all,
        rayon::current_num_threads(),
        all / one
    ));
    Ok(())
}

/// ln det of Δ + 1/100 by probes.
fn log_det(graph: &Graph) -> anyhow::Result<()> {
    let nodes: Vec<usize> = (0..graph.nodes()).collect();
    let system = Grounded::new(graph, &nodes, 1.0, vec![0.01; nodes.len()])?;
    let solver = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
    let start = Instant::now();
    let prepared = system.prepare(&SolverOptions { solver, ..SolverOptions::default() })?;
    let found = prepared.estimate_log_det(PROBES, 1)?;
    let seconds = start.elapsed().as_secs_f64();
    let what = format!("log determinant by {PROBES} probes, {} nodes", graph.nodes());
    measured_once("growth", &what, seconds)?;
    tell(&format!("growth/{what}: {seconds:.2} s, {} ± {:.1e}", found.value, found.standard_error));
    Ok(())
}

/// The slope of ln cost over ln n; none for one size.
fn exponent(costs: &[(usize, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = costs.iter().map(|&(n, s)| ((n as f64).ln(), s.ln())).collect();
    let count = logs.len() as f64;
    let mean_n = logs.iter().map(|log| log.0).sum::<f64>() / count;
    let mean_s = logs.iter().map(|log| log.1).sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|log| (log.0 - mean_n).powi(2)).sum();
    let products: f64 = logs.iter().map(|log| (log.0 - mean_n) * (log.1 - mean_s)).sum();
    (squares > 0.0).then(|| products / squares)
}

#[expect(clippy::print_stdout, reason = "the figures of this suite")]
fn tell(line: &str) {
    println!("{line}");
}

//! A harmonic mixture of 200,000 points, once: an iteration of EM, the backbone, the memberships.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gaussfield_benches::{cloud, few_labels};
use gaussfield_core::{Budget, Progress};
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_mixture::{Backbone, Covariance, Em, Family, Keep, MembershipSearch};

const POINTS: usize = 200_000;
const DIM: usize = 32;
const COMPONENTS: usize = 500;
const ITERATIONS: usize = 8;
/// Responsibilities kept of each point.
const KEPT: usize = 5;

fn main() -> anyhow::Result<()> {
    // `cargo test --benches` asks for a run without measuring; `--quick` leaves out the long graph.
    let asked = |word: &str| std::env::args().any(|argument| argument == word);
    if !asked("--bench") {
        return Ok(());
    }
    let data = cloud(POINTS, DIM)?;
    let labels = few_labels(&data.labels, 10)?;
    let family = Family::gaussian(Covariance::Spherical);
    let em = Em { max_iterations: ITERATIONS, tolerance: 0.0, ..Em::new(family, COMPONENTS) };
    let start = Instant::now();
    let first = em.start(&data.points, &labels)?;
    tell("k-means start", start.elapsed(), "");

    // A report comes once an iteration: after the E-step that follows its M-step.
    let calls = Arc::new(Mutex::new(Vec::with_capacity(ITERATIONS + 1)));
    let heard = Arc::clone(&calls);
    let progress = Progress::new(move |report| {
        if let ("EM", 1..) = (report.stage, report.done)
            && let Ok(mut heard) = heard.lock()
        {
            heard.push(Instant::now());
        }
    });
    let fit = progress.during(|| em.run(&data.points, &labels, first))?;
    let calls = calls.lock().map(|calls| calls.clone()).unwrap_or_default();
    let mut times: Vec<Duration> = calls.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // The last pass has no M-step after it and adds nothing up: it is not an iteration.
    times.pop();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let all: Vec<String> = times.iter().map(|time| format!("{:.3}", time.as_secs_f64())).collect();
    tell("EM iteration, spherical, median", median, &format!(" of {}", all.join(" ")));

    let start = Instant::now();
    let responsibilities = fit.mixture.responsibilities(&data.points, Keep::Largest(KEPT))?;
    tell(&format!("responsibilities, {KEPT} kept"), start.elapsed(), "");
    if asked("--quick") {
        return Ok(());
    }

    let start = Instant::now();
    let pattern = Pattern::knn(&data.points, Metric::Euclidean, 10, Symmetry::Either)?;
    let sigma = pattern.mean_distance();
    let graph = Exponential { sigma }.graph(&pattern, Budget::default())?;
    tell("10-NN graph", start.elapsed(), &format!(", {} edges", graph.edges()));

    let start = Instant::now();
    let backbone = Backbone::new(&graph, &labels, &responsibilities)?;
    let reduced = start.elapsed();
    let found = MembershipSearch::default().solve(&backbone, None)?;
    let more = format!(
        ", of which the backbone {:.2} s; {} steps, at most {:.0e} of the objective above its minimum",
        reduced.as_secs_f64(),
        found.iterations,
        found.kkt.gap / found.objective
    );
    tell("backbone and memberships, 10 classes", start.elapsed(), &more);
    Ok(())
}

fn tell(what: &str, time: Duration, more: &str) {
    #[expect(clippy::print_stdout, reason = "the figures of this suite")]
    {
        println!(
            "mixture/{what}, {POINTS} points, d = {DIM}, M = {COMPONENTS}: {:.3} s{more}",
            time.as_secs_f64()
        );
    }
}

//! Whole jobs, each once, as somebody waits for them: its time, its processor time and the most memory
//! the process held during it. Words after `--` choose the jobs whose name has one of them:
//! `cargo bench --bench jobs -- bipartite`.
//!
//! The job `program` runs the program `gaussfield`, which `cargo xtask bench jobs` builds and names by
//! `GAUSSFIELD_PROGRAM`.
//!
//! Full graphs and hubs are there because a direct solver would take the cube of their size.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use gaussfield_benches::{
    cpu_seconds, crossing_sheets, few_labels, forget_peak, measured_once, peak_mib,
};
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

const JOBS: [(&str, Job); 7] = [
    ("bipartite", bipartite),
    ("complete", complete),
    ("star", star),
    ("hubs", hubs),
    ("scales", scales),
    ("mnist", mnist),
    ("program", program),
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
    tell(&format!(
        "jobs/{what}: {seconds:.2} s, {processor:.2} CPU s, peak {peak:.0} MiB{}",
        more(&done)
    ));
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

/// A million points in 32 dimensions with ten labels of each class, from a .npy file to a table of names
/// and probabilities, by the program at its own choice.
fn program() -> anyhow::Result<()> {
    const POINTS: usize = 1_000_000;
    let Some(program) = std::env::var_os("GAUSSFIELD_PROGRAM") else {
        tell("jobs/program: left out, as `cargo xtask bench jobs` alone says where it is");
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let [points, labels, table] =
        ["points.npy", "labels.csv", "table.csv"].map(|name| folder.path().join(name));
    let truth = write(&points, &labels, POINTS)?;
    let start = Instant::now();
    let mut command = Command::new(program);
    command.arg("label").arg(&points).arg("--labels").arg(&labels).arg("--output").arg(&table);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // The figures of a process are gone when it has ended: the last that it showed count.
    let (mut peak, mut processor) = (0.0_f64, 0.0);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        (peak, processor) = figures(child.id()).unwrap_or((peak, processor));
        std::thread::sleep(Duration::from_millis(50));
    };
    let seconds = start.elapsed().as_secs_f64();
    ensure!(status.success(), "the program ended with {status}");
    let what = "1,000,000 points, 32 dimensions, .npy to names by the program";
    measured_once("jobs", what, seconds)?;
    let right = right(&table, &truth)?;
    tell(&format!(
        "jobs/{what}: {seconds:.1} s, {processor:.1} CPU s, peak {peak:.0} MiB, {:.1} % right",
        100.0 * right
    ));
    Ok(())
}

/// Writes points and the labels shown, and gives all labels.
fn write(points: &Path, shown: &Path, n: usize) -> anyhow::Result<Labels> {
    let data = crossing_sheets(n)?;
    let rows = data.points.as_dense().context("dense points")?;
    let mut file = BufWriter::new(std::fs::File::create(points)?);
    let shape = format!("({}, {})", rows.nrows(), rows.ncols());
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    // The header ends on a multiple of 64 bytes, of which ten come before it.
    let header = format!("{header:<width$}\n", width = 64 * (header.len() + 11).div_ceil(64) - 11);
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&u16::try_from(header.len())?.to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    for number in rows {
        file.write_all(&number.to_le_bytes())?;
    }
    file.flush()?;
    let mut table = String::from("id,label\n");
    let few = few_labels(&data.labels, 10)?;
    for row in few.labelled() {
        let class = few.get(row).map_or("", |class| few.names()[class].as_str());
        table += &format!("{},{class}\n", row + 1);
    }
    std::fs::write(shown, table)?;
    Ok(data.labels)
}

/// The most memory of a process so far in MiB, and its processor seconds.
fn figures(process: u32) -> Option<(f64, f64)> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| words.get(at)?.parse::<f64>().ok();
    Some((kib / 1024.0, (ticks(11)? + ticks(12)?) / 100.0))
}

/// The share of right classes among the rows of a table that had no label.
fn right(table: &Path, truth: &Labels) -> anyhow::Result<f64> {
    let mut lines = BufReader::new(std::fs::File::open(table)?).lines();
    let header = lines.next().context("an empty table")??;
    let place = |name: &str| {
        let place = header.split(',').position(|column| column == name);
        place.with_context(|| format!("no column {name} in {header}"))
    };
    let (id, label, class) = (place("id")?, place("label")?, place("class")?);
    let (mut right, mut all) = (0.0, 0.0);
    for line in lines {
        let line = line?;
        let cells: Vec<&str> = line.split(',').collect();
        if cells[label].is_empty() {
            let row: usize = cells[id].parse()?;
            let name = truth.get(row - 1).map(|class| truth.names()[class].as_str());
            all += 1.0;
            right += f64::from(u8::from(name == Some(cells[class])));
        }
    }
    Ok(right / all)
}

#[expect(clippy::print_stdout, reason = "the figures of this suite")]
fn tell(line: &str) {
    println!("{line}");
}

//! What only ranks of MPI can show: `cargo xtask test --distributed` and `bench distributed` run it.
//!
//! `ranks check` compares the answers of all engines with one machine's; `ranks panic` and `ranks wait`
//! are ended from inside and outside; `ranks tables FILE.npy…` writes each as Parquet beside it; `ranks
//! measure N ENGINE CLASSES POWER` prints a line of a table.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a terminal program

use gaussfield_distributed::{
    Engine, LearnScale, LearnedScale, Limits, Method, Mpi, OwnPoints, Part, Search, SolveOptions,
    World, agree, run, sum,
};
use gaussfield_graph::Graph;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{Labels, Transductive};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let silence = Duration::from_secs(10);
    let limits = Limits { silence, whole: Some(Duration::from_secs(900)) };
    run(
        limits,
        |words| eprintln!("ranks: {words}"),
        |world| match words[..] {
            ["check"] => ended(world, check(world)),
            ["panic"] => {
                assert!(world.rank() + 1 != world.size(), "on purpose");
                world.gather(&[1.0]);
                ExitCode::SUCCESS
            }
            ["wait"] => {
                world.gather(&[0.0]);
                if world.rank() + 1 == world.size() {
                    println!("waiting {}", std::process::id());
                }
                // Rounds of sums, as long as a solve of a large system.
                let begun = Instant::now();
                while begun.elapsed() < Duration::from_secs(300) {
                    sum(world, &mut [1.0]);
                    std::thread::sleep(Duration::from_millis(20));
                }
                ExitCode::SUCCESS
            }
            ["measure", rows, engine, classes, power] => {
                match (rows.parse(), classes.parse(), power.parse()) {
                    (Ok(rows), Ok(classes), Ok(power)) => {
                        ended(world, measure(world, rows, engine, classes, power))
                    }
                    _ => usage(),
                }
            }
            #[cfg(feature = "columnar")]
            ["tables", ref files @ ..] => ended(world, tables(world, files)),
            _ => usage(),
        },
    )
}

/// Writes rows of doubles as tables.
#[cfg(feature = "columnar")]
fn tables(world: &Mpi, files: &[&str]) -> Result<(), Box<dyn Error>> {
    use gaussfield_data::read::columnar::{Column, Layout, write};
    for file in files {
        let path = std::path::PathBuf::from(file);
        let rows = gaussfield_distributed::read_points(
            world,
            std::slice::from_ref(&path),
            gaussfield_core::Budget::default(),
        )?;
        let column = |(at, column): (usize, ndarray::ArrayView1<f64>)| {
            let numbers = column.iter().copied().map(Some).collect();
            (format!("x{at}"), Column::Numbers(numbers))
        };
        let columns = rows.rows.columns().into_iter().enumerate().map(column).collect();
        std::fs::write(path.with_extension("parquet"), write(columns, Layout::Parquet)?)?;
    }
    Ok(())
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: ranks check | panic | wait | tables FILES | measure ROWS ENGINE CLASSES POWER"
    );
    ExitCode::from(2)
}

/// All members have the same error: one of them says it.
fn ended(world: &Mpi, done: Result<(), Box<dyn Error>>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if world.rank() == 0 {
                eprintln!("{error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn engines() -> Vec<Engine> {
    let mut engines = vec![Engine::Block];
    if cfg!(feature = "hypre") {
        engines.push(Engine::Hypre);
    }
    engines
}

const NODES: u64 = 3000;
const LABELS: [(u64, u32); 4] = [(0, 0), (700, 1), (1500, 2), (2222, 1)];

/// A ring with chords, whose weights lie some powers of ten apart: the edges of one member, and all.
fn ring(world: &Mpi, sharp: i32) -> (Edges, Edges) {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut edges = Vec::new();
    for i in 0..NODES {
        for step in [1, 7, 31] {
            let weight: f64 = 0.05 + 0.95 * random.random::<f64>();
            edges.push((i, (i + step) % NODES, weight.powi(sharp)));
        }
    }
    (edges.iter().copied().skip(world.rank()).step_by(world.size()).collect(), edges)
}

/// Edges (i, j, weight).
type Edges = Vec<(u64, u64, f64)>;

/// The harmonic function of one machine.
fn one_machine(
    nodes: u64,
    edges: &[(u64, u64, f64)],
    labels: &[(u64, u32)],
) -> Result<Array2<f64>, Box<dyn Error>> {
    let all = edges.iter().map(|&(i, j, weight)| (i as usize, j as usize, weight));
    let mut names = vec![None; nodes as usize];
    labels.iter().for_each(|&(row, class)| names[row as usize] = Some(format!("{class:03}")));
    let graph = Graph::from_edges(nodes as usize, all)?;
    let one = Harmonic::default().fit(&graph, &Labels::from_names(names))?;
    Ok(one.scores().values().to_owned())
}

/// The largest difference of scores from those of one machine, of all members.
fn difference(world: &Mpi, part: &Part, scores: &Array2<f64>, one: &Array2<f64>) -> f64 {
    let mut off = [0.0_f64];
    for (row, scores) in part.rows().iter().zip(scores.rows()) {
        for (a, b) in scores.iter().zip(one.row(*row as usize)) {
            off[0] = off[0].max((a - b).abs());
        }
    }
    gaussfield_distributed::max(world, &mut off);
    off[0]
}

fn check(world: &Mpi) -> Result<(), Box<dyn Error>> {
    let members = world.size();
    for sharp in [1, 6] {
        let (own, edges) = ring(world, sharp);
        let one = one_machine(NODES, &edges, &LABELS)?;
        for engine in engines() {
            let options = SolveOptions { engine, ..SolveOptions::default() };
            let part = Part::from_edges(world, NODES, &own)?;
            let fit = Method::Harmonic.fit(world, &part, &LABELS, 3, &options)?;
            let off = difference(world, &part, &fit.scores, &one);
            // As many members, the same bits.
            let again = Method::Harmonic.fit(world, &part, &LABELS, 3, &options)?;
            let bits =
                |scores: &Array2<f64>| scores.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let other = f64::from(u8::from(bits(&fit.scores) != bits(&again.scores)));
            let mut others = [other];
            sum(world, &mut others);
            if others[0] > 0.0 {
                return Err(format!("{engine:?} gives other bits the second time").into());
            }
            if world.rank() == 0 {
                let iterations = fit.facts.iterations;
                println!(
                    "{members} members, {engine:?}, weights to the power {sharp}: {iterations} iterations, off \
                     by {off:.1e}"
                );
            }
            if off > 1e-8 {
                return Err(format!("{engine:?}: off by {off:.1e}").into());
            }
        }
    }
    // The same numbers as lengths: both engines learn the same scale.
    let (own, _) = ring(world, 1);
    let mut part = Part::from_edges(world, NODES, &own)?;
    let mut scales = Vec::new();
    for engine in engines() {
        let options = SolveOptions { engine, tolerance: 1e-12, ..SolveOptions::default() };
        let learned = LearnScale::default().run(world, &mut part, &LABELS, 3, 0.25, &options)?;
        if world.rank() == 0 {
            let LearnedScale { scale, entropy, evaluations, .. } = learned;
            println!(
                "{members} members, {engine:?}: scale {scale:.9}, entropy {entropy:.9}, {evaluations} evaluations"
            );
        }
        scales.push(learned.scale);
    }
    let apart =
        scales.iter().fold(0.0_f64, |most, scale| most.max((scale / scales[0] - 1.0).abs()));
    // Where values that differ by 1e-12 end the search, the scale is known to about their root.
    if apart > 1e-5 { Err(format!("scales lie {apart:.1e} apart").into()) } else { Ok(()) }
}

/// Row `number` of points on ten bent sheets in 16 dimensions; any member can draw any row.
fn draw(number: u64, classes: usize) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(number);
    let class = (number % classes as u64) as f64;
    let (u, v) = (random.random::<f64>() * 6.0, random.random::<f64>() * 6.0);
    let at = |d: usize| {
        let phase = class * (1.0 + 0.37 * d as f64);
        let noise = random_half(number, d);
        (u + phase).sin() * f64::from(u8::from(d.is_multiple_of(3)))
            + (v - phase).cos() * f64::from(u8::from(d % 3 == 1))
            + (0.5 * (u + v) + phase).sin() * f64::from(u8::from(d % 3 == 2))
            + 0.2 * noise
    };
    (0..16).map(at).collect()
}

fn random_half(number: u64, d: usize) -> f64 {
    ChaCha8Rng::seed_from_u64(number.wrapping_mul(31).wrapping_add(d as u64)).random::<f64>() - 0.5
}

/// Up to so many rows one machine computes the same, to compare.
const COMPARED: u64 = 200_000;

fn measure(
    world: &Mpi,
    rows: u64,
    engine: &str,
    classes: usize,
    power: u32,
) -> Result<(), Box<dyn Error>> {
    let engine = if engine == "block" { Engine::Block } else { Engine::Hypre };
    let (me, size) = (world.rank() as u64, world.size() as u64);
    let (from, to) = (rows * me / size, rows * (me + 1) / size);
    let numbers: Vec<f64> = (from..to).flat_map(|number| draw(number, classes)).collect();
    let drawn = Array2::from_shape_fn(((to - from) as usize, 16), |(i, d)| numbers[i * 16 + d]);
    drop(numbers);
    let (begun, begin) = (Instant::now(), cpu_seconds());
    let points = OwnPoints { rows: drawn, first: from, total: rows };
    let found = Search::default().graph(world, points)?;
    let searched = spent(world, begun, begin);
    let search_peak = peak_mebibytes(world);
    let cut = found.part.cut(world);
    let labels: Vec<(u64, u32)> =
        (0..10 * classes as u64).map(|row| (row, (row % classes as u64) as u32)).collect();
    // exp(−d²/σ²) to a power is another length scale.
    let scale = found.part.root_mean_square(world) / f64::from(power).sqrt();
    let (begun, begin) = (Instant::now(), cpu_seconds());
    let options = SolveOptions { engine, tolerance: 1e-8, ..SolveOptions::default() };
    let part = found.part.weighted(world, scale)?;
    let fit = Method::Harmonic.fit(world, &part, &labels, classes, &options)?;
    let solved = spent(world, begun, begin);
    let solve_peak = peak_mebibytes(world);
    let mut right = [0.0, 0.0];
    for (row, scores) in part.rows().iter().zip(fit.scores.rows()) {
        let best = (0..classes).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
        right[0] += f64::from(u8::from(best as u64 == row % classes as u64));
        right[1] += 1.0;
    }
    sum(world, &mut right);
    let off = if rows <= COMPARED {
        let off = compared(world, &part, &labels, classes, engine)?;
        format!("{off:.1e}")
    } else {
        String::new()
    };
    if world.rank() == 0 {
        let facts = fit.facts;
        let engine = if engine == Engine::Block { "block" } else { "hypre" };
        let weights = if power == 1 { "w".to_owned() } else { format!("w^{power}") };
        println!(
            "| {rows} | {size} | {engine} | {weights} | {:.4} | {:.1} | {searched} | {} | {:.1e} | {:.1e} \
             | {off} | {:.2} + {:.2} | {solved} | {search_peak:.0} / {solve_peak:.0} | {:.4} |",
            found.recall.share,
            100.0 * cut,
            facts.iterations,
            facts.residual,
            facts.partition_error,
            facts.seconds.0,
            facts.seconds.1,
            right[0] / right[1],
        );
    }
    Ok(())
}

/// How far a fit to the default tolerance is from one machine's on the same graph, which member 0 brings
/// together.
fn compared(
    world: &Mpi,
    part: &Part,
    labels: &[(u64, u32)],
    classes: usize,
    engine: Engine,
) -> Result<f64, Box<dyn Error>> {
    let options = SolveOptions { engine, ..SolveOptions::default() };
    let fit = Method::Harmonic.fit(world, part, labels, classes, &options)?;
    let own = part.directed().into_iter().filter(|edge| edge.0 < edge.1);
    let bytes = own.flat_map(|(i, j, weight)| [i, j, weight.to_bits()]).flat_map(u64::to_le_bytes);
    let mut parcels = vec![Vec::new(); world.size()];
    parcels[0] = bytes.collect();
    let all = world.swap(parcels).concat();
    let numbers: Vec<u64> =
        all.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let edges: Edges =
        numbers.as_chunks::<3>().0.iter().map(|&[i, j, w]| (i, j, f64::from_bits(w))).collect();
    let one = match world.rank() {
        0 => one_machine(part.nodes(), &edges, labels).map_err(|error| error.to_string()),
        _ => Ok(Array2::zeros((0, 0))),
    };
    let one = agree(world, one)?;
    let bytes: Vec<u8> = one.iter().flat_map(|x| x.to_le_bytes()).collect();
    let told = world.swap(vec![bytes; world.size()]).swap_remove(0);
    let told = told.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let one = Array2::from_shape_vec((part.nodes() as usize, classes), told)?;
    Ok(difference(world, part, &fit.scores, &one))
}

/// Seconds since then; CPU seconds of all members; and those of them outside calls of MPI, where they
/// are counted.
fn spent(world: &Mpi, begun: Instant, begin: [f64; 2]) -> String {
    let now = cpu_seconds();
    let mut cpu = [now[0] - begin[0], now[1] - begin[1]];
    sum(world, &mut cpu);
    let outside = match cpu[1] > 0.0 || world.size() == 1 {
        true => format!("{:.1}", cpu[0] - cpu[1]),
        false => "?".to_owned(),
    };
    format!("{:.1} / {:.1} / {outside}", begun.elapsed().as_secs_f64(), cpu[0])
}

/// CPU seconds of this process so far, and those of them inside calls of MPI: for the most part it waits
/// there. A library that is loaded before counts the latter (`cargo xtask bench distributed`).
fn cpu_seconds() -> [f64; 2] {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks =
        after.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    let inside = std::env::var("GAUSSFIELD_MPI_CPU").ok().and_then(|prefix| {
        let bytes = std::fs::read(format!("{prefix}{}", std::process::id())).ok()?;
        Some(f64::from_le_bytes(bytes.try_into().ok()?))
    });
    [ticks.sum::<f64>() / 100.0, inside.unwrap_or(0.0)]
}

/// The most memory that a member had since this was asked before.
fn peak_mebibytes(world: &Mpi) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let number = line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok());
    let mut most = [number.unwrap_or(0.0) / 1024.0];
    gaussfield_distributed::max(world, &mut most);
    // Counts anew; where that is not allowed the next number is that of the whole run.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    most[0]
}

//! What only ranks of MPI can show: `cargo xtask test --distributed` and `bench distributed` run it.
//!
//! `ranks check` compares the answers of all engines with one machine's; `ranks panic` and `ranks wait`
//! are ended from inside and outside; `ranks measure N ENGINE CLASSES` prints a line of a table.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a terminal program

use gaussfield_distributed::{
    Engine, Limits, Method, Mpi, OwnPoints, Part, Search, SolveOptions, World, run, sum,
};
use gaussfield_graph::Graph;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{Labels, Transductive};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let silence = Duration::from_secs(10);
    run(Limits { silence, whole: Some(Duration::from_secs(900)) }, |world| match words[..] {
        ["check"] => check(world),
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
        ["measure", rows, engine, classes] => match (rows.parse(), classes.parse()) {
            (Ok(rows), Ok(classes)) => measure(world, rows, engine, classes),
            _ => usage(),
        },
        _ => usage(),
    })
}

fn usage() -> ExitCode {
    eprintln!("usage: ranks check | panic | wait | measure ROWS ENGINE CLASSES");
    ExitCode::from(2)
}

fn engines() -> Vec<Engine> {
    let mut engines = vec![Engine::Block, Engine::Coarse];
    if cfg!(feature = "hypre") {
        engines.push(Engine::Hypre);
    }
    engines
}

/// A ring with chords, whose weights lie some powers of ten apart.
fn check(world: &Mpi) -> ExitCode {
    const NODES: u64 = 3000;
    let labels: [(u64, u32); 4] = [(0, 0), (700, 1), (1500, 2), (2222, 1)];
    let mut worst = 0.0_f64;
    for sharp in [1, 6] {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut edges = Vec::new();
        for i in 0..NODES {
            for step in [1, 7, 31] {
                let weight: f64 = 0.05 + 0.95 * random.random::<f64>();
                edges.push((i, (i + step) % NODES, weight.powi(sharp)));
            }
        }
        let all = edges.iter().map(|&(i, j, weight)| (i as usize, j as usize, weight));
        let mut names = vec![None; NODES as usize];
        labels.iter().for_each(|&(row, class)| names[row as usize] = Some(class.to_string()));
        let whole = Graph::from_edges(NODES as usize, all)
            .map_err(|error| error.to_string())
            .and_then(|graph| {
                let one = Harmonic::default().fit(&graph, &Labels::from_names(names));
                one.map_err(|error| error.to_string())
            });
        let one = match whole {
            Ok(one) => one.scores().values().to_owned(),
            Err(error) => {
                eprintln!("one machine: {error}");
                return ExitCode::FAILURE;
            }
        };
        let own: Vec<_> = edges.iter().copied().skip(world.rank()).step_by(world.size()).collect();
        for engine in engines() {
            let options = SolveOptions { engine, ..SolveOptions::default() };
            let fit = Part::from_edges(world, NODES, &own).and_then(|part| {
                Ok((Method::Harmonic.fit(world, &part, &labels, 3, &options)?, part))
            });
            let (fit, part) = match fit {
                Ok(fit) => fit,
                Err(error) => {
                    eprintln!("{engine:?}: {error}");
                    return ExitCode::FAILURE;
                }
            };
            let mut off = [0.0_f64];
            for (row, scores) in part.rows().iter().zip(fit.scores.rows()) {
                for (a, b) in scores.iter().zip(one.row(*row as usize)) {
                    off[0] = off[0].max((a - b).abs());
                }
            }
            gaussfield_distributed::max(world, &mut off);
            worst = worst.max(off[0]);
            if world.rank() == 0 {
                let (members, iterations) = (world.size(), fit.facts.iterations);
                println!(
                    "{members} members, {engine:?}, weights to the power {sharp}: {iterations} iterations, off \
                     by {:.1e}",
                    off[0]
                );
            }
        }
    }
    if worst <= 1e-8 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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

fn measure(world: &Mpi, rows: u64, engine: &str, classes: usize) -> ExitCode {
    let engine = match engine {
        "block" => Engine::Block,
        "coarse" => Engine::Coarse,
        _ => Engine::Hypre,
    };
    let (me, size) = (world.rank() as u64, world.size() as u64);
    let (from, to) = (rows * me / size, rows * (me + 1) / size);
    let numbers: Vec<f64> = (from..to).flat_map(|number| draw(number, classes)).collect();
    let drawn = Array2::from_shape_fn(((to - from) as usize, 16), |(i, d)| numbers[i * 16 + d]);
    drop(numbers);
    let cpu = |begin: f64| {
        let mut spent = [cpu_seconds() - begin];
        sum(world, &mut spent);
        spent[0]
    };
    let (begun, begin) = (Instant::now(), cpu_seconds());
    let points = OwnPoints { rows: drawn, first: from, total: rows };
    let found = match Search::default().graph(world, points) {
        Ok(found) => found,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let (searched, search_cpu) = (begun.elapsed().as_secs_f64(), cpu(begin));
    let cut = found.part.cut(world);
    let labels: Vec<(u64, u32)> =
        (0..10 * classes as u64).map(|row| (row, (row % classes as u64) as u32)).collect();
    let scale = found.part.root_mean_square(world);
    let (begun, begin) = (Instant::now(), cpu_seconds());
    let options = SolveOptions { engine, tolerance: 1e-8, ..SolveOptions::default() };
    let fit = found.part.weighted(world, scale).and_then(|part| {
        let fit = Method::Harmonic.fit(world, &part, &labels, classes, &options)?;
        Ok((fit, part))
    });
    let (fit, part) = match fit {
        Ok(fit) => fit,
        Err(error) => {
            if world.rank() == 0 {
                eprintln!("{error}");
            }
            return ExitCode::FAILURE;
        }
    };
    let (solved, solve_cpu) = (begun.elapsed().as_secs_f64(), cpu(begin));
    let mut right = [0.0, 0.0];
    for (row, scores) in part.rows().iter().zip(fit.scores.rows()) {
        let best = (0..classes).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
        right[0] += f64::from(u8::from(best as u64 == row % classes as u64));
        right[1] += 1.0;
    }
    sum(world, &mut right);
    let mut memory = [peak_mebibytes()];
    gaussfield_distributed::max(world, &mut memory);
    if world.rank() == 0 {
        let facts = fit.facts;
        println!(
            "| {rows} | {size} | {engine:?} | {:.4} | {:.1} | {searched:.1} / {search_cpu:.1} | {} | {:.1e} | {:.1e} \
             | {:.2} + {:.2} | {solved:.1} / {solve_cpu:.1} | {:.0} | {:.4} |",
            found.recall.share,
            100.0 * cut,
            facts.iterations,
            facts.residual,
            facts.partition_error,
            facts.seconds.0,
            facts.seconds.1,
            memory[0],
            right[0] / right[1],
        );
    }
    ExitCode::SUCCESS
}

/// CPU seconds of this process so far, waiting in MPI included.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks =
        after.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The most memory that this process had so far.
fn peak_mebibytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let number = line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok());
    number.unwrap_or(0.0) / 1024.0
}

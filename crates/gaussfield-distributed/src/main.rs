//! `gaussfield-mpi`: graphs and labels of points that one machine does not hold, under `mpirun`.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a terminal program

mod kept;
mod options;

use gaussfield_core::Budget;
use gaussfield_core::files::sha256_of;
use gaussfield_distributed::{
    Columns, DistributedError, Fit, LearnedScale, Mpi, Part, Placed, Search, SolveOptions, Stage,
    Stages, World, decide, read_labels, read_points, run, write_answers,
};
use kept::Kept;
use options::{Command, GraphOptions, HELP, LabelOptions, PredictOptions};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let command = match options::parse(lexopt::Parser::from_env()) {
        Ok(Some(command)) => command,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    run(
        command.limits(),
        |words| eprintln!("gaussfield-mpi: {words}"),
        |world| {
            let done = match &command {
                Command::Graph(options) => graph(world, options),
                Command::Label(options) => label(world, options),
                Command::Predict(options) => predict(world, options),
            };
            match done {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    // All members have the same error: one of them says it.
                    if world.rank() == 0 {
                        eprintln!("error: {error}");
                    }
                    ExitCode::FAILURE
                }
            }
        },
    )
}

/// One line from member 0.
fn tell(world: &Mpi, line: &str) {
    if world.rank() == 0 {
        println!("{line}");
    }
}

fn graph(world: &Mpi, options: &GraphOptions) -> Result<(), DistributedError> {
    let begun = Instant::now();
    let memory = options.common.memory;
    let stages = Stages::new(&options.out).within(memory);
    let points = read_points(world, &options.files, memory)?;
    // Files are known by what is in them: other points under the same names are another graph.
    let read = format!("{:?} {}", options.files, points.checksum(world)?);
    let key = format!("{read} {:?}", Search { budget: Budget::default(), ..options.search });
    if let Some((stage, _)) = stages.kept(world, "graph")?
        && stage.key == key
    {
        tell(world, &format!("the graph is there already: {}", stage.facts));
        return Ok(());
    }
    // Where points lie does not depend on how neighbours are looked for.
    let (placed, restarted) = match stages.kept(world, "points")? {
        Some((stage, bytes)) if stage.key == read => {
            drop(points);
            (Placed::from_bytes(world, &bytes)?, true)
        }
        _ => {
            let placed = Placed::new(world, points, memory)?;
            let facts = serde_json::json!({ "points": placed.nodes(), "columns": placed.width() });
            stages.keep(world, "points", (&read, facts), &placed.to_bytes()?)?;
            (placed, false)
        }
    };
    let found = options.search.link(world, placed)?;
    let facts = serde_json::json!({
        "points": found.part.nodes(),
        "edges": found.part.edges(world),
        "members": world.size(),
        "search": Search { budget: Budget::default(), ..options.search },
        "recall": found.recall.share,
        "recall measured on": found.recall.sample,
        "cells": found.cells,
        "queries shipped a point": found.shipped,
        "edges between members": found.part.cut(world),
        "points from an earlier run": restarted,
        "seconds": begun.elapsed().as_secs_f64(),
    });
    stages.keep(world, "graph", (&key, facts.clone()), &found.part.to_bytes())?;
    tell(world, &facts.to_string());
    Ok(())
}

/// A stage that another command has finished.
fn finished(
    world: &Mpi,
    stages: &Stages,
    name: &str,
    remedy: &'static str,
) -> Result<(Stage, Vec<u8>), DistributedError> {
    stages.kept(world, name)?.ok_or_else(|| DistributedError::File {
        path: stages.folder().into(),
        problem: format!("holds no finished {name}"),
        remedy,
    })
}

const GRAPH_FIRST: &str = "make it first: gaussfield-mpi graph";

fn label(world: &Mpi, options: &LabelOptions) -> Result<(), DistributedError> {
    let begun = Instant::now();
    let memory = options.common.memory;
    let graph = Stages::new(&options.graph).within(memory);
    let (made, bytes) = finished(world, &graph, "graph", GRAPH_FIRST)?;
    let (labels, names) = read_labels(world, &options.labels)?;
    let mut part = Part::from_bytes(world, &bytes)?;
    drop(bytes);
    let stages = Stages::new(&options.out).within(memory);
    let mut scale = options.scale.unwrap_or_else(|| part.root_mean_square(world));
    let classes = names.len();
    let solve = SolveOptions { budget: Budget::default(), ..options.solve };
    let given = format!("{} {labels:?} {names:?} {solve:?}", made.key);
    let learned: Option<LearnedScale> = match &options.learn {
        None => None,
        Some(learn) => {
            let key = format!("{given} {scale} {learn:?}");
            let from = (&mut part, &labels[..], classes);
            Some(kept::learned(world, (&stages, &key), learn, from, scale, &options.solve)?)
        }
    };
    if let Some(learned) = &learned {
        scale = learned.scale;
    }
    let part = part.weighted(world, scale)?;
    let key = format!("{given} {scale} {:?}", options.method);
    let kept = match stages.kept(world, "scores")? {
        Some((stage, bytes)) if stage.key == key => Some(Kept::from_stage(world, stage, &bytes)?),
        _ => None,
    };
    let restarted = kept.is_some();
    let kept = match kept {
        Some(kept) => kept,
        None => {
            let columns = Columns::new(&stages, sha256_of([key.as_bytes()]));
            let (method, solve) = (options.method, &options.solve);
            let fit = method.fit_on(world, &part, &labels, classes, solve, Some(&columns))?;
            let Fit { scores, facts: solve, rounds, .. } = fit;
            let mut counts = vec![0; classes];
            labels.iter().for_each(|label| counts[label.1 as usize] += 1);
            let (names, graph) = (names.clone(), made.key);
            let kept = Kept { scores, names, counts, scale, graph, solve, rounds };
            stages.keep(world, "scores", (&key, kept.facts()), &kept.to_bytes())?;
            columns.forget(world)?;
            kept
        }
    };
    let labelled = part.labelled(&labels);
    let decision = options.decide.decision(&kept.counts)?;
    let (decided, shares) = decide(world, &kept.scores, &labelled, &decision)?;
    let answers = (&decided[..], &shares[..]);
    write_answers(world, &options.out, part.nodes(), part.rows(), answers, &names)?;
    let facts = serde_json::json!({
        "points": part.nodes(),
        "labels": labels.len(),
        "classes": classes,
        "length scale": scale,
        "learned": learned,
        "solve": kept.solve,
        "scores from an earlier run": restarted,
        "seconds": begun.elapsed().as_secs_f64(),
    });
    tell(world, &facts.to_string());
    Ok(())
}

fn predict(world: &Mpi, options: &PredictOptions) -> Result<(), DistributedError> {
    let begun = Instant::now();
    let memory = options.common.memory;
    let graph = Stages::new(&options.graph).within(memory);
    let (made, _) = finished(world, &graph, "graph", GRAPH_FIRST)?;
    let (_, bytes) = finished(world, &graph, "points", GRAPH_FIRST)?;
    let placed = Placed::from_bytes(world, &bytes)?;
    let answers = Stages::new(&options.answers).within(memory);
    let (stage, bytes) =
        finished(world, &answers, "scores", "make them first: gaussfield-mpi label")?;
    let kept = Kept::from_stage(world, stage, &bytes)?;
    if kept.graph != made.key {
        return Err(DistributedError::File {
            path: options.answers.clone(),
            problem: format!("has answers on another graph than {}", options.graph.display()),
            remedy: "name the graph that label was given, or run label again",
        });
    }
    let search = Search { budget: memory, ..kept::search(&made, &options.graph)? };
    let new = read_points(world, &options.files, memory)?;
    let scores = search.predict(world, &placed, (&kept.scores, kept.scale), &new)?;
    let decision = options.decide.decision(&kept.counts)?;
    let open = vec![None; scores.nrows()];
    let (decided, shares) = decide(world, &scores, &open, &decision)?;
    let rows: Vec<u64> = (new.first..).take(scores.nrows()).collect();
    let answers = (&decided[..], &shares[..]);
    write_answers(world, &options.out, new.total, &rows, answers, &kept.names)?;
    let facts = serde_json::json!({
        "new points": new.total,
        "rule": format!("the weighted mean of the scores of their {} nearest points", search.k),
        "length scale": kept.scale,
        "seconds": begun.elapsed().as_secs_f64(),
    });
    tell(world, &facts.to_string());
    Ok(())
}

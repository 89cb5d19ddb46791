//! `gaussfield-mpi`: graphs and labels of points that one machine does not hold, under `mpirun`.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a terminal program

mod options;

use gaussfield_distributed::{
    DistributedError, Limits, Mpi, Part, Stages, World, decide, read_labels, read_points, run,
    write_answers,
};
use gaussfield_labels::{ClassPrior, Decision};
use options::{Command, Decide, GraphOptions, HELP, LabelOptions};
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
    run(command.limits(), |world| {
        let done = match &command {
            Command::Graph(options) => graph(world, options),
            Command::Label(options) => label(world, options),
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
    })
}

/// One line from member 0.
fn tell(world: &Mpi, line: &str) {
    if world.rank() == 0 {
        println!("{line}");
    }
}

fn graph(world: &Mpi, options: &GraphOptions) -> Result<(), DistributedError> {
    let begun = Instant::now();
    let stages = Stages::new(&options.out);
    let key = format!("{:?} {:?}", options.files, options.search);
    if let Some((stage, _)) = stages.kept(world, "graph")?
        && stage.key == key
    {
        tell(world, &format!("the graph is there already: {}", stage.facts));
        return Ok(());
    }
    let points = read_points(world, &options.files)?;
    let found = options.search.graph(world, points)?;
    let facts = serde_json::json!({
        "points": found.part.nodes(),
        "edges": found.part.edges(world),
        "members": world.size(),
        "recall": found.recall.share,
        "recall measured on": found.recall.sample,
        "cells": found.cells,
        "queries shipped a point": found.shipped,
        "edges between members": found.part.cut(world),
        "seconds": begun.elapsed().as_secs_f64(),
    });
    stages.keep(world, "graph", (&key, facts.clone()), &found.part.to_bytes())?;
    tell(world, &facts.to_string());
    Ok(())
}

fn label(world: &Mpi, options: &LabelOptions) -> Result<(), DistributedError> {
    let begun = Instant::now();
    let Some((made, bytes)) = Stages::new(&options.graph).kept(world, "graph")? else {
        return Err(DistributedError::File {
            path: options.graph.clone(),
            problem: "holds no finished graph".into(),
            remedy: "make it first: gaussfield-mpi graph",
        });
    };
    let (labels, names) = read_labels(world, &options.labels)?;
    let part = Part::from_bytes(world, &bytes)?;
    drop(bytes);
    let scale = options.scale.unwrap_or_else(|| part.root_mean_square(world));
    let part = part.weighted(world, scale)?;
    let stages = Stages::new(&options.out);
    let key = format!(
        "{} {labels:?} {names:?} {scale} {:?} {:?}",
        made.key, options.method, options.solve
    );
    let classes = names.len();
    let (fit, restarted) = match stages.kept(world, "scores")? {
        Some((stage, bytes)) if stage.key == key => {
            (options::fit_from_bytes(world, &stage.facts, &bytes, &labels, &part)?, true)
        }
        _ => {
            let fit = options.method.fit(world, &part, &labels, classes, &options.solve)?;
            let facts = serde_json::json!({ "solve": fit.facts, "rounds": fit.rounds });
            stages.keep(world, "scores", (&key, facts), &options::scores_to_bytes(&fit))?;
            (fit, false)
        }
    };
    let prior = || -> Result<ClassPrior, DistributedError> {
        let add_one = |class: u32| {
            let count = labels.iter().filter(|label| label.1 == class).count();
            (count + 1) as f64 / (labels.len() + classes) as f64
        };
        let shares = options.prior.clone();
        Ok(ClassPrior::given(shares.unwrap_or_else(|| (0..classes as u32).map(add_one).collect()))?)
    };
    let decision = match options.decide {
        Decide::Argmax => Decision::Argmax,
        Decide::Mass => Decision::ClassMass(prior()?),
        Decide::Counts => Decision::Counts(prior()?),
    };
    let (decided, shares) = decide(world, &fit, &decision)?;
    let answers = (&decided[..], &shares[..]);
    write_answers(world, &options.out, part.nodes(), part.rows(), answers, &names)?;
    let facts = serde_json::json!({
        "points": part.nodes(),
        "labels": labels.len(),
        "classes": classes,
        "length scale": scale,
        "solve": fit.facts,
        "scores from an earlier run": restarted,
        "seconds": begun.elapsed().as_secs_f64(),
    });
    tell(world, &facts.to_string());
    Ok(())
}

impl Command {
    fn limits(&self) -> Limits {
        match self {
            Self::Graph(options) => options.limits,
            Self::Label(options) => options.limits,
        }
    }
}

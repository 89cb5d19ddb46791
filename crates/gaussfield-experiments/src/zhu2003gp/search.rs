//! Ascent of the evidence for the weighted graphs, one label set at a time.

use super::look::{Outcome, prior, process};
use super::scans::{Family, Scan};
use super::task::{LabelSet, Task};
use crate::Context;
use anyhow::{Context as _, Result};
use gaussfield_core::{Budget, Domain};
use gaussfield_graph::{Exponential, Tanh, WeightFamily};
use gaussfield_tune::{Evidence, Learn, Minimise};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The graph a label set has chosen.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Chosen {
    pub(super) parameters: Vec<f64>,
    pub(super) outcome: Outcome,
    pub(super) edges: f64,
    pub(super) cross: f64,
    /// How often the evidence was computed, for this label set alone.
    pub(super) evaluations: usize,
    pub(super) seconds: f64,
}

/// Steps of a search, more than any needs; those of a short run.
const STEPS: [u64; 2] = [100, 4];

/// How the searches of a family go. They start at the best place of the grid for the label set, and
/// go on until the gradient or the gain of a step vanishes.
#[derive(Debug, Serialize)]
struct Settings {
    steps: u64,
    tolerance: f64,
}

/// What every label set chooses in a family: the best place of an enumerated family, or where
/// the ascent ends.
pub(super) fn choose(
    ctx: &Context,
    task: &Task,
    family: Family,
    scan: &Scan,
) -> Result<Vec<Chosen>> {
    if matches!(family, Family::Neighbours | Family::Radius) {
        return (0..task.sets.len()).map(|set| enumerated(scan, set)).collect();
    }
    let settings = Settings { steps: STEPS[usize::from(ctx.quick())], tolerance: 5e-4 };
    let name = format!("search-{}-{}", family.id(), task.plan.id);
    let starts: Vec<Vec<f64>> = (0..task.sets.len())
        .map(|set| scan.best(set).map_or(Vec::new(), |place| place.parameters.clone()))
        .collect();
    let parameters = (task.settings(), &settings, &starts);
    ctx.experiment(&name, &parameters).run(task.sets.len(), |trial| {
        let (set, start) = (&task.sets[trial.index()], &starts[trial.index()]);
        let at = |index: usize| start.get(index).copied().unwrap_or(f64::NAN);
        let start: Box<dyn WeightFamily> = match family {
            Family::Tanh => Box::new(Tanh { a1: at(0), a2: at(1) }),
            _ => Box::new(Exponential { sigma: at(0) }),
        };
        climb(task, set, &start, &settings)
    })
}

fn enumerated(scan: &Scan, set: usize) -> Result<Chosen> {
    let place = scan.best(set).context("no graph was looked at")?;
    Ok(Chosen {
        parameters: place.parameters.clone(),
        outcome: place.look.sets[set],
        edges: place.look.edges,
        cross: place.look.cross,
        evaluations: scan.0.len(),
        seconds: scan.0.iter().map(|place| place.look.seconds).sum(),
    })
}

fn climb<F: WeightFamily + Clone>(
    task: &Task,
    set: &LabelSet,
    family: &F,
    settings: &Settings,
) -> Result<Chosen> {
    let start = Instant::now();
    let how = Minimise {
        max_steps: settings.steps,
        value_tolerance: settings.tolerance,
        gradient_tolerance: 1e-3,
        reach: 50.0,
        // A line search of conjugate gradients takes five evaluations a step.
        ..Minimise::default()
    };
    let evidence = Evidence::of(process(), prior(), set.observed.clone());
    let mut learn = Learn::new(&task.complete, family, &evidence).by(&how);
    if family.parameters().iter().any(|parameter| parameter.name == "a2") {
        // The cutoff moves on the scale of its logarithm, as the slope does: in plain distances
        // the one parameter would be thousands of times as long as the other.
        learn = learn.domain("a2", Domain::Positive);
    }
    let learned = learn.run(|_| {})?;
    let graph = learned.family.graph(&task.complete, Budget::default())?;
    Ok(Chosen {
        parameters: learned.family.values(),
        outcome: set.outcome(&prior().on(&graph)?)?,
        edges: graph.edges() as f64,
        cross: task.cross(&graph),
        evaluations: learned.evaluations,
        seconds: start.elapsed().as_secs_f64(),
    })
}

//! Conjugate gradients for the weighted graphs, one label set at a time.

use super::look::{Outcome, prior, process};
use super::scans::{Family, Scan};
use super::task::{LabelSet, Task};
use crate::Context;
use anyhow::{Context as _, Result};
use gaussfield_core::{Budget, Domain};
use gaussfield_graph::{Exponential, Tanh, WeightFamily};
use gaussfield_tune::{Evidence, Learn, Minimise, Optimiser};
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

/// How the searches of a family go. They start at the best place of the grid for the label set,
/// and at the best places that are no neighbours of it, and go on until the gradient or the gain of
/// a step vanishes.
#[derive(Debug, Serialize)]
struct Settings {
    starts: usize,
    steps: u64,
    tolerance: f64,
}

/// What every label set chooses in a family: the best place of an enumerated family, or where
/// conjugate gradients end.
pub(super) fn choose(
    ctx: &Context,
    task: &Task,
    family: Family,
    scan: &Scan,
) -> Result<Vec<Chosen>> {
    if matches!(family, Family::Neighbours | Family::Radius) {
        return (0..task.sets.len()).map(|set| enumerated(scan, set)).collect();
    }
    let large = task.is_large();
    let settings = Settings {
        starts: match (ctx.quick(), large) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 3,
        },
        steps: STEPS[usize::from(ctx.quick())],
        tolerance: 1e-4,
    };
    let name = format!("search-{}-{}", family.id(), task.plan.id);
    let starts: Vec<Vec<Vec<f64>>> =
        (0..task.sets.len()).map(|set| starts(scan, set, settings.starts)).collect();
    let parameters = (task.settings(), &settings, &starts);
    ctx.experiment(&name, &parameters).run(task.sets.len(), |trial| {
        let (set, starts) = (&task.sets[trial.index()], &starts[trial.index()]);
        let at = |index: usize| {
            starts.first().and_then(|start| start.get(index)).copied().unwrap_or(f64::NAN)
        };
        let start: Box<dyn WeightFamily> = match family {
            Family::Tanh => Box::new(Tanh { a1: at(0), a2: at(1) }),
            _ => Box::new(Exponential { sigma: at(0) }),
        };
        climb(task, set, &start, starts, &settings)
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

/// The best places of a grid for a label set that are no neighbours of each other: apart in some
/// parameter by more than two fifths in the logarithm.
fn starts(scan: &Scan, set: usize, count: usize) -> Vec<Vec<f64>> {
    let mut places: Vec<_> = scan.0.iter().collect();
    places.sort_by(|a, b| b.look.sets[set].evidence.total_cmp(&a.look.sets[set].evidence));
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).any(|(x, y)| (x / y).ln().abs() > 0.4);
    let mut starts: Vec<Vec<f64>> = Vec::new();
    for place in places {
        if starts.len() < count && starts.iter().all(|start| apart(start, &place.parameters)) {
            starts.push(place.parameters.clone());
        }
    }
    starts
}

fn climb<F: WeightFamily + Clone>(
    task: &Task,
    set: &LabelSet,
    family: &F,
    starts: &[Vec<f64>],
    settings: &Settings,
) -> Result<Chosen> {
    let start = Instant::now();
    let how = Minimise {
        optimiser: Optimiser::ConjugateGradient,
        max_steps: settings.steps,
        value_tolerance: settings.tolerance,
        gradient_tolerance: 1e-3,
        reach: 50.0,
    };
    let evidence = Evidence::of(process(), prior(), set.observed.clone());
    let mut learn = Learn::new(&task.complete, family, &evidence).by(&how);
    if family.parameters().iter().any(|parameter| parameter.name == "a2") {
        // The cutoff moves on the scale of its logarithm, as the slope does: in plain distances
        // the one parameter would be thousands of times as long as the other.
        learn = learn.domain("a2", Domain::Positive);
    }
    for other in starts.iter().skip(1) {
        learn = learn.starting_at(other);
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

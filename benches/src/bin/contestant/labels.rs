//! Accuracy over the splits: what is known about the classes beside their labels is part of the name.

use crate::{Shared, accuracy};
use anyhow::{Context, bail};
use gaussfield::description::Description;
use gaussfield_core::Budget;
use gaussfield_graph::{Graph, Metric, Pattern, SelfTuning, Symmetry, WeightFamily};
use gaussfield_harmonic::{
    Balance, Dynamics, Harmonic, Poisson, PoissonReweighted, ProperlyWeighted,
};
use gaussfield_labels::{ClassPrior, Decision, Islands, Labels};
use gaussfield_points::Points;
use gaussfield_points::prepare::{Hog, Preparation};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// Labels of each class.
const RATES: [usize; 4] = [1, 2, 5, 10];
/// Neighbours of the graph that one tries first.
const NEAREST: usize = 5;

/// The graph that all share, or one of our own.
enum Ground {
    Common,
    Cosine,
    Gradients,
    Automatic,
}

enum Way {
    /// What the umbrella crate chooses by itself.
    Automatic,
    /// The harmonic function and its largest scores.
    Harmonic,
    /// With masses normalised to the uniform prior.
    Mass,
    /// Poisson learning.
    Poisson,
    /// The harmonic function on weights that grow towards the labels.
    PoissonReweighted,
    ProperlyWeighted(Points),
    /// Threshold dynamics from the harmonic function.
    Dynamics(Balance),
    /// Threshold dynamics from Poisson learning, without any prior.
    Sources,
    /// The same from the harmonic function on weights that grow towards the labels.
    Heavier,
}

/// The splits from `first` on that begin within so many seconds; after each all figures are told.
pub(crate) fn accuracies(
    method: &str,
    shared: &Shared,
    seconds: f64,
    first: usize,
    tell: impl Fn(Value),
) -> anyhow::Result<()> {
    let truth = shared.truth()?;
    let (ground, way) = named(method, shared, &truth)?;
    let graph = match ground {
        Ground::Common => shared.graph(truth.len())?,
        Ground::Cosine => self_tuning(&shared.points()?, Metric::Cosine)?,
        Ground::Gradients => {
            let points = shared.points()?;
            let hog = Preparation::Hog(gradients(points.dim())?);
            self_tuning(&hog.fit(&points, Budget::default())?.1, Metric::Euclidean)?
        }
        // No graph that is chosen by itself depends on the labels.
        Ground::Automatic => {
            let points = shared.points()?;
            Description::automatic(&points, &truth)?.description.graph_of(&points)?
        }
    };
    let start = Instant::now();
    let mut found: Vec<Vec<f64>> = vec![Vec::new(); RATES.len()];
    for split in first..shared.splits(RATES[0])?.nrows() {
        if start.elapsed().as_secs_f64() > seconds {
            break;
        }
        for (found, each) in found.iter_mut().zip(RATES) {
            let shown = shared.shown(&truth, each, split)?;
            found.push(right(&way, &graph, &truth, &shown)?);
        }
        let accuracies: Map<String, Value> = RATES
            .iter()
            .zip(&found)
            .map(|(rate, found)| (rate.to_string(), json!(found)))
            .collect();
        tell(json!({ "seconds": start.elapsed().as_secs_f64(), "accuracies": accuracies }));
    }
    Ok(())
}

fn named(method: &str, shared: &Shared, truth: &Labels) -> anyhow::Result<(Ground, Way)> {
    let given = || -> anyhow::Result<Balance> {
        let counts = truth.counts();
        let all = truth.len() as f64;
        let shares: Vec<f64> = counts.iter().map(|&count| count as f64 / all).collect();
        Ok(Balance::Counts(ClassPrior::given(shares)?))
    };
    Ok(match method {
        "automatic" => (Ground::Automatic, Way::Automatic),
        "harmonic" => (Ground::Common, Way::Harmonic),
        "harmonic-mass" => (Ground::Common, Way::Mass),
        "poisson" => (Ground::Common, Way::Poisson),
        "poisson-reweighted" => (Ground::Common, Way::PoissonReweighted),
        "properly-weighted" => (Ground::Common, Way::ProperlyWeighted(shared.points()?)),
        "poisson-cosine" => (Ground::Cosine, Way::Poisson),
        "poisson-dynamics" => (Ground::Cosine, Way::Sources),
        "reweighted-dynamics" => (Ground::Cosine, Way::Heavier),
        "dynamics-free" => (Ground::Cosine, Way::Dynamics(Balance::Free)),
        "dynamics" => (Ground::Cosine, Way::Dynamics(Balance::UniformOnce)),
        "dynamics-given" => (Ground::Cosine, Way::Dynamics(given()?)),
        "gradients-dynamics" => (Ground::Gradients, Way::Dynamics(Balance::UniformOnce)),
        "gradients-given" => (Ground::Gradients, Way::Dynamics(given()?)),
        other => bail!("no method `{other}`"),
    })
}

fn self_tuning(points: &Points, metric: Metric) -> anyhow::Result<Graph> {
    let pattern = Pattern::knn(points, metric, NEAREST, Symmetry::Either)?;
    Ok(SelfTuning::default().graph(&pattern, Budget::default())?)
}

/// Histograms of gradients for square images of so many pixels.
fn gradients(pixels: usize) -> anyhow::Result<Hog> {
    let side = pixels.isqrt();
    let hog = Hog::of_side(side);
    Ok(match side {
        8 => Hog { cell: 2.5, stride: 1, ..hog },
        16 => hog,
        28 => Hog { cell: 6.0, stride: 4, ..hog },
        _ => bail!("no cells are known for images of {pixels} pixels"),
    })
}

/// The share of right classes. Parts of the graph without a label hold the uniform prior.
fn right(way: &Way, graph: &Graph, truth: &Labels, shown: &Labels) -> anyhow::Result<f64> {
    let uniform = ClassPrior::uniform(truth.classes())?;
    let islands = Islands::Prior(uniform.clone());
    let harmonic = Harmonic { islands: islands.clone(), ..Harmonic::default() };
    let largest = &Decision::Argmax;
    match way {
        Way::Automatic => {
            let method = Description::automatic_on_graph(shown)?.description;
            accuracy(truth, shown, &method.fit_graph(graph.clone(), shown)?, largest)
        }
        Way::Harmonic => accuracy(truth, shown, &harmonic.fit(graph, shown)?, largest),
        Way::Mass => {
            accuracy(truth, shown, &harmonic.fit(graph, shown)?, &Decision::ClassMass(uniform))
        }
        Way::Poisson => {
            let poisson = Poisson { islands, ..Poisson::default() };
            accuracy(truth, shown, &poisson.fit(graph, shown)?, largest)
        }
        Way::PoissonReweighted => {
            let method = PoissonReweighted { islands, ..PoissonReweighted::default() };
            accuracy(truth, shown, &method.fit(graph, shown)?, largest)
        }
        Way::ProperlyWeighted(points) => {
            let method = ProperlyWeighted { islands, ..ProperlyWeighted::default() };
            accuracy(truth, shown, &method.fit(graph, points, shown)?, largest)
        }
        Way::Sources => {
            let start = Poisson { islands: islands.clone(), ..Poisson::default() };
            let dynamics = Dynamics { balance: Balance::Free, islands, ..Dynamics::default() };
            let found = dynamics.fit_from(graph, shown, &start.fit(graph, shown)?)?;
            accuracy(truth, shown, &found, largest)
        }
        Way::Heavier => {
            let start =
                PoissonReweighted { islands: islands.clone(), ..PoissonReweighted::default() };
            let dynamics = Dynamics { balance: Balance::Free, islands, ..Dynamics::default() };
            let found = dynamics.fit_from(graph, shown, &start.fit(graph, shown)?)?;
            accuracy(truth, shown, &found, largest)
        }
        Way::Dynamics(balance) => {
            let balance = balance.clone();
            let dynamics = Dynamics { balance, islands, ..Dynamics::default() };
            accuracy(truth, shown, &dynamics.fit(graph, shown)?, largest)
        }
    }
    .context("a split")
}

//! Whole ranges of graphs, each graph seen by all label sets.

use super::look::{Look, Outcome};
use super::task::{MOST_NEIGHBOURS, Task};
use crate::Context;
use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Graph, Symmetry, Tanh, Unweighted, WeightFamily as _};
use gaussfield_tune::MultiResolution;

/// The four parameterisations of section 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Neighbours,
    Radius,
    Tanh,
    Exp,
}

impl Family {
    /// In the order of the tables.
    pub(super) const ALL: [Self; 4] = [Self::Neighbours, Self::Radius, Self::Tanh, Self::Exp];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Neighbours => "kNN",
            Self::Radius => "εNN",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
        }
    }

    /// The name for files and ids.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Neighbours => "knn",
            Self::Radius => "eps",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
        }
    }

    /// What its parameters are called.
    pub(super) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Neighbours => &["k"],
            Self::Radius => &["ε"],
            Self::Tanh => &["α1", "α2"],
            Self::Exp => &["α"],
        }
    }

    fn graph(self, task: &Task, parameters: &[f64]) -> Result<Graph> {
        let budget = Budget::default();
        let at = |index: usize| parameters.get(index).copied().unwrap_or(f64::NAN);
        Ok(match self {
            Self::Neighbours => {
                let k = at(0) as usize;
                let pattern = task.neighbours.pattern(k, Symmetry::Either)?;
                Unweighted.graph(&pattern, budget)?
            }
            Self::Radius => Unweighted.graph(&task.complete.within(at(0), budget)?, budget)?,
            Self::Tanh => Tanh { a1: at(0), a2: at(1) }.graph(&task.complete, budget)?,
            Self::Exp => Exponential { sigma: at(0) }.graph(&task.complete, budget)?,
        })
    }
}

/// A graph that was looked at.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) parameters: Vec<f64>,
    pub(super) look: Look,
}

/// Every graph of one family that was looked at, by increasing parameters.
#[derive(Debug, Clone)]
pub(super) struct Scan(pub(super) Vec<Place>);

impl Scan {
    /// A quantity of one label set at every place.
    pub(super) fn of_set(&self, set: usize, of: impl Fn(&Outcome) -> f64) -> Vec<f64> {
        self.0.iter().map(|place| of(&place.look.sets[set])).collect()
    }

    /// The mean of a quantity over label sets, at every place.
    pub(super) fn mean(&self, of: impl Fn(&Outcome) -> f64) -> Vec<f64> {
        let mean = |place: &Place| {
            place.look.sets.iter().map(&of).sum::<f64>() / place.look.sets.len() as f64
        };
        self.0.iter().map(mean).collect()
    }

    /// The place of the largest evidence for a label set.
    pub(super) fn best(&self, set: usize) -> Option<&Place> {
        let evidence = |place: &&Place| place.look.sets[set].evidence;
        self.0.iter().max_by(|a, b| evidence(a).total_cmp(&evidence(b)))
    }
}

/// Looks at all places of a family; every finished one is kept.
fn look_at(
    ctx: &Context,
    task: &Task,
    family: Family,
    places: Vec<Vec<f64>>,
) -> Result<Vec<Place>> {
    let name = format!("{}-{}", family.id(), task.plan.id);
    let parameters = (task.settings(), &places);
    // A trial is a place here: its number chooses the parameters, and nothing is drawn.
    let looks = ctx
        .experiment(&name, &parameters)
        .run(places.len(), |trial| task.look(&family.graph(task, &places[trial.index()])?))?;
    Ok(places.into_iter().zip(looks).map(|(parameters, look)| Place { parameters, look }).collect())
}

/// How many graphs of a family are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    Short,
}

impl Extent {
    pub(super) fn of(ctx: &Context) -> Self {
        if ctx.quick() { Self::Short } else { Self::Whole }
    }
}

/// Section 4's way through a family: k enumerated, ε by a refined grid; for tanh and exp a grid
/// that shows the surface and gives the searches their starts.
pub(super) fn scan(ctx: &Context, task: &Task, family: Family, extent: Extent) -> Result<Scan> {
    let ((low, high), quick, large) = (task.range, extent == Extent::Short, task.is_large());
    let one = |values: Vec<f64>| values.into_iter().map(|value| vec![value]).collect();
    let places = match family {
        Family::Neighbours if quick => one([1, 2, 3, 5, 8, 16, 32, 64, 128].map(f64::from).into()),
        Family::Neighbours => one((1..=MOST_NEIGHBOURS).map(|k| k as f64).collect()),
        Family::Radius => return radii(ctx, task, extent),
        Family::Tanh => {
            let (across, along) = if quick {
                (4, 5)
            } else if large {
                (5, 6)
            } else {
                (6, 8)
            };
            let (fewest, most) = task.shares();
            let cutoffs = spaced(along, fewest.ln(), most.ln());
            let cutoffs: Vec<f64> = cutoffs.iter().map(|share| task.radius(share.exp())).collect();
            // α₁ in units of the distances: from soft to nearly a step.
            let slopes = spaced(across, (200.0 / high).ln(), (2.0 / high).ln());
            let row = |slope: f64| cutoffs.iter().map(move |&a2| vec![-slope.exp(), a2]);
            slopes.into_iter().flat_map(row).collect()
        }
        Family::Exp => {
            let scales = spaced(if quick || large { 8 } else { 16 }, (0.25 * low).ln(), high.ln());
            one(scales.into_iter().map(f64::exp).collect())
        }
    };
    Ok(Scan(look_at(ctx, task, family, places)?))
}

/// A multi-resolution grid for each label set, even in the logarithm of the share of pairs within
/// ε: distances of documents crowd just below 1. Every radius any label set asks for is looked at
/// once and serves them all.
fn radii(ctx: &Context, task: &Task, extent: Extent) -> Result<Scan> {
    let grid = match (extent, task.is_large()) {
        (Extent::Short, _) => MultiResolution { points: 7, levels: 2 },
        (Extent::Whole, true) => MultiResolution { points: 11, levels: 2 },
        (Extent::Whole, false) => MultiResolution { points: 13, levels: 2 },
    };
    let mut known: Vec<Place> = Vec::new();
    let mut trouble = None;
    for set in 0..task.sets.len() {
        let (fewest, most) = task.shares();
        let found = grid.minimise(fewest.ln(), most.ln(), |asked| {
            let radii: Vec<f64> = asked.iter().map(|share| task.radius(share.exp())).collect();
            let found = match values(ctx, task, &mut known, &radii, set) {
                Ok(values) => values,
                Err(error) => {
                    trouble = Some(error);
                    vec![f64::NAN; asked.len()]
                }
            };
            Ok(found)
        });
        if let Some(error) = trouble.take() {
            return Err(error);
        }
        found?;
    }
    known.sort_by(|a, b| a.parameters[0].total_cmp(&b.parameters[0]));
    Ok(Scan(known))
}

/// The negative evidences of a label set at the radii asked for.
fn values(
    ctx: &Context,
    task: &Task,
    known: &mut Vec<Place>,
    asked: &[f64],
    set: usize,
) -> Result<Vec<f64>> {
    let find = |known: &[Place], radius: f64| {
        let same = |place: &&Place| place.parameters[0].total_cmp(&radius).is_eq();
        known.iter().find(same).map(|place| -place.look.sets[set].evidence)
    };
    let new: Vec<Vec<f64>> = asked
        .iter()
        .filter(|&&radius| find(known, radius).is_none())
        .map(|&radius| vec![radius])
        .collect();
    if !new.is_empty() {
        known.extend(look_at(ctx, task, Family::Radius, new)?);
    }
    Ok(asked.iter().map(|&radius| find(known, radius).unwrap_or(f64::NAN)).collect())
}

/// So many numbers from `from` to `to`, both included; at least two.
fn spaced(count: usize, from: f64, to: f64) -> Vec<f64> {
    let step = (to - from) / (count.max(2) - 1) as f64;
    (0..count.max(2)).map(|i| from + step * i as f64).collect()
}

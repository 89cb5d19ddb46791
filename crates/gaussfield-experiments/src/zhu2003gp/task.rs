//! A task with its label sets, ready for graphs.

use super::plans::{Material, Plan};
use crate::{Context, Trial};
use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_data::split::Split;
use gaussfield_gp::Observed;
use gaussfield_graph::{Distances, Metric, Neighbours, Pattern, Search};
use gaussfield_labels::{HeldOut, Labels};
use gaussfield_points::Points;
use serde::Serialize;

/// The class whose label is +1.
pub(super) const POSITIVE: usize = 0;
/// The largest k of section 4.
pub(super) const MOST_NEIGHBOURS: usize = 128;

/// Nodes from which grids are coarser: the cost grows with n³.
const LARGE: usize = 3000;

/// One random draw of labels.
pub(super) struct LabelSet {
    pub(super) observed: Observed,
    pub(super) held_out: HeldOut,
    /// The positive share of the unlabelled points, which "tuned" knows.
    pub(super) share: f64,
}

/// A task, ready for graphs.
pub(super) struct Task {
    pub(super) plan: Plan,
    pub(super) truth: Labels,
    /// All pairs, with their distances.
    pub(super) complete: Pattern,
    pub(super) neighbours: Neighbours,
    pub(super) sets: Vec<LabelSet>,
    /// All distances, ascending.
    sorted: Vec<f64>,
    /// The distance within which a twentieth of the points has a neighbour, and the mean distance.
    pub(super) range: (f64, f64),
    /// The images as they are, where the points are smaller.
    pub(super) full: Option<Points>,
    /// What to write under figures drawn on other data.
    pub(super) note: Option<String>,
    /// Why claims about the task are not run, if they are not.
    pub(super) missing: Option<String>,
}

/// What results on a task depend on.
#[derive(Debug, Serialize)]
pub(super) struct Settings {
    task: &'static str,
    nodes: usize,
    labelled: usize,
    sets: usize,
    stand_in: bool,
}

impl Task {
    pub(super) fn new(
        ctx: &Context,
        plan: Plan,
        material: Material,
        metric: Metric,
    ) -> Result<Self> {
        let Material { points, truth, full, note, missing } = material;
        let sets = (0..ctx.trial_count(10, 3))
            .map(|index| {
                let seed = Trial::new(ctx.options().seed, plan.id, index).seed("labels");
                LabelSet::draw(&truth, plan.labelled, seed)
            })
            .collect::<Result<_>>()?;
        let task = Self::with(plan, points, truth, metric, sets)?;
        Ok(Self { full, note, missing, ..task })
    }

    /// The same labels on other points.
    pub(super) fn on(self, points: Points, id: &'static str) -> Result<Self> {
        let (plan, metric) = (self.plan.named(id), self.complete.metric());
        let Self { truth, sets, note, missing, .. } = self;
        let task = Self::with(plan, points, truth, metric, sets)?;
        Ok(Self { note, missing, ..task })
    }

    fn with(
        plan: Plan,
        points: Points,
        truth: Labels,
        metric: Metric,
        sets: Vec<LabelSet>,
    ) -> Result<Self> {
        let complete = Pattern::complete(&points, metric)?;
        let neighbours = Neighbours::search(&points, metric, MOST_NEIGHBOURS, Search::Auto)?;
        let sorted = sorted_distances(&complete)?;
        let mut nearest: Vec<f64> =
            (0..complete.nodes()).map(|i| neighbours.distances(i)[0]).collect();
        nearest.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        // Doubled points have distance 0.
        let range = (nearest[nearest.len() / 20].max(0.05 * mean), mean);
        Ok(Self {
            plan,
            truth,
            complete,
            neighbours,
            sets,
            sorted,
            range,
            full: None,
            note: None,
            missing: None,
        })
    }

    /// Whether a single look takes seconds.
    pub(super) fn is_large(&self) -> bool {
        self.truth.len() > LARGE
    }

    /// The distance within which lies this share of all pairs.
    pub(super) fn radius(&self, share: f64) -> f64 {
        let at = (share * self.sorted.len() as f64) as usize;
        // Doubled points have distance 0, and a radius has to be positive.
        self.sorted[at.min(self.sorted.len() - 1)].max(1e-3 * self.range.1)
    }

    /// Shares of pairs between which radii are looked for: from one neighbour a point to half of
    /// all pairs.
    pub(super) fn shares(&self) -> (f64, f64) {
        (1.0 / (self.truth.len() - 1) as f64, 0.5)
    }

    pub(super) fn settings(&self) -> Settings {
        Settings {
            task: self.plan.id,
            nodes: self.truth.len(),
            labelled: self.plan.labelled,
            sets: self.sets.len(),
            // Another edition has its note as well.
            stand_in: self.note.is_some(),
        }
    }
}

impl LabelSet {
    fn draw(truth: &Labels, labelled: usize, seed: u64) -> Result<Self> {
        let visible = Split::random(truth, labelled, seed)?.partial(truth)?;
        let held_out = HeldOut::new(truth, &visible)?;
        let positives = held_out.truth().iter().filter(|&&class| class == POSITIVE).count();
        Ok(Self {
            observed: Observed::one_against_rest(&visible, POSITIVE)?,
            share: positives as f64 / held_out.len() as f64,
            held_out,
        })
    }
}

/// The distances of all pairs, ascending.
fn sorted_distances(complete: &Pattern) -> Result<Vec<f64>> {
    let mut sorted: Vec<f64> = match complete.distances(Budget::default())? {
        Distances::Complete(all) => all
            .rows()
            .into_iter()
            .enumerate()
            .flat_map(|(i, row)| row.to_vec().into_iter().take(i))
            .collect(),
        Distances::Sparse(edges) => edges.data().to_vec(),
    };
    sorted.sort_by(f64::total_cmp);
    Ok(sorted)
}

//! One trial of the figure of error rates: every method on the same draw.

use crate::Trial;
use crate::kapoor2005::leave_one_out::{Method, errors, middle_of_best};
use crate::kapoor2005::model::{Fitted, Kind, Learning, Noise};
use anyhow::{Context as _, Result};
use gaussfield_baselines::NearestNeighbours;
use gaussfield_core::Budget;
use gaussfield_gp::Ridge;
use gaussfield_graph::{Metric, Neighbours, Pattern, Search, WeightFamily};
use gaussfield_harmonic::Field;
use gaussfield_labels::{
    ClassPrior, Decision, HeldOut, Inductive as _, Labels, Transductive as _, metrics,
    tuned_threshold,
};
use gaussfield_points::Points;
use ndarray::Array2;
use rand::seq::SliceRandom as _;
use serde::{Deserialize, Serialize};

/// Steps of the ascent from each start.
pub(super) const STEPS: u64 = 30;

/// Error rates: EP, LLGC, Harmonic at ½, 1-NN by the metric of the graph, Harmonic with class mass
/// normalisation, 1-NN by Euclid.
pub(super) const RATES: usize = 6;

/// Error rates in per cent, and what was learned.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) unlabelled: [f64; RATES],
    pub(super) new: [f64; RATES],
    /// On unlabelled points: EP cut at the median of its means instead of zero.
    pub(super) median: f64,
    /// On new points: EP cut at the median of its means there, and the class of the nearest node by EP.
    pub(super) other_new: [f64; 2],
    /// The kernel's parameter, δ, ε.
    pub(super) learned: [f64; 3],
    pub(super) evidence: f64,
    /// The kernel's parameter that cross-validation chose for LLGC and Harmonic.
    pub(super) chosen: [f64; 2],
}

/// Nodes, and points that are not in the graph.
pub(super) struct Task {
    pub(super) points: Points,
    truth: Labels,
    visible: Labels,
    new: Points,
    new_truth: HeldOut,
}

impl Task {
    /// Of each class so many labelled, so many nodes in all, the rest new.
    pub(super) fn draw(
        points: Points,
        truth: Labels,
        labelled: usize,
        nodes: usize,
        trial: &Trial,
    ) -> Result<Self> {
        let mut rows: Vec<usize> = (0..truth.len()).collect();
        rows.shuffle(&mut trial.rng("rows"));
        let (mut seen, mut inside, mut outside, mut shown) =
            (vec![0; truth.classes()], Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let class = truth.get(row).context("a point has no class")?;
            if seen[class] < labelled {
                shown.push(inside.len());
            }
            let place = if seen[class] < nodes { &mut inside } else { &mut outside };
            place.push(row);
            seen[class] += 1;
        }
        let inner = truth.select(&inside)?;
        let outer = truth.select(&outside)?;
        let all: Vec<usize> = (0..outer.len()).collect();
        Ok(Self {
            points: points.select(&inside)?,
            visible: inner.keep(&shown)?,
            truth: inner,
            new: points.select(&outside)?,
            new_truth: HeldOut::of(&outer, &all)?,
        })
    }

    pub(super) fn run<F: WeightFamily + Clone>(
        &self,
        kind: Kind,
        pattern: &Pattern,
        (starts, grid): (&[F], &[F]),
        kernel: impl Fn(&F, &Points, &Points) -> Result<Array2<f64>>,
        shown: impl Fn(&F) -> f64,
    ) -> Result<Run> {
        let held_out = HeldOut::new(&self.truth, &self.visible)?;
        let metric = pattern.metric();
        let percent = |set: &HeldOut, classes: &[usize]| -> Result<f64> {
            Ok(100.0 * metrics::error(set, classes)?)
        };
        let on_unlabelled = |all: &[usize]| -> Result<f64> {
            let classes: Vec<usize> = held_out.nodes().iter().map(|&node| all[node]).collect();
            percent(&held_out, &classes)
        };
        let labels = &self.visible;
        let learning = Learning { kind, noise: Noise::Learned, steps: STEPS, pattern, labels };
        let fitted: Fitted<F> = learning.from(starts)?;
        let latent = fitted.posterior.latent();
        let classes = fitted.posterior.scores().argmax();
        let gram = kernel(&fitted.family, &self.points, &self.points)?;
        let extension = fitted.posterior.extension(gram.view(), Ridge::None)?;
        let extended = extension.at(kernel(&fitted.family, &self.new, &self.points)?.view())?;
        let new: Vec<usize> = extended.iter().map(|&y| usize::from(y > 0.0)).collect();
        let (mut unlabelled, mut fresh) = ([0.0; RATES], [0.0; RATES]);
        unlabelled[0] = on_unlabelled(&classes)?;
        fresh[0] = percent(&self.new_truth, &new)?;

        let halved = |set: &HeldOut, means: &[f64]| -> Result<f64> {
            let halves = tuned_threshold(means.into(), 0.5)?;
            percent(set, &halves.positives.into_iter().map(usize::from).collect::<Vec<_>>())
        };
        let own: Vec<f64> = held_out.nodes().iter().map(|&node| latent[node]).collect();
        let median = halved(&held_out, &own)?;

        let nearest = Neighbours::query(&self.points, &self.new, metric, 1, Search::default())?;
        let copied = |all: &[usize]| -> Vec<usize> {
            let first = (0..nearest.len()).filter_map(|i| nearest.indices(i).first());
            first.map(|&node| all[node as usize]).collect()
        };
        let other_new = [
            halved(&self.new_truth, &extended.to_vec())?,
            percent(&self.new_truth, &copied(&classes))?,
        ];
        let mut chosen = [0.0; 2];
        for (at, method) in [Method::Consistency, Method::Harmonic].into_iter().enumerate() {
            let field = |family: &F| -> Result<Field> {
                let graph = family.graph(pattern, Budget::default())?;
                method.fit(&graph, &self.visible)
            };
            let errors: Vec<usize> =
                grid.iter().map(|family| errors(&field(family)?)).collect::<Result<_>>()?;
            let best = middle_of_best(&errors).context("an empty grid")?;
            let field = field(&grid[best])?;
            let mut all = field.scores().argmax();
            unlabelled[1 + at] = on_unlabelled(&all)?;
            fresh[1 + at] = percent(&self.new_truth, &copied(&all))?;
            chosen[at] = shown(&grid[best]);
            if method == Method::Harmonic {
                let scores = field.scores().select(held_out.nodes())?;
                let prior = ClassPrior::add_one(&self.visible)?;
                let classes = Decision::ClassMass(prior).decide(&scores)?;
                held_out.nodes().iter().zip(classes).for_each(|(&node, class)| all[node] = class);
                unlabelled[4] = on_unlabelled(&all)?;
                fresh[4] = percent(&self.new_truth, &copied(&all))?;
            }
        }
        for (at, metric) in [(3, metric), (5, Metric::Euclidean)] {
            let model = NearestNeighbours::one(metric).fit(&self.points, &self.visible)?;
            let own = model.predict(&self.points.select(held_out.nodes())?)?;
            unlabelled[at] = percent(&held_out, &own.argmax())?;
            fresh[at] = percent(&self.new_truth, &model.predict(&self.new)?.argmax())?;
        }
        Ok(Run {
            unlabelled,
            new: fresh,
            median,
            other_new,
            learned: [shown(&fitted.family), fitted.delta(), fitted.epsilon()],
            evidence: fitted.posterior.log_evidence(),
            chosen,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_its_labels_nodes_and_new_points() {
        let points = Points::dense(Array2::from_shape_fn((40, 1), |(i, _)| i as f64)).unwrap();
        let truth = Labels::numbered(&(0..40).map(|i| i % 2).collect::<Vec<_>>(), 2).unwrap();
        let task = Task::draw(points, truth, 3, 12, &Trial::new(1, "task", 0)).unwrap();
        assert_eq!(task.visible.counts(), [3, 3]);
        assert_eq!((task.truth.len(), task.new.len(), task.new_truth.len()), (24, 16, 16));
        for node in task.visible.labelled() {
            assert_eq!(task.visible.get(node), task.truth.get(node));
        }
    }
}

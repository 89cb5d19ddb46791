//! One draw of images, labels and flips, and what is learned from it.

use super::Smoothness;
use crate::Trial;
use crate::kapoor2005::diffusion::diffusion;
use crate::kapoor2005::model::{Kind, Learning, Noise, error, process};
use crate::tasks::Digits;
use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_data::split::Split;
use gaussfield_gp::{EpFit, Flip, Memory, Posterior, Prior, Process as _};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, Symmetry, WeightFamily as _};
use gaussfield_labels::{HeldOut, Labels};
use gaussfield_points::Points;
use rand::seq::SliceRandom as _;
use serde::{Deserialize, Serialize};

pub(super) const STEPS: u64 = 40;
const NEAREST: usize = 10;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) epsilon: f64,
    /// The standard error of ε by the curvature of the evidence in it alone.
    pub(super) uncertainty: f64,
    /// Standard errors between the learned ε and the truth, by the evidence at the truth.
    pub(super) distance: f64,
    /// The share of wrong labels that is true.
    pub(super) share: f64,
    /// Wrong ones among as many suspects as there are wrong labels.
    pub(super) precision: f64,
    /// Error on unlabelled images, per cent.
    pub(super) error: f64,
    /// The probabilities of a flip, largest first, with whether the label is wrong.
    pub(super) suspects: Vec<(f64, bool)>,
}

/// Images of which some are labelled, some of these wrongly.
pub(super) struct Draw {
    points: Points,
    truth: Labels,
    visible: Labels,
    flipped: Vec<usize>,
    labelled: usize,
    scale: f64,
}

impl Draw {
    pub(super) fn new(
        images: &Digits,
        rate: f64,
        (each, labelled): (usize, usize),
        trial: &Trial,
    ) -> Result<Self> {
        let (points, truth) = images.one_two(each, &mut trial.rng("images"))?;
        let split = Split::per_class(&truth, labelled / 2, trial.seed("labels"))?;
        let mut flipped = split.labelled().to_vec();
        flipped.shuffle(&mut trial.rng("flips"));
        flipped.truncate((rate * labelled as f64).round() as usize);
        let mut classes = split.partial(&truth)?.as_slice().to_vec();
        for &node in &flipped {
            classes[node] = classes[node].map(|class| 1 - class);
        }
        let visible = Labels::new(classes, truth.names().to_vec())?;
        Ok(Self { points, truth, visible, flipped, labelled, scale: images.scale() })
    }

    pub(super) fn run(&self, smoothness: Smoothness) -> Result<Run> {
        let (labels, share) = (&self.visible, self.share());
        match smoothness {
            Smoothness::Shifted => {
                let pattern = Pattern::complete(&self.points, Metric::Euclidean)?;
                let starts = [150.0, 250.0].map(|width| Exponential::gaussian(width * self.scale));
                let learning = Learning {
                    kind: Kind::Normalised,
                    noise: Noise::Learned,
                    steps: STEPS,
                    pattern: &pattern,
                    labels,
                };
                let best = learning.from(&starts)?;
                let at_truth = Learning { noise: Noise::Held(share), ..learning };
                let mut again = starts.to_vec();
                again.push(best.family);
                let at_truth = at_truth.from(&again)?.posterior.log_evidence();
                self.told(&best.posterior, at_truth)
            }
            Smoothness::Diffusion => {
                let graph = self.nearest()?;
                let best = diffusion(&graph, labels, Noise::Learned, STEPS)?;
                let at_truth = diffusion(&graph, labels, Noise::Held(share), STEPS)?.log_evidence();
                self.told(&best, at_truth)
            }
        }
    }

    /// The ten-nearest graph, its width the mean length of an edge.
    pub(super) fn nearest(&self) -> Result<Graph> {
        let pattern = Pattern::knn(&self.points, Metric::Euclidean, NEAREST, Symmetry::Either)?;
        let family = Exponential::gaussian(pattern.mean_distance());
        Ok(family.graph(&pattern, Budget::default())?)
    }

    /// The labels, wrong ones among them.
    pub(super) fn visible(&self) -> &Labels {
        &self.visible
    }

    fn share(&self) -> f64 {
        self.flipped.len() as f64 / self.labelled as f64
    }

    fn told<P: Prior>(&self, best: &Posterior<P, Flip, EpFit>, at_truth: f64) -> Result<Run> {
        let flipped = |node: usize| self.flipped.contains(&node);
        let suspects: Vec<(f64, bool)> = best
            .audit()
            .suspects
            .iter()
            .map(|suspect| (suspect.probability, flipped(suspect.node)))
            .collect();
        let count = self.flipped.len();
        let caught = suspects.iter().take(count).filter(|suspect| suspect.1).count();
        let held_out = HeldOut::new(&self.truth, &self.visible)?;
        let epsilon = best.likelihood().epsilon;
        Ok(Run {
            epsilon,
            uncertainty: uncertainty(best, epsilon, self.labelled)?,
            distance: (2.0 * (best.log_evidence() - at_truth).max(0.0)).sqrt(),
            share: self.share(),
            precision: caught as f64 / count.max(1) as f64,
            error: error(&held_out, best)?,
            suspects,
        })
    }
}

/// 1/√(−∂² log evidence/∂ε²), by differences of the exact gradient; where the evidence is not
/// concave, the binomial standard error.
fn uncertainty<P: Prior>(
    best: &Posterior<P, Flip, EpFit>,
    epsilon: f64,
    labelled: usize,
) -> Result<f64> {
    let slope = |epsilon: f64| -> Result<f64> {
        let mut memory = Memory::default();
        memory.sites.push(best.on_labels().sites().clone());
        let posterior = process(epsilon).fit_seen(best.prior(), best.observed(), &mut memory)?;
        Ok(posterior.gradient()?.likelihood[0])
    };
    let step = 0.05 * epsilon.min(0.5 - epsilon);
    let curvature = (slope(epsilon + step)? - slope(epsilon - step)?) / (2.0 * step);
    let binomial = (epsilon * (1.0 - epsilon) / labelled as f64).sqrt();
    Ok(if curvature < 0.0 { (-curvature).sqrt().recip() } else { binomial })
}

//! How many components?

use crate::{Em, EmFacts, EmFit, HarmonicMixture, HarmonicMixtureFit, MixtureError};
use gaussfield_core::{OutOfRange, Progress, check};
use gaussfield_graph::Graph;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{Labels, Transductive as _};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::fmt;

/// By what the number of components is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Criterion {
    /// The least Bayesian information criterion −2 Σ ln p(x) + k ln n: the number that describes
    /// the points best, whatever the graph.
    Bic,
    /// The fewest components whose backbone error is within `slack` of the least: the number from
    /// which on more components no longer bring the harmonic mixture closer to the harmonic
    /// function of the whole graph.
    Backbone {
        /// In units of probability, ≥ 0.
        slack: f64,
    },
    /// The fewest components whose answer is within `slack` of that of the most components tried, on
    /// the sampled nodes: the number from which on more components change nothing. Nothing is solved
    /// on the whole graph.
    Settled {
        /// In units of probability, ≥ 0.
        slack: f64,
    },
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bic => f.write_str("the Bayesian information criterion"),
            Self::Backbone { slack } => write!(f, "the backbone error with a slack of {slack}"),
            Self::Settled { slack } => {
                write!(f, "the difference from the most components with a slack of {slack}")
            }
        }
    }
}

/// Tries numbers of components and chooses one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChooseComponents {
    /// Numbers to try, in any order, at least one.
    pub candidates: Vec<usize>,
    /// By what to choose.
    pub criterion: Criterion,
    /// How each mixture is fitted; its own number of components is not used.
    pub em: Em,
    /// How the memberships are fitted.
    #[serde(default)]
    pub harmonic: HarmonicMixture,
    /// Unlabelled nodes on which the backbone is compared with the harmonic function, or with the
    /// mixture of most components; all if there are fewer. The harmonic function itself is that of
    /// the whole graph.
    pub sample: usize,
    /// The harmonic function to compare with: its solver, and what happens on parts of the graph
    /// without a label. Only [`Criterion::Backbone`] needs it.
    #[serde(default)]
    pub reference: Harmonic,
}

/// How near a harmonic mixture came to the harmonic function of the whole graph, or with
/// [`Criterion::Settled`] to the mixture of most components.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BackboneError {
    /// Root mean square of the difference over the sampled nodes and all classes.
    pub rms: f64,
    /// Share of the sampled nodes on which the most probable class differs.
    pub disagreement: f64,
}

/// What one number of components gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// M.
    pub components: usize,
    /// Σ ln p(x_i), without labels.
    pub log_likelihood: f64,
    /// Its Bayesian information criterion; less is better.
    pub bic: f64,
    /// `None` for [`Criterion::Bic`], which compares nothing.
    pub backbone: Option<BackboneError>,
    /// How EM went.
    pub em: EmFacts,
}

/// The number chosen, and why.
#[derive(Debug, Clone)]
pub struct Choice {
    /// M.
    pub components: usize,
    /// The scores of all candidates tried, by increasing M.
    pub candidates: Vec<Candidate>,
    /// In words: the criterion, the winning score and the next, and whether a wider grid is worth
    /// trying.
    pub reason: String,
    /// Whether the least score is at an end of the grid: the best number may lie beyond.
    pub at_edge: bool,
    /// The harmonic mixture of the chosen number.
    pub fit: HarmonicMixtureFit,
}

impl ChooseComponents {
    /// Fits a mixture for each candidate, by increasing M, and compares. [`Criterion::Backbone`]
    /// solves the harmonic function of the whole graph once. Only mixtures that may still win are
    /// kept.
    ///
    /// # Errors
    /// No candidate, a negative slack, a sample of 0 nodes, and whatever a fit or the harmonic
    /// function returns.
    pub fn choose(
        &self,
        points: &Points,
        graph: &Graph,
        labels: &Labels,
    ) -> Result<Choice, MixtureError> {
        check::at_least("the number of nodes to compare on", self.sample, 1)?;
        self.criterion.check()?;
        let mut numbers = self.candidates.clone();
        numbers.sort_unstable();
        numbers.dedup();
        let reference = match self.criterion {
            Criterion::Bic | Criterion::Settled { .. } => None,
            Criterion::Backbone { .. } => Some(self.reference.fit(graph, labels)?),
        };
        let size = self.sample.min(labels.unlabelled().len());
        let nodes = labels.draw_unlabelled(size, self.em.seed)?;
        let reference = reference.map(|field| field.values().select(Axis(0), &nodes));
        let mut answers: Vec<Array2<f64>> = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::with_capacity(numbers.len());
        let mut fits: Vec<Option<HarmonicMixtureFit>> = Vec::with_capacity(numbers.len());
        let stage = Progress::stage("numbers of components", Some(numbers.len() as u64));
        for components in numbers {
            let EmFit { mixture, facts } = Em { components, ..self.em }.fit(points, labels)?;
            let log_likelihood = mixture.log_densities(points)?.sum();
            let bic = mixture.bic_at(log_likelihood, points.len());
            let fit = self.harmonic.fit(points, graph, labels, mixture)?;
            let answer = fit.scores().values().select(Axis(0), &nodes);
            let backbone = reference.as_ref().map(|want| compare(want.view(), answer.view()));
            if matches!(self.criterion, Criterion::Settled { .. }) {
                answers.push(answer);
            }
            candidates.push(Candidate { components, log_likelihood, bic, backbone, em: facts });
            fits.push(Some(fit));
            let scores = self.scores(&candidates);
            let hopeless = self.criterion.hopeless(&scores);
            fits.iter_mut()
                .zip(hopeless)
                .filter(|(_, lost)| *lost)
                .for_each(|(fit, _)| *fit = None);
            stage.step()?;
        }
        if let Some(most) = answers.last() {
            for (candidate, answer) in candidates.iter_mut().zip(&answers) {
                candidate.backbone = Some(compare(most.view(), answer.view()));
            }
        }
        let picked = self.criterion.pick(&self.scores(&candidates));
        let picked = picked.ok_or(MixtureError::NoCandidates)?;
        let fit = fits.swap_remove(picked.position).ok_or(MixtureError::NoCandidates)?;
        Ok(Choice {
            components: candidates[picked.position].components,
            candidates,
            reason: picked.reason,
            at_edge: picked.at_edge,
            fit,
        })
    }

    /// M and score of each candidate.
    fn scores(&self, candidates: &[Candidate]) -> Vec<(usize, f64)> {
        let score = |c: &Candidate| match self.criterion {
            Criterion::Bic => c.bic,
            Criterion::Backbone { .. } | Criterion::Settled { .. } => {
                c.backbone.map_or(f64::INFINITY, |found| found.rms)
            }
        };
        candidates.iter().map(|c| (c.components, score(c))).collect()
    }
}

/// A number picked from a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// Where in the list.
    pub position: usize,
    /// Why.
    pub reason: String,
    /// Whether the least score is at an end of a list of several.
    pub at_edge: bool,
}

impl Criterion {
    fn check(self) -> Result<(), OutOfRange> {
        match self {
            Self::Bic => Ok(()),
            Self::Backbone { slack } | Self::Settled { slack } => {
                check::not_negative("the slack", slack)
            }
        }
    }

    /// How far above the least score a candidate may be.
    fn slack(self) -> f64 {
        match self {
            Self::Bic => 0.0,
            Self::Backbone { slack } | Self::Settled { slack } => slack,
        }
    }

    /// Candidates that no further one can make the winner.
    fn hopeless(self, scores: &[(usize, f64)]) -> Vec<bool> {
        let low = scores.iter().fold(f64::INFINITY, |low, score| low.min(score.1));
        scores.iter().map(|score| score.1 > low + self.slack()).collect()
    }

    /// The winner among (M, score) of increasing M, where a score is the BIC, the backbone error or the
    /// difference from the last: the first within the slack of the least. `None` for an empty list.
    pub fn pick(self, scores: &[(usize, f64)]) -> Option<Picked> {
        let least = |skip: Option<usize>| {
            let left = scores.iter().enumerate().filter(|(at, _)| Some(*at) != skip);
            left.min_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|(at, &(m, score))| (at, m, score))
        };
        let (lowest, low_m, low) = least(None)?;
        let position = scores.iter().position(|score| score.1 <= low + self.slack())?;
        let (m, score) = scores[position];
        let mut reason = match self {
            Self::Bic => {
                let mut reason =
                    format!("M = {m} has the least Bayesian information criterion, {score:.1}");
                if let Some((_, next, score)) = least(Some(lowest)) {
                    reason += &format!("; next is M = {next} with {score:.1}");
                }
                reason
            }
            Self::Backbone { slack } => format!(
                "M = {m} is the least number whose backbone error, {score:.4}, is within {slack} \
                 of the lowest, {low:.4} at M = {low_m}"
            ),
            Self::Settled { slack } => format!(
                "M = {m} is the least number whose answer differs from that of M = {low_m} by no more \
                 than {slack}, by {score:.4}"
            ),
        };
        let last = scores.len() - 1;
        // The last differs from itself by nothing: only where none before it has settled is it an end.
        let at_edge = match self {
            Self::Settled { .. } => last > 0 && position == last,
            _ => last > 0 && (lowest == 0 || lowest == last),
        };
        if at_edge {
            let side = if lowest == 0 { "smaller" } else { "larger" };
            reason += &format!("; the lowest is at the edge of the grid: try {side} numbers too");
        }
        Some(Picked { position, reason, at_edge })
    }
}

/// Root mean square difference and share of different decisions.
fn compare(reference: ArrayView2<'_, f64>, found: ArrayView2<'_, f64>) -> BackboneError {
    let (mut squares, mut differ) = (0.0, 0);
    let top = |row: ndarray::ArrayView1<'_, f64>| {
        (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best })
    };
    for (want, got) in reference.outer_iter().zip(found.outer_iter()) {
        squares += want.iter().zip(got).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        differ += usize::from(top(want) != top(got));
    }
    let count = reference.nrows().max(1) as f64;
    BackboneError {
        rms: (squares / (count * reference.ncols().max(1) as f64)).sqrt(),
        disagreement: differ as f64 / count,
    }
}

//! How many components?

use crate::error::check;
use crate::sample::{draw_sample, harmonic};
use crate::{Em, EmFacts, HarmonicMixture, HarmonicMixtureFit, MixtureError};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::SolverOptions;
use gaussfield_points::Points;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::fmt;

/// By what the number of components is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bic => f.write_str("the Bayesian information criterion"),
            Self::Backbone { slack } => write!(f, "the backbone error with a slack of {slack}"),
        }
    }
}

/// Tries numbers of components and chooses one.
#[derive(Debug, Clone, PartialEq)]
pub struct ChooseComponents {
    /// Numbers to try, in any order, at least one.
    pub candidates: Vec<usize>,
    /// By what to choose.
    pub criterion: Criterion,
    /// How each mixture is fitted; its own number of components is not used.
    pub em: Em,
    /// How the memberships are fitted.
    pub harmonic: HarmonicMixture,
    /// Unlabelled nodes on which the backbone is compared with the harmonic function; all if there
    /// are fewer.
    pub sample: usize,
    /// The solver of the harmonic function.
    pub solver: SolverOptions,
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
    /// Root mean square of f_mixture − f_harmonic over the sampled nodes and all classes.
    pub backbone_error: f64,
    /// Share of the sampled nodes on which the most probable class differs.
    pub disagreement: f64,
    /// How EM went.
    pub em: EmFacts,
}

/// The number chosen, and why.
#[derive(Debug, Clone)]
pub struct Choice {
    /// M.
    pub components: usize,
    /// The scores of all candidates, by increasing M.
    pub candidates: Vec<Candidate>,
    /// In words: the criterion, the winning score and the next.
    pub reason: String,
    /// The harmonic mixture of the chosen number.
    pub fit: HarmonicMixtureFit,
}

impl ChooseComponents {
    /// Fits a mixture for each candidate and compares. The harmonic function of the whole graph
    /// is solved once.
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
        check("the sample", self.sample as f64, self.sample > 0, "at least 1 node")?;
        if let Criterion::Backbone { slack } = self.criterion {
            let fine = slack >= 0.0 && slack.is_finite();
            check("the slack", slack, fine, "finite and not negative")?;
        }
        let mut numbers = self.candidates.clone();
        numbers.sort_unstable();
        numbers.dedup();
        let reference = harmonic(graph, labels, &self.solver)?;
        let size = self.sample.min(labels.unlabelled().len());
        let nodes = draw_sample(labels, size, self.em.seed)?;
        let mut tried: Vec<(Candidate, HarmonicMixtureFit)> = Vec::with_capacity(numbers.len());
        for components in numbers {
            let fitted = Em { components, ..self.em }.fit(points, labels)?;
            let log_likelihood = fitted.mixture.log_densities(points)?.sum();
            let bic = fitted.mixture.bic(points)?;
            let fit = self.harmonic.fit(fitted.mixture, points, graph, labels)?;
            let (backbone_error, disagreement) =
                compare(&reference, &fit.scores.values().to_owned(), &nodes);
            let em = fitted.facts;
            tried.push((
                Candidate { components, log_likelihood, bic, backbone_error, disagreement, em },
                fit,
            ));
        }
        let candidates: Vec<Candidate> = tried.iter().map(|(found, _)| found.clone()).collect();
        let (best, reason) = self.criterion.pick(&candidates).ok_or(MixtureError::NoCandidates)?;
        let (_, fit) = tried.swap_remove(best);
        Ok(Choice { components: candidates[best].components, candidates, reason, fit })
    }
}

impl Criterion {
    /// The position of the winner among candidates of increasing M, and why.
    fn pick(self, candidates: &[Candidate]) -> Option<(usize, String)> {
        let score = |c: &Candidate| match self {
            Self::Bic => c.bic,
            Self::Backbone { .. } => c.backbone_error,
        };
        let least = |skip: Option<usize>| {
            let left = candidates.iter().enumerate().filter(|(at, _)| Some(*at) != skip);
            left.min_by(|a, b| score(a.1).total_cmp(&score(b.1)))
        };
        let (lowest, low) = least(None)?;
        match self {
            Self::Bic => {
                let mut reason = format!(
                    "M = {} has the least Bayesian information criterion, {:.1}",
                    low.components, low.bic
                );
                if let Some((_, next)) = least(Some(lowest)) {
                    reason += &format!("; next is M = {} with {:.1}", next.components, next.bic);
                }
                Some((lowest, reason))
            }
            Self::Backbone { slack } => {
                let within = |c: &Candidate| c.backbone_error <= low.backbone_error + slack;
                let at = candidates.iter().position(within)?;
                let won = &candidates[at];
                let reason = format!(
                    "M = {} is the least number whose backbone error, {:.4}, is within {slack} of \
                     the lowest, {:.4} at M = {}",
                    won.components, won.backbone_error, low.backbone_error, low.components
                );
                Some((at, reason))
            }
        }
    }
}

/// Root mean square difference and share of different decisions on some nodes.
fn compare(reference: &Array2<f64>, found: &Array2<f64>, nodes: &[usize]) -> (f64, f64) {
    let (mut squares, mut differ) = (0.0, 0);
    let top = |row: ndarray::ArrayView1<'_, f64>| {
        (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best })
    };
    for &node in nodes {
        let (want, got) = (reference.row(node), found.row(node));
        squares += want.iter().zip(got).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        differ += usize::from(top(want) != top(got));
    }
    let count = nodes.len().max(1) as f64;
    ((squares / (count * reference.ncols().max(1) as f64)).sqrt(), differ as f64 / count)
}

//! The EM algorithm of Kapoor et al. 2005, beside the ascent of the evidence itself.

mod m_step;
mod prior_term;

use crate::free::Free;
use crate::{Evidence, Learn, Learned, Minimise, Step, Stop, TuneError};
use gaussfield_core::{Budget, Parameters as _, check};
use gaussfield_gp::{
    EpFit, ExpectationPropagation, Flip, FlipBound, GaussianProcess, GraphCovariance, Memory,
    Posterior,
};
use gaussfield_graph::{Pattern, WeightFamily};
use m_step::MStep;
use serde::{Deserialize, Serialize};

/// How the M-step sets the rate ε at which labels flip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoiseRule {
    /// ε = k/l, the share of labels whose posterior mean has the other sign: as published. Not an
    /// optimum of the evidence.
    AsPublished,
    /// ε = mean of q(ty < 0), the maximum of the bound itself. It counts doubt as noise and can
    /// drift to ½.
    Bound,
    /// ε = mean probability of a flip under the tilted distributions, whose fixed points are the
    /// stationary points of the evidence. The default.
    #[default]
    Tilted,
}

impl NoiseRule {
    /// The next ε.
    pub fn next(self, bound: &FlipBound) -> f64 {
        match self {
            Self::AsPublished => bound.epsilon_as_published(),
            Self::Bound => bound.epsilon_of_bound(),
            Self::Tilted => bound.epsilon_tilted(),
        }
    }
}

/// Expectation–maximisation for the evidence of a Gaussian process whose labels may be flipped
/// (Kapoor et al. 2005, section 2.4).
///
/// - E-step: expectation propagation gives q(y) at the parameters so far, from the sites of the
///   step before.
/// - M-step: with q standing still, quasi-Newton ascent of the bound
///   F = ½ ln|Z| − ½ tr(Z E\[yyᵀ\]) + … over the parameters of the weights and the prior (on a
///   logarithmic scale, which keeps them positive where the paper projects), and ε by a
///   [`NoiseRule`].
///
/// Every evaluation of the bound's gradient takes the whole n × n inverse of the precision, and
/// the second moments of all nodes are kept: O(n³) and n² numbers, where the gradient of the
/// evidence itself takes l solves. It is here to be compared with; to learn, climb the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExpectationMaximisation {
    /// How ε is set. Default: [`NoiseRule::Tilted`].
    pub noise: NoiseRule,
    /// Iterations after which it ends. Default 500.
    pub max_iterations: usize,
    /// Ends when no parameter changes by more than this share of itself. Default 1e-8.
    pub tolerance: f64,
    /// How the M-step climbs.
    pub m_step: Minimise,
    /// How large the n × n matrices may be.
    pub budget: Budget,
}

impl Default for ExpectationMaximisation {
    fn default() -> Self {
        Self {
            noise: NoiseRule::default(),
            max_iterations: 500,
            tolerance: 1e-8,
            m_step: Minimise::default(),
            budget: Budget::default(),
        }
    }
}

/// How the parameters under which flipped labels are most likely are found.
///
/// ```
/// use gaussfield_gp::{Flip, GaussianProcess, GraphPrior};
/// use gaussfield_graph::{Exponential, Metric, Pattern};
/// use gaussfield_labels::Labels;
/// use gaussfield_points::Points;
/// use gaussfield_tune::{Evidence, EvidenceRule, ExpectationMaximisation, Minimise};
/// use ndarray::Array2;
///
/// // Two groups on a line; the label of node 3 is wrong.
/// let place = |(i, _): (usize, usize)| 0.4 * i as f64 + if i < 8 { 0.0 } else { 5.0 };
/// let points = Points::dense(Array2::from_shape_fn((16, 1), place))?;
/// let pattern = Pattern::complete(&points, Metric::Euclidean)?;
/// let labels = Labels::numbered(&(0..16).map(|i| usize::from((i < 8) ^ (i == 3))).collect::<Vec<_>>(), 2)?;
/// let process = GaussianProcess::ep(Flip { epsilon: 0.2 });
/// let prior = GraphPrior::normalised(0.01);
/// let start = Evidence::new(process, prior, &labels)?.learning(&["epsilon"])?;
///
/// let (weights, held) = (Exponential { sigma: 1.0 }, ["sigma"]);
/// let exact = EvidenceRule::Ascent(Minimise::default());
/// let exact = exact.learn(&pattern, &weights, &start, &held)?;
/// let em = EvidenceRule::Em(ExpectationMaximisation::default());
/// let em = em.learn(&pattern, &weights, &start, &held)?;
/// assert!((exact.value - em.value).abs() < 1e-6, "both end at the same evidence");
/// // One label of sixteen is wrong.
/// let learned = exact.objective.process().likelihood.epsilon;
/// assert!(learned > 0.01 && learned < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EvidenceRule {
    /// Ascent of the evidence by its exact gradient.
    Ascent(Minimise),
    /// The EM algorithm.
    Em(ExpectationMaximisation),
}

/// An evidence that EM can climb too.
pub type FlipEvidence = Evidence<GaussianProcess<Flip, ExpectationPropagation>>;

impl EvidenceRule {
    /// Learns the parameters of the family and those that the evidence names, but for those held
    /// by name, from where they are. All rules tell the same: what was reached, how often something was computed, why it
    /// ended, every step.
    ///
    /// # Errors
    /// Nothing to learn, a start out of range, an evidence that does not exist at the start.
    pub fn learn<F: WeightFamily + Clone>(
        &self,
        pattern: &Pattern,
        family: &F,
        evidence: &FlipEvidence,
        held: &[&str],
    ) -> Result<Learned<F, FlipEvidence>, TuneError> {
        match self {
            Self::Ascent(how) => {
                let learn = Learn::new(pattern, family, evidence).by(how);
                held.iter().fold(learn, |learn, name| learn.hold(name)).run(|_| {})
            }
            Self::Em(em) => em.run(pattern, family, evidence, held, |_| {}),
        }
    }
}

/// A bound whose slope is above this is not at its maximum, whatever a search says.
const STEEP: f64 = 1e-2;

type OnGraph = Posterior<GraphCovariance, Flip, EpFit>;

impl ExpectationMaximisation {
    /// Runs from the parameters that family and evidence have now, telling every E-step.
    /// Parameters held by name stay there.
    ///
    /// The result's `value` is the negative log evidence of the last E-step, `evaluations` counts
    /// E-steps and evaluations of the bound, and the `trace` has a step for each E-step. EM climbs
    /// a bound of an approximate evidence: neither need rise in every step.
    ///
    /// # Errors
    /// Nothing to learn, a tolerance or a start out of range, trouble in the first E-step.
    pub fn run<F: WeightFamily + Clone>(
        &self,
        pattern: &Pattern,
        family: &F,
        evidence: &FlipEvidence,
        held: &[&str],
        mut tell: impl FnMut(&Step),
    ) -> Result<Learned<F, FlipEvidence>, TuneError> {
        let held: Vec<String> = held.iter().map(|&name| name.to_owned()).collect();
        let free = Free::new(family, evidence, &held, &[])?;
        let moving = free.of_family();
        let (mut family, mut evidence) =
            (family.clone(), evidence.clone().learning(&free.of_objective())?);
        let start = free.values();
        self.check(&start, &evidence)?;
        let searched = |family: &F, evidence: &FlipEvidence| -> Vec<f64> {
            let values = family.values();
            moving.iter().map(|&at| values[at]).chain(evidence.values()).collect()
        };
        // Each E-step begins at the sites of the one before.
        let mut memory = Memory::default();
        let (mut trace, mut evaluations, mut reached) = (Vec::<Step>::new(), 0, None);
        let stop = loop {
            let posterior = match self.e_step(pattern, &family, &evidence, &mut memory) {
                Ok(posterior) => posterior,
                Err(error) if trace.is_empty() => return Err(error),
                Err(error) => break Stop::Trouble(error.to_string()),
            };
            evaluations += 1;
            let parameters = searched(&family, &evidence);
            let value = -posterior.log_evidence();
            let moved = trace.last().map(|last| change(&last.parameters, &parameters));
            let step = Step { value, parameters, gradient: None };
            tell(&step);
            trace.push(step);
            reached = Some((family.clone(), evidence.clone(), value));
            if moved.is_some_and(|moved| moved <= self.tolerance) {
                break Stop::FixedPoint;
            }
            if trace.len() > self.max_iterations {
                break Stop::MaxSteps;
            }
            let bound = posterior.bound();
            let epsilon = self.noise.next(&bound);
            if evidence.learns("epsilon") && epsilon >= 0.5 {
                break Stop::NoiseAtHalf;
            }
            match self.m_step(pattern, (&family, &moving), &evidence, &posterior, &mut memory) {
                Ok((next_family, next_evidence, computed)) => {
                    evaluations += computed;
                    (family, evidence) = (next_family, next_evidence.with_epsilon(epsilon));
                }
                Err(error) => break Stop::Trouble(error.to_string()),
            }
        };
        let Some((family, objective, value)) = reached else {
            return Err(TuneError::NoParameters);
        };
        let ended = searched(&family, &objective);
        let stop = stop.or_ran_off(ran_off(&start, &ended), &free.names());
        let starts = vec![crate::Ended { start, parameters: ended, value: Some(value) }];
        let work = memory.system.work();
        Ok(Learned { family, objective, value, stop, trace, evaluations, starts, work })
    }

    fn check(&self, start: &[f64], evidence: &FlipEvidence) -> Result<(), TuneError> {
        check::not_negative("the tolerance of EM", self.tolerance)?;
        if start.is_empty() {
            return Err(TuneError::NoParameters);
        }
        let epsilon = evidence.process().likelihood.epsilon;
        let inside = epsilon > 0.0 && epsilon < 0.5;
        let inside = inside || !evidence.learns("epsilon");
        check::range("the start of epsilon", epsilon, inside, "above 0 and below ½")?;
        Ok(())
    }

    fn e_step<F: WeightFamily>(
        &self,
        pattern: &Pattern,
        family: &F,
        evidence: &FlipEvidence,
        memory: &mut Memory,
    ) -> Result<OnGraph, TuneError> {
        Ok(evidence.posterior_with(&family.graph(pattern, self.budget)?, memory)?)
    }

    /// Weights and prior at the maximum of the bound, and how often it was computed.
    fn m_step<F: WeightFamily + Clone>(
        &self,
        pattern: &Pattern,
        (family, moving): (&F, &[usize]),
        evidence: &FlipEvidence,
        posterior: &OnGraph,
        memory: &mut Memory,
    ) -> Result<(F, FlipEvidence, usize), TuneError> {
        let system = &mut memory.system;
        let step = MStep::new(pattern, (family, moving), evidence, posterior, self.budget, system)?;
        if step.is_idle() {
            return Ok((family.clone(), evidence.clone(), 0));
        }
        let found = self.m_step.run(&step, |_| {})?;
        let slope = found.trace.last().and_then(|last| last.gradient).unwrap_or(0.0);
        if let (Stop::Trouble(reason), true) = (&found.stop, slope > STEEP) {
            return Err(TuneError::MStep { reason: reason.clone(), slope });
        }
        let (family, evidence) = step.at(&found.parameters)?;
        Ok((family, evidence, found.evaluations))
    }
}

/// The largest change of a parameter, as a share of itself.
fn change(before: &[f64], after: &[f64]) -> f64 {
    let one = |(a, b): (&f64, &f64)| {
        let gap = (a - b).abs();
        if gap > 0.0 { gap / a.abs().max(b.abs()) } else { 0.0 }
    };
    before.iter().zip(after).map(one).fold(0.0, f64::max)
}

/// Parameters that moved by more than a factor of a thousand.
fn ran_off(start: &[f64], end: &[f64]) -> Vec<usize> {
    let far = |i: &usize| (end[*i] / start[*i]).ln().abs() > 1000_f64.ln();
    (0..start.len()).filter(far).collect()
}

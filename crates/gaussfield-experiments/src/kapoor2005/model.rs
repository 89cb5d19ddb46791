//! The paper's process with all its parameters learned.

use anyhow::{Context as _, Result};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    EpFit, ExpectationPropagation, Flip, GaussianProcess, GraphCovariance, GraphPrior, Posterior,
};
use gaussfield_graph::{Graph, Pattern, WeightFamily};
use gaussfield_labels::{HeldOut, Labels, Transductive, metrics};
use gaussfield_tune::{
    Evidence, EvidenceRule, ExpectationMaximisation, FlipEvidence, Minimise, NoiseRule, learn,
};

/// Which Laplacian makes the prior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// EP-CL.
    Combinatorial,
    /// EP-NL.
    Normalised,
}

impl Kind {
    pub(super) fn prior(self, delta: f64) -> GraphPrior {
        match self {
            Self::Combinatorial => GraphPrior::shifted(delta),
            Self::Normalised => GraphPrior::normalised(delta),
        }
    }

    /// Where learning δ starts: a hundredth of the Laplacian's typical diagonal. A δ far above the
    /// weights would make all nodes independent, and the evidence flat.
    fn start(self, graph: &Graph) -> f64 {
        match self {
            Self::Normalised => 0.01,
            Self::Combinatorial => 0.01 * graph.degrees().mean().unwrap_or(1.0),
        }
    }
}

/// Where learning ε starts: the evidence can have one maximum where flips explain wrong labels and
/// another where a large δ does.
pub(super) const EPSILONS: [f64; 2] = [0.05, 0.2];

/// What is done about ε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Noise {
    /// Learned, from two starts.
    Learned,
    /// Held at this value while the rest is learned.
    Held(f64),
}

impl Noise {
    /// Values of ε to start from, and what is learned, stage by stage. First all but ε: from a
    /// bad width or δ the evidence can fall at once to the end where no label flips, and stay.
    pub(super) fn starts(self, own: &'static str) -> (Vec<f64>, Vec<Vec<&'static str>>) {
        match self {
            Self::Learned => (EPSILONS.to_vec(), vec![vec![own], vec![own, "epsilon"]]),
            Self::Held(epsilon) => (vec![epsilon], vec![vec![own]]),
        }
    }
}

/// A process for labels that flip with probability ε.
pub(super) fn process(epsilon: f64) -> GaussianProcess<Flip, ExpectationPropagation> {
    let inference = ExpectationPropagation { tolerance: 1e-8, ..Default::default() };
    GaussianProcess { inference, ..GaussianProcess::ep(Flip { epsilon }) }
}

/// The same as exact as a figure can show.
pub(super) fn roughly(epsilon: f64) -> GaussianProcess<Flip, ExpectationPropagation> {
    let inference = ExpectationPropagation { tolerance: 1e-5, ..Default::default() };
    GaussianProcess { inference, ..process(epsilon) }
}

/// How the evidence is climbed: by its exact gradient.
pub(super) fn ascent(steps: u64) -> Minimise {
    Minimise {
        max_steps: steps,
        value_tolerance: 1e-6,
        gradient_tolerance: 1e-4,
        reach: 1e4,
        ..Minimise::default()
    }
}

pub(super) type OnGraph = Posterior<GraphCovariance, Flip, EpFit>;

/// A process at its learned parameters.
pub(super) struct Fitted<F> {
    pub(super) family: F,
    pub(super) evidence: FlipEvidence,
    pub(super) posterior: OnGraph,
    pub(super) graph: Graph,
}

impl<F: WeightFamily> Fitted<F> {
    fn at(pattern: &Pattern, family: F, evidence: FlipEvidence) -> Result<Self> {
        let graph = family.graph(pattern, Budget::default())?;
        let posterior = evidence.posterior(&graph)?;
        Ok(Self { family, evidence, posterior, graph })
    }
}

impl<F> Fitted<F> {
    pub(super) fn epsilon(&self) -> f64 {
        self.evidence.process().likelihood.epsilon
    }

    pub(super) fn delta(&self) -> f64 {
        self.evidence.prior().values()[0]
    }
}

/// What to learn besides the weights, and for how long.
pub(super) struct Learning<'a> {
    pub(super) kind: Kind,
    pub(super) noise: Noise,
    pub(super) steps: u64,
    pub(super) pattern: &'a Pattern,
    pub(super) labels: &'a Labels,
}

impl Learning<'_> {
    /// Learns weights, δ and ε, and takes the largest evidence. Every start goes a short way with ε
    /// held; for each ε the best of them goes on to the end.
    pub(super) fn from<F: WeightFamily + Clone>(&self, starts: &[F]) -> Result<Fitted<F>> {
        let (epsilons, stages) = self.noise.starts("delta");
        let mut best: Option<(f64, F, FlipEvidence)> = None;
        let mut refused = None;
        let mut keep = |best: &mut Option<(f64, F, FlipEvidence)>, found: Result<_>| match found {
            Ok(found) => {
                let found: (f64, F, FlipEvidence) = found;
                if best.as_ref().is_none_or(|best| found.0 < best.0) {
                    *best = Some(found);
                }
            }
            Err(error) => refused = Some(error),
        };
        for &epsilon in &epsilons {
            let mut ahead = None;
            for start in starts {
                let begin = || -> Result<(F, FlipEvidence)> {
                    let graph = start.graph(self.pattern, Budget::default())?;
                    let prior = self.kind.prior(self.kind.start(&graph));
                    Ok((start.clone(), Evidence::new(process(epsilon), prior, self.labels)?))
                };
                let short = self.steps.min(if starts.len() > 1 { SHORT } else { self.steps });
                let found = begin().and_then(|(family, evidence)| {
                    self.climb(&family, evidence.learning(&stages[0])?, short)
                });
                keep(&mut ahead, found);
            }
            let Some((_, family, evidence)) = ahead else { continue };
            let names = stages.last().map_or(&[][..], Vec::as_slice);
            let found = evidence
                .learning(names)
                .map_err(anyhow::Error::from)
                .and_then(|evidence| self.climb(&family, evidence, self.steps));
            keep(&mut best, found);
        }
        match (best, refused) {
            (Some((_, family, evidence)), _) => Fitted::at(self.pattern, family, evidence),
            (None, Some(error)) => Err(error).context("learning failed from every start"),
            (None, None) => anyhow::bail!("learning needs a start"),
        }
    }

    fn climb<F: WeightFamily + Clone>(
        &self,
        family: &F,
        evidence: FlipEvidence,
        steps: u64,
    ) -> Result<(f64, F, FlipEvidence)> {
        let found = learn(self.pattern, family, &evidence, &ascent(steps))?;
        Ok((found.value, found.family, found.objective))
    }
}

/// Steps that every start goes before the best is chosen.
const SHORT: u64 = 10;

/// The paper's EM, with its rule ε = k/n, from where family and evidence are.
pub(super) fn as_published<F: WeightFamily + Clone>(
    pattern: &Pattern,
    family: &F,
    evidence: FlipEvidence,
    iterations: usize,
) -> Result<Fitted<F>> {
    let em = ExpectationMaximisation {
        noise: NoiseRule::AsPublished,
        max_iterations: iterations,
        tolerance: 1e-4,
        m_step: ascent(10),
        ..Default::default()
    };
    let evidence = evidence.learning(&["delta", "epsilon"])?;
    let found = EvidenceRule::Em(em).learn(pattern, family, &evidence, &[])?;
    Fitted::at(pattern, found.family, found.objective)
}

/// The error on held-out nodes in per cent.
pub(super) fn error(held_out: &HeldOut, answer: &impl Transductive) -> Result<f64> {
    let classes = answer.scores().select(held_out.nodes())?.argmax();
    Ok(100.0 * metrics::error(held_out, &classes)?)
}

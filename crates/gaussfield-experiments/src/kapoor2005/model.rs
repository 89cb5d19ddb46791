//! The paper's process with all its parameters learned.

use anyhow::{Context as _, Result};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    EpFit, ExpectationPropagation, Flip, GaussianProcess, GraphCovariance, GraphPrior, Posterior,
};
use gaussfield_graph::{Graph, Pattern, WeightFamily};
use gaussfield_labels::{HeldOut, Labels, Transductive, metrics};
use gaussfield_tune::{Evidence, FlipEvidence, Minimise, learn};

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
    /// Learns weights, δ and ε from every start, and takes the largest evidence.
    pub(super) fn from<F: WeightFamily + Clone>(&self, starts: &[F]) -> Result<Fitted<F>> {
        let (epsilons, stages) = self.noise.starts("delta");
        let mut best: Option<(f64, F, FlipEvidence)> = None;
        let mut refused = None;
        for start in starts {
            let graph = start.graph(self.pattern, Budget::default())?;
            let prior = self.kind.prior(self.kind.start(&graph));
            for &epsilon in &epsilons {
                let process = process(epsilon);
                let evidence = Evidence::new(process, prior.clone(), self.labels)?;
                let begin = (f64::INFINITY, start.clone(), evidence);
                let found = stages.iter().try_fold(begin, |(_, family, evidence), names| {
                    let evidence = evidence.learning(names)?;
                    let found = learn(self.pattern, &family, &evidence, &ascent(self.steps))?;
                    anyhow::Ok((found.value, found.family, found.objective))
                });
                match found {
                    Ok(found) => {
                        if best.as_ref().is_none_or(|(value, ..)| found.0 < *value) {
                            best = Some(found);
                        }
                    }
                    Err(error) => refused = Some(error),
                }
            }
        }
        let (_, family, evidence) = match (best, refused) {
            (Some(best), _) => best,
            (None, Some(error)) => return Err(error).context("learning failed from every start"),
            (None, None) => anyhow::bail!("learning needs a start"),
        };
        let graph = family.graph(self.pattern, Budget::default())?;
        let posterior = evidence.posterior(&graph)?;
        Ok(Fitted { family, evidence, posterior, graph })
    }
}

/// The error on held-out nodes in per cent.
pub(super) fn error(held_out: &HeldOut, answer: &impl Transductive) -> Result<f64> {
    let classes = answer.scores().select(held_out.nodes())?.argmax();
    Ok(100.0 * metrics::error(held_out, &classes)?)
}

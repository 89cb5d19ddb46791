//! The discrete choices of a search: weights, methods, Laplacians, decisions.

use crate::description::{
    EntropyChoice, InferenceChoice, Method, ObjectiveChoice, PriorChoice, Probabilities,
    ProcessChoice, Tuning,
};
use gaussfield_gp::{GraphPrior, Laplace, LikelihoodChoice, Mean, Sigmoid};
use gaussfield_graph::{FamilyChoice, Graph, SelfTuning};
use gaussfield_harmonic::{Consistency, Dynamics, Harmonic, Poisson, Smoothing};
use gaussfield_labels::{ClassPrior, Decision, Islands, Labels, LabelsError};
use gaussfield_laplacian::Laplacian;
use serde::{Deserialize, Serialize};

/// What is added to the diagonal of a Laplacian to make a prior of it, beside the mean degree.
const SHIFT: f64 = 0.1;

/// How edges may weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TriedWeights {
    /// [`SelfTuning`], on the distance to the last neighbour.
    SelfTuning,
    /// Exponential, falling to 1/e at the mean length of the edges.
    MeanEdge,
    /// Exponential, the length learned by label entropy: the continuous part of the search.
    Learned,
}

impl TriedWeights {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::SelfTuning => "self-tuning",
            Self::MeanEdge => "exponential, mean edge",
            Self::Learned => "exponential, learned",
        }
    }

    /// Where to start, and what is learned.
    pub(super) fn choice(self, k: usize) -> (Option<FamilyChoice>, Option<Tuning>) {
        match self {
            Self::SelfTuning => {
                let own = SelfTuning { neighbour: k, ..SelfTuning::default() };
                (Some(FamilyChoice::SelfTuning(own)), None)
            }
            Self::MeanEdge => (None, None),
            Self::Learned => {
                let entropy = ObjectiveChoice::Entropy(EntropyChoice::default());
                (None, Some(Tuning::from(entropy)))
            }
        }
    }
}

/// A method to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TriedMethod {
    /// The automatic choice: tempered threshold dynamics.
    Tempered,
    /// [`Harmonic`].
    Harmonic,
    /// [`Smoothing`].
    Smoothing,
    /// [`Consistency`], for each of the α to try.
    Consistency,
    /// [`Dynamics`].
    Dynamics,
    /// [`Poisson`].
    Poisson,
    /// A Gaussian process by Laplace's method, for each of the Laplacians to try.
    GaussianProcess,
}

/// How scores may become classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TriedDecision {
    /// What goes well with the method: class masses for harmonic functions, else the largest score.
    Usual,
    /// The largest score.
    Largest,
    /// Class masses as the labels have them.
    ClassMass,
    /// Class masses equal.
    EqualMass,
}

/// A method with its decision, in words and as values.
pub(super) struct Candidate {
    pub(super) words: String,
    pub(super) method: Method,
    pub(super) decision: Decision,
}

/// Every method with every decision, on a graph.
pub(super) struct Grid<'a> {
    pub(super) methods: &'a [TriedMethod],
    pub(super) alphas: &'a [f64],
    pub(super) laplacians: &'a [Laplacian],
    pub(super) decisions: &'a [TriedDecision],
    /// The method of the automatic choice.
    pub(super) automatic: &'a Method,
}

impl Grid<'_> {
    /// How many there are on each graph.
    pub(super) fn len(&self) -> usize {
        let of = |method: &TriedMethod| match method {
            TriedMethod::Consistency => self.alphas.len(),
            TriedMethod::GaussianProcess => self.laplacians.len(),
            _ => 1,
        };
        self.methods.iter().map(of).sum::<usize>() * self.decisions.len()
    }

    pub(super) fn on(&self, graph: &Graph, labels: &Labels) -> Result<Vec<Candidate>, LabelsError> {
        let prior = ClassPrior::add_one(labels)?;
        let islands = Islands::Prior(prior.clone());
        let degree = graph.degrees().mean().filter(|mean| *mean > 0.0).unwrap_or(1.0);
        let mut found = Vec::new();
        for method in self.methods {
            for (words, method, usual) in self.variants(*method, &islands, degree) {
                for decision in self.decisions {
                    let (own, told) = match decision {
                        TriedDecision::Usual if usual.is_empty() => (Decision::Argmax, ""),
                        TriedDecision::Largest => (Decision::Argmax, ", largest score"),
                        TriedDecision::Usual | TriedDecision::ClassMass => {
                            (Decision::ClassMass(prior.clone()), ", class masses")
                        }
                        TriedDecision::EqualMass => {
                            let equal = ClassPrior::uniform(labels.classes())?;
                            (Decision::ClassMass(equal), ", equal masses")
                        }
                    };
                    let words = format!("{words}{told}");
                    found.push(Candidate { words, method: method.clone(), decision: own });
                }
            }
        }
        Ok(found)
    }

    /// A method with its options, and how its usual decision is called if that is not the largest.
    fn variants(
        &self,
        method: TriedMethod,
        islands: &Islands,
        degree: f64,
    ) -> Vec<(String, Method, &'static str)> {
        let islands = || islands.clone();
        let one = |words: &str, method, usual| vec![(words.to_owned(), method, usual)];
        match method {
            TriedMethod::Tempered => one("tempered dynamics", self.automatic.clone(), ""),
            TriedMethod::Harmonic => {
                let method = Harmonic { islands: islands(), ..Harmonic::default() };
                one("harmonic", Method::Harmonic(method), "class masses")
            }
            TriedMethod::Smoothing => {
                let method = Smoothing { islands: islands(), ..Smoothing::default() };
                one("smoothed walk", Method::Smoothing(method), "class masses")
            }
            TriedMethod::Dynamics => {
                let method = Dynamics { islands: islands(), ..Dynamics::default() };
                one("dynamics", Method::Dynamics(method), "")
            }
            TriedMethod::Poisson => {
                let method = Poisson { islands: islands(), ..Poisson::default() };
                one("Poisson learning", Method::Poisson(method), "")
            }
            TriedMethod::Consistency => {
                let of = |&alpha: &f64| {
                    let method = Consistency { alpha, islands: islands(), ..Default::default() };
                    (format!("consistency {alpha}"), Method::Consistency(method), "")
                };
                self.alphas.iter().map(of).collect()
            }
            TriedMethod::GaussianProcess => {
                let of = |laplacian: &Laplacian| {
                    let (words, prior) = match laplacian {
                        Laplacian::Combinatorial => {
                            ("Gaussian process, Δ", GraphPrior::shifted(SHIFT * degree))
                        }
                        // The random walk's is similar to it, and no precision.
                        _ => ("Gaussian process, normalised Δ", GraphPrior::normalised(SHIFT)),
                    };
                    let likelihood = LikelihoodChoice::Sigmoid(Sigmoid { gamma: 1.0 });
                    let (mean, search) = (Mean::default(), Laplace::default());
                    let inference = InferenceChoice::Laplace { likelihood, mean, search };
                    let prior = PriorChoice::Graph(prior);
                    let process =
                        ProcessChoice { prior, inference, probabilities: Probabilities::default() };
                    (words.to_owned(), Method::GaussianProcess(process), "")
                };
                self.laplacians.iter().map(of).collect()
            }
        }
    }
}

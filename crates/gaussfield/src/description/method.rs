//! Every method, as one value.

use super::answer::Answer;
use super::process::{On, Probabilities, ProcessChoice, Visit, WarpedChoice};
use super::{DescriptionError, MethodError};
use gaussfield_baselines::{
    BayesPointMachine, LaplacianLeastSquares, LaplacianSvm, NearestNeighbours, Rbf,
    RegularisedLeastSquares, SampleBaseline, SupervisedGp, SupportVectorMachine, VotedPerceptron,
};
use gaussfield_core::SizeMismatch;
use gaussfield_gp::{GpError, Memory, PriorFamily, Process};
use gaussfield_graph::Graph;
use gaussfield_harmonic::relatives::{
    Eigenvectors, MarkovWalk, MinimumCut, NearestGrowth, NormalisedCut,
};
use gaussfield_harmonic::{
    Consistency, Dongles, Dynamics, Harmonic, Poisson, PoissonReweighted, ProperlyWeighted,
    Smoothing, Tempered,
};
use gaussfield_kernel::Kernel;
use gaussfield_labels::{Inductive, Labels, LabelsError};
use gaussfield_mixture::{
    Assignment, ChooseComponents, Em, HarmonicMixture, KMeans, LogisticRegression, Prototypes,
};
use gaussfield_points::Points;
use serde::{Deserialize, Serialize};

/// How labels become scores: the options of every method under its name.
///
/// In TOML an option is a line of the method's table: `[method.consistency]`, `alpha = 0.95`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Method {
    /// [`Harmonic`].
    Harmonic(Harmonic),
    /// [`Harmonic::fit_with_dongles`].
    Dongles {
        /// What hangs on the nodes.
        dongles: Dongles,
        /// The harmonic function between.
        #[serde(default)]
        harmonic: Harmonic,
    },
    /// [`Smoothing`].
    Smoothing(Smoothing),
    /// [`Consistency`].
    Consistency(Consistency),
    /// [`Dynamics`].
    Dynamics(Dynamics),
    /// [`Tempered`]: the same, with probabilities that mean what they say.
    Tempered(Tempered),
    /// [`Poisson`].
    Poisson(Poisson),
    /// [`PoissonReweighted`].
    PoissonReweighted(PoissonReweighted),
    /// [`ProperlyWeighted`].
    ProperlyWeighted(ProperlyWeighted),
    /// [`NearestGrowth`].
    NearestGrowth(NearestGrowth),
    /// [`MinimumCut`], between two classes.
    MinimumCut(MinimumCut),
    /// [`NormalisedCut`], between two classes.
    NormalisedCut(NormalisedCut),
    /// [`MarkovWalk`].
    MarkovWalk(MarkovWalk),
    /// [`Eigenvectors`].
    Eigenvectors(Eigenvectors),
    /// [`GaussianProcess`](gaussfield_gp::GaussianProcess) or [`Softmax`](gaussfield_gp::Softmax).
    GaussianProcess(ProcessChoice),
    /// [`HarmonicMixture`] of components found by EM.
    HarmonicMixture {
        /// How the components are found.
        em: Em,
        /// How their classes are found.
        #[serde(default)]
        harmonic: HarmonicMixture,
    },
    /// [`ChooseComponents`]: a harmonic mixture whose size is chosen.
    ChosenMixture(ChooseComponents),
    /// [`HarmonicMixture`] of prototypes, the centres of k-means.
    PrototypeMixture {
        /// How the centres are found.
        kmeans: KMeans,
        /// How a point is shared among them.
        assignment: Assignment,
        /// How their classes are found.
        #[serde(default)]
        harmonic: HarmonicMixture,
    },
    /// [`HarmonicMixture`] of the clusters of k-means, among which a logistic regression shares a point:
    /// a mixture without densities.
    LogisticMixture {
        /// How the clusters are found.
        kmeans: KMeans,
        /// How a point is shared among them.
        #[serde(default)]
        regression: LogisticRegression,
        /// How their classes are found.
        #[serde(default)]
        harmonic: HarmonicMixture,
    },
    /// The mixture that EM finds, without a graph.
    Mixture(Em),
    /// [`Rbf`].
    Rbf(Rbf),
    /// [`SampleBaseline`] on a random sample.
    Sample {
        /// How many unlabelled nodes are drawn.
        nodes: usize,
        /// The seed they are drawn by. Default 0.
        #[serde(default)]
        seed: u64,
        /// The harmonic function on them.
        #[serde(default)]
        harmonic: Harmonic,
    },
    /// [`LaplacianSvm`].
    LaplacianSvm {
        /// The kernel, bent by the graph.
        prior: WarpedChoice,
        /// The machine on it.
        machine: LaplacianSvm,
    },
    /// [`LaplacianLeastSquares`].
    LaplacianLeastSquares {
        /// The kernel, bent by the graph.
        prior: WarpedChoice,
        /// The regression on it.
        regression: LaplacianLeastSquares,
    },
    /// [`NearestNeighbours`].
    NearestNeighbours(NearestNeighbours),
    /// [`VotedPerceptron`].
    VotedPerceptron(VotedPerceptron),
    /// [`SupportVectorMachine`].
    SupportVectorMachine {
        /// The kernel.
        kernel: Kernel,
        /// The machine on it.
        machine: SupportVectorMachine,
    },
    /// [`RegularisedLeastSquares`].
    RegularisedLeastSquares {
        /// The kernel.
        kernel: Kernel,
        /// The regression on it.
        regression: RegularisedLeastSquares,
    },
    /// [`SupervisedGp`].
    SupervisedGp(SupervisedGp),
    /// [`BayesPointMachine`].
    BayesPointMachine(BayesPointMachine),
}

/// What a method looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sees {
    Graph,
    Points,
    Both,
}

impl Method {
    /// The name in a description.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Harmonic(_) => "harmonic",
            Self::Dongles { .. } => "dongles",
            Self::Smoothing(_) => "smoothing",
            Self::Consistency(_) => "consistency",
            Self::Dynamics(_) => "dynamics",
            Self::Tempered(_) => "tempered",
            Self::Poisson(_) => "poisson",
            Self::PoissonReweighted(_) => "poisson-reweighted",
            Self::ProperlyWeighted(_) => "properly-weighted",
            Self::NearestGrowth(_) => "nearest-growth",
            Self::MinimumCut(_) => "minimum-cut",
            Self::NormalisedCut(_) => "normalised-cut",
            Self::MarkovWalk(_) => "markov-walk",
            Self::Eigenvectors(_) => "eigenvectors",
            Self::GaussianProcess(_) => "gaussian-process",
            Self::HarmonicMixture { .. } => "harmonic-mixture",
            Self::ChosenMixture(_) => "chosen-mixture",
            Self::PrototypeMixture { .. } => "prototype-mixture",
            Self::LogisticMixture { .. } => "logistic-mixture",
            Self::Mixture(_) => "mixture",
            Self::Rbf(_) => "rbf",
            Self::Sample { .. } => "sample",
            Self::LaplacianSvm { .. } => "laplacian-svm",
            Self::LaplacianLeastSquares { .. } => "laplacian-least-squares",
            Self::NearestNeighbours(_) => "nearest-neighbours",
            Self::VotedPerceptron(_) => "voted-perceptron",
            Self::SupportVectorMachine { .. } => "support-vector-machine",
            Self::RegularisedLeastSquares { .. } => "regularised-least-squares",
            Self::SupervisedGp(_) => "supervised-gp",
            Self::BayesPointMachine(_) => "bayes-point-machine",
        }
    }

    /// Whether it runs on a graph.
    pub fn needs_graph(&self) -> bool {
        self.sees() != Sees::Points
    }

    /// Whether it looks at points beside the graph, or at points alone.
    pub fn needs_points(&self) -> bool {
        self.sees() != Sees::Graph
    }

    fn sees(&self) -> Sees {
        match self {
            Self::Harmonic(_)
            | Self::Dongles { .. }
            | Self::Smoothing(_)
            | Self::Consistency(_)
            | Self::Dynamics(_)
            | Self::Tempered(_)
            | Self::Poisson(_)
            | Self::PoissonReweighted(_)
            | Self::NearestGrowth(_)
            | Self::MinimumCut(_)
            | Self::NormalisedCut(_)
            | Self::MarkovWalk(_)
            | Self::Eigenvectors(_)
            | Self::Rbf(_)
            | Self::Sample { .. } => Sees::Graph,
            Self::GaussianProcess(process) if !process.prior.needs_points() => Sees::Graph,
            Self::GaussianProcess(_)
            | Self::ProperlyWeighted(_)
            | Self::HarmonicMixture { .. }
            | Self::ChosenMixture(_)
            | Self::PrototypeMixture { .. }
            | Self::LogisticMixture { .. }
            | Self::LaplacianSvm { .. }
            | Self::LaplacianLeastSquares { .. } => Sees::Both,
            Self::Mixture(_)
            | Self::NearestNeighbours(_)
            | Self::VotedPerceptron(_)
            | Self::SupportVectorMachine { .. }
            | Self::RegularisedLeastSquares { .. }
            | Self::SupervisedGp(_)
            | Self::BayesPointMachine(_) => Sees::Points,
        }
    }

    /// Fits. Who sees no graph gets one without edges, and does not look.
    pub(super) fn fit(
        &self,
        points: &Points,
        graph: &Graph,
        labels: &Labels,
    ) -> Result<Answer, DescriptionError> {
        self.fit_on(points, graph, labels)
            .map_err(|error| DescriptionError::Method { method: self.name(), error })
    }

    fn fit_on(
        &self,
        points: &Points,
        graph: &Graph,
        labels: &Labels,
    ) -> Result<Answer, MethodError> {
        SizeMismatch::check("labels, one (or none) for each point", points.len(), labels.len())
            .map_err(LabelsError::from)?;
        let name = self.name();
        Ok(match self {
            Self::Harmonic(method) => Answer::field(method.fit(graph, labels)?),
            Self::Dongles { dongles, harmonic } => {
                Answer::field(harmonic.fit_with_dongles(graph, labels, dongles)?)
            }
            Self::Smoothing(method) => Answer::field(method.fit(graph, labels)?),
            Self::Consistency(method) => Answer::field(method.fit(graph, labels)?),
            Self::Dynamics(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::Tempered(method) => Answer::weighed(method.fit(graph, labels)?, method),
            Self::Poisson(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::PoissonReweighted(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::ProperlyWeighted(method) => Answer::nodes(method.fit(graph, points, labels)?),
            Self::NearestGrowth(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::MinimumCut(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::NormalisedCut(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::MarkovWalk(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::Eigenvectors(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::GaussianProcess(process) => {
                let on = On { points, graph, labels };
                process.visit(on, Fit { graph, labels, probabilities: process.probabilities })?
            }
            Self::HarmonicMixture { em, harmonic } => {
                let em = em.fit(points, labels)?;
                let found = harmonic.fit(points, graph, labels, em.mixture)?;
                Answer::both(found).after(&em.facts)
            }
            Self::ChosenMixture(choose) => {
                let found = choose.choose(points, graph, labels)?;
                let (em, harmonic) =
                    (Em { components: found.components, ..choose.em }, choose.harmonic);
                let tried = found.candidates.iter().find(|tried| tried.components == em.components);
                let answer = match tried {
                    Some(tried) => Answer::both(found.fit).after(&tried.em),
                    None => Answer::both(found.fit),
                };
                answer.choosing(Self::HarmonicMixture { em, harmonic })
            }
            Self::PrototypeMixture { kmeans, assignment, harmonic } => {
                let prototypes = Prototypes::from_kmeans(&kmeans.fit(points)?, *assignment)?;
                Answer::both(harmonic.fit(points, graph, labels, prototypes)?)
            }
            Self::LogisticMixture { kmeans, regression, harmonic } => {
                let clusters = kmeans.fit(points)?;
                let model = regression.fit(points, &clusters.assignment, kmeans.clusters)?;
                Answer::both(harmonic.fit(points, graph, labels, model)?)
            }
            Self::Mixture(em) => {
                let em = em.fit(points, labels)?;
                Answer::points(name, em.mixture, points, labels)?.after(&em.facts)
            }
            Self::Rbf(method) => Answer::nodes(method.fit(graph, labels)?),
            Self::Sample { nodes, seed, harmonic } => {
                let sample = labels.draw_unlabelled(*nodes, *seed)?;
                let method = SampleBaseline { harmonic: harmonic.clone() };
                Answer::nodes(method.fit(graph, labels, &sample)?)
            }
            Self::LaplacianSvm { prior, machine } => {
                Answer::both(machine.fit_on(prior.of(points).on(graph)?, labels)?)
            }
            Self::LaplacianLeastSquares { prior, regression } => {
                Answer::both(regression.fit_on(prior.of(points).on(graph)?, labels)?)
            }
            Self::NearestNeighbours(method) => {
                Answer::points(name, method.fit(points, labels)?, points, labels)?
            }
            Self::VotedPerceptron(method) => {
                Answer::points(name, method.fit(points, labels)?, points, labels)?
            }
            Self::SupportVectorMachine { kernel, machine } => {
                Answer::points(name, machine.fit(points, *kernel, labels)?, points, labels)?
            }
            Self::RegularisedLeastSquares { kernel, regression } => {
                Answer::points(name, regression.fit(points, *kernel, labels)?, points, labels)?
            }
            Self::SupervisedGp(method) => {
                let model = method.fit(points, labels)?;
                let chosen = SupervisedGp { kernels: vec![model.kernel()], ..method.clone() };
                Answer::points(name, model, points, labels)?.choosing(Self::SupervisedGp(chosen))
            }
            Self::BayesPointMachine(method) => {
                Answer::points(name, method.fit(points, labels)?, points, labels)?
            }
        })
    }
}

/// Fits a process.
struct Fit<'a> {
    graph: &'a Graph,
    labels: &'a Labels,
    probabilities: Probabilities,
}

impl Fit<'_> {
    fn fit<M: Process, S: PriorFamily>(
        self,
        process: &M,
        prior: &S,
    ) -> Result<M::Fitted<S::On>, GpError> {
        let seen = process.see(self.labels)?;
        let fitted = process.fit_seen(prior.on(self.graph)?, &seen, &mut Memory::default())?;
        self.probabilities.of(fitted)
    }
}

impl Visit for Fit<'_> {
    type Out = Answer;
    type Error = MethodError;

    fn nodes<M, S>(self, process: M, prior: S) -> Result<Answer, MethodError>
    where
        M: Process,
        S: PriorFamily + Clone,
        M::Fitted<S::On>: Send + Sync + 'static,
    {
        Ok(Answer::nodes(self.fit(&process, &prior)?))
    }

    fn space<M, S>(self, process: M, prior: S) -> Result<Answer, MethodError>
    where
        M: Process,
        S: PriorFamily + Clone,
        M::Fitted<S::On>: Inductive<Points, Error = GpError> + Send + Sync + 'static,
    {
        Ok(Answer::both(self.fit(&process, &prior)?))
    }
}

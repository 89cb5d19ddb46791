//! Evidence and alignment as objectives.

use crate::{Evaluation, Objective, TuneError, Workbench};
use gaussfield_core::{Domain, SizeMismatch};
use gaussfield_gp::{
    ExpectationPropagation, Flip, GaussianProcess, GpError, GraphPrior, Inference, Likelihood,
    Observed, Posterior, PriorFamily, Sites, alignment,
};
use gaussfield_graph::{EdgeGradient, Graph};

/// The negative log evidence −log p(t_L) of a Gaussian process on a graph: to minimise it is to
/// choose the graph, and perhaps prior and noise, under which the labels are most likely
/// (CMU-CS-03-175, section 3; Kapoor et al. 2005, section 2.2).
///
/// Works for every inference and likelihood of `gaussfield-gp`; the gradient is exact and costs
/// no solve beyond the l forward ones.
#[derive(Debug, Clone)]
pub struct Evidence<L, I, S = GraphPrior> {
    process: GaussianProcess<L, I>,
    prior: S,
    observed: Observed,
    /// Indices into the parameters of the prior followed by those of the likelihood.
    free: Vec<usize>,
}

impl<L: Likelihood, I: Inference<L>, S: PriorFamily> Evidence<L, I, S> {
    /// Learns the graph alone; see [`Evidence::learning`].
    pub fn new(process: GaussianProcess<L, I>, prior: S, observed: Observed) -> Self {
        Self { process, prior, observed, free: Vec::new() }
    }

    /// Learns these parameters of the prior and the likelihood too, by their names (such as
    /// `beta`, `sigma`, `delta`, `gamma`, `epsilon`).
    ///
    /// # Errors
    /// A name that neither has.
    pub fn learning(mut self, names: &[&str]) -> Result<Self, TuneError> {
        let known = self.names();
        self.free = names
            .iter()
            .map(|name| {
                known.iter().position(|own| own == name).ok_or_else(|| TuneError::NoSuchParameter {
                    name: (*name).to_owned(),
                    known: known.join(", "),
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// The process, at the parameters it has now.
    pub fn process(&self) -> &GaussianProcess<L, I> {
        &self.process
    }

    /// The prior, at the parameters it has now.
    pub fn prior(&self) -> &S {
        &self.prior
    }

    /// The posterior whose evidence counts.
    ///
    /// # Errors
    /// As [`GaussianProcess::fit`].
    pub fn posterior(&self, graph: &Graph) -> Result<Posterior<S::On, L, I::Fit>, GpError> {
        self.process.fit(self.prior.on(graph)?, &self.observed)
    }

    fn names(&self) -> Vec<&'static str> {
        let mut names = self.prior.parameter_names();
        names.extend(self.process.likelihood.parameter_names());
        names
    }

    fn all(&self) -> Vec<f64> {
        let mut all = self.prior.parameters();
        all.extend(self.process.likelihood.parameters());
        all
    }
}

/// What EM changes besides the parameters it is given.
impl Evidence<Flip, ExpectationPropagation> {
    /// Whether the parameter of this name is learned.
    pub(crate) fn learns(&self, name: &str) -> bool {
        self.parameter_names().iter().any(|own| own == name)
    }

    /// Which parameters of the prior are learned.
    pub(crate) fn learned_of_prior(&self) -> Vec<usize> {
        let prior = self.prior.parameters().len();
        self.free.iter().copied().filter(|&at| at < prior).collect()
    }

    pub(crate) fn with_prior_parameters(&self, parameters: &[f64]) -> Result<Self, TuneError> {
        Ok(Self { prior: self.prior.with_parameters(parameters)?, ..self.clone() })
    }

    /// At another ε, if ε is learned.
    pub(crate) fn with_epsilon(mut self, epsilon: f64) -> Self {
        if self.learns("epsilon") {
            self.process.likelihood = Flip { epsilon };
        }
        self
    }

    /// Sites of nearby parameters, for expectation propagation to begin with.
    pub(crate) fn start_from(&mut self, sites: Sites) {
        self.process.inference.start = Some(sites);
    }
}

impl<L: Likelihood, I: Inference<L>, S: PriorFamily> Objective for Evidence<L, I, S> {
    fn parameters(&self) -> Vec<f64> {
        let all = self.all();
        self.free.iter().map(|&at| all[at]).collect()
    }

    fn parameter_names(&self) -> Vec<String> {
        let names = self.names();
        self.free.iter().map(|&at| names[at].to_owned()).collect()
    }

    fn parameter_domains(&self) -> Vec<Domain> {
        let mut domains = self.prior.parameter_domains();
        domains.extend(self.process.likelihood.parameter_domains());
        self.free.iter().map(|&at| domains[at]).collect()
    }

    fn with_parameters(&self, parameters: &[f64]) -> Result<Self, TuneError> {
        SizeMismatch::check("parameters of the evidence", self.free.len(), parameters.len())?;
        let mut all = self.all();
        for (&at, &value) in self.free.iter().zip(parameters) {
            all[at] = value;
        }
        let (prior, likelihood) = all.split_at(self.prior.parameters().len());
        let mut moved = self.clone();
        moved.prior = self.prior.with_parameters(prior)?;
        moved.process.likelihood = self.process.likelihood.with_parameters(likelihood)?;
        Ok(moved)
    }

    fn follows_graph(&self) -> bool {
        self.prior.follows_graph()
    }

    fn value_on(&self, _: &mut Workbench, graph: &Graph) -> Result<f64, TuneError> {
        Ok(-self.posterior(graph)?.log_evidence())
    }

    fn evaluate_on(&self, _: &mut Workbench, graph: &Graph) -> Result<Evaluation, TuneError> {
        let posterior = self.posterior(graph)?;
        let gradient = posterior.gradient()?;
        let mut all = gradient.prior;
        all.extend(gradient.likelihood);
        Ok(Evaluation {
            value: -posterior.log_evidence(),
            parameters: self.free.iter().map(|&at| -all[at]).collect(),
            edges: negative(gradient.edges, graph),
        })
    }
}

/// The negative kernel–target alignment of a graph prior on the labelled nodes (Cristianini et
/// al. 2001): a criterion that needs no likelihood and no inference.
#[derive(Debug, Clone)]
pub struct Alignment {
    prior: GraphPrior,
    observed: Observed,
}

impl Alignment {
    /// The alignment of K_LL with t tᵀ.
    pub fn new(prior: GraphPrior, observed: Observed) -> Self {
        Self { prior, observed }
    }
}

impl Objective for Alignment {
    fn value_on(&self, _: &mut Workbench, graph: &Graph) -> Result<f64, TuneError> {
        Ok(-alignment(&self.prior.on(graph)?, &self.observed)?.value)
    }

    fn evaluate_on(&self, _: &mut Workbench, graph: &Graph) -> Result<Evaluation, TuneError> {
        let found = alignment(&self.prior.on(graph)?, &self.observed)?;
        let edges = negative(found.gradient.edges, graph);
        Ok(Evaluation { value: -found.value, parameters: Vec::new(), edges })
    }
}

fn negative(edges: Option<EdgeGradient>, graph: &Graph) -> EdgeGradient {
    match edges {
        Some(EdgeGradient { potentials, adjoints, node_terms }) => {
            EdgeGradient { potentials: -potentials, adjoints, node_terms: -node_terms }
        }
        // No weight of the graph counts: `follows_graph` says so.
        None => EdgeGradient {
            potentials: ndarray::Array2::zeros((graph.nodes(), 0)),
            adjoints: ndarray::Array2::zeros((graph.nodes(), 0)),
            node_terms: ndarray::Array1::zeros(graph.nodes()),
        },
    }
}

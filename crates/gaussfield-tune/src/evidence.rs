//! Evidence and alignment as objectives.

use crate::{Evaluation, Objective, TuneError, Workbench};
use gaussfield_core::{Parameter, ParameterError, Parameters, SizeMismatch, parameters};
use gaussfield_gp::{
    Aligned, ExpectationPropagation, Fitted as _, Flip, GaussianProcess, GpError, GraphPrior,
    Memory, Observed, PriorFamily, Process, alignment,
};
use gaussfield_graph::{EdgeGradient, Graph};
use gaussfield_labels::Labels;

/// The negative log evidence −log p(t_L) of a process on a graph: to minimise it is to choose the
/// graph, and perhaps prior and noise, under which the labels are most likely (Zhu, Lafferty and
/// Ghahramani 2003, section 3; Kapoor et al. 2005, section 2.4).
///
/// Works for every [`Process`] of `gaussfield-gp`: two classes by any likelihood and inference,
/// several by [`Softmax`](gaussfield_gp::Softmax) or one against the rest. The gradient is exact and
/// costs no solve beyond the l forward ones.
///
/// ```
/// use gaussfield_gp::{GraphPrior, Softmax};
/// use gaussfield_graph::{Exponential, Metric, Pattern};
/// use gaussfield_labels::Labels;
/// use gaussfield_points::Points;
/// use gaussfield_tune::{Evidence, Minimise, learn};
/// use ndarray::Array2;
///
/// // Three groups on a line, two labels in each.
/// let place = |(i, _): (usize, usize)| 0.3 * i as f64 + 2.0 * (i / 5) as f64;
/// let points = Points::dense(Array2::from_shape_fn((15, 1), place))?;
/// let name = |i: usize| ["low", "middle", "high"][i / 5];
/// let labels = Labels::from_names((0..15).map(|i| (i % 5 < 2).then(|| name(i))));
///
/// let pattern = Pattern::complete(&points, Metric::Euclidean)?;
/// let prior = GraphPrior::regularised(1.0, 10.0);
/// let evidence = Evidence::new(Softmax::default(), prior, &labels)?.learning(&["beta"])?;
/// let learned = learn(&pattern, &Exponential { sigma: 3.0 }, &evidence, &Minimise::default())?;
/// assert!(learned.family.sigma < 2.0, "the width of the groups, not of the whole");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Evidence<M: Process, S = GraphPrior> {
    process: M,
    prior: S,
    seen: M::Seen,
    /// Indices into the parameters of the prior followed by those of the process.
    free: Vec<usize>,
}

impl<M: Process, S: PriorFamily> Evidence<M, S> {
    /// Of these labels. Learns the graph alone; see [`Evidence::learning`].
    ///
    /// # Errors
    /// Labels that are not for this process, as [`Process::see`].
    pub fn new(process: M, prior: S, labels: &Labels) -> Result<Self, TuneError> {
        let seen = process.see(labels)?;
        Ok(Self::of(process, prior, seen))
    }

    /// Of labels as the process sees them: for [`GaussianProcess`], targets of one's own.
    pub fn of(process: M, prior: S, seen: M::Seen) -> Self {
        Self { process, prior, seen, free: Vec::new() }
    }

    /// Learns these parameters of the prior and the likelihood too, by their names (such as
    /// `beta`, `sigma`, `delta`, `gamma`, `epsilon`).
    ///
    /// # Errors
    /// A name that neither has.
    pub fn learning(mut self, names: &[&str]) -> Result<Self, TuneError> {
        let known = self.all();
        let place = |name: &&str| {
            known.iter().position(|own| own.name == *name).ok_or_else(|| {
                let known: Vec<&str> = known.iter().map(|own| &*own.name).collect();
                TuneError::NoSuchParameter { name: (*name).to_owned(), known: known.join(", ") }
            })
        };
        self.free = names.iter().map(place).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// The process, at the parameters it has now.
    pub fn process(&self) -> &M {
        &self.process
    }

    /// The prior, at the parameters it has now.
    pub fn prior(&self) -> &S {
        &self.prior
    }

    /// The posterior whose evidence counts.
    ///
    /// # Errors
    /// As [`Process::fit_seen`] and [`PriorFamily::on`].
    pub fn posterior(&self, graph: &Graph) -> Result<M::Fitted<S::On>, GpError> {
        self.posterior_with(graph, &mut Memory::default())
    }

    /// The posterior, found from where the memory says; leaves in it where it ended.
    ///
    /// # Errors
    /// As [`Evidence::posterior`].
    pub fn posterior_with(
        &self,
        graph: &Graph,
        memory: &mut Memory,
    ) -> Result<M::Fitted<S::On>, GpError> {
        let prior = self.prior.on_with(graph, memory)?;
        self.process.fit_seen(prior, &self.seen, memory)
    }

    /// The parameters of the prior, then those of the process.
    fn all(&self) -> Vec<Parameter> {
        let mut all = self.prior.parameters();
        all.extend(self.process.parameters());
        all
    }
}

/// What EM changes besides the parameters it is given.
impl Evidence<GaussianProcess<Flip, ExpectationPropagation>> {
    /// Whether the parameter of this name is learned.
    pub(crate) fn learns(&self, name: &str) -> bool {
        self.parameters().iter().any(|own| own.name == name)
    }

    /// Which parameters of the prior are learned.
    pub(crate) fn learned_of_prior(&self) -> Vec<usize> {
        let prior = self.prior.parameters().len();
        self.free.iter().copied().filter(|&at| at < prior).collect()
    }

    pub(crate) fn with_prior_parameters(&self, values: &[f64]) -> Result<Self, TuneError> {
        let mut moved = self.clone();
        moved.prior.set_parameters(values)?;
        Ok(moved)
    }

    /// At another ε, if ε is learned.
    pub(crate) fn with_epsilon(mut self, epsilon: f64) -> Self {
        if self.learns("epsilon") {
            self.process.likelihood = Flip { epsilon };
        }
        self
    }
}

/// Those that are [learned](Evidence::learning).
impl<M: Process, S: PriorFamily> Parameters for Evidence<M, S> {
    fn parameters(&self) -> Vec<Parameter> {
        let all = self.all();
        self.free.iter().map(|&at| all[at].clone()).collect()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        SizeMismatch::check("parameters of the evidence", self.free.len(), values.len())?;
        let before = self.prior.values();
        let mut all = before.clone();
        all.extend(self.process.values());
        for (&at, &value) in self.free.iter().zip(values) {
            all[at] = value;
        }
        let (of_prior, of_process) = all.split_at(before.len());
        self.prior.set_parameters(of_prior)?;
        if let Err(refused) = self.process.set_parameters(of_process) {
            self.prior.set_parameters(&before)?;
            return Err(refused);
        }
        Ok(())
    }
}

impl<M: Process, S: PriorFamily> Objective for Evidence<M, S> {
    fn follows_graph(&self) -> bool {
        self.prior.follows_graph()
    }

    fn value_on(&self, workbench: &mut Workbench, graph: &Graph) -> Result<f64, TuneError> {
        Ok(-self.posterior_with(graph, &mut workbench.memory)?.log_evidence())
    }

    fn evaluate_on(
        &self,
        workbench: &mut Workbench,
        graph: &Graph,
    ) -> Result<Evaluation, TuneError> {
        let posterior = self.posterior_with(graph, &mut workbench.memory)?;
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

parameters!(Alignment {});

impl Alignment {
    /// The alignment of K_LL with t tᵀ, for labels of two classes.
    ///
    /// # Errors
    /// No label, or labels of another number of classes.
    pub fn new(prior: GraphPrior, labels: &Labels) -> Result<Self, TuneError> {
        Ok(Self { prior, observed: labels.try_into()? })
    }

    fn aligned(&self, workbench: &mut Workbench, graph: &Graph) -> Result<Aligned, GpError> {
        alignment(&self.prior.on_with(graph, &mut workbench.memory)?, &self.observed)
    }
}

impl Objective for Alignment {
    fn value_on(&self, workbench: &mut Workbench, graph: &Graph) -> Result<f64, TuneError> {
        Ok(-self.aligned(workbench, graph)?.value)
    }

    fn evaluate_on(
        &self,
        workbench: &mut Workbench,
        graph: &Graph,
    ) -> Result<Evaluation, TuneError> {
        let found = self.aligned(workbench, graph)?;
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

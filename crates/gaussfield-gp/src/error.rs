//! What can go wrong.

use gaussfield_core::ParameterError;
use gaussfield_core::dense::DenseError;
use gaussfield_graph::GraphError;
use gaussfield_kernel::KernelError;
use gaussfield_laplacian::LaplacianError;
use gaussfield_points::PointsError;

/// What can go wrong between a graph with labels and a posterior.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpError {
    /// New values of parameters that do not fit.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// The graph or the points are wrong.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The linear system of the prior could not be solved.
    #[error(transparent)]
    Laplacian(#[from] LaplacianError),
    /// The kernel or its points are wrong.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The points are wrong.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// A dense factorisation of a kernel failed.
    #[error("{0}: choose a less extreme kernel width or ratio γ_I/γ_A")]
    Dense(#[from] DenseError),
    /// A kernel warped by a graph would take more memory than allowed.
    #[error(
        "the warped kernel of {nodes} points keeps {matrices} dense {nodes} × {nodes} matrices, \
         {bytes} bytes, over the budget of {budget}: take a LandmarkKernel, which keeps {nodes} × m \
         numbers for m landmarks, or raise the budget"
    )]
    WarpOverBudget {
        /// Points, n.
        nodes: usize,
        /// How many n × n matrices.
        matrices: usize,
        /// Bytes they take.
        bytes: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// The features of all points on the landmarks would take more memory than allowed.
    #[error(
        "{landmarks} landmarks for {nodes} points take three {nodes} × {landmarks} matrices, over the \
         budget of {budget} bytes: take at most {most} landmarks, or raise the budget"
    )]
    LandmarksOverBudget {
        /// Points.
        nodes: usize,
        /// Landmarks asked for.
        landmarks: usize,
        /// Landmarks that fit.
        most: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// The graph bends a kernel past the largest number.
    #[error(
        "M = γ_I/γ_A·Lᵖ is past the largest number at γ_I/γ_A = {ratio} and p = {power}: lower p or \
         γ_I, or take the normalised Laplacian, whose eigenvalues are at most 2"
    )]
    WarpOverflow {
        /// γ_I/γ_A.
        ratio: f64,
        /// p.
        power: u32,
    },
    /// Queries that were made ready for another kernel.
    #[error(
        "the queries were made ready for another base kernel: call `queries` of the `Ambient` that \
         this kernel was warped from"
    )]
    ForeignQueries,
    /// A parameter is out of its range.
    #[error("{name} is {value}; it must be {range}")]
    BadParameter {
        /// Which parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What is allowed.
        range: &'static str,
    },
    /// There is nothing to learn from.
    #[error("no node is observed: a Gaussian process needs at least one label")]
    NoObservations,
    /// Nodes and targets do not go together.
    #[error("{nodes} observed nodes but {targets} targets: give one target for each node")]
    TargetCount {
        /// Nodes given.
        nodes: usize,
        /// Targets given.
        targets: usize,
    },
    /// A target that the likelihood does not know.
    #[error("the target of node {node} is {target}; it must be {range}")]
    BadTarget {
        /// Where.
        node: usize,
        /// The value given.
        target: f64,
        /// What is allowed.
        range: &'static str,
    },
    /// A node is observed twice.
    #[error("node {node} is observed twice; keep one target for each node")]
    Repeated {
        /// The node.
        node: usize,
    },
    /// A node that the graph does not have.
    #[error("node {node} is past the end: the graph has {nodes} nodes, counted from 0")]
    NoSuchNode {
        /// The node asked for.
        node: usize,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// A class that the labels do not have.
    #[error("class {class} is asked for, but the labels have {classes} classes, counted from 0")]
    NoSuchClass {
        /// The class asked for.
        class: usize,
        /// Classes of the labels.
        classes: usize,
    },
    /// A list is for another number of nodes.
    #[error("{what} is for {got} nodes but the graph has {nodes}")]
    NodeCount {
        /// What was given.
        what: &'static str,
        /// Nodes of the graph.
        nodes: usize,
        /// Nodes of the list.
        got: usize,
    },
    /// Newton's method did not reach the mode.
    #[error(
        "the search for the mode did not converge: after {iterations} Newton steps the last step \
         is {step} (tolerance {tolerance}) and changed the log posterior by {change}; allow more \
         steps, or choose a less extreme β, σ or γ"
    )]
    NotConverged {
        /// Steps made.
        iterations: usize,
        /// Largest change of a latent value in the last step.
        step: f64,
        /// Change of the log posterior in the last step.
        change: f64,
        /// Largest step allowed at the end.
        tolerance: f64,
    },
    /// A covariance matrix that is none.
    #[error("entry ({row}, {column}) of the covariance is {value}; the matrix must be {rule}")]
    BadCovariance {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The entry.
        value: f64,
        /// What is wrong.
        rule: &'static str,
    },
    /// Another number of parameters.
    #[error("{got} parameters are given where there are {expected}")]
    ParameterCount {
        /// How many there are.
        expected: usize,
        /// How many were given.
        got: usize,
    },
    /// Sites to start from are those of another problem.
    #[error("the search is to start from {sites} sites, but there are {labels} labels")]
    SiteCount {
        /// Sites given.
        sites: usize,
        /// Labels.
        labels: usize,
    },
    /// Expectation propagation did not reach a fixed point.
    #[error(
        "expectation propagation did not converge: after {sweeps} sweeps the largest change of a \
         site is {change} (tolerance {tolerance}); allow more sweeps, start from the sites of nearby \
         parameters, or choose less extreme ones (a wider noise, a shorter prior)"
    )]
    EpNotConverged {
        /// Sweeps made.
        sweeps: usize,
        /// Largest change of a site in the last sweep, in units of the posterior.
        change: f64,
        /// Largest change allowed at the end.
        tolerance: f64,
    },
    /// Expectation propagation ended where labels are more than certain.
    #[error(
        "expectation propagation ended at a log evidence of {log_evidence}, a probability above \
         one: the labels contradict the prior too much for it; allow more label noise or choose a \
         rougher prior"
    )]
    ImpossibleEvidence {
        /// The log evidence.
        log_evidence: f64,
    },
    /// A likelihood has no usable moments.
    #[error(
        "the likelihood of label {label} (target {target}) has no finite moments under a Gaussian \
         of mean {mean} and variance {variance}"
    )]
    BadMoment {
        /// Which label, in the order observed.
        label: usize,
        /// Its target.
        target: f64,
        /// Mean of its cavity.
        mean: f64,
        /// Variance of its cavity.
        variance: f64,
    },
    /// A kernel matrix that cannot be solved with.
    #[error(
        "the kernel matrix is singular after rounding: of node {node} only {share:.1e} is not \
         explained by the nodes before it, as for a duplicate point; remove it, choose a narrower \
         kernel, or ask for a ridge by name"
    )]
    SingularKernel {
        /// The node.
        node: usize,
        /// What is left of its diagonal entry.
        share: f64,
    },
    /// A kernel matrix that is none.
    #[error(
        "the kernel matrix of {nodes} nodes is not positive definite: duplicate points, or weights \
         cut to nearest neighbours; give the full kernel matrix with its diagonal, or ask for a \
         ridge by name"
    )]
    IndefiniteKernel {
        /// Nodes.
        nodes: usize,
    },
    /// The posterior's matrix could not be factorised.
    #[error(
        "the matrix I + W½ K W½ of {size} labels is not positive definite after rounding: \
         choose less extreme parameters of the prior or the noise"
    )]
    Factorisation {
        /// Labels.
        size: usize,
    },
}

/// The value if it is positive and finite.
pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<(), GpError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(GpError::BadParameter { name, value, range: "positive and finite" })
}

/// The nodes, if the graph has them.
pub(crate) fn check_nodes(asked: &[usize], nodes: usize) -> Result<(), GpError> {
    match asked.iter().find(|&&node| node >= nodes) {
        Some(&node) => Err(GpError::NoSuchNode { node, nodes }),
        None => Ok(()),
    }
}

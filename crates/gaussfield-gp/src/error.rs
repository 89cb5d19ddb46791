//! What can go wrong.

use gaussfield_core::dense::DenseError;
use gaussfield_core::{
    Cancelled, NoSuchNode, NotConverged, OutOfRange, OverBudget, ParameterError, SizeMismatch,
    shown,
};
use gaussfield_graph::GraphError;
use gaussfield_kernel::KernelError;
use gaussfield_labels::LabelsError;
use gaussfield_laplacian::LaplacianError;
use gaussfield_points::PointsError;
use std::convert::Infallible;

/// What can go wrong between a graph with labels and a posterior.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpError {
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
    /// Labels or scores are wrong.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// A parameter or a setting is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Things that do not belong together by their number.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// A node that the prior does not have.
    #[error(transparent)]
    NoSuchNode(#[from] NoSuchNode),
    /// A search that did not reach its tolerance.
    #[error(transparent)]
    NotConverged(#[from] NotConverged),
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// Stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A likelihood that the Laplace approximation cannot take.
    #[error(
        "labels that flip have no single mode for the Laplace approximation: take expectation \
         propagation, or a sigmoid or probit"
    )]
    NotSmooth,
    /// A dense factorisation of a kernel failed.
    #[error("{0}: choose a less extreme kernel width or ratio γ_I/γ_A")]
    Dense(#[from] DenseError),
    /// The graph bends a kernel past the largest number.
    #[error(
        "M = γ_I/γ_A·Lᵖ is past the largest number at γ_I/γ_A = {ratio} and p = {power}: lower p or \
         γ_I, or take the normalised Laplacian, whose eigenvalues are at most 2",
        ratio = shown(*.ratio)
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
    /// There is nothing to learn from.
    #[error("no node is observed: a Gaussian process needs at least one label")]
    NoObservations,
    /// Labels of another number of classes than two.
    #[error(
        "the labels have {classes} classes, and this process tells two apart: take `Softmax` or \
         `one_against_rest` for more, or name the second class"
    )]
    NotTwoClasses {
        /// Classes of the labels.
        classes: usize,
    },
    /// A target that the likelihood does not know.
    #[error("the target of node {node} is {target}; it must be {range}", target = shown(*.target))]
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
    /// A class that the labels do not have.
    #[error("class {class} is asked for, but the labels have {classes} classes, counted from 0")]
    NoSuchClass {
        /// The class asked for.
        class: usize,
        /// Classes of the labels.
        classes: usize,
    },
    /// A covariance matrix that is none.
    #[error(
        "entry ({row}, {column}) of the covariance is {value}; the matrix must be {rule}",
        value = shown(*.value)
    )]
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
    /// Expectation propagation ended where labels are more than certain.
    #[error(
        "expectation propagation ended at a log evidence of {log_evidence}, a probability above \
         one: the labels contradict the prior too much for it; allow more label noise or choose a \
         rougher prior", log_evidence = shown(*.log_evidence)
    )]
    ImpossibleEvidence {
        /// The log evidence.
        log_evidence: f64,
    },
    /// A likelihood has no usable moments.
    #[error(
        "the likelihood of label {label} (target {target}) has no finite moments under a Gaussian \
         of mean {mean} and variance {variance}: expectation propagation has run out of digits; allow \
         more noise in the labels, or take Laplace's approximation",
        target = shown(*.target), mean = shown(*.mean), variance = shown(*.variance)
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
    /// A covariance with a direction of negative variance.
    #[error(
        "the covariance of {size} nodes has a direction of negative variance: give a positive \
         semidefinite matrix or kernel"
    )]
    IndefiniteCovariance {
        /// Nodes.
        size: usize,
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

impl From<ParameterError> for GpError {
    fn from(error: ParameterError) -> Self {
        match error {
            ParameterError::OutOfRange(error) => error.into(),
            ParameterError::Count(error) => error.into(),
        }
    }
}

/// What was observed may be handed over as it is.
impl From<Infallible> for GpError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

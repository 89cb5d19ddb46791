//! What can go wrong.

use gaussfield_core::{Cancelled, NotConverged, OutOfRange, OverBudget, SizeMismatch, shown};
use gaussfield_gp::GpError;
use gaussfield_graph::GraphError;
use gaussfield_harmonic::HarmonicError;
use gaussfield_kernel::KernelError;
use gaussfield_labels::LabelsError;
use gaussfield_laplacian::LaplacianError;
use gaussfield_points::PointsError;

/// What can go wrong in a baseline.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The points are wrong, or of another dimension than those of the fit.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// The labels are wrong.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// A neighbour search failed, or a graph is wrong.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A kernel is out of range, or its matrix cannot be made.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A Gaussian process could not be fitted or asked.
    #[error(transparent)]
    Gp(#[from] GpError),
    /// Nodes of a sample are wrong.
    #[error(transparent)]
    Laplacian(#[from] LaplacianError),
    /// A harmonic function on a sample could not be found.
    #[error(transparent)]
    Harmonic(#[from] HarmonicError),
    /// A number is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Two things that must go together do not have the same size.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// A support vector machine did not reach its tolerance.
    #[error(transparent)]
    NotConverged(#[from] NotConverged),
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The work was stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// All labels are of one class, so there is nothing to separate.
    #[error(
        "all {labelled} labelled points are of class {class:?}: there is nothing to separate; label \
         a point of another one"
    )]
    OneClass {
        /// Name of the class.
        class: String,
        /// Labelled points.
        labelled: usize,
    },
    /// A Gram matrix is not symmetric.
    #[error(
        "the Gram matrix has {forward} at ({i}, {j}) but {backward} at ({j}, {i}): a kernel is \
         symmetric; average the two", forward = shown(*.forward), backward = shown(*.backward)
    )]
    Asymmetric {
        /// Row.
        i: usize,
        /// Column.
        j: usize,
        /// Entry (i, j).
        forward: f64,
        /// Entry (j, i).
        backward: f64,
    },
    /// A Gram matrix is not positive semidefinite.
    #[error(
        "the Gram matrix is not positive semidefinite: {place} gives {value}, which no inner \
         product does; check the kernel, or add to its diagonal", value = shown(*.value)
    )]
    NotPositive {
        /// Where it shows.
        place: String,
        /// The negative number found.
        value: f64,
    },
    /// A Gram matrix plus a multiple of the identity has no Cholesky factor.
    #[error(
        "the Gram matrix with {added} added to its diagonal has no Cholesky factor: it is not \
         positive semidefinite; check the kernel, or raise λ", added = shown(*.added)
    )]
    NoCholesky {
        /// What was added.
        added: f64,
    },
    /// Points that no labelled or sampled point has a weight to.
    #[error(
        "{count} points (the first is {example}) have no positive weight to any labelled or \
         sampled point: sample or label more points, widen the weights, or ask for Islands::Prior \
         to fill them with the class prior"
    )]
    Unreached {
        /// How many.
        count: usize,
        /// The first of them.
        example: usize,
    },
}

//! What can go wrong.

use gaussfield_gp::GpError;
use gaussfield_graph::GraphError;
use gaussfield_kernel::KernelError;
use gaussfield_labels::LabelsError;
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
    /// A neighbour search failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A kernel is out of range, or its matrix cannot be made.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A Gaussian process could not be fitted or asked.
    #[error(transparent)]
    Gp(#[from] GpError),
    /// Labels for another number of points or nodes.
    #[error("there are {labels} labels for {nodes} {what}: one (or none) for each is needed")]
    Length {
        /// `"points"` or `"nodes"`.
        what: &'static str,
        /// How many of them.
        nodes: usize,
        /// How many labels.
        labels: usize,
    },
    /// A number of neighbours the labelled points cannot give.
    #[error(
        "k = {k} nearest labelled points were asked for, and {labelled} are labelled: k must be \
         at least 1 and at most {labelled}"
    )]
    BadNeighbourCount {
        /// Neighbours asked for.
        k: usize,
        /// Labelled points.
        labelled: usize,
    },
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
    /// Training without any pass over the labels.
    #[error("the number of epochs is 0: at least one pass over the labelled points is needed")]
    NoEpochs,
    /// The price of an error is not a positive number.
    #[error("the price C of a support vector machine is {value}: it must be positive and finite")]
    BadPrice {
        /// The price given.
        value: f64,
    },
    /// A weight of the regulariser is not a positive number.
    #[error("the {name} is {value}: it must be positive and finite")]
    BadWeight {
        /// Its name.
        name: &'static str,
        /// The value given.
        value: f64,
    },
    /// A tolerance that cannot be met, or no iteration to meet it.
    #[error("the {name} is {value}: it must be {rule}")]
    BadStop {
        /// `"tolerance"` or `"largest number of iterations"`.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The range.
        rule: &'static str,
    },
    /// A kernel matrix of another shape than the labels or the fit need.
    #[error("{what} is {rows} × {columns}: {needed} is needed")]
    MatrixShape {
        /// `"the Gram matrix"` or `"the cross matrix"`.
        what: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// What it should be.
        needed: String,
    },
    /// A kernel matrix has an entry that is NaN or infinite.
    #[error("entry ({row}, {column}) of {what} is {value}: every entry must be finite")]
    MatrixNotFinite {
        /// `"the Gram matrix"` or `"the cross matrix"`.
        what: &'static str,
        /// 0-based row.
        row: usize,
        /// 0-based column.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A Gram matrix is not symmetric.
    #[error(
        "the Gram matrix has {forward} at ({i}, {j}) but {backward} at ({j}, {i}): a kernel is \
         symmetric; average the two"
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
         product does; check the kernel, or add to its diagonal"
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
         positive semidefinite; check the kernel, or raise λ"
    )]
    NoCholesky {
        /// What was added.
        added: f64,
    },
    /// The support vector machine did not reach its tolerance.
    #[error(
        "the support vector machine stopped after {iterations} iterations at a violation of \
         {violation:e} where {tolerance:e} was asked for: lower C, scale the kernel, raise the \
         tolerance or allow more iterations"
    )]
    NotConverged {
        /// Steps made.
        iterations: usize,
        /// Largest violation of the optimality conditions left.
        violation: f64,
        /// What was asked for.
        tolerance: f64,
    },
}

//! What can go wrong, in one type.

use crate::Solver;
use gaussfield_core::dense::DenseError;
use gaussfield_core::{
    Cancelled, NoSuchNode, NotConverged, OutOfRange, OverBudget, SizeMismatch, shown,
};
use gaussfield_graph::GraphError;

/// What can go wrong between a graph and a solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LaplacianError {
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The graph is wrong.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// No boundary node was given.
    #[error("the boundary is empty: give at least one boundary (labelled) node")]
    NoBoundary,
    /// A node past the end.
    #[error(transparent)]
    NoSuchNode(#[from] NoSuchNode),
    /// A node named twice.
    #[error("node {node} was named twice: name every node once")]
    DuplicateNode {
        /// The node.
        node: usize,
    },
    /// Something does not have as many entries as it must.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// A parameter outside its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// An excess that is negative or not finite.
    #[error(
        "the excess of node {node} is {value}: it must be finite and not negative",
        value = shown(*.value)
    )]
    Excess {
        /// The node, by its index in the graph.
        node: usize,
        /// The value given.
        value: f64,
    },
    /// The weights around a node add up to infinity.
    #[error(
        "the weights around node {node} add up to more than an f64 holds: divide all weights by a \
         common factor (harmonic values do not change)"
    )]
    DegreeOverflow {
        /// The node, by its index in the graph.
        node: usize,
    },
    /// A number of a right-hand side or operand is NaN or infinite.
    #[error(
        "row {row}, column {column} of the right-hand side is {value}: it must be finite",
        value = shown(*.value)
    )]
    NotFinite {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A solution too large for an f64.
    #[error(
        "the solution overflows at row {row}, column {column}: scale the right-hand side down, or \
         ground the system more strongly"
    )]
    SolutionOverflow {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
    },
    /// Nodes that nothing holds: no boundary and no excess reaches them.
    #[error(
        "{nodes} node(s), for example node {example}, are linked to no boundary node and have no \
         excess: the system is singular there; label a node of each part, link the parts, or \
         leave these nodes out"
    )]
    Singular {
        /// How many nodes.
        nodes: usize,
        /// The smallest such node, by its index in the graph.
        example: usize,
    },
    /// The answer would not be accurate: the certificate A·1 = excess is missed.
    #[error(
        "{solver} cannot resolve this system in double precision: solving for the constant 1 is \
         off by {partition_error:.1e}{} (allowed {tolerance:.1e}), so some part hangs on by very \
         weak links; use Solver::Elimination, which is accurate for any weights, or widen the \
         weights' length scale",
        .node.map_or(String::new(), |node| format!(" at node {node}"))
    )]
    IllConditioned {
        /// The solver that failed.
        solver: Solver,
        /// max |z − 1| for A z = excess; infinite where the factorisation broke down.
        partition_error: f64,
        /// The error allowed.
        tolerance: f64,
        /// Where it is worst, by its index in the graph; none where the factorisation broke down.
        node: Option<usize>,
    },
    /// Conjugate gradients, or the search for eigenpairs, ended before their tolerance.
    #[error(transparent)]
    NotConverged(#[from] NotConverged),
    /// Stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A determinant was asked of a solver that has none.
    #[error("{solver} gives no determinant: use a direct solver for log_det, or estimate_log_det")]
    NoDeterminant {
        /// The solver that runs.
        solver: Solver,
    },
    /// No eigenpair, or more than there are.
    #[error(
        "{count} eigenpairs were asked for, but the graph has {nodes} nodes: ask for at least 1 \
         and at most {nodes}"
    )]
    Eigenpairs {
        /// Pairs asked for.
        count: usize,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// Orthonormal eigenvectors were asked of a matrix that is not symmetric.
    #[error(
        "the random-walk Laplacian is not symmetric: take Laplacian::Symmetric, which has the same \
         eigenvalues, and divide its vectors by √d"
    )]
    NotSymmetric,
    /// Nothing was prepared on a [`Workbench`](crate::Workbench), or the last preparation failed.
    #[error("there is nothing to solve with: prepare a system on this workbench first")]
    NotPrepared,
    /// A dense factorisation or eigendecomposition failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
    /// The sparse library reported a failure.
    #[error("{routine} failed: {reason}")]
    Library {
        /// What was being computed.
        routine: &'static str,
        /// What it said.
        reason: String,
    },
}

use gaussfield_core::OverBudget;
use gaussfield_graph::GraphError;
use gaussfield_labels::LabelsError;
use gaussfield_laplacian::LaplacianError;

/// What can go wrong between a graph with labels and a field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HarmonicError {
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The graph is wrong, or a dense matrix would be too large.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The labels or scores are wrong.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// The linear system could not be solved.
    #[error(transparent)]
    Laplacian(#[from] LaplacianError),
    /// Graph and labels speak of different numbers of nodes.
    #[error("the graph has {graph} nodes but the labels are for {labels}")]
    NodeCount {
        /// Nodes of the graph.
        graph: usize,
        /// Nodes of the labels.
        labels: usize,
    },
    /// Some nodes cannot reach any label, so that no harmonic value exists there.
    #[error(
        "{} nodes cannot reach any labelled node (for example node {}): connect the graph (more \
         neighbours, a larger length scale), label one node of each part, or ask for \
         Islands::Prior to fill them with the class prior",
        .nodes.len(), .nodes.first().copied().unwrap_or_default()
    )]
    ComponentWithoutLabel {
        /// The nodes, in increasing order.
        nodes: Vec<usize>,
    },
    /// There is nothing to learn from or about.
    #[error("every node is labelled: there is no unlabelled node to learn about")]
    AllLabelled,
    /// A transition probability to a dongle is not in [0, 1).
    #[error("the dongle probability η is {eta}; it must be at least 0 and below 1")]
    BadEta {
        /// The value given.
        eta: f64,
    },
    /// A self-loop weight is negative or not finite.
    #[error("the self-loop weight is {weight}; it must be finite and not negative")]
    BadSelfLoop {
        /// The value given.
        weight: f64,
    },
    /// Outside predictions have the wrong shape.
    #[error(
        "outside predictions are {rows} × {columns}, but {nodes} unlabelled nodes with {classes} \
         classes need {nodes} × {classes}"
    )]
    PredictionShape {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
        /// Rows needed.
        nodes: usize,
        /// Columns needed.
        classes: usize,
    },
    /// A prior is for another number of classes.
    #[error("the prior is for {prior} classes but the labels have {labels}")]
    PriorShape {
        /// Classes of the prior.
        prior: usize,
        /// Classes of the labels.
        labels: usize,
    },
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
    /// An iteration ended without reaching its tolerance.
    #[error(
        "{method} did not converge: after {iterations} iterations the largest change is {change}, \
         over the tolerance of {tolerance}; allow more iterations or use the direct solution"
    )]
    NotConverged {
        /// Which iteration.
        method: &'static str,
        /// Iterations made.
        iterations: usize,
        /// Largest change in the last one.
        change: f64,
        /// Change allowed.
        tolerance: f64,
    },
    /// A dense decomposition failed inside LAPACK.
    #[error("the dense decomposition of a {n} × {n} matrix failed: {reason}")]
    Decomposition {
        /// Size.
        n: usize,
        /// LAPACK's words.
        reason: String,
    },
}

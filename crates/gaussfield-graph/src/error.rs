use gaussfield_points::PointsError;

/// What can go wrong between points and a graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The points themselves are wrong.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// A weight is negative, NaN or infinite.
    #[error(
        "weight between nodes {i} and {j} is {weight}: weights must be finite and not negative"
    )]
    BadWeight {
        /// First node.
        i: usize,
        /// Second node.
        j: usize,
        /// The weight given.
        weight: f64,
    },
    /// The two directions of an edge differ.
    #[error(
        "the weight from node {i} to node {j} is {forward} but back it is {backward}: the graph \
         is undirected; average the two directions or keep one"
    )]
    Asymmetric {
        /// First node.
        i: usize,
        /// Second node.
        j: usize,
        /// Weight i → j.
        forward: f64,
        /// Weight j → i.
        backward: f64,
    },
    /// A node is linked to itself.
    #[error(
        "node {node} has a self-loop of weight {weight}: drop the diagonal (methods to which \
         self-loops matter take them as an option of their own)"
    )]
    SelfLoop {
        /// The node.
        node: usize,
        /// The diagonal weight.
        weight: f64,
    },
    /// An edge names a node past the end.
    #[error("an edge names node {node}, but there are {nodes} nodes (0 to {})", .nodes.saturating_sub(1))]
    NoSuchNode {
        /// The node named.
        node: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// A weight matrix is not square.
    #[error("a weight matrix must be square, this one is {rows} × {columns}")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// More nodes than 32-bit indices can name.
    #[error("{nodes} nodes are more than the {} a graph can hold", u32::MAX)]
    TooManyNodes {
        /// Nodes asked for.
        nodes: usize,
    },
    /// A dense matrix would pass the memory budget.
    #[error(
        "a dense {rows} × {columns} matrix takes {bytes} bytes, over the budget of {budget}: use a \
         sparse graph (k nearest neighbours or an ε-ball) with a sparse solver, or raise the budget"
    )]
    OverBudget {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Bytes it would take.
        bytes: u64,
        /// Bytes allowed.
        budget: u64,
    },
}

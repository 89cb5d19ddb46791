//! What can go wrong between points and a graph, with the remedy.

use crate::{Metric, Search};
use gaussfield_core::{Cancelled, NoSuchNode, OutOfRange, OverBudget, SizeMismatch, shown};
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
        "weight between nodes {i} and {j} is {weight}: weights must be finite and not negative",
        weight = shown(*.weight)
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
         is undirected; average the two directions or keep one",
        forward = shown(*.forward), backward = shown(*.backward)
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
         self-loops matter take them as an option of their own)", weight = shown(*.weight)
    )]
    SelfLoop {
        /// The node.
        node: usize,
        /// The diagonal weight.
        weight: f64,
    },
    /// An edge names a node past the end.
    #[error(transparent)]
    NoSuchNode(#[from] NoSuchNode),
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
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A number of neighbours that the points cannot give.
    #[error(
        "k = {k} nearest neighbours were asked for, with {points} points to find them among: k \
         must be at least 1 and at most {most}"
    )]
    BadNeighbourCount {
        /// Neighbours asked for.
        k: usize,
        /// Points searched.
        points: usize,
        /// The largest k possible (0: none).
        most: usize,
    },
    /// The lists at hand are shorter than the k asked for.
    #[error(
        "k = {k} was asked for, but only {kept} neighbours were kept: search again with a larger k"
    )]
    ListsTooShort {
        /// Neighbours asked for.
        k: usize,
        /// Neighbours kept in each list.
        kept: usize,
    },
    /// Neighbours of other points do not make a graph.
    #[error(
        "these are the neighbours of other points (a query): only Neighbours::search, where each \
         point is searched among the same points, makes a pattern"
    )]
    NotASelfSearch,
    /// A point without direction under the cosine distance.
    #[error(
        "{which} {row} has only zeros: it has no direction, so no cosine distance; remove the row \
         or use the Euclidean distance"
    )]
    ZeroRow {
        /// `"point"` or `"query"`.
        which: &'static str,
        /// 0-based row.
        row: usize,
    },
    /// A search method that does not read this storage.
    #[error("{method:?} search needs {needs} rows: use Search::Auto, or convert the points")]
    WrongStorage {
        /// The method asked for.
        method: Search,
        /// The storage it needs.
        needs: &'static str,
    },
    /// A search for nearest neighbours where all points within a radius are asked for.
    #[error(
        "{method:?} search finds nearest neighbours only: an ε-ball needs an exact search, such as Search::Auto"
    )]
    NotForBalls {
        /// The method asked for.
        method: Search,
    },
    /// A hyperparameter or a radius out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Points, lists, pattern, graph or gradient that do not belong together.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// A weight family on a pattern of another distance.
    #[error("{family} needs a pattern of {needs:?} distances, this one has {got:?} distances")]
    WrongMetric {
        /// Name of the weight family.
        family: &'static str,
        /// The metric it needs.
        needs: Metric,
        /// The metric of the pattern.
        got: Metric,
    },
    /// The work was stopped through a progress handle.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

//! What can go wrong between a graph with labels and a field.

use gaussfield_core::dense::DenseError;
use gaussfield_core::{Cancelled, NoSuchNode, NotConverged, OutOfRange, OverBudget, SizeMismatch};
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
    /// A dense factorisation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
    /// A node past the end is named.
    #[error(transparent)]
    NoSuchNode(#[from] NoSuchNode),
    /// Things that belong together differ in number.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// A setting is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// An iteration ended without reaching its tolerance.
    #[error(transparent)]
    NotConverged(#[from] NotConverged),
    /// The work was stopped.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
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
    /// A method between two classes was given another number.
    #[error(
        "{method} parts two classes, but there are {classes}: label one class against the rest, or \
         take a harmonic function, which has as many as you like"
    )]
    TwoClasses {
        /// The method.
        method: &'static str,
        /// The number of classes.
        classes: usize,
    },
    /// A method that needs a label of every class finds one without.
    #[error("{method} needs a label of every class, and {class:?} has none: label a node of it")]
    ClassWithoutLabel {
        /// The method.
        method: &'static str,
        /// The name of the class.
        class: String,
    },
    /// There is nothing to learn from or about.
    #[error("every node is labelled: there is no unlabelled node to learn about")]
    AllLabelled,
    /// A node lies where no label reached when the system was factorised.
    #[error(
        "node {node} lies in a part of the graph that had no label when the field was fitted: fit \
         again with its label"
    )]
    OnIsland {
        /// The node.
        node: usize,
    },
    /// A node is labelled where an unlabelled one is needed.
    #[error("node {node} is labelled: name unlabelled nodes, or take its label away first")]
    Labelled {
        /// The node.
        node: usize,
    },
    /// A label to be taken away is not there.
    #[error("node {node} has no label to take away")]
    NotLabelled {
        /// The node.
        node: usize,
    },
    /// Other classes were given on other nodes.
    #[error(
        "node {node} is labelled in one of the two sets of labels and not in the other: use \
         with_label and without_label, or fit again"
    )]
    OtherNodes {
        /// The first node that differs.
        node: usize,
    },
    /// A question to which the method of a field has no answer.
    #[error("{what} cannot be had with {method}: fit again, or ask a plain harmonic field")]
    NotOfThisMethod {
        /// What was asked for.
        what: &'static str,
        /// The method.
        method: &'static str,
    },
}

/// What can be wrong with labels, scores or priors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelsError {
    /// A class number past the last class.
    #[error("node {node} has class {class}, but there are {classes} classes (0 to {})", .classes.saturating_sub(1))]
    NoSuchClass {
        /// The node.
        node: usize,
        /// Its class.
        class: usize,
        /// Number of classes.
        classes: usize,
    },
    /// Two classes have the same name.
    #[error("the class name {name:?} is given twice; class names must differ")]
    DuplicateClass {
        /// The name.
        name: String,
    },
    /// A node past the end is named.
    #[error("node {node} was named, but there are {nodes} nodes")]
    NoSuchNode {
        /// The node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// No node is labelled.
    #[error("no node is labelled: at least one label is needed")]
    NoLabels,
}

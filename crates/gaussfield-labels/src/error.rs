//! What can be wrong with labels, scores, priors and predictions.

use gaussfield_core::{Cancelled, NoSuchNode, OutOfRange, SizeMismatch, shown};

/// What can be wrong with labels, scores or priors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelsError {
    /// A node past the end is named.
    #[error(transparent)]
    NoSuchNode(#[from] NoSuchNode),
    /// Two things that belong together differ in number.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// A setting is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The work was stopped.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
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
    /// Every class was ruled out at a node.
    #[error("node {node}: no class is left; a node is of one of the classes, so leave one")]
    NoClassLeft {
        /// The node.
        node: usize,
    },
    /// Two classes have the same name.
    #[error("the class name {name:?} is given twice; class names must differ")]
    DuplicateClass {
        /// The name.
        name: String,
    },
    /// No node is labelled.
    #[error("no node is labelled: at least one label is needed")]
    NoLabels,
    /// There is no class at all.
    #[error("there are no classes: at least one is needed")]
    NoClasses,
    /// A score is NaN, infinite or outside [0, 1].
    #[error(
        "the score of node {node} for class {class} is {value}: scores are probabilities, finite \
         and between 0 and 1", value = shown(*.value)
    )]
    BadScore {
        /// The node (row).
        node: usize,
        /// The class (column).
        class: usize,
        /// The value found.
        value: f64,
    },
    /// The scores of a node do not sum to one.
    #[error(
        "the scores of node {node} sum to {sum}, not to 1: use `Scores::normalised` to divide each \
         row by its sum", sum = shown(*.sum)
    )]
    RowSum {
        /// The node (row).
        node: usize,
        /// The sum found.
        sum: f64,
    },
    /// A row without any mass cannot be normalised.
    #[error("all scores of node {node} are zero: there is nothing to normalise; drop the node")]
    ZeroRow {
        /// The node (row).
        node: usize,
    },
    /// A value to rank is NaN or infinite.
    #[error(
        "the value of node {node} is {value}: only finite values can be ranked",
        value = shown(*.value)
    )]
    BadValue {
        /// The node.
        node: usize,
        /// The value found.
        value: f64,
    },
    /// A class proportion is not a positive number.
    #[error(
        "the prior of class {class} is {value}: class proportions are positive and sum to 1; give \
         a rare class a small share, or leave out a class that cannot occur", value = shown(*.value)
    )]
    BadPrior {
        /// The class.
        class: usize,
        /// The proportion given.
        value: f64,
    },
    /// The class proportions do not sum to one.
    #[error("the class proportions sum to {sum}, not to 1", sum = shown(*.sum))]
    PriorSum {
        /// The sum found.
        sum: f64,
    },
    /// Two sets of labels name their classes differently.
    #[error("the class {name:?} stands at another place in the true labels: use one list of names")]
    OtherName {
        /// The name.
        name: String,
    },
    /// A rule for two classes was asked to decide among another number.
    #[error(
        "the {rule} decides between two classes, but there are {classes}: use argmax, class mass \
         normalisation or known proportions"
    )]
    NotBinary {
        /// The rule.
        rule: &'static str,
        /// Number of classes.
        classes: usize,
    },
    /// A node to be judged has no true class.
    #[error(
        "node {node} is to be judged, but its true class is not known: leave it out of the set"
    )]
    TruthUnknown {
        /// The node.
        node: usize,
    },
    /// A node was named twice.
    #[error("node {node} is named twice: it would count twice")]
    RepeatedNode {
        /// The node.
        node: usize,
    },
    /// There is nothing to judge.
    #[error("no node is left to judge: every node is labelled, or none has a known true class")]
    NothingToJudge,
    /// No trial to average.
    #[error("no trial to average: at least one is needed")]
    NoTrials,
    /// A trial's result is NaN or infinite.
    #[error(
        "trial {trial} gave {value}: only finite results can be averaged",
        value = shown(*.value)
    )]
    BadTrial {
        /// 0-based trial.
        trial: usize,
        /// The result.
        value: f64,
    },
    /// Rows of predictions that are not in order.
    #[error(
        "row {row} follows row {before}: predictions are kept in increasing order of their rows"
    )]
    RowOrder {
        /// The row that comes too late.
        row: usize,
        /// The row before it.
        before: usize,
    },
    /// Folds that the labels cannot give.
    #[error(
        "{folds} folds were asked for, with {labelled} labels: cross-validation needs at least 2 \
         folds and at least as many labels"
    )]
    BadFolds {
        /// Folds asked for.
        folds: usize,
        /// Labels there are.
        labelled: usize,
    },
    /// Every class needs the labels it has.
    #[error(
        "none of {labelled} labels can be held out, for every class keeps at least one: add labels, or \
         look at leave-one-out"
    )]
    NothingToHoldOut {
        /// Labels there are.
        labelled: usize,
    },
    /// A fold's predictions do not match the nodes held out.
    #[error(
        "fold {fold} predicted {got} classes for {expected} held-out nodes: one each is needed"
    )]
    FoldLength {
        /// 0-based fold.
        fold: usize,
        /// Nodes held out.
        expected: usize,
        /// Predictions given.
        got: usize,
    },
    /// Nothing to choose from.
    #[error("the grid is empty: give at least one candidate to choose from")]
    EmptyGrid,
}

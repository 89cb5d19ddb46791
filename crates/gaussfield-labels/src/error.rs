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
    /// There is no class at all.
    #[error("there are no classes: at least one is needed")]
    NoClasses,
    /// A score is NaN, infinite or outside [0, 1].
    #[error(
        "the score of node {node} for class {class} is {value}: scores are probabilities, finite \
         and between 0 and 1"
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
         row by its sum"
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
    #[error("the value of node {node} is {value}: only finite values can be ranked")]
    BadValue {
        /// The node.
        node: usize,
        /// The value found.
        value: f64,
    },
    /// A class proportion is not a positive number.
    #[error(
        "the prior of class {class} is {value}: class proportions are positive and sum to 1; give \
         a rare class a small share, or leave out a class that cannot occur"
    )]
    BadPrior {
        /// The class.
        class: usize,
        /// The proportion given.
        value: f64,
    },
    /// The class proportions do not sum to one.
    #[error("the class proportions sum to {sum}, not to 1")]
    PriorSum {
        /// The sum found.
        sum: f64,
    },
    /// A proportion of positives outside [0, 1].
    #[error("the proportion of positives is {value}: it must lie between 0 and 1")]
    BadProportion {
        /// The proportion given.
        value: f64,
    },
    /// Two things count different numbers of classes.
    #[error("{what} has {got} classes where {expected} are needed")]
    ClassCount {
        /// What has the wrong number.
        what: &'static str,
        /// Classes needed.
        expected: usize,
        /// Classes found.
        got: usize,
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
    /// Two lists that belong together differ in length.
    #[error("{what}: {got} given where {expected} are needed, one for each node of the set")]
    Length {
        /// What was given.
        what: &'static str,
        /// Entries needed.
        expected: usize,
        /// Entries given.
        got: usize,
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
    /// A calibration table without bins.
    #[error("a calibration table needs at least one bin")]
    NoBins,
    /// No trial to average.
    #[error("no trial to average: at least one is needed")]
    NoTrials,
    /// A trial's result is NaN or infinite.
    #[error("trial {trial} gave {value}: only finite results can be averaged")]
    BadTrial {
        /// 0-based trial.
        trial: usize,
        /// The result.
        value: f64,
    },
}

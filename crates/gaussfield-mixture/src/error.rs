//! What can go wrong.

use gaussfield_core::OverBudget;
use gaussfield_core::dense::DenseError;
use gaussfield_graph::GraphError;
use gaussfield_harmonic::HarmonicError;
use gaussfield_labels::LabelsError;
use gaussfield_laplacian::LaplacianError;
use gaussfield_points::PointsError;

/// What can go wrong between points, a graph, some labels and a fitted model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MixtureError {
    /// The points are wrong.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// The labels or scores are wrong.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// The graph is wrong.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A harmonic function on the graph could not be found.
    #[error(transparent)]
    Harmonic(#[from] HarmonicError),
    /// A system on the graph could not be solved.
    #[error(transparent)]
    Laplacian(#[from] LaplacianError),
    /// M = 0.
    #[error("a mixture of 0 components was asked for: ask for at least one")]
    NoComponents,
    /// M > n.
    #[error(
        "{components} components were asked for, but there are only {points} points: ask for at \
         most {points} components, or give more points"
    )]
    TooManyComponents {
        /// Components asked for.
        components: usize,
        /// Points given.
        points: usize,
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
    /// Two things that must go together do not have the same size.
    #[error("{what}: {got} given where {expected} are needed")]
    Length {
        /// What it is.
        what: &'static str,
        /// Entries needed.
        expected: usize,
        /// Entries given.
        got: usize,
    },
    /// A document without a single word.
    #[error(
        "row {row} has no word: a document without words says nothing about its component; \
         remove the row"
    )]
    EmptyDocument {
        /// 0-based row.
        row: usize,
    },
    /// A count below zero.
    #[error(
        "row {row}, column {column} is {value}: word counts cannot be negative; give raw counts, \
         or use Gaussian components"
    )]
    NegativeCount {
        /// 0-based row.
        row: usize,
        /// 0-based column.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// EM was given a start of another kind.
    #[error(
        "the start has components of another kind or shape than the family asked for: give a \
         start of the same family"
    )]
    OtherFamily,
    /// A component has shrunk to a point or a plane.
    #[error(
        "component {component} collapsed: its variance along some direction is {variance}; raise \
         the floor `reg`, ask for fewer components, or remove constant features"
    )]
    Collapsed {
        /// 0-based component.
        component: usize,
        /// The variance that is not positive beyond rounding.
        variance: f64,
    },
    /// A log density or a distance that is not a number.
    #[error(
        "the log density or a squared distance of row {row} is {value}: its features are too large for their squares; \
         divide all features by a common factor"
    )]
    NotFinite {
        /// 0-based row.
        row: usize,
        /// What came out.
        value: f64,
    },
    /// A responsibility that is no probability.
    #[error(
        "responsibility of component {component} for row {row} is {value}: it must be in [0, 1]"
    )]
    BadResponsibility {
        /// 0-based row.
        row: usize,
        /// 0-based component.
        component: usize,
        /// The value found.
        value: f64,
    },
    /// The responsibilities of a row do not add up to one.
    #[error("the responsibilities of row {row} add up to {sum}: divide the row by its sum")]
    ResponsibilitySum {
        /// 0-based row.
        row: usize,
        /// Their sum.
        sum: f64,
    },
    /// Components whose membership nothing determines.
    #[error(
        "the class membership of {count} components (the first is {example}) is determined by \
         neither graph nor labels, and predictions depend on it: connect the graph (more \
         neighbours, a larger length scale), label a point of each part, or ask for \
         Undetermined::Even"
    )]
    Undetermined {
        /// How many.
        count: usize,
        /// The first of them.
        example: usize,
    },
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The class memberships were not found to the accuracy asked for.
    #[error(
        "the class memberships did not converge: after {iterations} steps the optimality residual \
         is {residual} (tolerance {tolerance}) and the objective is at most {gap} above its minimum; \
         allow more steps or a larger tolerance"
    )]
    NotConverged {
        /// Steps made.
        iterations: usize,
        /// Residual reached.
        residual: f64,
        /// Bound on the distance from the minimum, in units of the objective.
        gap: f64,
        /// Residual asked for.
        tolerance: f64,
    },
    /// A matrix of the backbone cannot be factorised.
    #[error(transparent)]
    Dense(#[from] DenseError),
    /// Points that no sampled or labelled point has a weight to.
    #[error(
        "{count} points (the first is {example}) have no positive weight to any sampled or \
         labelled point: sample more points, widen the weights, or fill them with a prior"
    )]
    Unreached {
        /// How many.
        count: usize,
        /// The first of them.
        example: usize,
    },
    /// No candidate to choose from.
    #[error("no number of components to choose from: give at least one candidate")]
    NoCandidates,
    /// A stored model that is not one.
    #[error("the stored model is not valid: {reason}")]
    BadModel {
        /// What is wrong with it.
        reason: String,
    },
    /// A stored model of another version.
    #[error(
        "the stored model has format version {found}, but this program reads version {supported}: \
         fit the model again, or use the program that wrote it"
    )]
    Version {
        /// The version found.
        found: u32,
        /// The version read here.
        supported: u32,
    },
    /// A file that cannot be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What went wrong.
        reason: String,
    },
}

/// The value if it fulfils the rule.
pub(crate) fn check(
    name: &'static str,
    value: f64,
    holds: bool,
    range: &'static str,
) -> Result<(), MixtureError> {
    if holds { Ok(()) } else { Err(MixtureError::BadParameter { name, value, range }) }
}

/// Equal sizes.
pub(crate) fn check_length(
    what: &'static str,
    expected: usize,
    got: usize,
) -> Result<(), MixtureError> {
    if expected == got { Ok(()) } else { Err(MixtureError::Length { what, expected, got }) }
}

/// Points of the right dimension.
pub(crate) fn check_dimension(expected: usize, got: usize) -> Result<(), MixtureError> {
    if expected == got { Ok(()) } else { Err(PointsError::Dimension { expected, got }.into()) }
}

/// 1 ≤ M ≤ n.
pub(crate) fn check_count(components: usize, points: usize) -> Result<(), MixtureError> {
    match components {
        0 => Err(MixtureError::NoComponents),
        _ if components > points => Err(MixtureError::TooManyComponents { components, points }),
        _ => Ok(()),
    }
}

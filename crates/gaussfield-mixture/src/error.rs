//! What can go wrong.

use gaussfield_core::dense::DenseError;
use gaussfield_core::{Cancelled, NotConverged, OutOfRange, OverBudget, SizeMismatch, shown};
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
    /// A matrix of the backbone cannot be factorised.
    #[error(transparent)]
    Dense(#[from] DenseError),
    /// A number is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Two things that must go together do not have the same size.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The class memberships were not found to the accuracy asked for.
    #[error(transparent)]
    NotConverged(#[from] NotConverged),
    /// The work was stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A document without a single word.
    #[error(
        "row {row} has no word: a document without words says nothing about its component; \
         remove the row"
    )]
    EmptyDocument {
        /// 0-based row.
        row: usize,
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
         the floor `reg`, ask for fewer components, or remove constant features",
        variance = shown(*.variance)
    )]
    Collapsed {
        /// 0-based component.
        component: usize,
        /// The variance that is not positive beyond rounding.
        variance: f64,
    },
    /// A log density or a distance that is not a number.
    #[error(
        "the log density or a squared distance of row {row} is {value}: its features are too large \
         for their squares; divide all features by a common factor", value = shown(*.value)
    )]
    NotFinite {
        /// 0-based row.
        row: usize,
        /// What came out.
        value: f64,
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
    /// No candidate to choose from.
    #[error("no number of components to choose from: give at least one candidate")]
    NoCandidates,
    /// A stored model that is not one.
    #[error("the stored model is not valid: {reason}")]
    BadModel {
        /// What is wrong with it.
        reason: String,
    },
}

/// Points of the right dimension.
pub(crate) fn check_dimension(expected: usize, got: usize) -> Result<(), MixtureError> {
    Ok(SizeMismatch::check("dimensions of the points", expected, got).map_err(PointsError::from)?)
}

/// 1 ≤ M ≤ n.
pub(crate) fn check_count(components: usize, points: usize) -> Result<(), OutOfRange> {
    if (1..=points).contains(&components) {
        return Ok(());
    }
    Err(OutOfRange {
        name: "the number of components".into(),
        value: components as f64,
        allowed: format!("at least 1 and at most {points}, the number of points").into(),
    })
}

/// A cluster for each point, below their number.
pub(crate) fn check_clusters(assignment: &[usize], clusters: usize) -> Result<(), OutOfRange> {
    match assignment.iter().enumerate().find(|(_, cluster)| **cluster >= clusters) {
        None => Ok(()),
        Some((row, &cluster)) => Err(OutOfRange {
            name: format!("the cluster of row {row}").into(),
            value: cluster as f64,
            allowed: format!("below {clusters}, the number of clusters").into(),
        }),
    }
}

/// Every number finite; `name` is what one of them is called.
pub(crate) fn check_finite<'a>(
    name: &'static str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<(), OutOfRange> {
    values.into_iter().try_for_each(|&value| gaussfield_core::check::finite(name, value))
}

//! What can go wrong between a description and its answer.

use gaussfield_baselines::BaselineError;
use gaussfield_core::OverBudget;
use gaussfield_gp::GpError;
use gaussfield_graph::GraphError;
use gaussfield_harmonic::HarmonicError;
use gaussfield_labels::LabelsError;
use gaussfield_mixture::MixtureError;
use gaussfield_points::PointsError;
use gaussfield_tune::TuneError;
use std::fmt::Display;

/// What can go wrong between a description and its answer; the message begins with the part.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptionError {
    /// A text that is no description.
    #[error("the description cannot be read as {format}: {reason}")]
    Unreadable {
        /// In which it should have been.
        format: &'static str,
        /// The reader's words, with the place.
        reason: String,
    },
    /// A value that a format does not have.
    #[error("the description cannot be written as {format}: {reason}")]
    Unwritable {
        /// The format.
        format: &'static str,
        /// The writer's words.
        reason: String,
    },
    /// A part that the method does not look at.
    #[error(
        "{part}: given, but {method} sees labelled points and no graph; leave it out, or choose a \
         method on a graph, such as harmonic"
    )]
    NotUsed {
        /// The part of the description.
        part: &'static str,
        /// The method.
        method: &'static str,
    },
    /// A graph was given, and the description says how to make one.
    #[error("{part}: given, but so is the graph itself; leave it out")]
    GraphGiven {
        /// The part of the description.
        part: &'static str,
    },
    /// A method that looks at points was given a graph alone.
    #[error(
        "method.{method} looks at points, and only a graph was given: fit it to points, or choose a \
         method on the graph, such as harmonic"
    )]
    NeedsPoints {
        /// The method.
        method: &'static str,
    },
    /// A question about the graph of a method that has none.
    #[error("method.{method} has no graph: choose a method on a graph, such as harmonic")]
    NoGraph {
        /// The method.
        method: &'static str,
    },
    /// Weights without a parameter are to be learned.
    #[error(
        "tuning: these weights have no parameter to learn; leave tuning out, or choose weights that \
         have one, such as exponential"
    )]
    NothingToTune,
    /// The evidence of a method that has none, or whose prior belongs to one graph.
    #[error(
        "tuning.objective.evidence: {method} has no evidence that follows the weights; choose a \
         gaussian-process with the prior graph or warped, or the objective entropy"
    )]
    NoEvidence {
        /// The method.
        method: &'static str,
    },
    /// The points could not be prepared.
    #[error("prepare: {0}")]
    Prepare(PointsError),
    /// The pattern could not be made.
    #[error("graph: {0}")]
    Graph(GraphError),
    /// The weights could not be made.
    #[error("weights: {0}")]
    Weights(GraphError),
    /// The weights could not be learned.
    #[error("tuning: {0}")]
    Tuning(#[from] TuneError),
    /// The method failed, or its options are wrong.
    #[error("method.{method}: {error}")]
    Method {
        /// Which method.
        method: &'static str,
        /// What it says.
        error: MethodError,
    },
    /// The decision does not fit the classes.
    #[error("decision: {0}")]
    Decision(#[from] LabelsError),
    /// A question that only a field answers.
    #[error(
        "method.{method} has no field that could tell what an answer would change: choose the criterion \
         uncertainty, or a method that has one, such as harmonic"
    )]
    NoField {
        /// The method.
        method: &'static str,
    },
    /// A question that takes another fit on a graph that is not there any more.
    #[error(
        "method.{method} runs on a graph that was given and is not kept with the model: fit it again to \
         ask this"
    )]
    GraphNotKept {
        /// The method.
        method: &'static str,
    },
    /// The scores of so many classes take more memory than the budget.
    #[error("budget: {0}. Are the labels classes, and not numbers or ids?")]
    OverBudget(#[from] OverBudget),
    /// New points were shown to a method that was given a graph and no points.
    #[error(
        "method.{method} was fitted to a graph and knows its nodes only: fit again with the new ones \
         among them, or fit to points"
    )]
    NotForNewPoints {
        /// The method.
        method: &'static str,
    },
}

impl DescriptionError {
    pub(super) fn unreadable(format: &'static str, reason: &dyn Display) -> Self {
        Self::Unreadable { format, reason: reason.to_string() }
    }

    pub(super) fn unwritable(format: &'static str, reason: &dyn Display) -> Self {
        Self::Unwritable { format, reason: reason.to_string() }
    }
}

/// What a method says when it cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MethodError {
    /// A method on a graph.
    #[error(transparent)]
    Harmonic(#[from] HarmonicError),
    /// A Gaussian process.
    #[error(transparent)]
    Gp(#[from] GpError),
    /// A mixture.
    #[error(transparent)]
    Mixture(#[from] MixtureError),
    /// A baseline.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// The labels.
    #[error(transparent)]
    Labels(#[from] LabelsError),
}

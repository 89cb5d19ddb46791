//! What can go wrong while hyperparameters are learned.

use gaussfield_core::{Cancelled, OutOfRange, OverBudget, ParameterError, SizeMismatch, shown};
use gaussfield_gp::GpError;
use gaussfield_graph::GraphError;
use gaussfield_harmonic::HarmonicError;
use gaussfield_labels::LabelsError;

/// What can go wrong while hyperparameters are learned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The search was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// More memory than the budget of the call has left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The graph could not be built.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The field could not be computed.
    #[error(transparent)]
    Harmonic(#[from] HarmonicError),
    /// The posterior could not be computed.
    #[error(transparent)]
    Gp(#[from] GpError),
    /// Labels or priors are wrong.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// There is nothing to learn.
    #[error(
        "there are no parameters to learn; choose a weight family that has some, such as the \
         exponential family, or name parameters of the objective"
    )]
    NoParameters,
    /// Weights are to be learned from an objective that does not follow them.
    #[error(
        "the weights ({names}) are to be learned, but the objective does not follow the graph, as \
         for a prior fixed on one: leave the graph free, or learn the objective's own parameters \
         alone with `learn_on`"
    )]
    GraphNotFollowed {
        /// Parameters of the weights.
        names: String,
    },
    /// A parameter by a name that none has.
    #[error("there is no parameter \"{name}\" to learn; there are: {known}")]
    NoSuchParameter {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// New values of parameters that do not fit.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    /// A setting, or where a parameter starts, out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Things that do not belong together by their number.
    #[error(transparent)]
    SizeMismatch(#[from] SizeMismatch),
    /// Golden-section search was asked for with more than one parameter.
    #[error("golden-section search learns one parameter, but there are {parameters}")]
    TooManyParameters {
        /// How many there are.
        parameters: usize,
    },
    /// A class has no mass, so that class mass normalisation is undefined.
    #[error(
        "class {class} has no mass on the unlabelled nodes, so that its mass cannot be \
         normalised; label a node of it or leave the class out"
    )]
    ZeroMass {
        /// The class.
        class: usize,
    },
    /// The objective is not a number.
    #[error("the objective is {value} at parameters {parameters:?}", value = shown(*.value))]
    NotFinite {
        /// Its value.
        value: f64,
        /// Where.
        parameters: Vec<f64>,
    },
    /// The M-step of EM ended where the bound still rises.
    #[error(
        "the M-step stopped where the bound still rises (slope {slope}): {reason}",
        slope = shown(*.slope)
    )]
    MStep {
        /// In the search's words.
        reason: String,
        /// Length of the gradient by the logarithms of the parameters.
        slope: f64,
    },
    /// The optimiser itself refused.
    #[error("the optimiser failed at the start: {reason}")]
    Optimiser {
        /// In its own words.
        reason: String,
    },
}

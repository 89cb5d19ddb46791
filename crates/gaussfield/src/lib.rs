#![doc = include_str!("guide.md")]
#![forbid(unsafe_code)]

mod automatic;
pub mod description;
mod error;
pub mod guide;
mod search;
mod validation;

pub use automatic::{Choice, Plan};
pub use error::Error;
pub use search::{
    FoundDescription, SearchDescriptions, Tried, TriedDecision, TriedMethod, TriedWeights,
};
pub use validation::{Validated, Validation};

pub use gaussfield_baselines as baselines;
pub use gaussfield_core as core;
pub use gaussfield_data as data;
pub use gaussfield_gp as gp;
pub use gaussfield_graph as graph;
pub use gaussfield_harmonic as harmonic;
pub use gaussfield_kernel as kernel;
pub use gaussfield_labels as labels;
pub use gaussfield_laplacian as laplacian;
pub use gaussfield_mixture as mixture;
pub use gaussfield_points as points;
pub use gaussfield_tune as tune;

/// The names most programs need.
///
/// ```
/// use gaussfield::prelude::*;
/// ```
pub mod prelude {
    pub use crate::baselines::{LaplacianLeastSquares, LaplacianSvm, SupervisedGp};
    pub use crate::gp::{
        Flip, GaussianProcess, GraphPrior, InductivePrior, KernelPrior, LandmarkKernel,
        LandmarkPrior, Marginals, Observed, OneAgainstRest, Posterior, PriorFamily, Probit,
        Sigmoid, Softmax, Warp, WarpedKernel, WarpedPrior,
    };
    pub use crate::graph::{
        CosineExponential, Exponential, ExponentialPerDimension, Graph, Metric, Pattern,
        SelfTuning, Symmetry, Tanh, Unweighted, WeightFamily,
    };
    pub use crate::harmonic::{Balance, Consistency, Dongles, Dynamics, Field, Harmonic, Tempered};
    pub use crate::kernel::Kernel;
    pub use crate::labels::{
        ClassPrior, Decision, Inductive, Islands, Labels, Named, Predictions, Scores, Transductive,
    };
    pub use crate::laplacian::{Laplacian, Preconditioner, Solver, SolverOptions};
    pub use crate::points::Points;
    pub use crate::tune::{
        Entropy, Evidence, Learn, Learned, Minimise, Optimiser, learn, learn_on,
    };
    pub use gaussfield_core::Budget;
}

//! Graphs by name: what a program, a model file or a command line says about a graph.

use crate::{
    CosineExponential, EdgeGradient, Exponential, ExponentialPerDimension, Graph, GraphError,
    Later, Metric, Pattern, Search, SearchOptions, SelfTuning, Symmetry, Tanh, Unweighted,
    WeightFamily,
};
use gaussfield_core::{Budget, Parameter, ParameterError, Parameters};
use gaussfield_points::Points;
use serde::{Deserialize, Serialize};

/// A weight family with its parameters, by name, and itself a family.
///
/// ```
/// use gaussfield_core::Budget;
/// use gaussfield_graph::{FamilyChoice, PatternChoice, WeightFamily};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// let pattern: PatternChoice = serde_json::from_str(r#"{"knn": {"k": 1}}"#)?;
/// let family: FamilyChoice = serde_json::from_str(r#"{"exponential": {"sigma": 2.0}}"#)?;
///
/// let points = Points::dense(array![[0.0], [1.0], [5.0]])?;
/// let pattern = pattern.pattern(&points, Budget::default())?;
/// let graph = family.graph(&pattern, Budget::default())?;
/// assert_eq!(graph.edges(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FamilyChoice {
    /// [`Exponential`].
    Exponential(Exponential),
    /// [`ExponentialPerDimension`].
    ExponentialPerDimension(ExponentialPerDimension),
    /// [`CosineExponential`].
    CosineExponential(CosineExponential),
    /// [`Tanh`].
    Tanh(Tanh),
    /// [`SelfTuning`].
    SelfTuning(SelfTuning),
    /// [`Unweighted`].
    Unweighted,
}

impl FamilyChoice {
    fn chosen(&self) -> &dyn WeightFamily {
        match self {
            Self::Exponential(family) => family,
            Self::ExponentialPerDimension(family) => family,
            Self::CosineExponential(family) => family,
            Self::Tanh(family) => family,
            Self::SelfTuning(family) => family,
            Self::Unweighted => &Unweighted,
        }
    }
}

/// Those of the family chosen.
impl Parameters for FamilyChoice {
    fn parameters(&self) -> Vec<Parameter> {
        self.chosen().parameters()
    }

    fn set_parameters(&mut self, values: &[f64]) -> Result<(), ParameterError> {
        match self {
            Self::Exponential(family) => family.set_parameters(values),
            Self::ExponentialPerDimension(family) => family.set_parameters(values),
            Self::CosineExponential(family) => family.set_parameters(values),
            Self::Tanh(family) => family.set_parameters(values),
            Self::SelfTuning(family) => family.set_parameters(values),
            Self::Unweighted => Unweighted.set_parameters(values),
        }
    }
}

impl WeightFamily for FamilyChoice {
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        self.chosen().graph(pattern, budget)
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        self.chosen().pullback(pattern, graph, gradient)
    }

    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError> {
        self.chosen().log_weights(later)
    }

    fn local_scale(&self) -> Option<usize> {
        self.chosen().local_scale()
    }
}

/// A pattern by name. What is left out takes the default: Euclidean distances, edges in either
/// direction, [`Search::Auto`]. The default is the ten nearest neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum PatternChoice {
    /// [`Pattern::knn`].
    Knn {
        /// How many neighbours.
        k: usize,
        /// When two points are neighbours of each other.
        #[serde(default)]
        symmetry: Symmetry,
        /// How far apart points are.
        #[serde(default)]
        metric: Metric,
        /// How neighbours are looked for.
        #[serde(default)]
        search: Search,
    },
    /// [`Pattern::ball`].
    Ball {
        /// The largest distance of an edge.
        eps: f64,
        /// How far apart points are.
        #[serde(default)]
        metric: Metric,
        /// How neighbours are looked for.
        #[serde(default)]
        search: Search,
    },
    /// [`Pattern::complete`].
    Complete {
        /// How far apart points are.
        #[serde(default)]
        metric: Metric,
    },
}

impl PatternChoice {
    /// How far apart points are.
    pub fn metric(&self) -> Metric {
        match *self {
            Self::Knn { metric, .. } | Self::Ball { metric, .. } | Self::Complete { metric } => {
                metric
            }
        }
    }

    /// The pattern of points.
    ///
    /// # Errors
    /// As the constructor of the pattern.
    pub fn pattern(&self, points: &Points, budget: Budget) -> Result<Pattern, GraphError> {
        match *self {
            Self::Knn { k, symmetry, metric, search } => {
                Pattern::knn_by(points, metric, k, symmetry, SearchOptions { search, budget })
            }
            Self::Ball { eps, metric, search } => {
                Pattern::ball_by(points, metric, eps, SearchOptions { search, budget })
            }
            Self::Complete { metric } => Pattern::complete(points, metric),
        }
    }
}

//! Weight families: from distances and hyperparameters θ to weights w(θ), and back.

mod cosine;
mod exponential;
mod per_dimension;
mod radial;
mod self_tuning;
mod tanh;
mod unweighted;

pub use cosine::CosineExponential;
pub use exponential::Exponential;
pub use per_dimension::ExponentialPerDimension;
pub use self_tuning::SelfTuning;
pub use tanh::Tanh;
pub use unweighted::Unweighted;

use crate::{EdgeGradient, Graph, GraphError, Pattern, Weights};
use gaussfield_core::{Budget, Parameters, SizeMismatch};
use gaussfield_points::Points;
use std::fmt::Debug;

/// Weights of the edges of a [`Pattern`] as a function of hyperparameters θ.
///
/// A family is a value of its hyperparameters ([`Parameters`]). It knows how to make a [`Graph`],
/// and how to turn the gradient of any objective on the edges into its gradient in θ:
///
/// ∂J/∂θ = Σ over edges of gᵢⱼ · ∂wᵢⱼ/∂θ.
///
/// Complete patterns give dense graphs; other patterns give sparse graphs with the structure of
/// the pattern, where a weight that underflows to zero keeps its place but is no edge.
///
/// A family chosen at run time is a `Box<dyn WeightFamily>`, which is a family itself and can be
/// cloned:
///
/// ```
/// use gaussfield_core::{Budget, Parameters, SizeMismatch};
/// use gaussfield_graph::{Exponential, Metric, Pattern, Tanh, WeightFamily};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// let name = "exponential"; // from a file, say
/// let mut family: Box<dyn WeightFamily> = match name {
///     "exponential" => Box::new(Exponential { sigma: 1.0 }),
///     _ => Box::new(Tanh { a1: -1.0, a2: 1.0 }),
/// };
/// let before = family.clone();
/// family.set_parameters(&[2.0])?;
///
/// let points = Points::dense(array![[0.0], [1.0]])?;
/// let pattern = Pattern::complete(&points, Metric::Euclidean)?;
/// let weight = |family: &dyn WeightFamily| {
///     family.graph(&pattern, Budget::default()).map(|graph| graph.weight(0, 1))
/// };
/// assert!(weight(&before)? < weight(&family)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait WeightFamily: Parameters + Boxed + Debug + Send + Sync {
    /// The weighted graph. O(m), or O(m·d) where the distance depends on θ; m = n² for complete
    /// patterns.
    ///
    /// # Errors
    /// A hyperparameter out of range, a pattern the family does not apply to, or distances and
    /// weights over the budget.
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError>;

    /// ∂J/∂θ from ∂J/∂w, where `graph` was made by this family from this pattern. One pass over
    /// the edges: O(m·K) for K potentials, and O(m·d) more for one scale per dimension.
    ///
    /// # Errors
    /// As [`WeightFamily::graph`], or a graph or gradient that does not belong to the pattern.
    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError>;

    /// ln w of the edges that a point which came later would have to some of the old ones. Far from all
    /// of them every weight is zero; the logarithms, which are never below −`f64::MAX`, still tell them
    /// apart.
    ///
    /// # Errors
    /// Points of another dimension than the family has parameters for.
    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError>;

    /// Where every point has a scale of its own: to which of its nearest points it is the distance.
    fn local_scale(&self) -> Option<usize> {
        None
    }
}

/// A point that came after the graph, beside the old points it would have edges to.
#[derive(Debug, Clone, Copy)]
pub struct Later<'a> {
    /// The old points.
    pub points: &'a Points,
    /// Their local scales, if the family has any ([`WeightFamily::local_scale`]).
    pub scales: Option<&'a [f64]>,
    /// Those of the old points it would have edges to.
    pub nodes: &'a [u32],
    /// How far it is from each of them.
    pub distances: &'a [f64],
    /// Its own local scale.
    pub scale: f64,
    /// The points it is one of.
    pub among: &'a Points,
    /// Which of them it is.
    pub row: usize,
}

impl Later<'_> {
    /// What the logarithm is for an old point and a distance.
    fn each(&self, log: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let one = |(&node, &distance)| log(node as usize, distance).max(-f64::MAX);
        self.nodes.iter().zip(self.distances).map(one).collect()
    }
}

/// How a family behind a pointer is cloned. Every family that is `Clone` has it.
pub trait Boxed {
    /// A copy on the heap.
    fn boxed(&self) -> Box<dyn WeightFamily>;
}

impl<F: WeightFamily + Clone + 'static> Boxed for F {
    fn boxed(&self) -> Box<dyn WeightFamily> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn WeightFamily> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl WeightFamily for Box<dyn WeightFamily> {
    fn graph(&self, pattern: &Pattern, budget: Budget) -> Result<Graph, GraphError> {
        (**self).graph(pattern, budget)
    }

    fn pullback(
        &self,
        pattern: &Pattern,
        graph: &Graph,
        gradient: &EdgeGradient,
    ) -> Result<Vec<f64>, GraphError> {
        (**self).pullback(pattern, graph, gradient)
    }

    fn log_weights(&self, later: &Later<'_>) -> Result<Vec<f64>, GraphError> {
        (**self).log_weights(later)
    }

    fn local_scale(&self) -> Option<usize> {
        (**self).local_scale()
    }
}

/// Whether the graph has the structure of the pattern, and the gradient its nodes.
fn check_belongs(
    pattern: &Pattern,
    graph: &Graph,
    gradient: &EdgeGradient,
) -> Result<(), GraphError> {
    gradient.check(pattern.nodes())?;
    let (what, expected, got) = match (pattern.sparse_distances(), graph.weights()) {
        _ if graph.nodes() != pattern.nodes() => {
            ("nodes of the graph", pattern.nodes(), graph.nodes())
        }
        (Some(distances), Weights::Sparse(weights)) => {
            ("stored weights of the graph", distances.nnz(), weights.nnz())
        }
        (None, Weights::Dense(_)) => return Ok(()),
        (_, Weights::Dense(weights)) => {
            ("entries of the dense weight matrix of the graph", 2 * pattern.edges(), weights.len())
        }
        (_, Weights::Sparse(weights)) => (
            "entries of the sparse weight matrix of the graph",
            pattern.nodes().pow(2),
            weights.nnz(),
        ),
    };
    let same_storage = pattern.is_complete() == matches!(graph.weights(), Weights::Dense(_));
    if expected == got && same_storage {
        return Ok(());
    }
    Err(SizeMismatch { what, expected, got }.into())
}

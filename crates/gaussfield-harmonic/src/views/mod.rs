//! The harmonic function seen in other ways (Zhu et al. 2003, section 3).
//!
//! None of these is the fastest road; each is the definition of one view, small enough to read,
//! and tested to give the same numbers as [`Harmonic`](crate::Harmonic).

mod belief;
mod kernel;
mod walk;

pub use belief::{BeliefPropagation, Beliefs};
pub use kernel::{green_function, harmonic_by_green_function, heat_kernel};
pub use walk::{AbsorbingWalk, Absorption};

use gaussfield_graph::Graph;
use ndarray::ArrayView1;

/// E(f) = ½ Σᵢⱼ wᵢⱼ (fᵢ − fⱼ)², [zhu2003 (2)]: the power a network of resistors
/// with conductances w and voltages f turns into heat. O(edges).
///
/// # Panics
/// If `f` does not have a value for every node.
pub fn energy(graph: &Graph, f: ArrayView1<'_, f64>) -> f64 {
    assert_eq!(f.len(), graph.nodes(), "one value per node");
    let mut twice = 0.0;
    for i in 0..graph.nodes() {
        graph.for_each_neighbour(i, |j, w| twice += w * (f[i] - f[j]).powi(2));
    }
    twice / 2.0
}

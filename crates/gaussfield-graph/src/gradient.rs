use ndarray::{Array1, Array2};

/// ∂J/∂w of an objective J on every undirected edge, in factored form.
///
/// For edge (i, j), counted once,
/// gᵢⱼ = −Σₖ (aₖᵢ − aₖⱼ)(bₖᵢ − bₖⱼ) + sᵢ + sⱼ:
/// potential difference times adjoint potential difference, plus a term for each end (how the
/// degrees of its ends enter the objective otherwise). An objective hands this over after its
/// adjoint solves; a weight family turns it into the gradient of its own hyperparameters in one
/// pass over the edges. Neither knows the other.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeGradient {
    /// aₖᵢ: n rows, K columns.
    pub potentials: Array2<f64>,
    /// bₖᵢ: n rows, K columns.
    pub adjoints: Array2<f64>,
    /// sᵢ: one per node.
    pub node_terms: Array1<f64>,
}

impl EdgeGradient {
    /// gᵢⱼ. O(K).
    ///
    /// # Panics
    /// If a node is past the end.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (&self.potentials, &self.adjoints);
        let mut g = self.node_terms[i] + self.node_terms[j];
        for k in 0..a.ncols() {
            g -= (a[[i, k]] - a[[j, k]]) * (b[[i, k]] - b[[j, k]]);
        }
        g
    }
}

use crate::energy;
use gaussfield_graph::Graph;
use gaussfield_labels::{LabelsError, Scores};
use gaussfield_laplacian::SolveFacts;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// The harmonic function of every class on every node, with how it was computed.
///
/// Row i holds, for each class, the probability that a random walk from node i first meets a
/// label of that class (Zhu et al. 2003, section 3.1). Labelled nodes hold their own label
/// unless it was made doubtful.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub(crate) values: Array2<f64>,
    pub(crate) interior: Vec<usize>,
    pub(crate) islands: Vec<usize>,
    pub(crate) facts: SolveFacts,
}

impl Field {
    /// n × C values; every row sums to one.
    pub fn values(&self) -> ArrayView2<'_, f64> {
        self.values.view()
    }

    /// The values of one class on all nodes: the paper's f for `class` = 1 of two.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn class(&self, class: usize) -> ArrayView1<'_, f64> {
        self.values.column(class)
    }

    /// The unlabelled nodes, in increasing order.
    pub fn interior(&self) -> &[usize] {
        &self.interior
    }

    /// Unlabelled nodes that no label reaches and that hold the prior instead, in increasing
    /// order. Empty unless [`Islands::Prior`](gaussfield_labels::Islands::Prior) was asked for.
    pub fn islands(&self) -> &[usize] {
        &self.islands
    }

    /// Which solver ran, how far it got.
    pub fn facts(&self) -> &SolveFacts {
        &self.facts
    }

    /// The rows of the unlabelled nodes as scores, in the order of [`Field::interior`]: what
    /// decisions and metrics take.
    ///
    /// # Errors
    /// None for a field of this crate; the check is that of [`Scores::new`].
    pub fn interior_scores(&self) -> Result<Scores, LabelsError> {
        Scores::new(self.values.select(Axis(0), &self.interior))
    }

    /// E(f) = ½ Σᵢⱼ wᵢⱼ (fᵢ − fⱼ)² of each class (Zhu et al. 2003, eq. (2)). O(edges · C).
    pub fn energies(&self, graph: &Graph) -> Array1<f64> {
        self.values.columns().into_iter().map(|f| energy(graph, f)).collect()
    }
}

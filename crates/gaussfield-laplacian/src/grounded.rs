use crate::boundary::Selection;
use crate::components::flood;
use crate::coupling::Coupling;
use crate::error::{check_length, check_parameter};
use crate::{Boundary, LaplacianError, Prepared, SolverOptions};
use gaussfield_graph::Graph;
use ndarray::{Array1, Array2, ArrayView2};
use std::sync::Arc;

/// A = L(s·W) + diag(e): the Laplacian of the weights among a set of nodes, plus an *excess*
/// eᵢ ≥ 0 on the diagonal that ties nodes to the ground.
///
/// Every system of this project is one of these: symmetric, positive definite, non-positive off
/// the diagonal (an M-matrix). The excess is kept apart and never obtained by subtraction: in
/// D − W it would be the small difference of large numbers, and a weak link would be lost.
/// A·1 = e holds exactly, which is how every solution is certified.
///
/// Cloning is cheap (shared storage).
#[derive(Debug, Clone, PartialEq)]
pub struct Grounded {
    inner: Arc<Inner>,
}

#[derive(Debug, PartialEq)]
struct Inner {
    nodes: Vec<usize>,
    coupling: Coupling,
    excess: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Grounded {
    /// The system on `nodes` (any order), off-diagonal −s·wᵢⱼ, diagonal Σⱼ s·wᵢⱼ + eᵢ over j in
    /// `nodes`. O(m).
    ///
    /// # Errors
    /// A node past the end or named twice, a scale or an excess that is negative or not finite, a
    /// wrong number of excesses, a diagonal that overflows.
    pub fn new(
        graph: &Graph,
        nodes: &[usize],
        scale: f64,
        excess: Vec<f64>,
    ) -> Result<Self, LaplacianError> {
        let selection = Selection::new(graph.nodes(), nodes)?;
        check_parameter(
            "the scale of the weights",
            scale,
            scale.is_finite() && scale >= 0.0,
            "finite and not negative",
        )?;
        check_length("the excess", nodes.len(), excess.len())?;
        for (&node, &value) in nodes.iter().zip(&excess) {
            if !(value.is_finite() && value >= 0.0) {
                return Err(LaplacianError::Excess { node, value });
            }
        }
        let coupling = Coupling::new(graph, nodes, &selection, scale);
        let mut diagonal = coupling.row_sums();
        for (at, &e) in excess.iter().enumerate() {
            diagonal[at] += e;
            if !diagonal[at].is_finite() {
                return Err(LaplacianError::DegreeOverflow { node: nodes[at] });
            }
        }
        let inner = Inner { nodes: nodes.to_vec(), coupling, excess, diagonal };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// D_UU − W_UU on the interior: the harmonic system (Zhu et al. 2003, eq. (5)). The excess of
    /// a node is the sum of its weights to the boundary.
    ///
    /// # Errors
    /// A boundary made for another number of nodes; as [`Grounded::new`].
    pub fn dirichlet(graph: &Graph, boundary: &Boundary) -> Result<Self, LaplacianError> {
        boundary.check(graph)?;
        Self::new(graph, boundary.interior(), 1.0, boundary.attachment(graph))
    }

    /// D_UU − (1−η) W_UU on the interior, η in \[0, 1\]: a walk that ends with probability η at
    /// every step (dongles, Zhu et al. 2003, eq. (10); smoothed walks).
    ///
    /// `self_weight` is the weight w_ii of a self-loop at every node, which a
    /// [`Graph`] does not hold: it cancels in D − W, but here leaves η·w_ii. Zero for none.
    /// The excess is (1−η) Σ_{j∈L} wᵢⱼ + η (dᵢ + w_ii).
    ///
    /// # Errors
    /// η outside \[0, 1\], a self-loop weight that is negative or not finite; as
    /// [`Grounded::dirichlet`].
    pub fn discounted(
        graph: &Graph,
        boundary: &Boundary,
        eta: f64,
        self_weight: f64,
    ) -> Result<Self, LaplacianError> {
        boundary.check(graph)?;
        check_parameter("η", eta, (0.0..=1.0).contains(&eta), "between 0 and 1")?;
        check_parameter(
            "the self-loop weight",
            self_weight,
            self_weight.is_finite() && self_weight >= 0.0,
            "finite and not negative",
        )?;
        let degrees = graph.degrees();
        let mut excess = boundary.attachment(graph);
        for (e, &i) in excess.iter_mut().zip(boundary.interior()) {
            *e = (1.0 - eta) * *e + eta * (degrees[i] + self_weight);
        }
        Self::new(graph, boundary.interior(), 1.0 - eta, excess)
    }

    /// β (Δ + I/σ²) on all nodes: the precision of the regularised Gaussian field (Zhu, Lafferty,
    /// Ghahramani 2003, CMU-CS-03-175).
    ///
    /// # Errors
    /// β or σ that is not positive and finite, or a β/σ² outside the range of an f64.
    pub fn regularised(graph: &Graph, beta: f64, sigma: f64) -> Result<Self, LaplacianError> {
        check_positive("β", beta)?;
        check_positive("σ", sigma)?;
        let excess = beta / sigma / sigma;
        check_parameter(
            "β/σ²",
            excess,
            excess.is_finite() && excess > 0.0,
            "positive and finite: choose a less extreme σ",
        )?;
        Self::new(graph, &all(graph), beta, vec![excess; graph.nodes()])
    }

    /// Δ + δI on all nodes, δ > 0.
    ///
    /// # Errors
    /// A δ that is not positive and finite; as [`Grounded::new`].
    pub fn shifted(graph: &Graph, delta: f64) -> Result<Self, LaplacianError> {
        check_positive("δ", delta)?;
        Self::new(graph, &all(graph), 1.0, vec![delta; graph.nodes()])
    }

    /// D^½ (I − S + δI) D^½ = D − W + δD on all nodes, with S = D^−½ W D^−½: the normalised
    /// Laplacian plus δ, by congruence. To solve (L + δI) x = b, solve this for y with D^½ b on
    /// the right and take x = D^½ y, with D from [`normalising_degrees`].
    ///
    /// # Errors
    /// A δ that is not positive and finite; as [`Grounded::new`].
    pub fn normalised_shifted(graph: &Graph, delta: f64) -> Result<Self, LaplacianError> {
        check_positive("δ", delta)?;
        let excess = normalising_degrees(graph).mapv(|d| delta * d).to_vec();
        Self::new(graph, &all(graph), 1.0, excess)
    }

    /// D^½ (I − aS) D^½ = D − aW on all nodes, 0 ≤ a < 1: local and global consistency (Zhou et
    /// al. 2003), by congruence as in [`Grounded::normalised_shifted`]. A node without edges has
    /// an identity row.
    ///
    /// # Errors
    /// An a outside \[0, 1); as [`Grounded::new`].
    pub fn consistency(graph: &Graph, a: f64) -> Result<Self, LaplacianError> {
        check_parameter("a", a, (0.0..1.0).contains(&a), "at least 0 and below 1")?;
        let degrees = graph.degrees();
        let excess = degrees.mapv(|d| if d > 0.0 { (1.0 - a) * d } else { 1.0 }).to_vec();
        Self::new(graph, &all(graph), a, excess)
    }

    /// The number of unknowns.
    pub fn len(&self) -> usize {
        self.inner.nodes.len()
    }

    /// Whether there is no unknown at all (every node is boundary).
    pub fn is_empty(&self) -> bool {
        self.inner.nodes.is_empty()
    }

    /// The unknowns' indices in the graph, in the order of rows.
    pub fn nodes(&self) -> &[usize] {
        &self.inner.nodes
    }

    /// eᵢ = (A·1)ᵢ, exactly.
    pub fn excess(&self) -> &[f64] {
        &self.inner.excess
    }

    /// Σⱼ s·wᵢⱼ + eᵢ. Cost: a copy.
    pub fn diagonal(&self) -> Array1<f64> {
        Array1::from(self.inner.diagonal.clone())
    }

    /// A x in difference form, Σⱼ s·wᵢⱼ (xᵢ − xⱼ) + eᵢ xᵢ: all columns in one pass over the
    /// matrix, rows in parallel. O(m·C).
    ///
    /// # Panics
    /// If `x` does not have one row per unknown.
    pub fn apply(&self, x: ArrayView2<f64>) -> Array2<f64> {
        assert_eq!(x.nrows(), self.len(), "one row per unknown");
        let x = x.as_standard_layout();
        let mut y = Array2::zeros(x.dim());
        if let (Some(x), columns) = (x.as_slice(), x.ncols())
            && let Some(y) = y.as_slice_mut()
        {
            self.apply_rows(x, y, columns);
        }
        y
    }

    /// Makes the system ready for many right-hand sides: chooses or takes the solver, factorises,
    /// certifies. See [`crate::Solver`] for the cost of each.
    ///
    /// # Errors
    /// An option out of range, a singular part, a matrix over the budget, a system that the
    /// solver cannot resolve accurately.
    pub fn prepare(&self, options: &SolverOptions) -> Result<Prepared, LaplacianError> {
        Prepared::new(self, options)
    }

    pub(crate) fn apply_rows(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.inner.coupling.apply(&self.inner.excess, x, y, columns);
    }

    pub(crate) fn coupling(&self) -> &Coupling {
        &self.inner.coupling
    }

    pub(crate) fn diagonal_slice(&self) -> &[f64] {
        &self.inner.diagonal
    }

    /// Refuses a part of the system that nothing grounds: a component by positive weights in
    /// which every excess is zero. O(n + m).
    pub(crate) fn check_grounded(&self) -> Result<(), LaplacianError> {
        let coupling = self.coupling();
        let parts = flood(self.len(), |i, visit| coupling.for_each(i, |j, _| visit(j)));
        let mut grounded = vec![false; parts.count];
        for (&part, &e) in parts.of.iter().zip(self.excess()) {
            grounded[part] |= e > 0.0;
        }
        let floating = || (0..self.len()).filter(|&i| !grounded[parts.of[i]]);
        match floating().map(|i| self.nodes()[i]).min() {
            Some(example) => Err(LaplacianError::Singular { nodes: floating().count(), example }),
            None => Ok(()),
        }
    }
}

/// The degrees by which the normalised Laplacians divide: dᵢ, or 1 for a node without edges
/// (whose row of the Laplacian is zero whatever it is divided by).
pub fn normalising_degrees(graph: &Graph) -> Array1<f64> {
    graph.degrees().mapv(|d| if d > 0.0 { d } else { 1.0 })
}

fn all(graph: &Graph) -> Vec<usize> {
    (0..graph.nodes()).collect()
}

fn check_positive(name: &'static str, value: f64) -> Result<(), LaplacianError> {
    check_parameter(name, value, value.is_finite() && value > 0.0, "positive and finite")
}

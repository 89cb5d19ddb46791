//! The one family of linear systems.

use crate::components::{Components, flood};
use crate::coupling::Coupling;
use crate::structure::Structure;
use crate::workspace::Workspace;
use crate::{Boundary, LaplacianError, Prepared, SolverOptions};
use gaussfield_core::{SizeMismatch, check};
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
#[derive(Debug, Clone)]
pub struct Grounded {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    nodes: Arc<[usize]>,
    coupling: Coupling,
    excess: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Grounded {
    /// The system on `nodes` (any order), off-diagonal −s·wᵢⱼ, diagonal Σⱼ s·wᵢⱼ + eᵢ over j in
    /// `nodes`. O(m), rows in parallel. Where systems on one pattern follow each other, a
    /// [`Workbench`](crate::Workbench) assembles them faster.
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
        check_values(nodes, scale, &excess)?;
        let (structure, coupling) = Structure::new(graph, nodes, scale, Vec::new())?;
        Self::assembled(structure.nodes, coupling, excess)
    }

    /// From checked parts.
    pub(crate) fn assembled(
        nodes: Arc<[usize]>,
        coupling: Coupling,
        excess: Vec<f64>,
    ) -> Result<Self, LaplacianError> {
        let diagonal = coupling.row_sums(&excess);
        if let Some(at) = diagonal.iter().position(|d| !d.is_finite()) {
            return Err(LaplacianError::DegreeOverflow { node: nodes[at] });
        }
        Ok(Self { inner: Arc::new(Inner { nodes, coupling, excess, diagonal }) })
    }

    /// D_UU − W_UU on the interior: the harmonic system [zhu2003 (5)]. The excess of a node is the
    /// sum of its weights to the boundary.
    ///
    /// # Errors
    /// A boundary made for another number of nodes; as [`Grounded::new`].
    pub fn dirichlet(graph: &Graph, boundary: &Boundary) -> Result<Self, LaplacianError> {
        boundary.check(graph)?;
        Self::new(graph, boundary.interior(), 1.0, boundary.attachment(graph))
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
    /// certifies. See [`crate::Solver`] for the cost of each. Conjugate gradients with no solver to
    /// fall back on are certified in every solve instead, which may then fail.
    ///
    /// # Errors
    /// An option out of range, a singular part, a matrix over the budget, a system that the
    /// solver cannot resolve accurately.
    pub fn prepare(&self, options: &SolverOptions) -> Result<Prepared, LaplacianError> {
        options.check()?;
        let mut workspace = Workspace::once();
        // Two walks over the same rows, neither of which can be shared out.
        let (parts, ()) = rayon::join(|| self.parts(), || workspace.foresee(self, options.solver));
        workspace.prepare(self.clone(), Arc::new(parts), options)
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

    /// Bytes of memory: weights, nodes, excess and diagonal.
    pub(crate) fn bytes(&self) -> u64 {
        self.coupling().bytes() + 24 * self.len() as u64
    }

    /// The connected parts of the system, by positive weights. O(n + m).
    pub(crate) fn parts(&self) -> Components {
        let coupling = self.coupling();
        flood(self.len(), |i, visit| coupling.for_each(i, |j, _| visit(j)))
    }

    /// Refuses a part that nothing grounds: every excess in it is zero.
    pub(crate) fn check_grounded(&self, parts: &Components) -> Result<(), LaplacianError> {
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

    /// The memory of the weights, if nobody else holds this system.
    pub(crate) fn into_buffer(self) -> Vec<f64> {
        Arc::into_inner(self.inner).map_or_else(Vec::new, |inner| inner.coupling.into_buffer())
    }
}

/// Refuses a scale or an excess out of range.
pub(crate) fn check_values(
    nodes: &[usize],
    scale: f64,
    excess: &[f64],
) -> Result<(), LaplacianError> {
    check::not_negative("the scale of the weights", scale)?;
    SizeMismatch::check("numbers of the excess", nodes.len(), excess.len())?;
    let refused = |&(_, &value): &(&usize, &f64)| !(value.is_finite() && value >= 0.0);
    match nodes.iter().zip(excess).find(refused) {
        Some((&node, &value)) => Err(LaplacianError::Excess { node, value }),
        None => Ok(()),
    }
}

/// The degrees by which the normalised Laplacians divide: dᵢ, or 1 for a node without edges
/// (whose row of the Laplacian is zero whatever it is divided by).
pub fn normalising_degrees(graph: &Graph) -> Array1<f64> {
    graph.degrees().mapv(|d| if d > 0.0 { d } else { 1.0 })
}

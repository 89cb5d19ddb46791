//! A memory for systems that follow each other on one pattern.

use crate::components::Components;
use crate::grounded::check_values;
use crate::structure::Structure;
use crate::workspace::Workspace;
use crate::{Grounded, LaplacianError, Prepared, Solution, SolverOptions};
use gaussfield_graph::Graph;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Prepares and solves systems that follow each other while weights change: what the pattern and
/// the nodes decide is made once, what was found last is the next start.
///
/// Kept as long as the graph stores its weights in the same places and the nodes are the same:
/// - where each weight goes; weights are written there in parallel;
/// - the connected parts, while no stored weight is zero;
/// - the fill-reducing order, the symbolic factor, and with it the choice of
///   [`Solver::Auto`](crate::Solver::Auto), which the pattern decides. Where its first choice
///   failed the certificate, the one that stood in goes first for the next few preparations;
/// - the approximate Cholesky preconditioner, until conjugate gradients take one and a half times
///   as many iterations as with it fresh;
/// - the last solution of each *slot*, at which conjugate gradients start;
/// - memory, unless somebody still holds the last [`Prepared`].
///
/// Anything else is noticed and made anew, so that a workbench gives the numbers of a fresh
/// solve: to the last bit for direct solvers, within the tolerance for conjugate gradients. Every
/// solution carries its own certificate, whose column never starts from an earlier solution. The
/// first preparation is the same as that of [`Grounded::prepare`]; the same sequence of calls
/// gives the same bits on any number of threads.
///
/// ```
/// use gaussfield_graph::Graph;
/// use gaussfield_laplacian::{SolverOptions, Workbench};
/// use ndarray::array;
///
/// // A path 0 – 1 – 2 – 3 with its ends held at 0 and 1, for three weights of the middle link.
/// let (mut workbench, options) = (Workbench::new(), SolverOptions::default());
/// for w in [1.0, 0.5, 0.25] {
///     let graph = Graph::from_edges(4, [(0, 1, 1.0), (1, 2, w), (2, 3, 1.0)])?;
///     workbench.prepare(&graph, &[1, 2], 1.0, vec![1.0, 1.0], &options)?;
///     let field = workbench.solve("field", array![[0.0], [1.0]].view())?.values;
///     assert!((field[[0, 0]] - w / (1.0 + 2.0 * w)).abs() < 1e-15);
/// }
/// assert_eq!((workbench.work().preparations, workbench.work().structures), (3, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Workbench {
    structure: Option<Structure>,
    /// Known while every stored weight is positive.
    parts: Option<Arc<Components>>,
    workspace: Workspace,
    prepared: Option<Arc<Prepared>>,
    /// Memory for weights.
    buffer: Vec<f64>,
    last: BTreeMap<&'static str, Array2<f64>>,
}

/// What a [`Workbench`] has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Work {
    /// Systems prepared.
    pub preparations: usize,
    /// Structures built: places of weights among the nodes.
    pub structures: usize,
    /// Fill-reducing orders found.
    pub analyses: usize,
    /// Numeric factorisations.
    pub factorisations: usize,
    /// Preconditioners built.
    pub preconditioners: usize,
    /// Calls of [`Workbench::solve`].
    pub solves: usize,
    /// Iterations of conjugate gradients in these calls, added up over columns, the column of the
    /// certificate included.
    pub iterations: usize,
}

impl Workbench {
    /// An empty workbench.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the system of [`Grounded::new`] ready, with what still serves of the last one.
    /// Whoever wants to keep it past the next preparation clones the `Arc`.
    ///
    /// # Errors
    /// As [`Grounded::new`] and [`Grounded::prepare`]. Afterwards there is nothing to
    /// [`solve`](Self::solve) with until a preparation succeeds.
    pub fn prepare(
        &mut self,
        graph: &Graph,
        nodes: &[usize],
        scale: f64,
        excess: Vec<f64>,
        options: &SolverOptions,
    ) -> Result<&Arc<Prepared>, LaplacianError> {
        self.reclaim();
        options.check()?;
        check_values(nodes, scale, &excess)?;
        Structure::check_room(graph, nodes, options.budget)?;
        let system = self.assemble(graph, nodes, scale, excess)?;
        let parts = self.parts(&system);
        let prepared = Arc::new(self.workspace.prepare(system, parts, options)?);
        Ok(self.prepared.insert(prepared))
    }

    /// Solves with the system prepared last, conjugate gradients from the last solution of this
    /// slot. Give each kind of right-hand side (field, adjoint, …) a slot of its own.
    ///
    /// # Errors
    /// [`LaplacianError::NotPrepared`]; as [`Prepared::solve`].
    pub fn solve(
        &mut self,
        slot: &'static str,
        rhs: ArrayView2<f64>,
    ) -> Result<Solution, LaplacianError> {
        let prepared = self.prepared.as_ref().ok_or(LaplacianError::NotPrepared)?;
        let start = self.last.get(slot).filter(|last| last.dim() == rhs.dim());
        let (solution, iterations) = prepared.solve_from(rhs, start.map(|last| last.view()))?;
        self.workspace.work.solves += 1;
        self.workspace.work.iterations += iterations;
        if prepared.is_iterative() {
            self.last.insert(slot, solution.values.clone());
        }
        Ok(solution)
    }

    /// The system prepared last, if that succeeded.
    pub fn prepared(&self) -> Option<&Arc<Prepared>> {
        self.prepared.as_ref()
    }

    /// What was done so far.
    pub fn work(&self) -> Work {
        self.workspace.work
    }

    /// Takes the memory of the last system, unless somebody else holds it.
    fn reclaim(&mut self) {
        if let Some(Prepared { engine, system, .. }) =
            self.prepared.take().and_then(Arc::into_inner)
        {
            self.workspace.recycle(engine);
            self.buffer = system.into_buffer();
        }
    }

    fn assemble(
        &mut self,
        graph: &Graph,
        nodes: &[usize],
        scale: f64,
        excess: Vec<f64>,
    ) -> Result<Grounded, LaplacianError> {
        let memory = std::mem::take(&mut self.buffer);
        let known = self.structure.take();
        let same_nodes = known.as_ref().is_some_and(|known| known.fits(graph, nodes));
        if let Some(known) = known.filter(|_| same_nodes)
            && let Some(coupling) = known.refill(graph, scale, memory)?
        {
            let nodes = Arc::clone(&known.nodes);
            self.structure = Some(known);
            return Grounded::assembled(nodes, coupling, excess);
        }
        self.workspace.forget();
        self.parts = None;
        if !same_nodes {
            self.last.clear();
        }
        let (structure, coupling) = Structure::new(graph, nodes, scale, Vec::new())?;
        self.workspace.work.structures += 1;
        let nodes = Arc::clone(&structure.nodes);
        self.structure = Some(structure);
        Grounded::assembled(nodes, coupling, excess)
    }

    /// The connected parts: remembered while every stored weight is positive, since then the
    /// pattern decides them.
    fn parts(&mut self, system: &Grounded) -> Arc<Components> {
        if !system.coupling().all_positive() {
            return Arc::new(system.parts());
        }
        Arc::clone(self.parts.get_or_insert_with(|| Arc::new(system.parts())))
    }
}

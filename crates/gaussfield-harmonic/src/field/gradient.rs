//! The gradient of an objective, pulled back through the field to the edges.

use super::{Field, HarmonicError};
use gaussfield_graph::EdgeGradient;
use gaussfield_laplacian::Workbench;
use ndarray::{Array1, Array2, ArrayView2, s};

impl Field {
    /// The gradient on the edges of any objective J of the interior values, from ∂J/∂F (u × C in
    /// the order of [`Field::interior`]), for the harmonic function and the smoothed walk.
    ///
    /// With the adjoint μ = (A − (ε/n) 1 dᵀ)⁻¹ λ, zero on the boundary, and S = Σᵢ fᵢ over all
    /// nodes, the gradient on edge (i, j) is
    /// −(1−ε)(μᵢ−μⱼ)(fᵢ−fⱼ) + εμᵢ(S/n − fᵢ) + εμⱼ(S/n − fⱼ).
    /// Since the classes sum to one, C − 1 adjoints suffice: O(C) solves with the factorisation
    /// at hand, whatever the number of hyperparameters.
    ///
    /// # Errors
    /// A method whose system depends on the edges in another way; a solver that failed.
    ///
    /// # Panics
    /// If `sensitivity` is not u × C.
    pub fn edge_gradient(
        &self,
        sensitivity: ArrayView2<'_, f64>,
    ) -> Result<EdgeGradient, HarmonicError> {
        self.gradient(sensitivity, None)
    }

    /// [`Field::edge_gradient`] on the workbench that the field was fitted on, which remembers the
    /// adjoints as the start of the next.
    ///
    /// # Errors
    /// As [`Field::edge_gradient`].
    ///
    /// # Panics
    /// As [`Field::edge_gradient`].
    pub fn edge_gradient_on(
        &self,
        bench: &mut Workbench,
        sensitivity: ArrayView2<'_, f64>,
    ) -> Result<EdgeGradient, HarmonicError> {
        self.gradient(sensitivity, Some(bench))
    }

    fn gradient(
        &self,
        sensitivity: ArrayView2<'_, f64>,
        bench: Option<&mut Workbench>,
    ) -> Result<EdgeGradient, HarmonicError> {
        let (problem, changes) = (&*self.problem, &*self.changes);
        let formula = &problem.formula;
        if formula.outside.is_some() || formula.spoken.is_some() {
            return Err(self.refuse("a gradient on the edges"));
        }
        let (nodes, classes) = self.values().dim();
        assert_eq!(
            sensitivity.dim(),
            (self.interior.len(), classes),
            "one row per unlabelled node"
        );
        let n = nodes as f64;
        let epsilon = 1.0 - formula.scale;
        let free = classes - 1;
        let width = free + usize::from(formula.jumps);
        let mut right = Array2::zeros((problem.unknowns.len(), width));
        let mut right_freed = Array2::zeros((changes.freed().len(), width));
        let mut put = |node: usize, row: &mut dyn FnMut(usize) -> f64| {
            let mut target = match (problem.unknown(node), changes.freed().binary_search(&node)) {
                (Some(at), _) => right.row_mut(at),
                (None, Ok(at)) => right_freed.row_mut(at),
                // An island: its value is the prior's.
                _ => return,
            };
            (0..free).for_each(|c| target[c] = row(c));
            target.slice_mut(s![free..]).fill(1.0);
        };
        for (row, &node) in sensitivity.rows().into_iter().zip(&self.interior) {
            put(node, &mut |c| row[c + 1] - row[0]);
        }
        let held = Array2::zeros((changes.held().len(), width));
        let on = (bench, "adjoint");
        let solved = changes.solve(problem, right.view(), right_freed, held.view(), on)?;

        // Sherman–Morrison for the jumps: the last column is the response to all ones.
        let rows = problem.unknowns.iter().zip(solved.unknowns.rows());
        let rows = rows.chain(changes.freed().iter().zip(solved.freed.rows()));
        let mut landed = Array1::<f64>::zeros(width);
        for (&node, row) in rows.clone().filter(|_| formula.jumps) {
            landed.scaled_add(formula.ties[node] / n, &row);
        }
        let jumped = |c: usize| if formula.jumps { landed[c] / (1.0 - landed[free]) } else { 0.0 };
        let means: Vec<f64> = (1..classes).map(|c| self.class(c).sum() / n).collect();
        let mut potentials = Array2::zeros((nodes, free));
        let mut node_terms = Array1::zeros(nodes);
        for (&node, row) in rows {
            for c in 0..free {
                let jump = if formula.jumps { jumped(c) * row[free] } else { 0.0 };
                let adjoint = row[c] + jump;
                potentials[[node, c]] = formula.scale * adjoint;
                node_terms[node] += epsilon * adjoint * (means[c] - self.class(c + 1)[node]);
            }
        }
        let adjoints = self.values().slice(s![.., 1..]).to_owned();
        Ok(EdgeGradient { potentials, adjoints, node_terms })
    }
}

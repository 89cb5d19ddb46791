//! How sure the Gaussian field is.

use super::leave_one_out::at_once;
use super::respond::{jump_response, scatter, tie_column};
use super::{Field, HarmonicError};
use crate::changes::Solved;
use gaussfield_core::{Budget, NoSuchNode, check};
use ndarray::{Array1, Array2, Axis};

impl Field {
    /// The covariance 𝒢/(2β) of the Gaussian field between chosen nodes, rows and columns in the
    /// order of `nodes`, where 𝒢 = Δ_uu⁻¹ is the Green's function [zhu2003 (6)]. One solve with a
    /// column for each node.
    ///
    /// The field's precision is 2βΔ here, βΔ in CMU-CS-03-175. A labelled node is certain: zero.
    ///
    /// # Errors
    /// β not positive; a node past the end, or one that no label reaches; columns that take more than
    /// 4 GiB; the smoothed walk and consistency, which are no Gaussian fields of this kind.
    pub fn covariance(&self, nodes: &[usize], beta: f64) -> Result<Array2<f64>, HarmonicError> {
        self.check_covariance(nodes, beta)?;
        let free = |&node: &usize| !self.clamps(node);
        let chosen: Vec<usize> = nodes.iter().copied().filter(free).collect();
        let columns = self.green(&chosen)?;
        let mut covariance = Array2::zeros((nodes.len(), nodes.len()));
        let places = (0..nodes.len()).filter(|&at| free(&nodes[at]));
        for (place, column) in places.zip(columns.columns()) {
            for (row, &node) in nodes.iter().enumerate() {
                covariance[[row, place]] = column[node] / (2.0 * beta);
            }
        }
        Ok(covariance)
    }

    /// The variance of the Gaussian field at each of the chosen nodes: the diagonal of
    /// [`Field::covariance`], with its solves, in blocks.
    ///
    /// # Errors
    /// As [`Field::covariance`].
    pub fn variances(&self, nodes: &[usize], beta: f64) -> Result<Array1<f64>, HarmonicError> {
        self.check_covariance(nodes, beta)?;
        let mut variances = Vec::with_capacity(nodes.len());
        for some in nodes.chunks(at_once(self.problem.nodes())) {
            variances.extend(self.covariance(some, beta)?.diag());
        }
        Ok(variances.into())
    }

    fn check_covariance(&self, nodes: &[usize], beta: f64) -> Result<(), HarmonicError> {
        check::positive("β", beta)?;
        NoSuchNode::check(nodes, self.labels.len())?;
        self.check_gaussian("a covariance")
    }

    /// Refuses methods that are no Gaussian field with the inverse of the system as covariance.
    pub(super) fn check_gaussian(&self, what: &'static str) -> Result<(), HarmonicError> {
        if self.problem.formula.jumps || self.problem.formula.root.is_some() {
            return Err(self.refuse(what));
        }
        Ok(())
    }

    /// Whether the label of a node is clamped.
    pub(super) fn clamps(&self, node: usize) -> bool {
        self.problem.formula.spoken.is_none() && self.labels.get(node).is_some()
    }

    /// Columns of the inverse of the present system for nodes that are free in it, n × m.
    pub(super) fn green(&self, nodes: &[usize]) -> Result<Array2<f64>, HarmonicError> {
        // Right-hand sides, solutions, these columns, and what is made of them.
        let what = "the columns of the inverse for so many nodes";
        Budget::default().matrix(what, self.problem.nodes(), nodes.len().saturating_mul(4))?;
        let jumps = self.problem.formula.jumps;
        let solved = self.inverse(nodes, usize::from(jumps))?;
        let mut columns = Array2::zeros((self.problem.nodes(), nodes.len()));
        scatter(&self.problem, &self.changes, &solved, &mut columns);
        if jumps {
            let response = jump_response(&self.problem, &self.changes, &solved, nodes.len());
            let mean = columns.sum_axis(Axis(0)) / (columns.nrows() as f64 - response.sum());
            for (mut row, &response) in columns.rows_mut().into_iter().zip(&response) {
                row.scaled_add(response, &mean);
            }
        }
        Ok(columns)
    }

    /// The inverse of the symmetric system: a column for each node, then, if `extra` > 0, one for
    /// the ties, and if it is > 1, one for all ones.
    pub(super) fn inverse(&self, nodes: &[usize], extra: usize) -> Result<Solved, HarmonicError> {
        let (problem, changes) = (&*self.problem, &*self.changes);
        let width = nodes.len() + extra;
        let mut right = Array2::zeros((problem.unknowns.len(), width));
        let mut right_freed = Array2::zeros((changes.freed().len(), width));
        for (column, &node) in nodes.iter().enumerate() {
            match (problem.unknown(node), changes.freed().binary_search(&node)) {
                (Some(at), _) if !self.clamps(node) => right[[at, column]] = 1.0,
                (None, Ok(at)) => right_freed[[at, column]] = 1.0,
                _ if self.clamps(node) => return Err(HarmonicError::Labelled { node }),
                _ => return Err(HarmonicError::OnIsland { node }),
            }
        }
        if extra > 0 {
            tie_column(problem, changes, &mut right, &mut right_freed, nodes.len());
        }
        if extra > 1 {
            right.column_mut(nodes.len() + 1).fill(1.0);
            right_freed.column_mut(nodes.len() + 1).fill(1.0);
        }
        let held = Array2::zeros((changes.held().len(), width));
        changes.solve(problem, right.view(), right_freed, held.view(), (None, "inverse"))
    }
}

//! A kernel on points, without a graph.

use super::{Columns, Prior, PriorGradient};
use crate::{GpError, InductivePrior, Queries};
use gaussfield_core::{Budget, NoSuchNode};
use gaussfield_kernel::Kernel;
use gaussfield_points::Points;
use ndarray::{Array1, Array2, Axis};
use std::ops::Range;
use std::sync::Arc;

/// A kernel on points as it is: what a supervised Gaussian process has for its prior, and what a
/// [`WarpedKernel`](crate::WarpedKernel) is with γ_I = 0 and γ_A = 1. It covers new points. Its nodes
/// are the points given, labelled or not; n × n memory.
#[derive(Debug, Clone)]
pub struct KernelPrior {
    kernel: Kernel,
    points: Points,
    gram: Arc<Array2<f64>>,
    budget: Budget,
}

impl KernelPrior {
    /// O(n²d). The budget is also that of new points, a batch at a time.
    ///
    /// # Errors
    /// A kernel out of range, points that it cannot compare, a matrix over the budget.
    pub fn new(points: &Points, kernel: Kernel, budget: Budget) -> Result<Self, GpError> {
        let gram = Arc::new(kernel.gram(points, budget)?);
        Ok(Self { kernel, points: points.clone(), gram, budget })
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }
}

impl Prior for KernelPrior {
    fn nodes(&self) -> usize {
        self.gram.nrows()
    }

    fn columns(&self, nodes: &[usize]) -> Result<Columns, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        Ok(self.gram.select(Axis(1), nodes).into())
    }

    fn variances(&self, nodes: &[usize]) -> Result<Array1<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        Ok(nodes.iter().map(|&node| self.gram[[node, node]]).collect())
    }

    /// In the parameters of the kernel. O(l²d).
    fn pullback(
        &self,
        nodes: &[usize],
        _: &Columns,
        by_gram: &Array2<f64>,
    ) -> Result<PriorGradient, GpError> {
        let labelled = self.points.select(nodes)?;
        let parameters = self.kernel.pullback(&labelled, by_gram.view())?;
        Ok(PriorGradient { parameters, edges: None })
    }
}

impl InductivePrior for KernelPrior {
    /// The matrix that picks the nodes: the features are K_xD.
    fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        NoSuchNode::check(nodes, self.nodes())?;
        Ok(Array2::eye(self.nodes()).select(Axis(1), nodes))
    }

    fn ready(&self, queries: &Points, rows: Range<usize>) -> Result<Queries, GpError> {
        let cross = self.kernel.cross_rows(queries, rows.clone(), &self.points, self.budget)?;
        let own = self.kernel.diagonal(&queries.select(&rows.collect::<Vec<_>>())?)?;
        Ok(Queries::new(cross, own))
    }
}

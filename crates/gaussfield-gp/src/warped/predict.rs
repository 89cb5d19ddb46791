use crate::{BlockFit, GpError, Likelihood, Posterior, Prior};
use gaussfield_points::Points;
use ndarray::{Array1, Array2};
use std::ops::Range;

/// Queries answered at one time.
const BATCH: usize = 512;

/// A prior that also covers points outside its nodes.
pub trait Inductive: Prior {
    /// What carries a posterior on labelled nodes to new points; made once for many queries.
    ///
    /// # Errors
    /// A node past the end, a failure of LAPACK.
    fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError>;

    /// K̃(queries, L) for a range of the queries, one row for each, and their prior variances.
    ///
    /// # Errors
    /// Queries of another dimension or out of the kernel's range.
    fn at(
        &self,
        extension: &Array2<f64>,
        queries: &Points,
        rows: Range<usize>,
    ) -> Result<(Array2<f64>, Array1<f64>), GpError>;
}

impl<P: Inductive> Inductive for &P {
    fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        (**self).extend(nodes)
    }

    fn at(
        &self,
        extension: &Array2<f64>,
        queries: &Points,
        rows: Range<usize>,
    ) -> Result<(Array2<f64>, Array1<f64>), GpError> {
        (**self).at(extension, queries, rows)
    }
}

/// What a posterior says of new points.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    /// Mean of the latent value; its sign is the class.
    pub mean: Array1<f64>,
    /// Its variance.
    pub variance: Array1<f64>,
    /// Probability of the positive class.
    pub probability: Array1<f64>,
    /// Entropy of the predicted class in nats, between 0 and ln 2.
    pub entropy: Array1<f64>,
}

/// −p ln p − q ln q.
fn binary_entropy(p: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    part(p) + part(1.0 - p)
}

impl<P: Inductive, L: Likelihood, F: BlockFit<L>> Posterior<P, L, F> {
    /// Mean, variance, probability and entropy for any points, in batches: the memory beyond the
    /// answers does not grow with the number of queries. O(n²) a query for the warped kernel.
    ///
    /// The prior mean of a new point is that of a [`Mean::Constant`](crate::Mean::Constant), or
    /// zero for a mean given node by node.
    ///
    /// # Errors
    /// Queries of another dimension or out of the kernel's range.
    pub fn predict(&self, queries: &Points) -> Result<Predictions, GpError> {
        let extension = self.prior.extend(self.observed.nodes())?;
        let (mut means, mut variances) = (Vec::new(), Vec::new());
        let mut from = 0;
        while from < queries.len() {
            let to = (from + BATCH).min(queries.len());
            let (rows, prior) = self.prior.at(&extension, queries, from..to)?;
            means.extend(rows.dot(&self.fit.dual()).mapv(|mean| mean + self.elsewhere));
            let explained = self.fit.shrinkage().explained(&rows);
            variances.extend((prior - explained).mapv(|variance| variance.max(0.0)));
            from = to;
        }
        let moments = means.iter().copied().zip(variances.iter().copied()).collect();
        let probability = self.averaged(moments);
        Ok(Predictions {
            mean: Array1::from(means),
            variance: Array1::from(variances),
            entropy: probability.mapv(binary_entropy),
            probability,
        })
    }
}

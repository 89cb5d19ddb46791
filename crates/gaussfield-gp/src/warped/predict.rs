//! Posteriors at points that are no nodes.

use super::Queries;
use crate::{BlockFit, Columns, GpError, Likelihood, Posterior, Prior};
use gaussfield_points::Points;
use ndarray::{Array1, Array2};
use std::borrow::Cow;
use std::ops::Range;

/// Queries answered at one time.
const BATCH: usize = 512;

/// A prior that also covers points outside its nodes.
pub trait InductivePrior: Prior {
    /// E, what carries a posterior on labelled nodes to new points: K(x, L) = φ(x)·E for the
    /// features φ of [`InductivePrior::ready`]. Made once for many queries.
    ///
    /// # Errors
    /// A node past the end.
    fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError>;

    /// A range of the queries, made ready: their features and prior variances.
    ///
    /// # Errors
    /// Queries of another dimension or out of the kernel's range.
    fn ready(&self, queries: &Points, rows: Range<usize>) -> Result<Queries, GpError>;

    /// E as it was found with the columns of the same nodes, or anew.
    ///
    /// # Errors
    /// As [`InductivePrior::extend`].
    fn extension<'a>(
        &self,
        nodes: &[usize],
        columns: &'a Columns,
    ) -> Result<Cow<'a, Array2<f64>>, GpError> {
        match &columns.extension {
            Some(extension) => Ok(Cow::Borrowed(extension)),
            None => self.extend(nodes).map(Cow::Owned),
        }
    }
}

impl<P: InductivePrior> InductivePrior for &P {
    fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
        (**self).extend(nodes)
    }

    fn ready(&self, queries: &Points, rows: Range<usize>) -> Result<Queries, GpError> {
        (**self).ready(queries, rows)
    }
}

/// What a posterior says of new points.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginals {
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

impl<P: InductivePrior, L: Likelihood, F: BlockFit<L>> Posterior<P, L, F> {
    /// Mean, variance, probability and entropy for any points, in batches of 512: the memory
    /// beyond the answers does not grow with the number of queries. O(n²) a query for the warped
    /// kernel.
    ///
    /// The prior mean of a new point is that of a [`Mean::Constant`](crate::Mean::Constant), or
    /// zero for a mean given node by node.
    ///
    /// # Errors
    /// Queries of another dimension or out of the kernel's range.
    pub fn marginals(&self, queries: &Points) -> Result<Marginals, GpError> {
        let extension = self.prior.extension(self.observed.nodes(), &self.columns)?;
        let (mut mean, mut variance) = (Vec::new(), Vec::new());
        let (mut probability, mut entropy) = (Vec::new(), Vec::new());
        for from in (0..queries.len()).step_by(BATCH) {
            let rows = from..(from + BATCH).min(queries.len());
            let batch = self.answer(&extension, &self.prior.ready(queries, rows)?)?;
            mean.extend(batch.mean);
            variance.extend(batch.variance);
            probability.extend(batch.probability);
            entropy.extend(batch.entropy);
        }
        Ok(Marginals {
            mean: Array1::from(mean),
            variance: Array1::from(variance),
            probability: Array1::from(probability),
            entropy: Array1::from(entropy),
        })
    }

    /// [`Posterior::marginals`] for queries that were made ready before, such as by
    /// [`WarpedKernel::queries`](crate::WarpedKernel::queries), and serve many sets of labels
    /// under one prior. They must be that prior's own. O(q·n·l).
    ///
    /// # Errors
    /// Queries of a prior with another number of nodes.
    pub fn marginals_ready(&self, queries: &Queries) -> Result<Marginals, GpError> {
        let extension = self.prior.extension(self.observed.nodes(), &self.columns)?;
        self.answer(&extension, queries)
    }

    fn answer(&self, extension: &Array2<f64>, queries: &Queries) -> Result<Marginals, GpError> {
        let rows = queries.covariances(extension)?;
        let mean = rows.dot(&self.fit.dual()).mapv(|mean| mean + self.elsewhere);
        let explained = self.fit.shrinkage().explained(&rows);
        let variance = (queries.variances() - &explained).mapv(|variance| variance.max(0.0));
        let moments = mean.iter().copied().zip(variance.iter().copied()).collect();
        let probability = self.averaged(moments);
        Ok(Marginals { mean, variance, entropy: probability.mapv(binary_entropy), probability })
    }
}

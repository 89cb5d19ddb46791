//! Priors that cover new points, and what posteriors say there.

use crate::one_against_rest::shares;
use crate::{BlockFit, Columns, GpError, Likelihood, OneAgainstRestPosterior, Posterior, Prior};
use gaussfield_core::{Progress, SizeMismatch};
use gaussfield_labels::{Inductive, Scores};
use gaussfield_points::Points;
use ndarray::{Array1, Array2};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

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

macro_rules! behind_pointer {
    ($pointer:ty) => {
        impl<P: InductivePrior> InductivePrior for $pointer {
            fn extend(&self, nodes: &[usize]) -> Result<Array2<f64>, GpError> {
                (**self).extend(nodes)
            }

            fn ready(&self, queries: &Points, rows: Range<usize>) -> Result<Queries, GpError> {
                (**self).ready(queries, rows)
            }
        }
    };
}
behind_pointer!(&P);
behind_pointer!(Arc<P>);

/// New points made ready for a prior: all of a prediction that does not depend on the labels, so
/// that many sets of labels share it.
#[derive(Debug, Clone)]
pub struct Queries {
    features: Arc<Array2<f64>>,
    variances: Array1<f64>,
}

impl Queries {
    /// From features φ(x), one row for each query, with which K(x, L) = φ(x)·E for the E of
    /// [`InductivePrior::extend`], and the prior variances K(x, x).
    pub fn new(features: impl Into<Arc<Array2<f64>>>, variances: Array1<f64>) -> Self {
        Self { features: features.into(), variances }
    }

    /// The prior variance of each query.
    pub fn variances(&self) -> &Array1<f64> {
        &self.variances
    }

    /// K(x, L), one row for each query, from what
    /// [`InductivePrior::extend`] returned. O(q·n·l).
    ///
    /// # Errors
    /// An extension of a prior with another number of features.
    pub fn covariances(&self, extension: &Array2<f64>) -> Result<Array2<f64>, GpError> {
        SizeMismatch::check("features of the queries", extension.nrows(), self.features.ncols())?;
        Ok(self.features.dot(extension))
    }
}

/// What a posterior says of the latent values of new points.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginals {
    /// Mean of the latent value.
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

/// What is to be said of each batch of queries, from where it begins and made ready.
pub(crate) fn in_batches<P: InductivePrior, T>(
    prior: &P,
    queries: &Points,
    answer: impl Fn(usize, &Queries) -> Result<T, GpError>,
) -> Result<Vec<T>, GpError> {
    let stage = Progress::stage("new points", Some(queries.len() as u64));
    (0..queries.len())
        .step_by(BATCH)
        .map(|from| {
            let rows = from..(from + BATCH).min(queries.len());
            stage.advance(rows.len() as u64)?;
            answer(from, &prior.ready(queries, rows)?)
        })
        .collect()
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
        let batches = in_batches(&self.prior, queries, |_, ready| self.answer(&extension, ready))?;
        let whole = |part: fn(&Marginals) -> &Array1<f64>| -> Array1<f64> {
            batches.iter().flat_map(|batch| part(batch).iter().copied()).collect()
        };
        Ok(Marginals {
            mean: whole(|batch| &batch.mean),
            variance: whole(|batch| &batch.variance),
            probability: whole(|batch| &batch.probability),
            entropy: whole(|batch| &batch.entropy),
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

    /// [sindhwani2007 (prediction)].
    pub(crate) fn answer(
        &self,
        extension: &Array2<f64>,
        queries: &Queries,
    ) -> Result<Marginals, GpError> {
        let rows = queries.covariances(extension)?;
        let mean = rows.dot(&self.fit.dual()).mapv(|mean| mean + self.elsewhere);
        let explained = self.fit.shrinkage().explained(&rows);
        let variance = (queries.variances() - &explained).mapv(|variance| variance.max(0.0));
        let moments = mean.iter().copied().zip(variance.iter().copied()).collect();
        let probability = self.average(moments);
        Ok(Marginals { mean, variance, entropy: probability.mapv(binary_entropy), probability })
    }
}

/// Averaged over the posterior, in batches of 512.
impl<P: InductivePrior, L: Likelihood, F: BlockFit<L>> Inductive<Points> for Posterior<P, L, F> {
    type Error = GpError;

    fn predict(&self, points: &Points) -> Result<Scores, GpError> {
        Ok(Scores::binary(self.marginals(points)?.probability.view())?)
    }
}

/// Averaged over the posteriors, in batches of 512; each row divided by its sum.
impl<P: InductivePrior, L: Likelihood, F: BlockFit<L>> Inductive<Points>
    for OneAgainstRestPosterior<P, L, F>
{
    type Error = GpError;

    fn predict(&self, points: &Points) -> Result<Scores, GpError> {
        let Some(first) = self.processes().first() else { return Err(GpError::NoObservations) };
        let extension = first.prior.extension(first.observed.nodes(), &first.columns)?;
        let batches = in_batches(&first.prior, points, |_, ready| {
            let one = |process: &Posterior<_, _, _>| process.answer(&extension, ready);
            self.processes().iter().map(one).collect::<Result<Vec<Marginals>, GpError>>()
        })?;
        let class = |at: usize| {
            batches.iter().flat_map(|batch| batch[at].probability.iter().copied()).collect()
        };
        shares((0..self.processes().len()).map(class).collect())
    }
}

//! Kernel methods fitted to the covariance of a prior.

use crate::on_points::in_batches;
use crate::training::labelled;
use crate::{BaselineError, Expansion};
use gaussfield_core::{Facts, SizeMismatch};
use gaussfield_gp::InductivePrior;
use gaussfield_labels::{Inductive, Labels, NodeScores, Scores};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2, Axis};

/// A kernel method fitted to the covariance of a prior that covers all of space, such as a
/// [`WarpedKernel`](gaussfield_gp::WarpedKernel) or a
/// [`LandmarkKernel`](gaussfield_gp::LandmarkKernel): it answers for the nodes of the prior and for
/// any new points.
#[derive(Debug, Clone)]
pub struct OnPrior<P, M> {
    prior: P,
    /// What carries the labelled nodes to new points.
    extension: Array2<f64>,
    model: M,
    answer: NodeScores,
}

impl<P: InductivePrior, M: AsRef<Expansion>> OnPrior<P, M> {
    /// Fits `method` to the covariance of the labelled nodes. l columns of the prior.
    pub(crate) fn fit(
        prior: P,
        labels: &Labels,
        method: impl FnOnce(ArrayView2<'_, f64>, &Labels) -> Result<M, BaselineError>,
    ) -> Result<Self, BaselineError> {
        SizeMismatch::check("labels, one (or none) for each node", prior.nodes(), labels.len())?;
        let labelled = labelled(labels)?;
        let columns = prior.columns(&labelled)?;
        let block = columns.values.select(Axis(0), &labelled);
        let gram = (&block + &block.t()) * 0.5;
        let model = method(gram.view(), &labels.select(&labelled)?)?;
        let extension = prior.extension(&labelled, &columns)?.into_owned();
        let values = model.as_ref().decision_values(columns.values.view())?;
        let scores = model.as_ref().soften(values.view())?;
        let facts = Facts::default()
            .with("method", "kernel machine on a prior")
            .with("labelled nodes", labelled.len());
        let answer = NodeScores::new(labels, scores, facts)?;
        Ok(Self { prior, extension, model, answer })
    }

    /// The model on kernel values. Its nodes are the labelled ones, numbered from 0 in increasing
    /// order.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// f of each new point. In batches: the memory beyond the result does not grow with the number
    /// of queries. O(q·n·l), and O(q·n²) for the prior variances that a warped kernel makes with
    /// them.
    ///
    /// # Errors
    /// Queries of another dimension, or a kernel value that cannot be computed.
    pub fn decision_values(&self, queries: &Points) -> Result<Array2<f64>, BaselineError> {
        in_batches(self.model.as_ref(), queries, |rows| {
            Ok(self.prior.ready(queries, rows)?.covariances(&self.extension)?)
        })
    }
}

/// Labelled nodes hold what f says of them.
impl<P, M> AsRef<NodeScores> for OnPrior<P, M> {
    fn as_ref(&self) -> &NodeScores {
        &self.answer
    }
}

impl<P: InductivePrior, M: AsRef<Expansion>> Inductive<Points> for OnPrior<P, M> {
    type Error = BaselineError;

    /// As an [`Expansion`] makes scores of f.
    fn predict(&self, queries: &Points) -> Result<Scores, BaselineError> {
        self.model.as_ref().soften(self.decision_values(queries)?.view())
    }
}

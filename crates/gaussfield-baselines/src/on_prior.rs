//! Kernel methods fitted to the covariance of a prior.

use crate::on_points::batches;
use crate::training::{check_length, labelled};
use crate::{BaselineError, Expansion, Prediction};
use gaussfield_gp::InductivePrior;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2, Axis, s};
use std::ops::Range;

/// A kernel method fitted to the covariance of a prior that covers all of space, such as a
/// [`WarpedKernel`](gaussfield_gp::WarpedKernel) or a
/// [`LandmarkKernel`](gaussfield_gp::LandmarkKernel): it predicts any new points.
#[derive(Debug, Clone)]
pub struct OnPrior<P, M> {
    prior: P,
    labelled: Vec<usize>,
    /// What carries the labelled nodes to new points.
    extension: Array2<f64>,
    model: M,
}

impl<P: InductivePrior, M: AsRef<Expansion>> OnPrior<P, M> {
    /// Fits `method` to the covariance of the labelled nodes. l columns of the prior.
    pub(crate) fn fit(
        prior: P,
        labels: &Labels,
        method: impl FnOnce(ArrayView2<'_, f64>, &Labels) -> Result<M, BaselineError>,
    ) -> Result<Self, BaselineError> {
        check_length("nodes", prior.nodes(), labels)?;
        let labelled = labelled(labels)?;
        let columns = prior.columns(&labelled)?;
        let block = columns.values.select(Axis(0), &labelled);
        let gram = (&block + &block.t()) * 0.5;
        let model = method(gram.view(), &labels.select(&labelled)?)?;
        let extension = prior.extension(&labelled, &columns)?.into_owned();
        Ok(Self { prior, labelled, extension, model })
    }

    /// The model on kernel values. Its nodes are the labelled ones, numbered from 0 in increasing
    /// order.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// f of every node of the graph ([`Expansion::decision_values`]).
    ///
    /// # Errors
    /// A prior that fails to give its columns.
    pub fn decision_values_of_nodes(&self) -> Result<Array2<f64>, BaselineError> {
        self.model.as_ref().decision_values(self.prior.columns(&self.labelled)?.values.view())
    }

    /// f of each new point. In batches: the memory beyond the result does not grow with the number
    /// of queries. O(q·n·l), and O(q·n²) for the prior variances that a warped kernel makes with
    /// them.
    ///
    /// # Errors
    /// Queries of another dimension, or a kernel value that cannot be computed.
    pub fn decision_values(&self, queries: &Points) -> Result<Array2<f64>, BaselineError> {
        let model = self.model.as_ref();
        let mut values = Array2::zeros((queries.len(), model.biases().len()));
        for rows in batches(queries.len()) {
            let found = model.decision_values(self.cross(queries, rows.clone())?.view())?;
            values.slice_mut(s![rows, ..]).assign(&found);
        }
        Ok(values)
    }

    /// Predicts each new point ([`Expansion::predict`]), in batches.
    ///
    /// # Errors
    /// As [`OnPrior::decision_values`].
    pub fn predict(&self, queries: &Points) -> Result<Prediction, BaselineError> {
        let model = self.model.as_ref();
        let parts = batches(queries.len())
            .map(|rows| model.predict(self.cross(queries, rows)?.view()))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Prediction::concatenate(parts))
    }

    /// The covariance of some queries with the labelled nodes.
    fn cross(&self, queries: &Points, rows: Range<usize>) -> Result<Array2<f64>, BaselineError> {
        Ok(self.prior.ready(queries, rows)?.covariances(&self.extension)?)
    }
}

//! Kernel methods fitted to points.

use crate::training::Training;
use crate::{BaselineError, Expansion};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_kernel::{Kernel, KernelError};
use gaussfield_labels::{Inductive, Labels, Named, Scores};
use gaussfield_points::Points;
use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

/// Queries whose kernel rows are in memory at a time.
const BLOCK: usize = 512;

/// A kernel method fitted to points: it keeps the labelled points and makes the cross matrix of
/// new ones itself.
#[derive(Debug, Clone)]
pub struct OnPoints<M> {
    kernel: Kernel,
    labelled: Points,
    model: M,
}

impl<M: AsRef<Expansion>> OnPoints<M> {
    /// Fits `method` to the Gram matrix of the labelled points.
    pub(crate) fn fit(
        points: &Points,
        kernel: Kernel,
        labels: &Labels,
        method: impl FnOnce(ArrayView2<'_, f64>, &Labels) -> Result<M, BaselineError>,
    ) -> Result<Self, BaselineError> {
        kernel.check_parameters().map_err(KernelError::from)?;
        let labelled = Training::new(points, labels)?.points;
        let gram = kernel.gram(&labelled, Budget::default())?;
        let model = method(gram.view(), &labels.select(&labels.labelled())?)?;
        Ok(Self { kernel, labelled, model })
    }

    /// The model on kernel values. Its nodes are the labelled points, numbered from 0 in the order
    /// of the rows.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// f of each query ([`Expansion::decision_values`]). O(queries·l·d), in batches: the memory
    /// beyond the result does not grow with the number of queries.
    ///
    /// # Errors
    /// Queries of another dimension, or a kernel value that cannot be computed.
    pub fn decision_values(&self, queries: &Points) -> Result<Array2<f64>, BaselineError> {
        in_batches(self.model.as_ref(), queries, |rows| {
            Ok(self.kernel.cross_rows(queries, rows, &self.labelled, Budget::default())?)
        })
    }
}

impl<M: AsRef<Expansion>> Named for OnPoints<M> {
    fn class_names(&self) -> &[String] {
        self.model.as_ref().class_names()
    }
}

impl<M: AsRef<Expansion>> Inductive<Points> for OnPoints<M> {
    type Error = BaselineError;

    /// As an [`Expansion`] makes scores of f.
    fn predict(&self, queries: &Points) -> Result<Scores, BaselineError> {
        self.model.as_ref().soften(self.decision_values(queries)?.view())
    }
}

/// f of each query, from the cross matrix of some of them at a time. At least one batch, so that no
/// query is still a (0 × l) batch, which is checked.
pub(crate) fn in_batches(
    model: &Expansion,
    queries: &Points,
    cross: impl Fn(Range<usize>) -> Result<Array2<f64>, BaselineError>,
) -> Result<Array2<f64>, BaselineError> {
    let mut values = Array2::zeros((queries.len(), model.biases().len()));
    for start in (0..queries.len().max(1)).step_by(BLOCK) {
        let rows = start..(start + BLOCK).min(queries.len());
        let found = model.decision_values(cross(rows.clone())?.view())?;
        values.slice_mut(s![rows, ..]).assign(&found);
    }
    Ok(values)
}

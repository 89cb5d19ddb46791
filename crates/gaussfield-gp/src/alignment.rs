//! Kernel–target alignment.

use crate::{GpError, Observed, Prior, PriorGradient};
use gaussfield_core::check;
use ndarray::{Array2, Axis};

/// How well a prior agrees with the labels, and how that changes with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// ⟨K_LL, ttᵀ⟩ / (‖K_LL‖ ‖ttᵀ‖), between −1 and 1.
    pub value: f64,
    /// In the parameters of the prior and the edges of its graph.
    pub gradient: PriorGradient,
}

/// The alignment of the prior covariance on the observed nodes with the outer product of their
/// targets: the cosine of the angle between the two matrices (Cristianini, Shawe-Taylor,
/// Elisseeff, Kandola 2001; CMU-CS-03-175, section 3). l columns of the covariance, then O(l²).
///
/// # Errors
/// A node past the end, a system that cannot be solved, targets or a covariance that are all zero.
pub fn alignment<P: Prior>(prior: &P, observed: &Observed) -> Result<Aligned, GpError> {
    observed.check(prior.nodes())?;
    let columns = prior.columns(observed.nodes())?;
    let block = columns.values.select(Axis(0), observed.nodes());
    let gram = (&block + &block.t()) * 0.5;
    let targets = observed.targets();
    let length = gram.iter().map(|k| k * k).sum::<f64>().sqrt();
    let target_length = targets.dot(&targets);
    for (name, value) in
        [("the length of the covariance", length), ("the length of the targets", target_length)]
    {
        check::positive(name, value)?;
    }
    let value = targets.dot(&gram.dot(&targets)) / (length * target_length);
    let by_gram = Array2::from_shape_fn(gram.dim(), |(i, j)| {
        targets[i] * targets[j] / (length * target_length)
            - value * gram[[i, j]] / (length * length)
    });
    let gradient = prior.pullback(observed.nodes(), &columns, &by_gram)?;
    Ok(Aligned { value, gradient })
}

//! What one fit leaves for the next.

use crate::{Ambient, Sites};
use gaussfield_laplacian::Workbench;
use ndarray::Array2;
use std::sync::Arc;

/// What fits with the same labels can use again while parameters move: where the last search ended,
/// and what of a prior did not change.
///
/// It is handed over by name ([`Process::fit_seen`](crate::Process::fit_seen),
/// [`PriorFamily::on_with`](crate::PriorFamily::on_with)) and can be looked at and dropped at any
/// time. What does not fit any longer is made anew. A search that begins elsewhere ends at the same
/// place, within its tolerance.
#[derive(Debug, Default)]
pub struct Memory {
    /// The last system of a [`GraphPrior`](crate::GraphPrior): on the same pattern its places, order,
    /// symbolic factor and preconditioner serve again, and conjugate gradients start at its columns.
    pub system: Workbench,
    /// The base kernel in the eigenvectors of a fixed graph, for a
    /// [`WarpedPrior`](crate::WarpedPrior): γ_A, γ_I and the noise move without it.
    pub ambient: Option<Arc<Ambient>>,
    /// Where inference ended, one list for each process: expectation propagation begins there, and
    /// Newton's method at the mode that these sites have under the new prior.
    pub sites: Vec<Sites>,
    /// Where the mode of [`Softmax`](crate::Softmax) was: the latent values of the labelled nodes,
    /// l × C.
    pub mode: Option<Array2<f64>>,
}

impl Memory {
    /// Where the search of a process may begin, if it was for as many labels.
    pub(crate) fn start(&self, process: usize, labels: usize) -> Option<&Sites> {
        self.sites.get(process).filter(|sites| sites.shift.len() == labels)
    }
}

//! Further powers of the Laplacian beside the one of a warp.

use super::{LARGEST_POWER, POWERS, Warp};
use gaussfield_core::{Domain, OutOfRange, Parameter, check};
use ndarray::Array1;
use serde::{Deserialize, Serialize};

/// A term β·L^q of the polynomial M = (γ_I·Lᵖ + Σ_q β_q·L^q)/γ_A of [sindhwani2007 (kernel)]: functions
/// that are smooth by several measures, each with its own weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WarpTerm {
    /// q, from 1 to 64.
    pub power: u32,
    /// β, at least 0, so that M has no negative eigenvalue. Positive to be learned.
    pub beta: f64,
}

impl WarpTerm {
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        let (power, inside) = (f64::from(self.power), (1..=LARGEST_POWER).contains(&self.power));
        check::range("the power of a further term", power, inside, POWERS)?;
        check::not_negative(self.name(), self.beta)
    }

    /// What its factor is called.
    pub(super) fn name(&self) -> String {
        format!("beta[{}]", self.power)
    }

    pub(super) fn parameter(&self) -> Parameter {
        Parameter::new(self.name(), self.beta, Domain::Positive)
    }
}

/// The roots of M's eigenvalues, from those of L.
pub(super) fn roots(values: &Array1<f64>, warp: &Warp, further: &[WarpTerm]) -> Array1<f64> {
    let scale = warp.ratio().sqrt();
    let half_power = 0.5 * f64::from(warp.power);
    let own = |lambda: f64| scale * lambda.powf(half_power);
    if further.is_empty() {
        return values.mapv(own);
    }
    values.mapv(|lambda| {
        let term = |term: &WarpTerm| term.beta / warp.gamma_a * lambda.powi(term.power as i32);
        (own(lambda).powi(2) + further.iter().map(term).sum::<f64>()).sqrt()
    })
}

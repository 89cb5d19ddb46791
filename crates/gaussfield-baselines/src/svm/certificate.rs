//! How close a support vector machine is to its optimum.

use serde::{Deserialize, Serialize};

/// How close a support vector machine is to its optimum, recomputed from its coefficients at the
/// end: a bound that anyone can check, not a solver's opinion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SvmCertificate {
    /// Steps made.
    pub iterations: usize,
    /// The largest violation of the optimality (KKT) conditions: with
    /// r_i = y_i − Σ_j β_j K_ij, the largest r_i of an α_i·y_i that may rise minus the smallest r_i
    /// of one that may fall. Zero or negative at the optimum, reported as at least 0.
    pub violation: f64,
    /// ½‖f‖² + C·Σ hinge losses: never below the optimum.
    pub primal: f64,
    /// Σα − ½‖f‖²: never above the optimum.
    pub dual: f64,
}

impl SvmCertificate {
    /// The duality gap: the optimum lies within it. Not negative but for rounding.
    pub fn gap(&self) -> f64 {
        self.primal - self.dual
    }
}

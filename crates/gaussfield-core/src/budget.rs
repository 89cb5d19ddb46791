//! The memory that one call may take.

use crate::OverBudget;
use serde::{Deserialize, Serialize};

/// How many bytes a whole call may take for its large arrays.
///
/// Memory is refused *before* it is allocated. What a call takes is taken off what it hands on, so
/// that four matrices that fit one by one but not together are refused too:
///
/// ```
/// use gaussfield_core::Budget;
///
/// let budget = Budget { bytes: 1_000_000 };
/// let rest = budget.matrix("the distances", 300, 300)?; // 720,000 bytes
/// let error = rest.matrix("the weights", 300, 300).unwrap_err();
/// assert!(error.to_string().starts_with("the weights take 720.0 kB, and 280.0 kB"));
/// # Ok::<(), gaussfield_core::OverBudget>(())
/// ```
///
/// The default is 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Bytes that may still be taken.
    pub bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: 4 << 30 }
    }
}

impl Budget {
    /// Takes bytes for `what` and gives the rest.
    ///
    /// # Errors
    /// [`OverBudget`] if there is less than that.
    pub fn take(self, what: &'static str, bytes: u64) -> Result<Self, OverBudget> {
        match self.bytes.checked_sub(bytes) {
            Some(bytes) => Ok(Self { bytes }),
            None => Err(OverBudget { what, bytes, left: self.bytes }),
        }
    }

    /// Takes a dense `rows` × `columns` matrix of `f64`.
    ///
    /// # Errors
    /// As [`Budget::take`].
    pub fn matrix(
        self,
        what: &'static str,
        rows: usize,
        columns: usize,
    ) -> Result<Self, OverBudget> {
        self.take(what, (rows as u64).saturating_mul(columns as u64).saturating_mul(8))
    }
}

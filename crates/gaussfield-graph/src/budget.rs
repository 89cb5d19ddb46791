use crate::GraphError;

/// How many bytes one dense n × n matrix may take.
///
/// Dense algebra is refused *before* the allocation when it would pass the budget, with the size
/// and the sparse alternative in the message. The default is 4 GiB (n ≈ 23,000).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Largest size of one dense matrix, in bytes.
    pub bytes: u64,
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self { bytes: 4 << 30 }
    }
}

impl MemoryBudget {
    /// Whether a dense `rows` × `columns` matrix of `f64` fits.
    ///
    /// # Errors
    /// [`GraphError::OverBudget`] naming the bytes and the alternative.
    pub fn check(self, rows: usize, columns: usize) -> Result<(), GraphError> {
        let bytes = (rows as u64).saturating_mul(columns as u64).saturating_mul(8);
        if bytes > self.bytes {
            return Err(GraphError::OverBudget { rows, columns, bytes, budget: self.bytes });
        }
        Ok(())
    }
}

//! The memory of lists whose length is not known beforehand.

use super::Found;
use gaussfield_core::{Budget, OverBudget};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the memory of lists whose length is not known beforehand.
#[derive(Debug)]
pub(crate) struct Meter {
    left: u64,
    taken: AtomicU64,
}

impl Meter {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { left: budget.bytes, taken: AtomicU64::new(0) }
    }

    /// A list as found, if it and its compressed copy still fit.
    pub(crate) fn kept(&self, list: Vec<Found>) -> Result<Vec<Found>, OverBudget> {
        self.add(list.len())?;
        Ok(list)
    }

    /// So many more entries, if they and their compressed copies still fit.
    pub(crate) fn add(&self, entries: usize) -> Result<(), OverBudget> {
        // A list that grows may have twice the room it needs, 16 bytes an entry; then 12 as kept.
        const EACH: u64 = 44;
        let bytes = EACH * entries as u64;
        if self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.left {
            return Ok(());
        }
        // Which list was one too many depends on the threads: the number told does not.
        let (what, left) = ("the edges within the radius", self.left);
        Err(OverBudget { what, bytes: left.saturating_add(EACH), left })
    }
}

//! Claims, counted.

use crate::{Claim, Verdict};
use std::fmt;

/// How many claims hold, differ and were not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Claims that hold.
    pub holds: usize,
    /// Claims that differ.
    pub differs: usize,
    /// Claims that were not run.
    pub not_run: usize,
}

impl Tally {
    /// Counts the verdicts.
    pub fn of<'a>(claims: impl IntoIterator<Item = &'a Claim>) -> Self {
        let mut tally = Self::default();
        for claim in claims {
            match claim.verdict() {
                Verdict::Holds => tally.holds += 1,
                Verdict::Differs => tally.differs += 1,
                Verdict::NotRun => tally.not_run += 1,
            }
        }
        tally
    }

    /// All claims.
    pub fn total(&self) -> usize {
        self.holds + self.differs + self.not_run
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize, one: &'static str, many: &'static str| {
            if count == 1 { one } else { many }
        };
        write!(
            f,
            "{} {}: {} {}, {} {}, {} not run",
            self.total(),
            plural(self.total(), "claim", "claims"),
            self.holds,
            plural(self.holds, "holds", "hold"),
            self.differs,
            plural(self.differs, "differs", "differ"),
            self.not_run
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tally_counts_and_speaks() {
        let claim = || Claim::new("a", "Section 1", "a number");
        let claims = [claim().holds_if(true, ""), claim().holds_if(false, ""), claim()];
        assert_eq!(Tally::of(&claims).to_string(), "3 claims: 1 holds, 1 differs, 1 not run");
        assert_eq!(Tally::of([]).to_string(), "0 claims: 0 hold, 0 differ, 0 not run");
    }
}

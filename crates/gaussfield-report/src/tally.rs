//! Claims, counted.

use crate::{Claim, ClaimKind, Verdict};
use std::fmt;

/// How many claims hold, differ, say little and were not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Claims that hold.
    pub holds: usize,
    /// Claims that differ.
    pub differs: usize,
    /// Claims whose rule is so wide that the opposite would pass.
    pub says_little: usize,
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
                Verdict::SaysLittle => tally.says_little += 1,
                Verdict::NotRun => tally.not_run += 1,
            }
        }
        tally
    }

    /// All claims.
    pub fn total(&self) -> usize {
        self.holds + self.differs + self.says_little + self.not_run
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize, one: &'static str, many: &'static str| {
            if count == 1 { one } else { many }
        };
        write!(
            f,
            "{} {}: {} {}, {} {}",
            self.total(),
            plural(self.total(), "claim", "claims"),
            self.holds,
            plural(self.holds, "holds", "hold"),
            self.differs,
            plural(self.differs, "differs", "differ"),
        )?;
        if self.says_little > 0 {
            write!(f, ", {} {} little", self.says_little, plural(self.says_little, "says", "say"))?;
        }
        write!(f, ", {} not run", self.not_run)
    }
}

/// The claims of a run in two heaps: those on the paper's own data, and the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tallies {
    /// On the paper's own data: the headline.
    pub own: Tally,
    /// On other editions, stand-ins and layouts of ours, beyond the paper, identities.
    pub others: Tally,
}

impl Tallies {
    /// Counts the verdicts by kind.
    pub fn of<'a>(claims: impl IntoIterator<Item = &'a Claim>) -> Self {
        let (own, others): (Vec<_>, Vec<_>) =
            claims.into_iter().partition(|claim| claim.kind() == ClaimKind::Own);
        Self { own: Tally::of(own), others: Tally::of(others) }
    }
}

impl fmt::Display for Tallies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on the paper's data {}", self.own)?;
        if self.others.total() > 0 {
            write!(f, "; beside them {}", self.others)?;
        }
        Ok(())
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
        let wide = [claim().holds_if(true, "").says_little_if(true, "")];
        assert_eq!(
            Tally::of(&wide).to_string(),
            "1 claim: 0 hold, 0 differ, 1 says little, 0 not run"
        );
        assert_eq!(Tally::of([]).to_string(), "0 claims: 0 hold, 0 differ, 0 not run");
    }

    #[test]
    fn only_the_papers_data_are_in_the_headline() {
        let claim = || Claim::new("a", "Section 1", "a number").holds_if(true, "");
        let claims =
            [claim(), claim().of_kind(ClaimKind::StandIn), claim().of_kind(ClaimKind::Beyond)];
        let tallies = Tallies::of(&claims);
        assert_eq!((tallies.own.holds, tallies.others.holds), (1, 2));
        let words = "on the paper's data 1 claim: 1 holds, 0 differ, 0 not run; \
                     beside them 2 claims: 2 hold, 0 differ, 0 not run";
        assert_eq!(tallies.to_string(), words);
        assert!(!Tallies::of(&claims[..1]).to_string().contains("beside"));
    }
}

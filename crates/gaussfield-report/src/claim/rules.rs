//! How a claim is decided by each rule.

use super::{Claim, Rule, Value, Verdict};
use crate::format::number;

/// Fewer trials tell nothing of their spread.
const FEWEST: usize = 3;

impl Claim {
    /// Decides: holds if |ours − paper| ≤ `tolerance`, a number stated beforehand. Differs if
    /// either number is missing or not finite.
    #[must_use]
    pub fn within(self, tolerance: f64) -> Self {
        self.near(Rule::Stated, tolerance, "the tolerance")
    }

    /// Decides with a tolerance of two of the paper's standard deviations.
    #[must_use]
    pub fn within_two_std(self, paper_std: f64) -> Self {
        self.near(Rule::PaperDeviation, 2.0 * paper_std, "two of the paper's standard deviations")
    }

    /// Decides with a tolerance of two of our standard deviations over trials, where the paper
    /// prints one draw. It needs at least three trials, told by [`over`](Self::over).
    #[must_use]
    pub fn within_two_of_ours(self) -> Self {
        self.within_two_of_ours_or(0.0)
    }

    /// The same with a least tolerance, such as the step of a grid or the last digit printed.
    #[must_use]
    pub fn within_two_of_ours_or(self, least: f64) -> Self {
        let rule = Rule::OurDeviation;
        match self.spread_over_trials() {
            Ok((_, std, _)) if 2.0 * std >= least => {
                let what = "two of our standard deviations: the paper prints one draw";
                self.near(rule, 2.0 * std, what)
            }
            Ok(_) => self.near(rule, least, "the least tolerance; our deviations are smaller"),
            Err(reason) => self.ruled(rule).not_run(reason),
        }
    }

    /// Decides: holds if the paper's error bar and ours, half widths of the same kind, overlap.
    #[must_use]
    pub fn within_bars(self, paper_bar: f64, our_bar: f64) -> Self {
        let what = format!("the paper's bar {} and ours {}", number(paper_bar), number(our_bar));
        self.near(Rule::Bars, paper_bar + our_bar, &what)
    }

    /// Decides: holds if our number lies in the interval that the paper prints.
    #[must_use]
    pub fn between(mut self, low: f64, high: f64) -> Self {
        let interval = format!("{} to {}", number(low), number(high));
        self.tolerance = Some(Value::Text(interval.clone()));
        let claim = self.ruled(Rule::Interval);
        match claim.our_number() {
            Some(ours) => {
                let inside = (low..=high).contains(&ours);
                let place = if inside { "within" } else { "outside" };
                claim.verdict_of(inside, format!("{} is {place} {interval}", number(ours)))
            }
            None => claim.not_run("we have no number to compare"),
        }
    }

    /// Decides a direction: holds if our mean, that of paired differences over trials
    /// ([`over`](Self::over)), is above `limit` by two of its standard errors.
    #[must_use]
    pub fn above(self, limit: f64) -> Self {
        self.beyond(limit, 1.0)
    }

    /// Decides a direction: holds if our mean is below `limit` by two of its standard errors.
    #[must_use]
    pub fn below(self, limit: f64) -> Self {
        self.beyond(limit, -1.0)
    }

    /// Decides "similar": holds if our mean, that of paired differences, lies within ±`margin`
    /// with two of its standard errors. Where only the mean does, the trials are too few to tell,
    /// and the claim says little.
    #[must_use]
    pub fn similar(self, margin: f64) -> Self {
        let rule = Rule::TwoErrors;
        match self.spread_over_trials() {
            Ok((mean, std, trials)) => {
                let two = 2.0 * std / (trials as f64).sqrt();
                let mut claim = self.ruled(rule);
                claim.tolerance = Some(Value::Number(margin));
                claim.verdict = match mean.abs() {
                    gap if gap + two <= margin => Verdict::Holds,
                    gap if gap <= margin => Verdict::SaysLittle,
                    _ => Verdict::Differs,
                };
                claim.reason = format!(
                    "{} over {trials} trials, two standard errors {}; similar is within {}",
                    number(mean),
                    number(two),
                    number(margin)
                );
                claim
            }
            Err(reason) => self.ruled(rule).not_run(reason),
        }
    }

    /// Decides by a condition; `reason` says what was compared.
    #[must_use]
    pub fn holds_if(self, holds: bool, reason: impl Into<String>) -> Self {
        self.ruled(Rule::Condition).verdict_of(holds, reason.into())
    }

    /// Makes a claim that holds one that says little, if its rule is so wide that the opposite
    /// would have passed, and tells why.
    #[must_use]
    pub fn says_little_if(mut self, wide: bool, why: &str) -> Self {
        if wide && self.verdict == Verdict::Holds {
            self.verdict = Verdict::SaysLittle;
            return self.because(why);
        }
        self
    }

    /// Names the number that a run would find if the statement were wrong, such as that of chance.
    /// If it is within the tolerance of the paper's number, a claim that holds says little.
    #[must_use]
    pub fn opposite(self, number_if_wrong: f64) -> Self {
        let passes = match (&self.paper, &self.tolerance) {
            (Some(Value::Number(paper)), Some(Value::Number(tolerance))) => {
                (number_if_wrong - paper).abs() <= *tolerance
            }
            _ => false,
        };
        let why = format!("{} would have passed, too", number(number_if_wrong));
        self.says_little_if(passes, &why)
    }

    /// Tells that the claim was judged by another rule before, and whether it would hold by that one.
    #[must_use]
    pub fn formerly(self, rule: &str, holds: bool) -> Self {
        let verdict = if holds { Verdict::Holds } else { Verdict::Differs };
        self.because(&format!("by the rule of before ({rule}) it {verdict}"))
    }

    fn beyond(self, limit: f64, side: f64) -> Self {
        let rule = Rule::TwoErrors;
        match self.spread_over_trials() {
            Ok((mean, std, trials)) => {
                let two = 2.0 * std / (trials as f64).sqrt();
                let mut claim = self.ruled(rule);
                claim.tolerance = Some(Value::Number(two));
                let reason = format!(
                    "{} over {trials} trials; asked to be {} {} by two standard errors, {}",
                    number(mean),
                    if side > 0.0 { "above" } else { "below" },
                    number(limit),
                    number(two)
                );
                claim.verdict_of(side * (mean - limit) > two, reason)
            }
            Err(reason) => self.ruled(rule).not_run(reason),
        }
    }

    /// Mean, standard deviation and number of trials, or why there are none.
    fn spread_over_trials(&self) -> Result<(f64, f64, usize), String> {
        let trials = self.trials.unwrap_or(0);
        match (self.our_number(), &self.spread) {
            (Some(mean), Some(Value::Number(std))) if trials >= FEWEST && std.is_finite() => {
                Ok((mean, *std, trials))
            }
            (None, _) => Err("we have no number to compare".to_owned()),
            _ => Err(format!("needs at least {FEWEST} trials; there were {trials}")),
        }
    }

    fn our_number(&self) -> Option<f64> {
        match self.ours {
            Some(Value::Number(ours)) if ours.is_finite() => Some(ours),
            _ => None,
        }
    }

    fn ruled(mut self, rule: Rule) -> Self {
        self.rule = Some(rule);
        self
    }

    fn verdict_of(mut self, holds: bool, reason: String) -> Self {
        self.verdict = if holds { Verdict::Holds } else { Verdict::Differs };
        self.reason = reason;
        self
    }

    fn near(self, rule: Rule, tolerance: f64, what: &str) -> Self {
        let mut claim = self.ruled(rule);
        claim.tolerance = Some(Value::Number(tolerance));
        match (&claim.ours, &claim.paper) {
            (Some(Value::Number(ours)), Some(Value::Number(paper)))
                if ours.is_finite() && paper.is_finite() =>
            {
                let gap = (ours - paper).abs();
                let place = if gap <= tolerance { "within" } else { "outside" };
                let (shown, allowed) = (number(gap), number(tolerance));
                let reason = format!("{shown} from the paper, {place} {allowed} ({what})");
                claim.verdict_of(gap <= tolerance, reason)
            }
            (None, _) => claim.not_run("we have no number to compare"),
            _ => claim.verdict_of(false, "there are no two finite numbers to compare".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        Claim::new("a", "Section 1", "a number")
    }

    #[test]
    fn verdict_follows_the_rule() {
        let ten = |mean| claim().over((mean, Some(1.0), 16));
        let two = |mean| claim().over((mean, Some(1.0), 2));
        let table = [
            (claim().paper(1.0).ours(1.5, 0.1).within(0.5), Verdict::Holds),
            (claim().paper(1.0).ours(1.6, 0.1).within(0.5), Verdict::Differs),
            (claim().paper(1.0).ours(2.0, 0.1).within_two_std(0.5), Verdict::Holds),
            (claim().paper(1.0).ours(2.1, 0.1).within_two_std(0.5), Verdict::Differs),
            (claim().paper(1.0).ours(f64::NAN, 0.1).within(9.0), Verdict::Differs),
            (claim().paper("poor").ours(1.0, 0.0).within(9.0), Verdict::Differs),
            (claim().paper(1.0).within(9.0), Verdict::NotRun),
            (ten(1.9).paper(0.0).within_two_of_ours(), Verdict::Holds),
            (ten(2.1).paper(0.0).within_two_of_ours(), Verdict::Differs),
            (ten(2.1).paper(0.0).within_two_of_ours_or(3.0), Verdict::Holds),
            (ten(1.9).paper(0.0).within_two_of_ours_or(1.0), Verdict::Holds),
            (two(0.0).paper(0.0).within_two_of_ours(), Verdict::NotRun),
            (claim().paper(0.0).over((0.0, None, 1)).within_two_of_ours(), Verdict::NotRun),
            (claim().paper(10.0).ours(8.0, 1.0).within_bars(1.0, 1.0), Verdict::Holds),
            (claim().paper(10.0).ours(7.9, 1.0).within_bars(1.0, 1.0), Verdict::Differs),
            (claim().ours(0.5, 0.1).between(0.4, 0.6), Verdict::Holds),
            (claim().ours(0.7, 0.1).between(0.4, 0.6), Verdict::Differs),
            (claim().between(0.4, 0.6), Verdict::NotRun),
            // Sixteen trials of deviation one: two standard errors are one half.
            (ten(0.6).above(0.0), Verdict::Holds),
            (ten(0.4).above(0.0), Verdict::Differs),
            (ten(5.4).above(5.0), Verdict::Differs),
            (two(9.0).above(0.0), Verdict::NotRun),
            (ten(-0.6).below(0.0), Verdict::Holds),
            (ten(-0.4).below(0.0), Verdict::Differs),
            (ten(0.4).similar(1.0), Verdict::Holds),
            (ten(-0.7).similar(1.0), Verdict::SaysLittle),
            (ten(1.1).similar(1.0), Verdict::Differs),
            (claim(), Verdict::NotRun),
            (claim().holds_if(true, "seen"), Verdict::Holds),
            (claim().holds_if(false, "not seen"), Verdict::Differs),
            (claim().holds_if(true, "seen").not_run("no data"), Verdict::NotRun),
        ];
        for (row, (claim, verdict)) in table.iter().enumerate() {
            assert_eq!(claim.verdict(), *verdict, "row {row}: {}", claim.reason());
        }
    }

    #[test]
    fn a_rule_that_the_opposite_passes_says_little() {
        let near = |tolerance| claim().paper(90.0).ours(88.0, 1.0).within(tolerance);
        assert_eq!(near(5.0).opposite(50.0).verdict(), Verdict::Holds);
        let wide = near(40.0).opposite(50.0);
        assert_eq!(wide.verdict(), Verdict::SaysLittle);
        assert!(wide.reason().ends_with("50 would have passed, too"), "{}", wide.reason());
        // What differs by a wide rule differs all the more.
        assert_eq!(near(1.0).says_little_if(true, "").verdict(), Verdict::Differs);
    }

    #[test]
    fn a_changed_rule_is_told() {
        let told = claim().holds_if(false, "0.047").formerly("more than 0.04", true);
        let words = "0.047; by the rule of before (more than 0.04) it holds";
        assert_eq!((told.reason(), told.verdict()), (words, Verdict::Differs));
    }
}

//! One checkable statement of a paper.

mod rules;
mod words;

pub use words::{ClaimKind, Rule, Value, Verdict};

use serde::{Deserialize, Serialize};

/// One checkable statement of a paper: its place, our paraphrase, both numbers and the verdict.
///
/// A claim is decided by one of a few [`Rule`]s, each a method here, from
/// [`within_two_std`](Self::within_two_std) for a number with its deviation to
/// [`above`](Self::above) for "better than" and [`holds_if`](Self::holds_if) for what no number says.
/// A claim that was never decided is "not run".
///
/// ```
/// use gaussfield_report::{Claim, Verdict};
///
/// let claim = Claim::new("fig3-cmn", "Figure 3 left", "CMN reaches 97.25 ± 0.73 % at 92 labels")
///     .paper(97.25)
///     .ours(96.9, 0.9)
///     .within_two_std(0.73);
/// assert_eq!(claim.verdict(), Verdict::Holds);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    id: String,
    r#where: String,
    text: String,
    kind: ClaimKind,
    rule: Option<Rule>,
    paper: Option<Value>,
    ours: Option<Value>,
    spread: Option<Value>,
    trials: Option<usize>,
    tolerance: Option<Value>,
    verdict: Verdict,
    reason: String,
}

impl Claim {
    /// A claim by a short `id` (unique within its paper), its place in the paper and a paraphrase.
    /// Until a verdict is reached it is "not run".
    pub fn new(id: impl Into<String>, place: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            r#where: place.into(),
            text: text.into(),
            kind: ClaimKind::default(),
            rule: None,
            paper: None,
            ours: None,
            spread: None,
            trials: None,
            tolerance: None,
            verdict: Verdict::NotRun,
            reason: "no verdict was reached".to_owned(),
        }
    }

    /// What it is judged on, if not on the paper's own data.
    #[must_use]
    pub fn of_kind(mut self, kind: ClaimKind) -> Self {
        self.kind = kind;
        self
    }

    /// What the paper reports.
    #[must_use]
    pub fn paper(mut self, value: impl Into<Value>) -> Self {
        self.paper = Some(value.into());
        self
    }

    /// Our mean over trials, its spread (one standard deviation; `None` for a single trial) and how
    /// many trials there were, as rules need it that ask for a standard error.
    #[must_use]
    pub fn over(self, trials: impl Into<(f64, Option<f64>, usize)>) -> Self {
        let (mean, spread, trials) = trials.into();
        Self { trials: Some(trials), ..self.ours(mean, spread) }
    }

    /// Our mean over trials and its spread (one standard deviation; `None` for a single trial).
    #[must_use]
    pub fn ours(mut self, mean: f64, spread: impl Into<Option<f64>>) -> Self {
        self.ours = Some(Value::Number(mean));
        self.spread = spread.into().map(Value::Number);
        self
    }

    /// What we found, where there is no spread: one number or words.
    #[must_use]
    pub fn ours_value(mut self, value: impl Into<Value>) -> Self {
        self.ours = Some(value.into());
        self.spread = None;
        self
    }

    /// The claim cannot be checked, and why.
    #[must_use]
    pub fn not_run(mut self, reason: impl Into<String>) -> Self {
        self.verdict = Verdict::NotRun;
        self.reason = reason.into();
        self
    }

    /// Makes it "not run" if there is a reason, such as missing data, and leaves it as it is
    /// otherwise. What was found on other data is no evidence, so it is dropped.
    #[must_use]
    pub fn not_run_if(self, reason: Option<&str>) -> Self {
        match reason {
            Some(reason) => Self { ours: None, spread: None, trials: None, ..self }.not_run(reason),
            None => self,
        }
    }

    /// Adds an explanation to the reason, for example why a number differs.
    #[must_use]
    pub fn because(mut self, explanation: &str) -> Self {
        if !self.reason.is_empty() {
            self.reason.push_str("; ");
        }
        self.reason.push_str(explanation);
        self
    }

    /// Adds the best explanation there is to a claim that differs, and nothing to another.
    #[must_use]
    pub fn explained(self, explanation: &str) -> Self {
        match self.verdict {
            Verdict::Differs => self.because(explanation),
            Verdict::Holds | Verdict::SaysLittle | Verdict::NotRun => self,
        }
    }

    /// The short name, unique within its paper.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The place in the paper.
    pub fn place(&self) -> &str {
        &self.r#where
    }

    /// The paraphrase.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the paper reports, if it gives a value.
    pub fn paper_value(&self) -> Option<&Value> {
        self.paper.as_ref()
    }

    /// What we found, if the claim was run.
    pub fn our_value(&self) -> Option<&Value> {
        self.ours.as_ref()
    }

    /// What we found in words, with its spread if there is one: `94.6 ± 1.2`, or a dash.
    pub fn ours_with_spread(&self) -> String {
        match (&self.ours, &self.spread) {
            (Some(Value::Number(mean)), Some(Value::Number(spread))) => {
                crate::format::mean_and_spread(*mean, *spread)
            }
            (ours, _) => ours.as_ref().map_or("–".to_owned(), Value::to_string),
        }
    }

    /// What it is judged on.
    pub fn kind(&self) -> ClaimKind {
        self.kind
    }

    /// By what rule it was decided, if it was.
    pub fn rule(&self) -> Option<Rule> {
        self.rule
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Why the verdict is what it is.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        Claim::new("a", "Section 1", "a number")
    }

    #[test]
    fn only_what_differs_is_explained() {
        let reason = |claim: Claim| claim.explained("other data").reason().to_owned();
        assert_eq!(reason(claim().holds_if(false, "not seen")), "not seen; other data");
        assert_eq!(reason(claim().holds_if(true, "seen")), "seen");
        assert_eq!(reason(claim().not_run("no data")), "no data");
    }

    #[test]
    fn json_has_exactly_the_agreed_keys() {
        let claim = claim().paper(94.7).ours(94.6, 1.2).within(2.38).because("near");
        let json = serde_json::to_value(&claim).expect("a claim is plain data");
        let mut keys: Vec<&str> =
            json.as_object().expect("an object").keys().map(String::as_str).collect();
        keys.sort_unstable();
        let mut agreed = [
            "id",
            "where",
            "text",
            "kind",
            "rule",
            "paper",
            "ours",
            "spread",
            "trials",
            "tolerance",
            "verdict",
            "reason",
        ];
        agreed.sort_unstable();
        assert_eq!(keys, agreed);
        assert_eq!(json["verdict"], "holds");
        assert_eq!(json["kind"], "paper's data");
        assert_eq!(json["rule"], "a stated tolerance");
        assert_eq!(json["paper"], 94.7);
        let back: Claim = serde_json::from_value(json).expect("it reads back");
        assert_eq!(back, claim);
    }

    #[test]
    fn a_claim_not_run_has_null_numbers() {
        let json = serde_json::to_value(claim().not_run("no data")).expect("plain data");
        assert_eq!(json["verdict"], "not run");
        assert!(json["ours"].is_null() && json["spread"].is_null() && json["paper"].is_null());
    }
}

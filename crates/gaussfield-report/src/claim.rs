//! One checkable statement of a paper.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Whether a claim was borne out by the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The run agrees with the paper.
    #[serde(rename = "holds")]
    Holds,
    /// The run disagrees with the paper; the reason says how.
    #[serde(rename = "differs")]
    Differs,
    /// The claim could not be checked; the reason says what is missing.
    #[serde(rename = "not run")]
    NotRun,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::Differs => "differs",
            Self::NotRun => "not run",
        })
    }
}

/// What a claim is judged on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ClaimKind {
    /// The paper's own data.
    #[default]
    #[serde(rename = "paper's data")]
    Own,
    /// Another edition or part of the paper's data.
    #[serde(rename = "other edition")]
    Edition,
    /// Other data in the place of those that are not public.
    #[serde(rename = "stand-in")]
    StandIn,
    /// Points laid out or generated here, where the paper shows a figure without coordinates.
    #[serde(rename = "our layout")]
    Layout,
    /// Nothing that the paper states: an experiment of ours.
    #[serde(rename = "beyond")]
    Beyond,
    /// An identity of the method, checked by numbers.
    #[serde(rename = "identity")]
    Identity,
}

impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own => "paper's data",
            Self::Edition => "other edition",
            Self::StandIn => "stand-in",
            Self::Layout => "our layout",
            Self::Beyond => "beyond",
            Self::Identity => "identity",
        })
    }
}

/// What a paper or a run reports: a number, or words where a number does not fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(f64),
    /// Words, for example `"CMN above thresh at every size"`.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&crate::format::number(*number)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// One checkable statement of a paper: its place, our paraphrase, both numbers and the verdict.
///
/// **The tolerance rule.** A claim with a number holds when our mean lies within the tolerance of
/// the paper's number. The tolerance is two of the paper's standard deviations
/// ([`within_two_std`](Self::within_two_std)) where the paper gives one, and a stated number
/// ([`within`](Self::within)) otherwise. A claim without a number ("CMN is above thresh") holds if
/// its condition does ([`holds_if`](Self::holds_if)). A claim that was never decided is "not run".
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
    paper: Option<Value>,
    ours: Option<Value>,
    spread: Option<Value>,
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
            paper: None,
            ours: None,
            spread: None,
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

    /// Decides: holds if |ours − paper| ≤ `tolerance`. Differs if either number is missing or not
    /// finite.
    #[must_use]
    pub fn within(self, tolerance: f64) -> Self {
        self.decide(tolerance, "the tolerance")
    }

    /// Decides with a tolerance of two of the paper's standard deviations.
    #[must_use]
    pub fn within_two_std(self, paper_std: f64) -> Self {
        self.decide(2.0 * paper_std, "two of the paper's standard deviations")
    }

    /// Decides by a condition; `reason` says what was compared.
    #[must_use]
    pub fn holds_if(mut self, holds: bool, reason: impl Into<String>) -> Self {
        self.verdict = if holds { Verdict::Holds } else { Verdict::Differs };
        self.reason = reason.into();
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
            Some(reason) => Self { ours: None, spread: None, ..self }.not_run(reason),
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
            Verdict::Holds | Verdict::NotRun => self,
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

    /// The spread of ours over trials.
    pub fn spread(&self) -> Option<&Value> {
        self.spread.as_ref()
    }

    /// What it is judged on.
    pub fn kind(&self) -> ClaimKind {
        self.kind
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Why the verdict is what it is.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    fn decide(mut self, tolerance: f64, rule: &str) -> Self {
        self.tolerance = Some(Value::Number(tolerance));
        let (verdict, reason) = match (&self.ours, &self.paper) {
            (Some(Value::Number(ours)), Some(Value::Number(paper)))
                if ours.is_finite() && paper.is_finite() =>
            {
                let gap = (ours - paper).abs();
                let verdict = if gap <= tolerance { Verdict::Holds } else { Verdict::Differs };
                let place = if gap <= tolerance { "within" } else { "outside" };
                let (gap, tolerance) =
                    (crate::format::number(gap), crate::format::number(tolerance));
                (verdict, format!("{gap} from the paper, {place} {tolerance} ({rule})"))
            }
            (None, _) => (Verdict::NotRun, "we have no number to compare".to_owned()),
            _ => (Verdict::Differs, "there are no two finite numbers to compare".to_owned()),
        };
        self.verdict = verdict;
        self.reason = reason;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        Claim::new("a", "Section 1", "a number")
    }

    #[test]
    fn verdict_follows_the_tolerance_rule() {
        let table = [
            (claim().paper(1.0).ours(1.5, 0.1).within(0.5), Verdict::Holds),
            (claim().paper(1.0).ours(1.6, 0.1).within(0.5), Verdict::Differs),
            (claim().paper(1.0).ours(2.0, 0.1).within_two_std(0.5), Verdict::Holds),
            (claim().paper(1.0).ours(2.1, 0.1).within_two_std(0.5), Verdict::Differs),
            (claim().paper(1.0).ours(f64::NAN, 0.1).within(9.0), Verdict::Differs),
            (claim().paper("poor").ours(1.0, 0.0).within(9.0), Verdict::Differs),
            (claim().paper(1.0).within(9.0), Verdict::NotRun),
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
            "paper",
            "ours",
            "spread",
            "tolerance",
            "verdict",
            "reason",
        ];
        agreed.sort_unstable();
        assert_eq!(keys, agreed);
        assert_eq!(json["verdict"], "holds");
        assert_eq!(json["kind"], "paper's data");
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

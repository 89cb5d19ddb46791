//! What the claims of short runs came to when they were last kept.

use super::KeptRun;
use anyhow::{Context as _, Result};
use gaussfield_core::files::write_atomically;
use gaussfield_report::{Claim, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

/// The verdicts of short runs, by paper and claim.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Baseline {
    papers: BTreeMap<String, BTreeMap<String, Verdict>>,
}

/// A short run beside the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Claims that held and hold.
    pub hold: usize,
    /// Claims that held and were not run, say little or are gone, with what they are now.
    pub unchecked: Vec<String>,
    /// Claims that held and differ, with the reason.
    pub lost: Vec<String>,
}

impl Baseline {
    /// The baseline in a file; an empty one if there is no file.
    ///
    /// # Errors
    /// The file cannot be read or is no baseline.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Ok(Self::default());
        }
        let text = fs::read(path).with_context(|| path.display().to_string())?;
        serde_json::from_slice(&text).with_context(|| format!("{} is no baseline", path.display()))
    }

    /// Writes it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        Ok(write_atomically(path, &text)?)
    }

    /// Takes the verdicts of a run in place of those of its paper.
    pub fn take(&mut self, run: &KeptRun) {
        let verdicts = run.claims.iter().map(|claim| (claim.id().to_owned(), claim.verdict()));
        self.papers.insert(run.record.paper.clone(), verdicts.collect());
    }

    /// The papers it knows.
    pub fn papers(&self) -> impl Iterator<Item = &str> {
        self.papers.keys().map(String::as_str)
    }

    /// What became of the claims that held.
    pub fn compare(&self, run: &KeptRun) -> Comparison {
        let mut comparison = Comparison::default();
        let known = self.papers.get(&run.record.paper).into_iter().flatten();
        for (id, _) in known.filter(|(_, verdict)| **verdict == Verdict::Holds) {
            match run.claims.iter().find(|claim| claim.id() == id) {
                Some(claim) => comparison.add(claim),
                None => comparison.unchecked.push(format!("{id}: there is no such claim any more")),
            }
        }
        comparison
    }
}

impl Comparison {
    fn add(&mut self, claim: &Claim) {
        let words = || format!("{}: {}, {}", claim.id(), claim.verdict(), claim.reason());
        match claim.verdict() {
            Verdict::Holds => self.hold += 1,
            Verdict::Differs => self.lost.push(words()),
            Verdict::SaysLittle | Verdict::NotRun => self.unchecked.push(words()),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.hold + self.unchecked.len() + self.lost.len();
        write!(
            f,
            "of {held} claims that held, {} hold, {} differ, {} could not be compared",
            self.hold,
            self.lost.len(),
            self.unchecked.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::RunRecord;

    fn run(claims: Vec<Claim>) -> KeptRun {
        let record = RunRecord {
            paper: "tiny1999".to_owned(),
            title: String::new(),
            program: String::new(),
            commit: None,
            quick: true,
            trials: None,
            seed: 0,
            threads: 1,
            seconds: 1.0,
            taken_up: 0,
            other_build: false,
            data: Vec::new(),
        };
        KeptRun { record, claims }
    }

    fn claim(id: &str, holds: bool) -> Claim {
        Claim::new(id, "", "").holds_if(holds, "seen")
    }

    #[test]
    fn only_a_claim_that_held_can_be_lost() {
        let mut baseline = Baseline::default();
        let ids = ["kept", "lost", "gone", "unrun"];
        let before = ids.iter().map(|id| claim(id, true)).chain([claim("bad", false)]);
        baseline.take(&run(before.collect()));
        let now = run(vec![
            claim("kept", true),
            claim("lost", false),
            claim("unrun", true).not_run("no data"),
            claim("bad", false),
            claim("new", false),
        ]);
        let found = baseline.compare(&now);
        assert_eq!((found.hold, found.unchecked.len()), (1, 2));
        assert_eq!(found.lost, ["lost: differs, seen"]);
        let words = "of 4 claims that held, 1 hold, 1 differ, 2 could not be compared";
        assert_eq!(found.to_string(), words);
        assert_eq!(Baseline::default().compare(&now), Comparison::default());
    }

    #[test]
    fn a_baseline_reads_back() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("quick.json");
        assert_eq!(Baseline::read(&path).expect("no file"), Baseline::default());
        let mut baseline = Baseline::default();
        baseline.take(&run(vec![claim("a", true), claim("b", false)]));
        baseline.write(&path).expect("writable");
        assert_eq!(Baseline::read(&path).expect("readable"), baseline);
        assert_eq!(baseline.papers().collect::<Vec<_>>(), ["tiny1999"]);
        fs::write(&path, "[]").expect("writable");
        assert!(Baseline::read(&path).is_err());
    }
}

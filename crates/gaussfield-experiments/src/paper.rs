//! A paper, and the list of papers this crate reproduces.

use crate::Context;
use anyhow::{Result, bail};

/// A paper and the function that reproduces it.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// Short name used on the command line and for the output folder.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    /// Authors, as cited.
    pub authors: &'static str,
    /// Where and when it appeared.
    pub venue: &'static str,
    /// What it is about, in our own words: one paragraph.
    pub summary: &'static str,
    /// The data sets of the catalogue it needs besides those the library carries: of each the names
    /// that may serve, best first.
    pub data: &'static [&'static [&'static str]],
    /// Runs the experiments and fills the report.
    pub run: fn(&mut Context) -> Result<()>,
}

/// All papers this crate reproduces.
pub fn papers() -> &'static [Paper] {
    PAPERS
}

static PAPERS: &[Paper] = &[
    crate::zhu2003::PAPER,
    crate::zhu2003gp::PAPER,
    crate::kapoor2005::PAPER,
    crate::zhu2005::PAPER,
    crate::sindhwani2007::PAPER,
];

/// The papers of a list that the keys name, in the list's order and each once; `all` names every
/// one.
///
/// # Errors
/// A key is unknown, or none is given; the message lists the keys there are.
pub fn select<'a>(papers: &'a [Paper], keys: &[String]) -> Result<Vec<&'a Paper>> {
    let known =
        || papers.iter().map(|paper| paper.key).chain(["all"]).collect::<Vec<_>>().join(", ");
    if keys.is_empty() {
        bail!("no paper named; the keys are: {}", known());
    }
    if let Some(key) =
        keys.iter().find(|key| *key != "all" && papers.iter().all(|paper| paper.key != *key))
    {
        bail!("there is no paper \"{key}\"; the keys are: {}", known());
    }
    let named = |paper: &&Paper| keys.iter().any(|key| key == "all" || key == paper.key);
    Ok(papers.iter().filter(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn paper(key: &'static str) -> Paper {
        Paper { key, title: "", authors: "", venue: "", summary: "", data: &[], run: |_| Ok(()) }
    }

    static TWO: &[Paper] = &[paper("one2001"), paper("two2002")];

    fn keys(names: &[&str]) -> Result<Vec<&'static str>> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        Ok(select(TWO, &names)?.iter().map(|paper| paper.key).collect())
    }

    #[test]
    fn keys_select_each_paper_once() {
        assert_eq!(keys(&["two2002"]).expect("known"), ["two2002"]);
        assert_eq!(
            keys(&["two2002", "one2001", "two2002"]).expect("known"),
            ["one2001", "two2002"]
        );
        assert_eq!(keys(&["all"]).expect("known"), ["one2001", "two2002"]);
    }

    #[test]
    fn an_unknown_key_is_answered_with_the_known_ones() {
        for names in [&["three"][..], &["all", "three"], &[]] {
            let message = keys(names).expect_err("unknown").to_string();
            assert!(message.contains("one2001, two2002, all"), "{message}");
        }
    }
}

//! The steps that run the release build: golden vectors and a quick
//! reproduction.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::command::Exit;
use crate::experiments::{build, program};
use crate::process::{root, run, target};

/// A golden file, and how many of its cases wait for crates still to come.
struct Golden {
    file: &'static str,
    unsupported: usize,
}

/// Fifteen cases concern the label entropy, which no crate computes yet.
const GOLDEN: &[Golden] = &[Golden { file: "zhu2003_harmonic.json", unsupported: 15 }];

pub(crate) fn golden() -> anyhow::Result<Exit> {
    let built = build()?;
    if !built.is_success() {
        return Ok(built);
    }
    for Golden { file, unsupported } in GOLDEN {
        let path = root().join("crates/gaussfield-experiments/tests/golden").join(file);
        // The program's status is 1 while a case is unsupported: its last line decides.
        let printed = program("golden", &[path.into()]).output().context("cannot run cargo")?;
        let text = String::from_utf8_lossy(&printed.stdout);
        let Some(counts) = text.lines().last().and_then(Counts::parse) else {
            let words = String::from_utf8_lossy(&printed.stderr);
            bail!("{file}: no summary in the last line of\n{text}{words}");
        };
        for line in text.lines().filter(|line| line.contains("FAIL")) {
            println!("{line}");
        }
        println!("{file}: {counts:?}");
        counts.accept(*unsupported).with_context(|| file.to_string())?;
    }
    Ok(Exit::SUCCESS)
}

/// The golden runner's last line.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    ok: usize,
    failed: usize,
    unsupported: usize,
}

impl Counts {
    /// Reads `N cases: A ok, B failed, C unsupported`.
    fn parse(line: &str) -> Option<Counts> {
        let (total, rest) = line.trim().split_once(" cases: ")?;
        let mut parts = rest.split(", ").map(|part| part.split_once(' '));
        let mut count = |word: &str| {
            let (number, found) = parts.next()??;
            (found == word).then(|| number.parse::<usize>().ok())?
        };
        let counts = Counts {
            ok: count("ok")?,
            failed: count("failed")?,
            unsupported: count("unsupported")?,
        };
        let sum = counts.ok + counts.failed + counts.unsupported;
        (total.parse() == Ok(sum) && parts.next().is_none()).then_some(counts)
    }

    fn accept(&self, unsupported: usize) -> anyhow::Result<()> {
        ensure!(self.failed == 0, "{} cases fail", self.failed);
        ensure!(self.ok > 0, "no case was computed");
        ensure!(
            self.unsupported <= unsupported,
            "{} cases are unsupported, {unsupported} are known to be",
            self.unsupported
        );
        Ok(())
    }
}

pub(crate) fn reproduce() -> anyhow::Result<Exit> {
    let built = build()?;
    if !built.is_success() {
        return Ok(built);
    }
    let folder = target().join("validate").join("reproduce");
    // From nothing each time: what is left is what this run wrote.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let options = ["zhu2003".into(), "--quick".into(), "--out".into(), folder.clone().into()];
    let exit = run(&mut program("reproduce", &options))?;
    if exit.is_success() {
        for name in ["report.html", "claims.json"] {
            let found = find(&folder, name)?;
            ensure!(found.is_some(), "the run wrote no {name} under {}", folder.display());
        }
    }
    Ok(exit)
}

/// The first non-empty file of that name under a folder.
fn find(folder: &Path, name: &str) -> anyhow::Result<Option<PathBuf>> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            if let Some(found) = find(&path, name)? {
                return Ok(Some(found));
            }
        } else if path.file_name().is_some_and(|n| n == name) && path.metadata()?.len() > 0 {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_line() {
        let counts = Counts { ok: 30, failed: 1, unsupported: 8 };
        assert_eq!(Counts::parse("39 cases: 30 ok, 1 failed, 8 unsupported"), Some(counts));
        for line in [
            "",
            "39 cases",
            "38 cases: 30 ok, 1 failed, 8 unsupported",
            "39 cases: 30 ok, 1 failed",
            "39 cases: 30 failed, 1 ok, 8 unsupported",
            "39 cases: 30 ok, 1 failed, 8 unsupported, 0 lost",
        ] {
            assert_eq!(Counts::parse(line), None, "{line}");
        }
    }

    #[test]
    fn verdicts() {
        let accept = |ok, failed, unsupported| Counts { ok, failed, unsupported }.accept(8);
        assert!(accept(30, 0, 8).is_ok());
        assert!(accept(38, 0, 0).is_ok());
        assert!(accept(30, 0, 9).is_err());
        assert!(accept(30, 1, 0).is_err());
        assert!(accept(0, 0, 0).is_err());
    }

    #[test]
    fn files_are_found_at_any_depth() {
        let found = find(&root().join("xtask"), "results.rs").unwrap();
        assert!(found.is_some_and(|path| path.ends_with("src/validate/results.rs")));
        assert_eq!(find(&root().join("xtask"), "report.html").unwrap(), None);
    }
}

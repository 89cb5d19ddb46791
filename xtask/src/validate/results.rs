//! The steps that run the release build: golden vectors and a quick
//! reproduction of every paper.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::command::Exit;
use crate::experiments::launch;
use crate::process::{root, target};

/// Every golden file there is: the crates compute each of their cases.
pub(crate) fn golden() -> anyhow::Result<Exit> {
    let folder = root().join("crates/gaussfield-golden/tests/golden");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path.into_os_string());
        }
    }
    ensure!(!files.is_empty(), "there is no golden file in {}", folder.display());
    files.sort();
    launch("golden", &files)
}

pub(crate) fn reproduce() -> anyhow::Result<Exit> {
    let folder = target().join("validate").join("reproduce");
    // From nothing each time: what is left is what this run wrote.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let in_folder = |words: &[&str]| -> Vec<OsString> {
        words.iter().map(OsString::from).chain([folder.clone().into()]).collect()
    };
    let exit = launch("reproduce", &in_folder(&["all", "--quick", "--offline", "--out"]))?;
    if !exit.is_success() {
        return Ok(exit);
    }
    for name in ["report.html", "claims.json"] {
        let found = find(&folder, name)?;
        ensure!(found.is_some(), "the run wrote no {name} under {}", folder.display());
    }
    launch("results", &in_folder(&["--check", "--from"]))
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
    fn files_are_found_at_any_depth() {
        let found = find(&root().join("xtask"), "spdx.rs").unwrap();
        assert!(found.is_some_and(|path| path.ends_with("src/validate/spdx.rs")));
        assert_eq!(find(&root().join("xtask"), "report.html").unwrap(), None);
    }
}

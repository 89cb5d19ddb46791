//! Versions that occur twice: those that `deny.toml` names, and no others; and no crate that it bans. `cargo
//! deny` says the same, where it is installed.

use std::collections::BTreeMap;

use anyhow::{Context, bail};

use crate::process::root;

/// Compares `Cargo.lock` with the lists `skip` and `deny` of `deny.toml`.
pub(super) fn check() -> anyhow::Result<String> {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).context(name.to_owned());
    let (lock, rules) = (read("Cargo.lock")?, read("deny.toml")?);
    let (versions, skipped) = (versions(&lock), skipped(&rules));
    if versions.is_empty() {
        bail!("Cargo.lock names no package");
    }
    let mut problems = problems(&versions, &skipped);
    let banned = listed(&rules, "deny").filter(|name| versions.contains_key(name));
    problems.extend(banned.map(|name| format!("{name} is banned by deny.toml")));
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    Ok(format!("{} packages; the {} that occur twice are told", versions.len(), skipped.len()))
}

/// The versions of each package of a lock file, in its order.
fn versions(lock: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = None;
    for line in lock.lines() {
        if let Some(own) = quoted(line, "name = ") {
            name = Some(own);
        } else if let (Some(version), Some(name)) = (quoted(line, "version = "), name.take()) {
            found.entry(name).or_default().push(version);
        }
    }
    found
}

/// The crates that a list of `deny.toml` names.
fn listed<'a>(rules: &'a str, list: &str) -> impl Iterator<Item = &'a str> {
    let start = format!("{list} = [");
    let entries = rules.lines().skip_while(move |line| *line != start);
    let entries = entries.take_while(|line| !line.starts_with(']'));
    entries.filter_map(|line| quoted(line.trim_start(), "{ crate = "))
}

/// `NAME@VERSION` of the list `skip`, the version perhaps with its first numbers only.
fn skipped(rules: &str) -> Vec<(&str, &str)> {
    listed(rules, "skip").filter_map(|named| named.split_once('@')).collect()
}

/// What stands between the quotes after these words.
fn quoted<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    line.strip_prefix(words)?.strip_prefix('"')?.split_once('"').map(|(inside, _)| inside)
}

fn problems(versions: &BTreeMap<&str, Vec<&str>>, skipped: &[(&str, &str)]) -> Vec<String> {
    let is = |version: &str, of: &str| version == of || version.starts_with(&format!("{of}."));
    let mut problems = Vec::new();
    for (name, versions) in versions {
        let told = |version: &&&str| skipped.iter().any(|(own, of)| own == name && is(version, of));
        let new: Vec<&str> = versions.iter().filter(|version| !told(version)).copied().collect();
        if new.len() > 1 {
            let all = new.join(", ");
            problems.push(format!(
                "{name} occurs as {all}: let them meet, or name one with its reason in `skip` of deny.toml"
            ));
        }
    }
    for (name, of) in skipped {
        let own = versions.get(name).map_or(&[][..], Vec::as_slice);
        if own.len() < 2 || !own.iter().any(|version| is(version, of)) {
            problems.push(format!("{name}@{of} occurs once or never: take it out of deny.toml"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n\n[[package]]\nname = \"a\"\n\
                        version = \"2.0.0\"\n\n[[package]]\nname = \"b\"\nversion = \"0.1.0\"\n";

    fn problems_of(rules: &str) -> Vec<String> {
        problems(&versions(LOCK), &skipped(rules))
    }

    #[test]
    fn a_new_version_and_one_that_went_are_told() {
        let told = problems_of("skip = [\n]\n");
        assert!(told.len() == 1 && told[0].starts_with("a occurs as 1.2.3, 2.0.0"), "{told:?}");
        let entry =
            |named: &str| format!("skip = [\n    {{ crate = \"{named}\", reason = \"b\" }},\n]\n");
        assert_eq!(problems_of(&entry("a@1")), [""; 0]);
        assert_eq!(problems_of(&entry("a@1.2.3")), [""; 0]);
        assert_eq!(problems_of(&entry("a@1.20")).len(), 2);
        assert_eq!(problems_of(&entry("b@0.1")).len(), 2);
    }

    #[test]
    fn ours_are_told() {
        let told = check().unwrap();
        assert!(told.contains("packages"), "{told}");
        let rules = std::fs::read_to_string(root().join("deny.toml")).unwrap();
        assert_eq!(listed(&rules, "deny").collect::<Vec<_>>(), ["openssl-sys"]);
    }
}

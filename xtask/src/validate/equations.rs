//! Citations of equations: `[zhu2003 (5)]` in the code, and their list in `docs/equations.md`.
//!
//! The list has a heading `## KEY: …` for each paper and a row `| (N) | what it says | where |` for each
//! of its equations. Where is one or more Rust files in backticks, each of which then carries the
//! tag, or begins with "not needed" and says why.

use std::collections::BTreeMap;

use anyhow::bail;

use super::tidy::File;

/// The papers, as they are cited.
const KEYS: &[&str] = &["zhu2003", "zhu2003gp", "zhu2005", "kapoor2005", "sindhwani2007"];

/// From `zhu2003 (5)` to the files that carry it; none for what is not needed.
pub(super) type List = BTreeMap<String, Vec<String>>;

/// Reads the list.
pub(super) fn list(text: &str) -> anyhow::Result<List> {
    let (mut list, mut key) = (List::new(), None);
    for (at, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            key = KEYS.iter().find(|key| heading.split([':', ' ']).next() == Some(key));
            continue;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let (Some(key), ["", number, words, place, ""]) = (key, cells.as_slice()) else { continue };
        if !number.starts_with('(') {
            continue; // the head of the table
        }
        let quoted = place.split('`').skip(1).step_by(2);
        let files: Vec<String> =
            quoted.filter(|word| word.ends_with(".rs")).map(str::to_string).collect();
        if words.is_empty() || (files.is_empty() && !place.starts_with("not needed")) {
            bail!("docs/equations.md, line {}: what it says, and a file or \"not needed\"", at + 1);
        }
        if list.insert(format!("{key} {number}"), files).is_some() {
            bail!("docs/equations.md, line {}: {key} {number} is listed twice", at + 1);
        }
    }
    for key in KEYS {
        complete(&list, key)?;
    }
    Ok(list)
}

/// A paper's equations are listed without a gap.
fn complete(list: &List, key: &str) -> anyhow::Result<()> {
    let own = || list.keys().filter_map(|tag| tag.strip_prefix(key)?.strip_prefix(" ("));
    let numbers: Vec<usize> = own().filter_map(|tag| tag.strip_suffix(')')?.parse().ok()).collect();
    let largest = numbers.iter().max().copied().unwrap_or(0);
    if own().next().is_none() || numbers.len() != largest {
        bail!("docs/equations.md lists {} of the {largest} equations of {key}", numbers.len());
    }
    Ok(())
}

/// What is wrong between the list and the code.
pub(super) fn check(list: &List, code: &[File]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in code {
        for (line, tag) in tags(&file.text) {
            if !list.contains_key(tag) {
                let place = format!("{}:{line}", file.path);
                problems
                    .push(format!("{place} cites [{tag}], which docs/equations.md does not list"));
            }
        }
        let library = file.path.starts_with("crates/") && file.path.contains("/src/");
        for (line, words) in if library { loose(&file.text) } else { Vec::new() } {
            problems.push(format!(
                "{}:{line} cites an equation as `{words}`: write [KEY (N)]",
                file.path
            ));
        }
    }
    for (tag, files) in list {
        for path in files {
            let file = code.iter().find(|file| file.path == *path);
            if !file.is_some_and(|file| tags(&file.text).iter().any(|(_, other)| other == tag)) {
                problems.push(format!("docs/equations.md: [{tag}] is not in {path}"));
            }
        }
    }
    problems
}

/// The tags of a text, without their brackets, with their lines.
fn tags(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for (start, _) in line.match_indices('[') {
            let inside = line[start + 1..].split(']').next().unwrap_or_default();
            let key = inside.split(' ').next().unwrap_or_default();
            if KEYS.contains(&key) && inside[key.len()..].starts_with(" (") {
                found.push((at + 1, inside));
            }
        }
    }
    found
}

/// Equations cited by number in any other way, such as `eq. (5)`, `Eqs. 3`, `equation (7)`.
fn loose(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut before = ' ';
        for (start, letter) in line.char_indices() {
            let rest = &line[start..];
            if !before.is_alphanumeric() && before != '.' && before != '_' && cites(rest) {
                found.push((at + 1, rest.chars().take(10).collect::<String>().trim().to_string()));
            }
            before = letter;
        }
    }
    found
}

/// Whether a text begins with a word for equations and a number.
fn cites(text: &str) -> bool {
    let words = ["equations", "equation", "eqs.", "eq.", "eqs", "eqn.", "eq"];
    let after = words.iter().find_map(|word| {
        let (start, rest) = text.split_at_checked(word.len())?;
        start.eq_ignore_ascii_case(word).then_some(rest)
    });
    after.is_some_and(|rest| {
        let number = rest.trim_start();
        let number = number.strip_prefix('(').unwrap_or(number);
        // `eq(0..n)` is a call.
        rest.starts_with(' ') && number.starts_with(|c: char| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
# Equations

## zhu2003: a paper
| equation | what it says | where |
|---|---|---|
| (1) | weights | `crates/g/src/a.rs`, `crates/g/src/b.rs` |
| (2) | energy | not needed: it is never formed |
## zhu2003gp
| (1) | w | not needed: x |
## zhu2005
| (1) | w | not needed: x |
## kapoor2005
| (1) | w | not needed: x |
## sindhwani2007
| (kernel) | w | not needed: x |
";

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn the_list_is_read_and_must_be_whole() {
        let list = list(LIST).unwrap();
        assert_eq!(list["zhu2003 (1)"], ["crates/g/src/a.rs", "crates/g/src/b.rs"]);
        assert_eq!(list["zhu2003 (2)"], [""; 0]);
        assert_eq!(list.len(), 6);
        for (part, worse, needle) in [
            ("| (2) |", "| (3) |", "lists 2 of the 3"),
            ("| (2) |", "| (1) |", "twice"),
            ("not needed: it", "it", "line 7"),
            ("| energy |", "| |", "line 7"),
            ("## zhu2005", "## other", "lists 0 of the 0 equations of zhu2005"),
        ] {
            let error = super::list(&LIST.replace(part, worse)).unwrap_err().to_string();
            assert!(error.contains(needle), "{error}");
        }
    }

    #[test]
    fn list_and_code_are_compared_both_ways() {
        let list = list(LIST).unwrap();
        let a = file("crates/g/src/a.rs", "//! W [zhu2003 (1)], [sindhwani2007 (kernel)].\n");
        let b = file("crates/g/src/b.rs", "//! W.\nlet x = y[zhu2003]; // [zhu2003 (9)]\n");
        let problems = check(&list, &[a, b]);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("b.rs:2 cites [zhu2003 (9)]"));
        assert!(problems[1].contains("[zhu2003 (1)] is not in crates/g/src/b.rs"));
    }

    #[test]
    fn other_spellings_are_refused_in_libraries_only() {
        let spelt = [
            "Zhu et al. 2003, eq. (5)",
            "(eq. 45)",
            "Eqs. (7) and (8)",
            "by equation (1)",
            "equations 3 and 4",
        ];
        for text in spelt {
            assert_eq!(loose(text).len(), 1, "{text}");
        }
        for text in ["all.eq(0..n)", "the equation (of motion)", "seq. 5", "eq. [zhu2003 (5)]"] {
            assert!(loose(text).is_empty(), "{text}");
        }
        let list = list(&LIST.replace("`crates/g/src/a.rs`, `crates/g/src/b.rs`", "not needed: x"));
        let list = list.unwrap();
        let problem = check(&list, &[file("crates/g/src/c.rs", "// eq. (5)\n")]);
        assert!(problem[0].contains("c.rs:1 cites an equation as `eq. (5)`"), "{problem:?}");
        assert!(check(&list, &[file("benches/c.rs", "// eq. (5)\n")]).is_empty());
    }
}

//! What a reader may count on in every file: it says what it is, it is short, it names no place of
//! one machine, a crate has one test program, equations are cited in one way that
//! `docs/equations.md` lists, and the compiler checks its code but where foreign functions are called.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::{equations, foreign};
use crate::command::Exit;
use crate::process::root;

/// The folders whose Rust files are looked at.
const CODE: &[&str] = &["benches", "crates", "fuzz", "xtask"];

/// The folders and files whose text is looked at for places of one machine.
const TEXT: &[&str] = &[
    ".ci",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "README.md",
    "benches",
    "crates",
    "datasets",
    "deny.toml",
    "docs",
    "fuzz",
    "xtask",
];

const LONGEST: usize = 400;

/// The parts of paths that are somebody's own. (In pieces, so that this file may be looked at.)
const OWN: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/tm", "p/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("C:", "\\Users"),
];

/// A file with its path from the workspace's root, with `/` everywhere.
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

pub(crate) fn check() -> anyhow::Result<Exit> {
    let code = files(CODE, &["rs"])?;
    let mut problems: Vec<String> = code.iter().flat_map(form).collect();
    for file in files(TEXT, &["html", "md", "rs", "sh", "toml", "yml"])? {
        problems.extend(own_places(&file));
    }
    let listed = files(&["docs/equations.md"], &["md"])?;
    let [list] = listed.as_slice() else { bail!("there is no docs/equations.md") };
    let list = equations::list(&list.text)?;
    problems.extend(equations::check(&list, &code));
    problems.extend(foreign::check(&code));
    if !problems.is_empty() {
        bail!("{} untidy:\n  {}", problems.len(), problems.join("\n  "));
    }
    println!("{} files and {} equations in order", code.len(), list.len());
    Ok(Exit::SUCCESS)
}

/// What is wrong with how a file begins, where it stands, how long it is, how formulas are written.
fn form(file: &File) -> Vec<String> {
    let mut problems = Vec::new();
    let File { path, text } = file;
    if !["//!", "#![doc = include_str!"].iter().any(|start| text.starts_with(start)) {
        problems.push(format!("{path} does not begin with a `//!` line that says what it is"));
    }
    if is_test_program(path) && !text.contains("in a process of its own") {
        problems.push(format!("{path} is a test program: make it a module of tests/all/main.rs"));
    }
    let lines = text.lines().count();
    if lines > LONGEST {
        problems.push(format!("{path} has {lines} lines, more than {LONGEST}: part it"));
    }
    // TeX between backslashed brackets loses its own backslashes in Markdown.
    for (at, line) in text.lines().enumerate() {
        let comment = ["//!", "///"].iter().any(|start| line.trim_start().starts_with(start));
        if comment && [r"\\(", r"\\["].iter().any(|mark| line.contains(mark)) {
            let place = format!("{path}:{}", at + 1);
            problems.push(format!("{place} has TeX in brackets: write $`…`$ or a block `math`"));
        }
    }
    problems
}

/// Whether cargo makes a test program of a file, other than the one each crate has.
fn is_test_program(path: &str) -> bool {
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["crates", _, "tests", _] => true,
        ["crates", _, "tests", folder, "main.rs"] => *folder != "all",
        _ => false,
    }
}

/// Places of one machine, with their lines.
fn own_places(file: &File) -> Vec<String> {
    let numbered = file.text.lines().enumerate();
    let found = numbered.filter_map(|(at, line)| {
        let place = OWN.iter().find(|place| line.contains(*place))?;
        Some(format!("{}:{} names `{place}`, a place of one machine", file.path, at + 1))
    });
    found.collect()
}

/// The files with these extensions in these folders, by path; links are not followed.
fn files(places: &[&str], extensions: &[&str]) -> anyhow::Result<Vec<File>> {
    let (root, mut found) = (root(), Vec::new());
    let mut open: Vec<PathBuf> = places.iter().map(|place| root.join(place)).collect();
    while let Some(path) = open.pop() {
        let kind = path.symlink_metadata().with_context(|| path.display().to_string())?;
        if kind.is_dir() {
            for entry in path.read_dir().with_context(|| path.display().to_string())? {
                let path = entry?.path();
                // Builds and fetched data are nobody's prose.
                if !["cache", "target"].iter().any(|name| path.ends_with(name)) {
                    open.push(path);
                }
            }
        } else if kind.is_file() && has_extension(&path, extensions) {
            let text =
                std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let parts = path.strip_prefix(&root).unwrap_or(&path).components();
            let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
            found.push(File { path: parts.join("/"), text });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let own = path.extension().unwrap_or_default();
    extensions.iter().any(|extension| own == *extension) || path.ends_with(".ci/run")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn a_file_says_what_it_is_and_is_short() {
        assert_eq!(form(&file("a.rs", "//! What it is.\n")), [""; 0]);
        assert_eq!(form(&file("a.rs", "#![doc = include_str!(\"guide.md\")]\n")), [""; 0]);
        assert!(form(&file("a.rs", "use x;\n"))[0].contains("does not begin"));
        let tex = "//! Of\n/// \\\\(x\\\\), not $`x`$.\n";
        assert!(form(&file("a.rs", tex))[0].starts_with("a.rs:2 has TeX"));
        let long = format!("//! Long.\n{}", "\n".repeat(LONGEST));
        assert!(form(&file("a.rs", &long))[0].contains("401 lines"));
    }

    #[test]
    fn a_crate_has_one_test_program() {
        for path in ["crates/g/tests/laws.rs", "crates/g/tests/laws/main.rs"] {
            assert!(form(&file(path, "//! Laws.\n"))[0].contains("tests/all/main.rs"));
            let own = "//! The most memory, measured in a process of its own.\n";
            assert_eq!(form(&file(path, own)), [""; 0]);
        }
        for path in
            ["crates/g/tests/all/main.rs", "crates/g/tests/all/laws.rs", "crates/g/src/a.rs"]
        {
            assert_eq!(form(&file(path, "//! Laws.\n")), [""; 0]);
        }
    }

    #[test]
    fn places_of_one_machine_are_found_with_their_line() {
        let text = format!("fine\nsee {}me/data\n", OWN[0]);
        let found = own_places(&file("a.md", &text));
        assert!(found.len() == 1 && found[0].starts_with("a.md:2"), "{found:?}");
    }

    #[test]
    fn this_file_is_among_those_looked_at() {
        let found = files(&["xtask"], &["rs"]).unwrap();
        assert!(found.iter().any(|file| file.path == "xtask/src/validate/tidy.rs"));
        assert!(found.iter().all(|file| file.path.ends_with(".rs")));
    }
}

//! The architecture: which crate must know nothing of which.
//!
//! Dependencies point one way, from later to earlier in the order of use. A row
//! adds what a crate must never reach besides, not even through others, and
//! what it may reach but must not name itself. Only normal dependencies count:
//! tests may look anywhere.

use std::collections::BTreeSet;

use anyhow::bail;

use super::tree;
use crate::command::Exit;

/// What one crate must not depend on, besides the crates after it.
struct Row {
    name: &'static str,
    /// Forbidden, however long the way.
    never: &'static [&'static str],
    /// Forbidden as a direct dependency only.
    not_directly: &'static [&'static str],
}

/// The library crates in the order of use: none may reach a later one.
const LIBRARIES: &[Row] = &[
    Row { name: "gaussfield-points", never: &[], not_directly: &[] },
    Row { name: "gaussfield-labels", never: &["gaussfield-points"], not_directly: &[] },
    Row { name: "gaussfield-kernel", never: &["gaussfield-labels"], not_directly: &[] },
    Row { name: "gaussfield-data", never: &[], not_directly: &[] },
    Row {
        name: "gaussfield-graph",
        never: &["gaussfield-labels", "gaussfield-data"],
        not_directly: &[],
    },
    Row {
        name: "gaussfield-laplacian",
        never: &["gaussfield-labels", "gaussfield-data"],
        // Points are known to the graph, through which they come along.
        not_directly: &["gaussfield-points"],
    },
    Row { name: "gaussfield-harmonic", never: &["gaussfield-data"], not_directly: &[] },
    Row { name: "gaussfield-gp", never: &["gaussfield-data"], not_directly: &[] },
    Row {
        name: "gaussfield-mixture",
        never: &["gaussfield-data", "gaussfield-gp"],
        not_directly: &[],
    },
    Row { name: "gaussfield-tune", never: &["gaussfield-data"], not_directly: &[] },
    Row { name: "gaussfield-baselines", never: &["gaussfield-data"], not_directly: &[] },
    Row { name: "gaussfield", never: &[], not_directly: &[] },
];

/// Libraries choose no backend and know no terminal.
const NEVER_IN_LIBRARIES: &[&str] = &[
    "clap",
    "gaussfield-cli",
    "gaussfield-experiments",
    "gaussfield-report",
    "indicatif",
    "openblas-src",
    "tracing-subscriber",
];

/// A library's error is its own enum. (Through others it may come: argmin.)
const NOT_DIRECTLY_IN_LIBRARIES: &[&str] = &["anyhow"];

/// Programs. Only the commands of the workspace have something to avoid: they
/// must build where OpenBLAS is not yet installed.
const PROGRAMS: &[Row] = &[
    Row { name: "gaussfield-benches", never: &[], not_directly: &[] },
    Row { name: "gaussfield-cli", never: &[], not_directly: &[] },
    Row { name: "gaussfield-experiments", never: &[], not_directly: &[] },
    Row {
        name: "gaussfield-golden",
        never: &["gaussfield-data", "gaussfield-experiments"],
        not_directly: &[],
    },
    // It writes on terminals, and so is no library; but whoever has numbers may use it.
    Row { name: "gaussfield-report", never: METHODS, not_directly: &[] },
    Row { name: "xtask", never: &["openblas-src", "ndarray"], not_directly: &[] },
];

/// Rooms of data and methods, which pages and figures know nothing of.
const METHODS: &[&str] = &[
    "gaussfield",
    "gaussfield-baselines",
    "gaussfield-data",
    "gaussfield-experiments",
    "gaussfield-gp",
    "gaussfield-graph",
    "gaussfield-harmonic",
    "gaussfield-kernel",
    "gaussfield-labels",
    "gaussfield-laplacian",
    "gaussfield-mixture",
    "gaussfield-points",
    "gaussfield-tune",
    "openblas-src",
];

pub(crate) fn check() -> anyhow::Result<Exit> {
    let members = names(&["--workspace", "--depth", "0"])?;
    let mut problems = Vec::new();
    let mut looked_at = 0;
    for member in &members {
        let Some((never, not_directly)) = forbidden(member) else {
            problems.push(format!("{member} has no row in xtask's table of edges: add one"));
            continue;
        };
        looked_at += never.len() + not_directly.len();
        let normal = ["--package", member, "--edges", "normal"];
        let reached = names(&normal)?;
        let direct = names(&[&normal[..], &["--depth", "1"]].concat())?;
        problems.extend(broken(member, &never, &reached, "reaches"));
        problems.extend(broken(member, &not_directly, &direct, "depends directly on"));
    }
    if !problems.is_empty() {
        bail!(
            "{} broken:\n  {}\n`cargo tree -p CRATE -e normal -i OTHER` shows the way",
            problems.len(),
            problems.join("\n  ")
        );
    }
    println!("{} crates, {looked_at} absent edges are absent", members.len());
    Ok(Exit::SUCCESS)
}

/// The two lists for a crate, the rules for all libraries included.
fn forbidden(name: &str) -> Option<(Vec<&'static str>, Vec<&'static str>)> {
    if let Some(row) = PROGRAMS.iter().find(|row| row.name == name) {
        return Some((row.never.to_vec(), row.not_directly.to_vec()));
    }
    let index = LIBRARIES.iter().position(|row| row.name == name)?;
    let row = &LIBRARIES[index];
    let mut never = [row.never, NEVER_IN_LIBRARIES].concat();
    never.extend(LIBRARIES[index + 1..].iter().map(|later| later.name));
    Some((never, [row.not_directly, NOT_DIRECTLY_IN_LIBRARIES].concat()))
}

fn broken(name: &str, forbidden: &[&str], found: &BTreeSet<String>, verb: &str) -> Vec<String> {
    forbidden
        .iter()
        .filter(|other| found.contains(**other))
        .map(|other| format!("{name} {verb} {other}"))
        .collect()
}

fn names(arguments: &[&str]) -> anyhow::Result<BTreeSet<String>> {
    Ok(tree::packages(arguments)?.into_iter().map(|package| package.name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_the_design() {
        let never = |name: &str| forbidden(name).unwrap().0;
        assert!(never("gaussfield-data").contains(&"gaussfield-graph"));
        assert!(never("gaussfield-labels").contains(&"gaussfield-points"));
        assert!(never("gaussfield-graph").contains(&"gaussfield-labels"));
        assert!(never("gaussfield-harmonic").contains(&"gaussfield-gp"));
        assert!(never("xtask").contains(&"openblas-src"));
        for row in LIBRARIES {
            assert!(never(row.name).contains(&"openblas-src"), "{}", row.name);
            assert!(never(row.name).contains(&"indicatif"), "{}", row.name);
        }
        let (never, not_directly) = forbidden("gaussfield-laplacian").unwrap();
        assert!(not_directly.contains(&"gaussfield-points"));
        assert!(!never.contains(&"gaussfield-points"), "it comes through the graph");
    }

    #[test]
    fn of_any_two_libraries_one_is_forbidden_to_the_other() {
        let forbids = |a: &str, b: &str| forbidden(a).unwrap().0.contains(&b);
        for a in LIBRARIES {
            assert!(!forbids(a.name, a.name), "{}", a.name);
            for b in LIBRARIES.iter().filter(|b| b.name != a.name) {
                assert!(
                    forbids(a.name, b.name) || forbids(b.name, a.name),
                    "{} and {}",
                    a.name,
                    b.name
                );
            }
        }
    }

    #[test]
    fn a_crate_without_a_row_has_no_rule() {
        assert!(forbidden("gaussfield-newcomer").is_none());
    }

    #[test]
    fn a_broken_edge_is_named() {
        let found = ["gaussfield-graph", "gaussfield-labels", "ndarray"];
        let found: BTreeSet<String> = found.iter().map(ToString::to_string).collect();
        let rows = broken("gaussfield-data", &["gaussfield-graph", "clap"], &found, "reaches");
        assert_eq!(rows, ["gaussfield-data reaches gaussfield-graph"]);
    }
}

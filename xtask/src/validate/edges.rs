//! The architecture: which crate must know nothing of which.
//!
//! The plan is the table of rooms in `docs/architecture.md`, and nothing here repeats it. A crate may
//! depend on crates above its own row only, never on what its row says it knows nothing of, not even
//! through others. The rows down to the umbrella are libraries, which choose no backend and know no
//! terminal. Only normal dependencies count: tests may look anywhere.

use std::collections::BTreeSet;

use anyhow::{Context, bail};

use super::tree;
use crate::command::Exit;
use crate::process::root;

const PLAN: &str = "docs/architecture.md";

/// The last library; the rows below it are programs and what serves them.
const UMBRELLA: &str = "gaussfield";

/// What the words of the plan's last column stand for.
const WORDS: &[(&str, &[&str])] = &[
    ("BLAS", &["ndarray", "openblas-src"]),
    ("GPs", &["gaussfield-gp"]),
    ("files", &["gaussfield-data"]),
    ("graphs", &["gaussfield-graph"]),
    ("harmonic functions", &["gaussfield-harmonic"]),
    ("kernels", &["gaussfield-kernel"]),
    ("labels", &["gaussfield-labels"]),
    (
        "methods",
        &[
            "gaussfield-baselines",
            "gaussfield-gp",
            "gaussfield-harmonic",
            "gaussfield-kernel",
            "gaussfield-laplacian",
            "gaussfield-mixture",
            "gaussfield-tune",
        ],
    ),
    ("mixtures", &["gaussfield-mixture"]),
    ("papers", &["gaussfield-experiments"]),
    ("points", &["gaussfield-points"]),
    ("solvers", &["gaussfield-laplacian"]),
    ("terminals", TERMINALS),
    ("tuning", &["gaussfield-tune"]),
    ("—", &[]),
];

const TERMINALS: &[&str] = &["clap", "indicatif", "tracing-subscriber"];

/// Features come along with a graph; whoever knows nothing of them does not name them.
const NOT_DIRECTLY: (&str, &str) = ("features", "gaussfield-points");

/// A library's error is its own enum. (Through others it may come: argmin.)
const NOT_DIRECTLY_IN_LIBRARIES: &str = "anyhow";

/// One room of the plan.
#[derive(Debug, PartialEq, Eq)]
struct Room {
    name: String,
    /// Forbidden, however long the way.
    never: BTreeSet<String>,
    /// Forbidden as a direct dependency only.
    not_directly: BTreeSet<String>,
}

pub(crate) fn check() -> anyhow::Result<Exit> {
    let plan = std::fs::read_to_string(root().join(PLAN)).context(PLAN)?;
    let rooms = rooms(&plan)?;
    let members = names(&["--workspace", "--depth", "0"])?;
    let mut problems = Vec::new();
    let mut looked_at = 0;
    for member in &members {
        let Some(room) = rooms.iter().find(|room| room.name == *member) else {
            problems.push(format!("{member} has no row in the table of rooms of {PLAN}: add one"));
            continue;
        };
        looked_at += room.never.len() + room.not_directly.len();
        let normal = ["--package", member, "--edges", "normal"];
        let reached = names(&normal)?;
        let direct = names(&[&normal[..], &["--depth", "1"]].concat())?;
        problems.extend(broken(member, &room.never, &reached, "reaches"));
        problems.extend(broken(member, &room.not_directly, &direct, "depends directly on"));
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

/// The rooms of the plan, in its order.
fn rooms(plan: &str) -> anyhow::Result<Vec<Room>> {
    let mut rows: Vec<(&str, &str)> = Vec::new();
    let head = "| crate |";
    let table = plan.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    for line in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", name, _, nothing_of, ""] = cells.as_slice() else {
            bail!("{PLAN}: a row of rooms has three cells, not `{line}`");
        };
        rows.push((name.trim_matches('`'), nothing_of));
    }
    let umbrella = rows.iter().position(|(name, _)| *name == UMBRELLA);
    let umbrella = umbrella.with_context(|| format!("{PLAN} has no table with `{UMBRELLA}`"))?;
    let room = |(at, &(name, nothing_of)): (usize, &(&str, &str))| {
        let mut room = Room { name: name.into(), never: BTreeSet::new(), not_directly: [].into() };
        room.never.extend(rows[at + 1..].iter().map(|(later, _)| later.to_string()));
        for word in nothing_of.split(',').map(str::trim) {
            if word == "every crate above" {
                room.never.extend(rows[..at].iter().map(|(earlier, _)| earlier.to_string()));
            } else if word == NOT_DIRECTLY.0 {
                room.not_directly.insert(NOT_DIRECTLY.1.into());
            } else {
                let known = WORDS.iter().find(|(known, _)| *known == word);
                let (_, crates) = known.with_context(|| {
                    format!("{PLAN}: {name} knows nothing of `{word}`, a word xtask does not know")
                })?;
                room.never.extend(crates.iter().map(ToString::to_string));
            }
        }
        if at <= umbrella {
            room.never.extend(TERMINALS.iter().map(ToString::to_string));
            room.never.insert("openblas-src".into());
            room.not_directly.insert(NOT_DIRECTLY_IN_LIBRARIES.into());
        }
        Ok(room)
    };
    rows.iter().enumerate().map(room).collect()
}

fn broken(
    name: &str,
    forbidden: &BTreeSet<String>,
    found: &BTreeSet<String>,
    verb: &str,
) -> Vec<String> {
    forbidden.intersection(found).map(|other| format!("{name} {verb} {other}")).collect()
}

fn names(arguments: &[&str]) -> anyhow::Result<BTreeSet<String>> {
    Ok(tree::packages(arguments)?.into_iter().map(|package| package.name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
text
| crate | takes → gives | knows nothing of |
|---|---|---|
| `gaussfield-points` | arrays → points | files, labels |
| `gaussfield-laplacian` | graph → solvers | features |
| `gaussfield` | umbrella | — |
| `gaussfield-cli` | words → files | tuning |
| `xtask` | commands | every crate above, BLAS |

| crate | of another table |
";

    fn has(set: &BTreeSet<String>, name: &str) -> bool {
        set.contains(name)
    }

    #[test]
    fn rules_follow_from_the_table() {
        let rooms = rooms(TABLE).unwrap();
        let names: Vec<&str> = rooms.iter().map(|room| room.name.as_str()).collect();
        let order = ["gaussfield-points", "gaussfield-laplacian", "gaussfield", "gaussfield-cli"];
        assert_eq!(names[..4], order);
        let [points, laplacian, umbrella, cli, xtask] = &rooms[..] else { panic!("{rooms:?}") };
        assert!(has(&points.never, "gaussfield-data"), "by its own words");
        assert!(has(&points.never, "gaussfield-laplacian"), "it comes later");
        assert!(has(&points.never, "openblas-src") && has(&umbrella.never, "clap"));
        assert!(has(&laplacian.not_directly, "gaussfield-points"));
        assert!(!has(&laplacian.never, "gaussfield-points"), "it comes through the graph");
        assert!(has(&umbrella.not_directly, "anyhow") && !has(&cli.not_directly, "anyhow"));
        assert!(has(&cli.never, "gaussfield-tune") && !has(&cli.never, "clap"));
        assert!(has(&xtask.never, "gaussfield-cli") && has(&xtask.never, "ndarray"));
    }

    #[test]
    fn the_plan_itself_can_be_read() {
        let plan = std::fs::read_to_string(root().join(PLAN)).unwrap();
        let rooms = rooms(&plan).unwrap();
        assert!(rooms.iter().any(|room| room.name == "xtask"));
    }

    #[test]
    fn what_the_plan_must_not_be() {
        for (part, worse, needle) in [
            ("features", "colours", "`colours`, a word xtask does not know"),
            ("`gaussfield` | umbrella | —", "`other` | umbrella | —", "no table with `gaussfield`"),
            ("| umbrella | —", "| umbrella", "three cells"),
        ] {
            let error = rooms(&TABLE.replace(part, worse)).unwrap_err().to_string();
            assert!(error.contains(needle), "{error}");
        }
    }

    #[test]
    fn a_broken_edge_is_named() {
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let found = set(&["gaussfield-graph", "gaussfield-labels", "ndarray"]);
        let rows =
            broken("gaussfield-data", &set(&["gaussfield-graph", "clap"]), &found, "reaches");
        assert_eq!(rows, ["gaussfield-data reaches gaussfield-graph"]);
    }
}

//! Reading `cargo tree`.

use std::collections::BTreeSet;

use anyhow::Context;

use crate::process::{cargo, output};

/// A package in the dependency tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The licence field of its manifest, as written; may be empty.
    pub(crate) licence: String,
}

/// The packages that `cargo tree` lists for these arguments, each once.
pub(crate) fn packages(arguments: &[&str]) -> anyhow::Result<BTreeSet<Package>> {
    let mut command = cargo();
    command.args(["tree", "--prefix", "none", "--format", "{p}|{l}"]).args(arguments);
    parse(&output(&mut command)?)
}

fn parse(text: &str) -> anyhow::Result<BTreeSet<Package>> {
    text.lines()
        // Only package lines have the bar; the rest are blank or headings.
        .filter(|line| line.contains('|'))
        .map(|line| package(line).with_context(|| format!("`cargo tree` printed `{line}`")))
        .collect()
}

/// `name vVERSION (folder or remark)|LICENCE (*)`, where `(*)` says "seen above".
fn package(line: &str) -> Option<Package> {
    let line = line.strip_suffix(" (*)").unwrap_or(line);
    let (identity, licence) = line.rsplit_once('|')?;
    let mut words = identity.split_whitespace();
    let name = words.next()?;
    let version = words.next()?.strip_prefix('v')?;
    Some(Package { name: name.into(), version: version.into(), licence: licence.trim().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_kind() {
        let text = "\
gaussfield-graph v0.1.0 (home/crates/gaussfield-graph)|MIT OR Apache-2.0
serde_derive v1.0.228 (proc-macro)|MIT OR Apache-2.0
ndarray v0.17.1|MIT OR Apache-2.0
ndarray v0.17.1|MIT OR Apache-2.0 (*)

nothing v0.0.1|
";
        let found: Vec<String> = parse(text)
            .unwrap()
            .iter()
            .map(|p| format!("{} {} [{}]", p.name, p.version, p.licence))
            .collect();
        let expected = [
            "gaussfield-graph 0.1.0 [MIT OR Apache-2.0]",
            "ndarray 0.17.1 [MIT OR Apache-2.0]",
            "nothing 0.0.1 []",
            "serde_derive 1.0.228 [MIT OR Apache-2.0]",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_line_that_is_not_understood_is_an_error() {
        assert!(parse("only|one").unwrap_err().to_string().contains("only|one"));
    }
}

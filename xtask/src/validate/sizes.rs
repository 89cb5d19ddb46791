//! The table of sizes in the README: how many packages a crate brings.

use anyhow::{Context, bail};

use super::tree;
use crate::command::Exit;
use crate::process::root;

const PAGE: &str = "README.md";
const HEAD: &str = "| crate | pure Rust | with `openblas` |";
/// A crate that has no feature for a backend.
const NONE: &str = "—";

pub(crate) fn check() -> anyhow::Result<Exit> {
    let page = std::fs::read_to_string(root().join(PAGE)).context(PAGE)?;
    let rows = rows(&page)?;
    let mut problems = Vec::new();
    for (name, plain, openblas) in &rows {
        let told = [(*plain, &[][..]), (*openblas, &["--features", "openblas"][..])];
        for (told, features) in told.into_iter().filter(|&(told, _)| told != NONE) {
            let of = [&["--package", name, "--edges", "normal"][..], features].concat();
            let found = tree::packages(&of)?.len();
            if told != found.to_string() {
                let with = features.last().map_or(String::new(), |with| format!(" with {with}"));
                problems.push(format!("{name}{with}: {found}, and the page says {told}"));
            }
        }
    }
    if !problems.is_empty() {
        bail!("the table of sizes in {PAGE} is not true:\n  {}", problems.join("\n  "));
    }
    println!("{} crates have the sizes of the table in {PAGE}", rows.len());
    Ok(Exit::SUCCESS)
}

/// Name, and the two cells beside it.
fn rows(page: &str) -> anyhow::Result<Vec<(&str, &str, &str)>> {
    let mut lines = page.lines().skip_while(|line| *line != HEAD).skip(2).peekable();
    lines.peek().with_context(|| format!("{PAGE} has no table `{HEAD}`"))?;
    let row = |line| match str::split(line, '|').map(str::trim).collect::<Vec<_>>()[..] {
        ["", name, plain, openblas, ""] => Ok((name.trim_matches('`'), plain, openblas)),
        _ => bail!("{PAGE}: a row of sizes has three cells, not `{line}`"),
    };
    lines.take_while(|line| line.starts_with('|')).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_a_missing_table_is_told() {
        let page = format!("text\n{HEAD}\n|---|---|---|\n| `a` | 16 | 76 |\n| `b` | 31 | — |\n\n|");
        assert_eq!(rows(&page).unwrap(), [("a", "16", "76"), ("b", "31", NONE)]);
        assert!(rows("nothing").unwrap_err().to_string().contains("no table"));
        assert!(rows(&page.replace("| 76", "")).unwrap_err().to_string().contains("three cells"));
        let own = std::fs::read_to_string(root().join(PAGE)).unwrap();
        assert!(rows(&own).unwrap().iter().any(|(name, ..)| *name == "gaussfield"));
    }
}

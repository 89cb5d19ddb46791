//! `cargo xtask results`: keeps runs in the repository, or compares short ones with
//! what is kept; `gaussfield-experiments` does the work.

use std::ffi::OsString;

use lexopt::Arg::{Long, Value};

use crate::command::Command;
use crate::experiments::launch;

pub(crate) const COMMAND: Command = Command {
    name: "results",
    summary: "Keep runs of the papers in docs/results, or compare with them",
    help: HELP,
    run: |arguments| {
        check(&arguments)?;
        launch("results", &arguments)
    },
};

const HELP: &str = "\
Keep runs of the papers in the repository, or compare short runs with those kept.

Usage: cargo xtask results [KEY…] [--from DIR]
       cargo xtask results [KEY…] --quick [--from DIR]
       cargo xtask results [KEY…] --check [--from DIR]

Without an option, copies claims, figures and page of the full runs found to
docs/results/KEY, with commit, digests of the data and time, and makes
docs/results/README.md and the headline of README.md anew. Short runs are not
kept there: only their verdicts are, by `--quick`, to compare later ones with.

Arguments:
  KEY…          Papers (default: every one that has a run)

Options:
      --from DIR  Runs are in DIR/KEY (default: target/reproduce)
      --quick     Keep the verdicts of short runs in docs/results/quick.json
      --check     Compare short runs with docs/results/quick.json; the exit
                  status is 1 if a claim that held differs
  -h, --help      Print this

Examples:
  cargo xtask results zhu2003
  cargo xtask results --check --from target/validate/reproduce";

fn check(arguments: &[OsString]) -> anyhow::Result<()> {
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Value(_) | Long("quick" | "check") => {}
            Long("from") => {
                parser.value()?;
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::is_usage;

    #[test]
    fn spelling() {
        let words = |line: &str| line.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        for line in ["", "zhu2003 zhu2005", "--quick --from there", "zhu2003 --check"] {
            check(&words(line)).unwrap_or_else(|e| panic!("{line}: {e}"));
        }
        for line in ["--kwick", "--from", "zhu2003 --check=yes"] {
            assert!(is_usage(&check(&words(line)).unwrap_err()), "{line}");
        }
    }
}

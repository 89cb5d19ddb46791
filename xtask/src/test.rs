//! `cargo xtask test`: the whole test suite.

use std::ffi::OsString;

use lexopt::Arg::Value;

use crate::command::{Command, Exit, usage};
use crate::process::{cargo, cargo_with_blas, quiet, run};
use crate::{distributed, setup};

pub(crate) const COMMAND: Command = Command {
    name: "test",
    summary: "Run the whole test suite, documentation tests included",
    help: HELP,
    run: command,
};

const HELP: &str = "\
Set up, then run the whole test suite.

Usage: cargo xtask test [FILTER…] [-- ARGS…]
       cargo xtask test --distributed [--if-possible]

Runs the documentation tests, then unit and integration tests of every crate:
with cargo-nextest where it is installed, with `cargo test` otherwise. The last
lines are the runner's own summary, and its exit status is this command's.

Arguments:
  FILTER…      Only tests whose name contains one of these words
  ARGS…        Given to the runner as they are (default: none)
               With filters or arguments the documentation tests are left out

Options:
      --distributed  Instead, what needs MPI and hypre: 1, 2, 4 and 8 ranks on this
                     machine, a panic, a killed rank, faults of hypre, restarts;
                     two hosts and a cut cable where this is root. Installs both
                     where missing
      --if-possible  Say so and succeed where they cannot be installed
  -h, --help         Print this

Environment:
  GAUSSFIELD_DATA       Folder with the real data sets; tests on them are
                        skipped without it
  OPENBLAS_NUM_THREADS  Default 1: the tests themselves run in parallel
  OPENBLAS_CORETYPE     Default from the CPU's flags
  PROPTEST_RNG_SEED     Default 1, so that a commit passes or fails, not a draw;
                        another number draws other cases for the properties
  PROPTEST_CASES        Cases of a property that names no number of its own
  XTASK_PATIENCE        Default 1: how many times as long what needs MPI may take, on
                        a machine that does other work

Examples:
  cargo xtask test
  cargo xtask test harmonic
  cargo xtask test -- -p gaussfield-graph";

fn command(arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    if arguments.first().is_some_and(|word| word == "--distributed") {
        return match &arguments[1..] {
            [] => distributed::test(false),
            [word] if word == "--if-possible" => distributed::test(true),
            _ => Err(usage("--distributed takes --if-possible, or nothing")),
        };
    }
    all(&runner_arguments(arguments)?)
}

fn runner_arguments(arguments: Vec<OsString>) -> Result<Vec<OsString>, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut kept = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            // After `--` the parser hands over every word as a value.
            Value(word) => kept.push(word),
            other => return Err(other.unexpected()),
        }
    }
    Ok(kept)
}

/// The suite; `arguments` go to the runner.
pub(crate) fn all(arguments: &[OsString]) -> anyhow::Result<Exit> {
    setup::ensure()?;
    // Documentation tests first, so that the runner's summary ends the output.
    let documentation = if arguments.is_empty() {
        run(cargo_drawing_alike().args(["test", "--workspace", "--doc", "--no-fail-fast"]))?
    } else {
        Exit::SUCCESS
    };
    let nextest = quiet(cargo().args(["nextest", "--version"]));
    let exit = run(cargo_drawing_alike().args(runner(nextest, arguments)))?;
    if !documentation.is_success() {
        eprintln!("error: documentation tests failed, see above");
    }
    Ok(if exit.is_success() { documentation } else { exit })
}

/// A cargo whose property tests draw the same cases in every run, unless the caller chose a seed.
fn cargo_drawing_alike() -> std::process::Command {
    let mut command = cargo_with_blas();
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", "1");
    }
    command
}

fn runner(nextest: bool, arguments: &[OsString]) -> Vec<OsString> {
    let base: &[&str] = if nextest {
        &["nextest", "run", "--no-fail-fast"]
    } else {
        // Unit tests of libraries and programs, and integration tests.
        &["test", "--tests", "--no-fail-fast"]
    };
    let mut words: Vec<OsString> = base.iter().map(OsString::from).collect();
    if !names_a_package(arguments) {
        words.push("--workspace".into());
    }
    words.extend_from_slice(arguments);
    words
}

/// True if the user chose packages, which `--workspace` would override.
fn names_a_package(arguments: &[OsString]) -> bool {
    let names = |word: &str| {
        word == "--package"
            || word.starts_with("--package=")
            || (word.starts_with("-p") && !word.starts_with("--"))
    };
    arguments.iter().take_while(|word| *word != "--").any(|word| names(&word.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn arguments_after_the_dashes_are_the_runners() {
        let parse = |line: &str| runner_arguments(words(line));
        assert_eq!(parse("").unwrap(), words(""));
        assert_eq!(parse("harmonic graph").unwrap(), words("harmonic graph"));
        assert_eq!(parse("-- -p x --retries 2").unwrap(), words("-p x --retries 2"));
        assert_eq!(parse("-- a -- --nocapture").unwrap(), words("a -- --nocapture"));
        assert!(parse("--retries 2").is_err());
    }

    #[test]
    fn runner_covers_the_workspace_unless_a_package_is_named() {
        let line = |nextest, arguments: &str| {
            let parts = runner(nextest, &words(arguments));
            parts.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line(true, ""), "nextest run --no-fail-fast --workspace");
        assert_eq!(line(false, ""), "test --tests --no-fail-fast --workspace");
        assert_eq!(line(true, "-p x"), "nextest run --no-fail-fast -p x");
        assert_eq!(line(true, "--package=x"), "nextest run --no-fail-fast --package=x");
        assert_eq!(line(true, "a -- -p"), "nextest run --no-fail-fast --workspace a -- -p");
    }
}

//! `cargo xtask fuzz` and `cargo xtask soak`: what breaks programs, on purpose.

use std::ffi::OsString;

use anyhow::bail;
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt;

use crate::command::{Command, Exit, usage};
use crate::process::{cargo_with_blas, root, run, target};
use crate::suggest;

pub(crate) const FUZZ: Command = Command {
    name: "fuzz",
    summary: "Change files on purpose and see whether every reader holds",
    help: FUZZ_HELP,
    run: fuzz,
};

pub(crate) const SOAK: Command = Command {
    name: "soak",
    summary: "Run random pipelines for some time and check what must hold",
    help: SOAK_HELP,
    run: soak,
};

const FUZZ_HELP: &str = "\
Change files on purpose and see whether every reader, model and description holds.

Usage: cargo xtask fuzz [OPTIONS] [FORMAT…]

Without options: guided by coverage, for which a nightly toolchain and cargo-fuzz
must be there (`rustup toolchain install nightly`, `cargo install cargo-fuzz`).
With options: deterministic, on the stable toolchain, under 2 GB of memory.

Options:
      --seconds N  Guided by coverage: time for each format (default 60)
      --inputs N   Mutated inputs, shared among all formats
      --bits N     Sealed models with one flipped bit
      --kills N    A process that writes models is killed so often
      --seed S     Seed of the changes (default 1)
  -h, --help       Print this

Formats are the folders of fuzz/seeds.

Examples:
  cargo xtask fuzz --inputs 500000
  cargo xtask fuzz --bits 100000 --kills 100
  cargo xtask fuzz --seconds 600 csv fitted";

const SOAK_HELP: &str = "\
Run random pipelines for some time and check what must hold.

Usage: cargo xtask soak [--minutes N] [--seed S]

A pipeline draws points, a graph, a method and a decision; its answer must be sound,
the same a second time, and a saved model must come back. Seeds of what fails are
printed; memory must stay flat.

Only time in which the process runs is counted: of each second on the clock its
processor time, at most one second however many threads. A machine that has other
work makes it take longer, not do less.

Options:
      --minutes N  Time of running (default 5)
      --seed S     Seed of the first pipeline (default 1)
  -h, --help       Print this

Examples:
  cargo xtask soak --minutes 30";

/// Kilobytes of address space of the deterministic programs.
const MEMORY: &str = "2000000";

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    /// `--NAME N`, as given.
    numbers: Vec<(&'static str, u64)>,
    formats: Vec<String>,
}

impl Options {
    fn parse(arguments: Vec<OsString>, known: &[&'static str]) -> anyhow::Result<Options> {
        let mut parser = lexopt::Parser::from_args(arguments);
        let mut options = Options::default();
        while let Some(argument) = parser.next()? {
            match argument {
                Long(name) => {
                    let Some(name) = known.iter().find(|known| **known == name) else {
                        return Err(Long(name).unexpected().into());
                    };
                    options.numbers.push((name, parser.value()?.parse()?));
                }
                Value(format) if known.contains(&"seconds") => {
                    options.formats.push(format.string()?);
                }
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.numbers.iter().rev().find(|(known, _)| *known == name).map(|(_, number)| *number)
    }
}

fn fuzz(arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    let options = Options::parse(arguments, &["seconds", "inputs", "bits", "kills", "seed"])?;
    let known = formats()?;
    for format in &options.formats {
        if !known.contains(format) {
            let names: Vec<&str> = known.iter().map(String::as_str).collect();
            let near = suggest::closest(format, &names).unwrap_or("--help");
            return Err(usage(format!("no format `{format}`; did you mean `{near}`?")));
        }
    }
    let mut deterministic = false;
    for (option, program) in [("inputs", "mutate"), ("bits", "flip"), ("kills", "kill")] {
        let Some(number) = options.number(option) else { continue };
        deterministic = true;
        let seed = options.number("seed").unwrap_or(1);
        let exit = limited(program, &[(option, number), ("seed", seed)])?;
        if !exit.is_success() {
            return Ok(exit);
        }
    }
    if deterministic {
        return Ok(Exit::SUCCESS);
    }
    let seconds = options.number("seconds").unwrap_or(60);
    for format in if options.formats.is_empty() { &known } else { &options.formats } {
        let exit = guided(format, seconds)?;
        if !exit.is_success() {
            return Ok(exit);
        }
    }
    Ok(Exit::SUCCESS)
}

/// One of the programs of `fuzz/`, built in release and run under a limit of memory.
fn limited(program: &str, numbers: &[(&str, u64)]) -> anyhow::Result<Exit> {
    let build = ["build", "--release", "--package", "gaussfield-fuzz", "--bin", program];
    let built = run(cargo_with_blas().args(build))?;
    if !built.is_success() {
        return Ok(built);
    }
    let script = "ulimit -v \"$1\" && shift && exec \"$@\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, "sh", MEMORY]).env("MALLOC_ARENA_MAX", "2");
    command.arg(target().join("release").join(program));
    for (name, number) in numbers {
        command.arg(format!("--{name}")).arg(number.to_string());
    }
    run(&mut command)
}

fn guided(format: &str, seconds: u64) -> anyhow::Result<Exit> {
    // Not the cargo that runs this program: the toolchain is another one.
    let mut command = std::process::Command::new("cargo");
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").current_dir(root());
    command.args(["+nightly", "fuzz", "run", "--fuzz-dir", "fuzz/coverage"]);
    command.arg(format.replace('-', "_")).arg("fuzz/coverage/corpus/".to_owned() + format);
    command.arg("fuzz/seeds/".to_owned() + format).arg("--");
    command.arg(format!("-max_total_time={seconds}"));
    command.args(["-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-timeout=5"]);
    std::fs::create_dir_all(root().join("fuzz/coverage/corpus").join(format))?;
    run(&mut command)
}

/// The folders of seeds.
fn formats() -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("fuzz/seeds"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    if names.is_empty() {
        bail!("fuzz/seeds is empty");
    }
    Ok(names)
}

fn soak(arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    let options = Options::parse(arguments, &["minutes", "seed"])?;
    let number = |name, default| (name, options.number(name).unwrap_or(default));
    limited("soak", &[number("minutes", 5), number("seed", 1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str, known: &[&'static str]) -> anyhow::Result<Options> {
        Options::parse(line.split_whitespace().map(OsString::from).collect(), known)
    }

    #[test]
    fn numbers_and_formats_are_read() {
        let options = parse("--seconds 5 csv --seconds 6", &["seconds"]).unwrap();
        assert_eq!((options.number("seconds"), options.formats.len()), (Some(6), 1));
        assert!(parse("--seconds many", &["seconds"]).is_err());
        assert!(parse("--minutes 3", &["seconds"]).is_err());
        assert!(parse("csv", &["minutes"]).is_err());
    }

    #[test]
    fn every_format_has_a_target() {
        for format in formats().unwrap() {
            let target = format!("fuzz/coverage/targets/{}.rs", format.replace('-', "_"));
            assert!(root().join(&target).is_file(), "{target}");
        }
    }
}

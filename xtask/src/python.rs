//! `cargo xtask python`: the Python package, built, installed and tested.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use anyhow::bail;
use lexopt::Arg::Long;

use crate::command::{Command, Exit};
use crate::process::{cargo, output, root, run, target};

pub(crate) const COMMAND: Command = Command {
    name: "python",
    summary: "Build, install and test the Python package",
    help: HELP,
    run: command,
};

const HELP: &str = "\
Build, install and test the Python package.

Usage: cargo xtask python [OPTIONS] [-- PYTEST-ARGS…]

Makes a virtual environment in target/python with what python/requirements-test.txt
pins, checks crates/gaussfield-python with clippy, builds its wheel with maturin
(release), installs it, and runs python/tests and the notebooks of python/notebooks.
Needs CPython 3.11 or later; the variable PYTHON names one that is not found by itself.

Options:
      --build         Build and install only
      --no-notebooks  Leave the notebooks out
      --if-present    Say so and succeed where there is no suitable Python
  -h, --help          Print this

Examples:
  cargo xtask python
  cargo xtask python --no-notebooks -- -k bad_input
  PYTHON=python3.13 cargo xtask python --build";

/// The oldest Python that the wheel is for.
const OLDEST: (u32, u32) = (3, 11);

/// Names under which a Python may be found, the one asked for first.
const NAMES: &[&str] =
    &["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python"];

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    build: bool,
    no_notebooks: bool,
    if_present: bool,
    pytest: Vec<OsString>,
}

impl Options {
    fn parse(arguments: Vec<OsString>) -> anyhow::Result<Options> {
        let mut options = Options::default();
        let mut own = arguments;
        if let Some(at) = own.iter().position(|word| word == "--") {
            options.pytest = own.split_off(at).split_off(1);
        }
        let mut parser = lexopt::Parser::from_args(own);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("build") => options.build = true,
                Long("no-notebooks") => options.no_notebooks = true,
                Long("if-present") => options.if_present = true,
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }
}

fn command(arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    let options = Options::parse(arguments)?;
    let Some(python) = find() else {
        let none = "no CPython 3.11 or later was found: install one, or name it in PYTHON";
        if options.if_present {
            println!("{none}; the Python package is not tested");
            return Ok(Exit::SUCCESS);
        }
        bail!("{none}");
    };
    let here = target().join("python");
    let python = environment(&python, &here)?;
    let clippy = ["clippy", "--package", "gaussfield-python", "--features", "extension"];
    let mut check = cargo();
    check.args(clippy).args(["--", "-D", "warnings"]).env("PYO3_PYTHON", &python);
    for mut step in [check, build(&python, &here), install(&python, &here)] {
        let exit = run(&mut step)?;
        if !exit.is_success() {
            return Ok(exit);
        }
    }
    if options.build {
        return Ok(Exit::SUCCESS);
    }
    let mut tests = in_root(&python);
    tests.args(["-m", "pytest", "-c", "python/pyproject.toml", "python/tests"]);
    let exit = run(tests.args(&options.pytest))?;
    if !exit.is_success() || options.no_notebooks {
        return Ok(exit);
    }
    run(in_root(&python).arg("python/notebooks/run.py"))
}

/// A Python that is new enough, by its name.
fn find() -> Option<OsString> {
    let asked = std::env::var_os("PYTHON").filter(|name| !name.is_empty());
    let names = asked.into_iter().chain(NAMES.iter().map(OsString::from));
    names.into_iter().find(|name| {
        let version = "import sys; print('%d.%d' % sys.version_info[:2])";
        let printed = output(Process::new(name).args(["-c", version]));
        printed.is_ok_and(|printed| version_of(&printed).is_some_and(|version| version >= OLDEST))
    })
}

fn version_of(printed: &str) -> Option<(u32, u32)> {
    let (major, minor) = printed.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The Python of a virtual environment that has what is pinned, made or mended where need be.
fn environment(python: &OsString, here: &Path) -> anyhow::Result<PathBuf> {
    let (folder, pinned) = (here.join("env"), root().join("python/requirements-test.txt"));
    let own = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let (wanted, stamp) = (std::fs::read_to_string(&pinned)?, here.join("installed.txt"));
    if own.exists() && std::fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(own);
    }
    std::fs::create_dir_all(here)?;
    output(Process::new(python).args(["-m", "venv"]).arg(&folder))?;
    println!("installing what python/requirements-test.txt pins");
    output(Process::new(&own).args(["-m", "pip", "install", "--quiet", "-r"]).arg(&pinned))?;
    std::fs::write(stamp, wanted)?;
    Ok(own)
}

/// Builds the wheel; one of the same version is written over.
fn build(python: &Path, here: &Path) -> Process {
    let mut command = Process::new(python);
    command.args(["-m", "maturin", "build", "--release", "--quiet", "--interpreter"]).arg(python);
    command.arg("--out").arg(here.join("wheels")).current_dir(root().join("python"));
    command.env("CARGO_TARGET_DIR", target());
    command
}

fn install(python: &Path, here: &Path) -> Process {
    let mut command = Process::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"]);
    command.args(["--no-index", "--find-links"]).arg(here.join("wheels")).arg("gaussfield");
    command
}

/// A Python in the root of the workspace, where no folder is named like the package.
fn in_root(python: &Path) -> Process {
    let mut command = Process::new(python);
    command.current_dir(root());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        Options::parse(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn what_follows_a_double_dash_is_for_pytest() {
        let options = parse("--no-notebooks -- -k bad --build").unwrap();
        assert!(options.no_notebooks && !options.build);
        assert_eq!(options.pytest, ["-k", "bad", "--build"]);
        assert!(parse("--notebooks").is_err());
        assert!(parse("tests").is_err());
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(version_of("3.9\n").unwrap() < OLDEST);
        assert!(version_of("3.11").unwrap() >= OLDEST);
        assert!(version_of("4.0").unwrap() >= OLDEST);
        assert_eq!(version_of("Python"), None);
    }

    #[test]
    fn everything_that_is_installed_is_pinned() {
        let pinned = std::fs::read_to_string(root().join("python/requirements-test.txt")).unwrap();
        let lines = pinned.lines().filter(|line| !line.starts_with('#'));
        assert!(lines.clone().count() > 5 && lines.clone().all(|line| line.contains("==")));
    }
}

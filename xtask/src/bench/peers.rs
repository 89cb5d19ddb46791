//! `cargo xtask bench peers`: the programs that others would use, in an environment of their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use anyhow::Context;
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt;

use super::PACKAGE;
use crate::command::{Exit, usage};
use crate::process::{cargo_with_blas, root, run, target};

/// What can be compared.
const STAGES: &[&str] = &["neighbours", "solve", "labels"];

pub(super) fn command(arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    let words = checked(arguments)?;
    let scripts = root().join("benches/peers");
    let folder = target().join("bench/peers");
    let python = environment(&scripts.join("requirements.txt"), &folder.join("env"))?;
    let mut build = cargo_with_blas();
    build.args(["build", "--quiet", "--release", "--package", PACKAGE, "--bins"]);
    let exit = run(&mut build)?;
    if !exit.is_success() {
        return Ok(exit);
    }
    let mut race = cargo_with_blas();
    race.args(["run", "--quiet", "--release", "--package", PACKAGE, "--bin", "bench-peers", "--"]);
    race.args([python, scripts, folder]).args(words);
    run(&mut race)
}

/// The words for the program that runs the races.
fn checked(arguments: Vec<OsString>) -> anyhow::Result<Vec<String>> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut words = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("quick") => words.push("--quick".to_owned()),
            Long("again") => words.push("--again".to_owned()),
            Long("page") => words.push("--page".to_owned()),
            Long("patience") => {
                let seconds: f64 = parser.value()?.parse()?;
                words.extend(["--patience".to_owned(), seconds.to_string()]);
            }
            Value(race) => {
                let race = race.string()?;
                let stage = race.split('/').next().unwrap_or_default();
                if !STAGES.contains(&stage) {
                    let stages = STAGES.join(", ");
                    return Err(usage(format!(
                        "nothing to compare as `{stage}`; there are {stages}"
                    )));
                }
                words.push(race);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(words)
}

/// The Python of an environment that holds what is required, made where it is not there.
fn environment(required: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let python = folder.join("bin/python");
    let wanted = std::fs::read(required).with_context(|| required.display().to_string())?;
    let installed = folder.join("installed.txt");
    if std::fs::read(&installed).is_ok_and(|had| had == wanted) {
        return Ok(python);
    }
    println!("an environment for the peers in {}", folder.display());
    let steps = [
        ("python3", vec!["-m".into(), "venv".into(), folder.into()]),
        (
            "the environment's Python",
            ["-m", "pip", "install", "--quiet", "--requirement"]
                .into_iter()
                .map(OsString::from)
                .chain([required.into()])
                .collect::<Vec<OsString>>(),
        ),
    ];
    for (at, (name, arguments)) in steps.into_iter().enumerate() {
        let program = if at == 0 { Path::new("python3") } else { &python };
        let exit = run(Process::new(program).args(arguments))
            .with_context(|| "peers need Python 3.11 or later with its module venv".to_owned())?;
        anyhow::ensure!(
            exit.is_success(),
            "{name} could not make the environment: the lines above say why; Python 3.11 or later, \
             its module venv and a C++ compiler are needed"
        );
    }
    std::fs::write(&installed, wanted).with_context(|| installed.display().to_string())?;
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Vec<String>> {
        checked(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn words_are_checked_before_anything_is_installed() {
        assert_eq!(
            parse("--quick solve/usps labels --again").unwrap(),
            ["--quick", "solve/usps", "labels", "--again"]
        );
        assert_eq!(parse("--patience 5").unwrap(), ["--patience", "5"]);
        assert!(parse("sovle").unwrap_err().to_string().contains("neighbours, solve, labels"));
        for line in ["--patience", "--patience long", "--fast"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}

//! `cargo xtask bench`: the criterion suites, and their figures on one page; two such pages compared;
//! and gaussfield beside other programs.

mod peers;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command as Process;

use anyhow::Context;
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt;

use crate::command::{Command, Exit, usage};
use crate::process::{cargo_with_blas, run, target};
use crate::{distributed, setup, suggest};

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    summary: "Run the benchmarks and write their figures as JSON and Markdown",
    help: HELP,
    run: command,
};

const HELP: &str = "\
Run the benchmarks and write their figures as JSON and Markdown.

Usage: cargo xtask bench [SUITE…] [--quick]
       cargo xtask bench compare OLD NEW
       cargo xtask bench distributed [--quick] [POINTS/RANKS/ENGINE[/POWER]…]
       cargo xtask bench peers [--quick] [--again] [--patience SECONDS] [--page]
                               [STAGE[/SET]…]

Runs the criterion suites of benches/ and writes bench.json, bench.md and
report.html into target/bench: per benchmark the median time, its interval, and the
ratio to the suite's baseline where its group has one; what was measured at several
sizes has its exponent in n and a plot. Compare ratios, not
times: they carry from one machine to another.

Suites (default: all):
  search       Neighbour search: blocked GEMM, kd-tree, inverted index
  weights      Weight families and their pullback
  solvers      Each solver on graphs of low and of high dimension
  harmonic     From points to labels
  growth       The harmonic solve on 10,000 to 200,000 nodes, once: cost against n
  tuning       Value and gradient of the entropy beside one solve
  evidence     Value and gradient of the evidence beside its solves, and by n × n
  ep           A fixed point of 100 labels; learning by exact gradients and by EM
  mixture      A harmonic mixture of 200,000 points, once
  scale        Long work, once: a grid of warped kernels on 1500 points and 10,000
               new ones, a scan of k, evidence on 100,000 nodes
  jobs         Whole jobs, once: full graphs and hubs, 256 scales, MNIST, a million
               points from a file to a table of names by the program

compare tells which figures of bench.json (or of the folder it lies in) became
slower from OLD to NEW beyond their noise, and ends with status 1 if any did.

distributed runs graph and harmonic function on 1, 2, 4 and 8 MPI ranks, each engine
on 50,000 to 1,000,000 points, or the rows named (1000000/4/hypre; 50000/4/hypre/16
for weights to the power 16), and writes them into the table distributed.md; it
installs MPI and hypre where they are missing.

peers runs gaussfield and what others would use (SciPy, PyAMG, GraphLearning,
scikit-learn, faiss, PyNNDescent; versions in benches/peers/requirements.txt) one
after the other on the same files, on a machine that does nothing else, and
writes peers.json, report.md and report.html into target/bench/peers. Stages are
neighbours, solve and labels, a set is for example usps or sheets-200k. Races
that were run are kept; --page writes the page of them without running any. Of
labels each row is kept when it ends: a run that was stopped goes on with those
that are missing, and with more patience with the splits that are.

Options:
      --quick             Stop measuring as soon as a figure is plausible; peers on
                          small sets only
      --patience SECONDS  How long splits may begin, for each row of accuracies
                          [default: 300, in which ten splits are done by everybody
                          on digits; the page tells how many of each]
      --again             Run rows of accuracies again that were kept
      --page              Run nothing
  -h, --help              Print this

Environment:
  OPENBLAS_NUM_THREADS  Default 1
  OPENBLAS_CORETYPE     Default from the CPU's flags
  RAYON_NUM_THREADS     Threads of the parallel parts (default: one per core)
  GAUSSFIELD_DATA       Where peers find USPS and MNIST; left out where it does not say

Examples:
  cargo xtask bench --quick
  cargo xtask bench solvers
  cargo xtask bench compare before/bench.json target/bench
  cargo xtask bench peers solve/usps";

const PACKAGE: &str = "gaussfield-benches";

const SUITES: &[&str] = &[
    "search", "weights", "solvers", "harmonic", "growth", "tuning", "evidence", "ep", "mixture",
    "scale", "jobs",
];

#[derive(Debug, PartialEq, Eq)]
struct Options {
    suites: Vec<&'static str>,
    quick: bool,
}

impl Options {
    fn parse(arguments: Vec<OsString>) -> anyhow::Result<Options> {
        let mut parser = lexopt::Parser::from_args(arguments);
        let mut options = Options { suites: Vec::new(), quick: false };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("quick") => options.quick = true,
                Value(name) => {
                    let suite = suite(&name.string()?)?;
                    if !options.suites.contains(&suite) {
                        options.suites.push(suite);
                    }
                }
                other => return Err(other.unexpected().into()),
            }
        }
        if options.suites.is_empty() {
            options.suites = SUITES.to_vec();
        }
        Ok(options)
    }
}

fn suite(name: &str) -> anyhow::Result<&'static str> {
    if let Some(found) = SUITES.iter().find(|suite| **suite == name) {
        return Ok(found);
    }
    Err(usage(match suggest::closest(name, SUITES) {
        Some(near) => format!("no suite `{name}`; did you mean `{near}`?"),
        None => format!("no suite `{name}`; the suites are: {}", SUITES.join(", ")),
    }))
}

fn command(mut arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    match arguments.first().and_then(|word| word.to_str()) {
        Some("peers") => return peers::command(arguments.split_off(1)),
        Some("compare") => return compare(&arguments[1..]),
        Some("distributed") => return distributed(&arguments[1..]),
        _ => {}
    }
    let options = Options::parse(arguments)?;
    setup::ensure()?;
    let measured = target().join("criterion");
    forget(&measured, &options.suites)?;
    let mut bench = cargo_with_blas();
    bench.args(bench_arguments(&options));
    if options.suites.contains(&"jobs") {
        let mut build = cargo_with_blas();
        let exit =
            run(build.args(["build", "--quiet", "--release", "--package", "gaussfield-cli"]))?;
        if !exit.is_success() {
            return Ok(exit);
        }
        bench.env("GAUSSFIELD_PROGRAM", target().join("release/gaussfield"));
    }
    let exit = run(&mut bench)?;
    if !exit.is_success() {
        return Ok(exit);
    }
    run(report().arg(&measured).arg(target().join("bench")))
}

/// The program that reads figures.
fn report() -> Process {
    let mut report = cargo_with_blas();
    report.args(["run", "--quiet", "--release", "--package", PACKAGE, "--bin", "bench-report"]);
    report.arg("--");
    report
}

fn distributed(arguments: &[OsString]) -> anyhow::Result<Exit> {
    let mut rows: Vec<String> =
        arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let all = rows.len();
    rows.retain(|word| word != "--quick");
    distributed::bench(rows.len() < all, &rows)
}

fn compare(arguments: &[OsString]) -> anyhow::Result<Exit> {
    let [old, new] = arguments else {
        return Err(usage("compare takes two: the figures of before and those of now"));
    };
    setup::ensure()?;
    run(report().arg("compare").arg(old).arg(new))
}

/// Removes the figures of these suites, so that none of a benchmark that no
/// longer exists stays in the report. Criterion's folders are named
/// `SUITE_GROUP`.
fn forget(measured: &Path, suites: &[&str]) -> anyhow::Result<()> {
    let Ok(folders) = std::fs::read_dir(measured) else { return Ok(()) };
    for folder in folders {
        let path = folder?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let group_of = |suite: &&str| name.strip_prefix(*suite).is_some_and(|r| r.starts_with('_'));
        if path.is_dir() && suites.iter().any(group_of) {
            std::fs::remove_dir_all(&path).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn bench_arguments(options: &Options) -> Vec<&'static str> {
    let mut words = vec!["bench", "--package", PACKAGE];
    for suite in &options.suites {
        words.extend(["--bench", suite]);
    }
    if options.quick {
        words.extend(["--", "--quick"]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        Options::parse(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn suites_by_name_each_once() {
        assert_eq!(parse("").unwrap().suites, SUITES);
        let options = parse("solvers --quick search solvers").unwrap();
        assert_eq!(options, Options { suites: vec!["solvers", "search"], quick: true });
        assert!(parse("sovlers").unwrap_err().to_string().contains("`solvers`"));
        assert!(parse("everything").unwrap_err().to_string().contains("the suites are"));
        assert!(parse("--fast").is_err());
    }

    #[test]
    fn two_are_compared() {
        for line in [&[][..], &["old"], &["old", "new", "other"]] {
            let words: Vec<OsString> = line.iter().map(OsString::from).collect();
            assert!(crate::command::is_usage(&compare(&words).unwrap_err()), "{line:?}");
        }
    }

    #[test]
    fn cargo_line() {
        let line = |text: &str| bench_arguments(&parse(text).unwrap()).join(" ");
        assert_eq!(line("weights"), "bench --package gaussfield-benches --bench weights");
        assert_eq!(
            line("weights search --quick"),
            "bench --package gaussfield-benches --bench weights --bench search -- --quick"
        );
    }

    #[test]
    fn only_figures_of_the_suites_named_are_forgotten() {
        let folder = target().join(format!("xtask/forget-{}", std::process::id()));
        for name in ["solvers_2-D", "solvers_16-D", "search_2-D", "solversx", "report"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        forget(&folder, &["solvers"]).unwrap();
        let mut left: Vec<_> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(left, ["report", "search_2-D", "solversx"]);
        forget(&folder, &["solvers"]).unwrap();
    }

    #[test]
    fn help_names_every_suite() {
        for suite in SUITES {
            assert!(HELP.contains(&format!("\n  {suite} ")), "{suite}");
        }
    }
}

//! `cargo xtask validate`: everything continuous integration checks.

mod deny;
mod duplicates;
mod edges;
mod equations;
mod foreign;
mod licences;
mod one_ndarray;
mod package;
mod results;
mod sizes;
mod spdx;
mod tidy;
mod tree;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use lexopt::Arg::Long;
use lexopt::ValueExt;

use crate::command::{Command, Exit, usage};
use crate::process::{cargo, cargo_with_blas, run};
use crate::{doc, setup, suggest, test};

pub(crate) const COMMAND: Command = Command {
    name: "validate",
    summary: "Check everything that continuous integration checks",
    help: HELP,
    run: command,
};

const HELP: &str = "\
Check everything that continuous integration checks.

Usage: cargo xtask validate [OPTIONS]

Steps, in this order:
  fmt        cargo fmt --all --check
  tidy       every file says what it is and is short; no place of one machine;
             equations are cited as docs/equations.md lists them
  ndarray    exactly one version of ndarray in the tree
  edges      no crate depends on one it must know nothing of
  sizes      the README says how many packages a crate brings
  licences   every dependency has a permissive licence
  deny       versions that occur twice; cargo deny, where it is installed: sources, advisories
  package    every crate for others packs, with licences and README
  clippy     all targets, warnings are errors
  doc        rustdoc of every crate, warnings are errors
  test       cargo xtask test
  golden     the golden vectors, release build
  reproduce  cargo xtask reproduce all --quick, release build: a claim that held
             when verdicts were last kept (docs/results) must not differ

Options:
      --quick        Leave out the steps that need a release build
                     (golden, reproduce)
      --skip STEP    Leave out one step (may be repeated)
      --only STEP    Run only this step (may be repeated)
      --keep-going   Go on after a failure (default: stop at the first)
  -h, --help         Print this

The exit status is 0 only if every step that ran succeeded.

Examples:
  cargo xtask validate
  cargo xtask validate --quick --keep-going
  cargo xtask validate --only edges --only licences";

struct Step {
    name: &'static str,
    needs_release: bool,
    run: fn() -> anyhow::Result<Exit>,
}

/// Quick and cheap first, so that a small slip is found early.
const STEPS: &[Step] = &[
    Step { name: "fmt", needs_release: false, run: format },
    Step { name: "tidy", needs_release: false, run: tidy::check },
    Step { name: "ndarray", needs_release: false, run: one_ndarray::check },
    Step { name: "edges", needs_release: false, run: edges::check },
    Step { name: "sizes", needs_release: false, run: sizes::check },
    Step { name: "licences", needs_release: false, run: licences::check },
    Step { name: "deny", needs_release: false, run: deny::check },
    Step { name: "package", needs_release: false, run: package::check },
    Step { name: "clippy", needs_release: false, run: clippy },
    Step { name: "doc", needs_release: false, run: doc::build },
    Step { name: "test", needs_release: false, run: || test::all(&[]) },
    Step { name: "golden", needs_release: true, run: results::golden },
    Step { name: "reproduce", needs_release: true, run: results::reproduce },
];

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    quick: bool,
    keep_going: bool,
    skip: Vec<String>,
    only: Vec<String>,
}

impl Options {
    fn parse(arguments: Vec<OsString>) -> anyhow::Result<Options> {
        let mut parser = lexopt::Parser::from_args(arguments);
        let mut options = Options::default();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("quick") => options.quick = true,
                Long("keep-going") => options.keep_going = true,
                Long("skip") => options.skip.push(step_name(parser.value()?.string()?)?),
                Long("only") => options.only.push(step_name(parser.value()?.string()?)?),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }

    fn wants(&self, step: &Step) -> bool {
        let named = |list: &[String]| list.iter().any(|name| name == step.name);
        !(named(&self.skip)
            || self.quick && step.needs_release
            || !self.only.is_empty() && !named(&self.only))
    }
}

fn step_name(name: String) -> anyhow::Result<String> {
    let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
    if names.contains(&name.as_str()) {
        return Ok(name);
    }
    let hint = match suggest::closest(&name, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the steps are: {}", names.join(", ")),
    };
    Err(usage(format!("no step `{name}`; {hint}")))
}

fn command(arguments: Vec<OsString>) -> anyhow::Result<Exit> {
    let options = Options::parse(arguments)?;
    setup::ensure()?;
    let mut rows: Vec<(&str, &str, Option<Duration>)> = Vec::new();
    let mut all_well = true;
    for step in STEPS {
        if !options.wants(step) {
            rows.push((step.name, "skipped", None));
            continue;
        }
        if !all_well && !options.keep_going {
            rows.push((step.name, "not run", None));
            continue;
        }
        println!("\n── {} ──", step.name);
        let start = Instant::now();
        let well = match (step.run)() {
            Ok(exit) => exit.is_success(),
            Err(error) => {
                eprintln!("error: {error:#}");
                false
            }
        };
        let (word, took) = (if well { "ok" } else { "FAILED" }, start.elapsed());
        println!("── {}: {word}, {}", step.name, duration(took));
        rows.push((step.name, word, Some(took)));
        all_well &= well;
    }
    println!("\n{}", table(&rows));
    Ok(if all_well { Exit::SUCCESS } else { Exit::FAILURE })
}

fn table(rows: &[(&str, &str, Option<Duration>)]) -> String {
    let mut text = String::new();
    for (name, outcome, took) in rows {
        let took = took.map(duration).unwrap_or_default();
        text += format!("  {name:<10} {outcome:<8} {took:>12}").trim_end();
        text.push('\n');
    }
    text.trim_end_matches('\n').to_string()
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round();
        format!("{:.0} min {:02.0} s", (whole / 60.0).floor(), whole % 60.0)
    }
}

fn format() -> anyhow::Result<Exit> {
    run(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> anyhow::Result<Exit> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    run(cargo_with_blas().args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        Options::parse(line.split_whitespace().map(OsString::from).collect())
    }

    fn chosen(line: &str) -> Vec<&'static str> {
        let options = parse(line).unwrap();
        STEPS.iter().filter(|step| options.wants(step)).map(|step| step.name).collect()
    }

    #[test]
    fn steps_are_chosen_by_name() {
        assert_eq!(chosen("").len(), STEPS.len());
        assert_eq!(chosen("--only edges --only fmt"), ["fmt", "edges"]);
        assert_eq!(chosen("--only edges --skip edges"), [""; 0]);
        assert!(!chosen("--skip=test").contains(&"test"));
        assert_eq!(chosen("--skip=test").len(), STEPS.len() - 1);
        assert!(!chosen("--quick").contains(&"reproduce"));
    }

    #[test]
    fn unknown_steps_are_refused_with_a_hint() {
        assert!(parse("--skip tset").unwrap_err().to_string().contains("`test`"));
        assert!(parse("--only everything").unwrap_err().to_string().contains("the steps are"));
        assert!(parse("fmt").is_err());
    }

    #[test]
    fn help_names_every_step() {
        for step in STEPS {
            assert!(HELP.contains(&format!("\n  {} ", step.name)), "{}", step.name);
        }
    }

    #[test]
    fn durations_read_well() {
        for (seconds, text) in
            [(0.04, "0.0 s"), (59.9, "59.9 s"), (59.97, "1 min 00 s"), (3725.2, "62 min 05 s")]
        {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), text);
        }
    }

    #[test]
    fn table_has_a_row_per_step() {
        let rows = [("fmt", "ok", Some(Duration::from_millis(1500))), ("test", "skipped", None)];
        assert_eq!(table(&rows), "  fmt        ok              1.5 s\n  test       skipped");
    }
}

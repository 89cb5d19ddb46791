//! The races as tables and figures, with every row in which a peer is ahead.

mod accuracy;

use std::path::Path;

use gaussfield_report::plot::{LineChart, Series};
use gaussfield_report::{Cell, Colophon, Heading, Report, Table};

use crate::plan::{Contestant, Stage};
use crate::race::{Outcome, Told};

const SUMMARY: &str = "Everybody on the same files, one after the other, each run in a process of its \
    own; the fastest run counts. Times are those of the work alone, memory is the most held during \
    it, data and interpreter included. A ratio is the peer's figure over that of gaussfield for the \
    same work: above 1 gaussfield is ahead.";

/// Writes the page, and gives its tables as text.
pub(crate) fn write(outcomes: &[Outcome], folder: &Path) -> anyhow::Result<String> {
    let mut report = Report::default();
    let mut text = String::new();
    for stage in Stage::ALL {
        let own: Vec<&Outcome> =
            outcomes.iter().filter(|outcome| outcome.stage == stage.to_string()).collect();
        if own.is_empty() {
            continue;
        }
        let (title, words) = title(stage);
        report.section(title, words);
        text += &format!("\n## {title}\n\n{words}\n");
        let mut tables = if stage.timed() { times(stage, &own) } else { accuracy::tables(&own) };
        tables.extend(growth(stage, &own));
        for (heading, table) in tables {
            text += &format!("\n{heading}\n\n{}", table.markdown());
            report.text(heading).table(table);
        }
        figures(stage, &own, &mut report)?;
    }
    let behind = behind(outcomes);
    let verdict = if behind.is_empty() {
        "No peer is ahead in any row.".to_owned()
    } else {
        format!("A peer is ahead in {} rows: {}.", behind.len(), behind.join("; "))
    };
    report.section("Where a peer is ahead", verdict.as_str());
    text += &format!("\n## Where a peer is ahead\n\n{verdict}\n");
    let heading = Heading {
        title: "Beside others".to_owned(),
        summary: SUMMARY.to_owned(),
        source: machine(),
        ..Heading::default()
    };
    let colophon =
        Colophon { command: "cargo xtask bench peers".to_owned(), ..Colophon::default() };
    report.write(folder, &heading, &colophon)?;
    Ok(format!("# Beside others\n\n{SUMMARY}\n\n{}\n{text}", machine()))
}

fn title(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Neighbours => (
            "Neighbours",
            "The ten nearest other points of every point. Exact searches are compared with the exact \
             one, approximate ones with that in cells by four probes; the recall is measured beside \
             the time, as a search that finds less is quicker.",
        ),
        Stage::Solve => (
            "Harmonic function",
            "Ten classes, ten labels each, on one 10-nearest-neighbour graph. gaussfield solves to a \
             relative residual of 10⁻⁸, the peers to 10⁻⁶ or what they do by themselves; the residual \
             of the worst class is measured.",
        ),
        Stage::Labels => ("Accuracy", accuracy::WORDS),
    }
}

/// The processor that all ran on.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("a processor that does not tell its name", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("Measured on {cores} cores of {model}.")
}

/// A table for each set.
fn times(stage: Stage, outcomes: &[&Outcome]) -> Vec<(String, Table)> {
    let quality = if stage == Stage::Solve { "residual" } else { "recall" };
    let of_set = |outcome: &&Outcome| {
        let columns =
            ["", "wall s", "CPU s", "peak MiB", quality, "wall ratio", "CPU ratio", "memory ratio"];
        let mut table = Table::new(format!("{stage}-{}", outcome.set), "", columns);
        for contestant in stage.contestants() {
            let ours = contestant.against.and_then(|key| outcome.best(key));
            match outcome.best(contestant.key) {
                Some(told) => table.row(row(contestant, told, ours)),
                None => table.row([Cell::from(contestant.name), failure(outcome, contestant)]),
            };
        }
        let (points, features) = outcome.shape;
        (format!("{}: {points} points, {features} features", outcome.set), table)
    };
    outcomes.iter().map(of_set).collect()
}

fn row(contestant: &Contestant, told: &Told, ours: Option<&Told>) -> Vec<Cell> {
    let number =
        |value: Option<f64>, decimals| value.map_or(Cell::Empty, |v| Cell::Number(v, decimals));
    let ratio = |of: fn(&Told) -> Option<f64>| {
        number(ours.and_then(of).zip(of(told)).map(|(o, p)| p / o), 2)
    };
    let quality = match (told.residual, told.recall) {
        (Some(residual), _) => format!("{residual:.1e}").into(),
        (None, recall) => number(recall, 4),
    };
    vec![
        contestant.name.into(),
        Cell::Number(told.seconds, 3),
        number(told.cpu, 2),
        number(told.peak_mib, 0),
        quality,
        ratio(|told| Some(told.seconds)),
        ratio(|told| told.cpu),
        ratio(|told| told.peak_mib),
    ]
}

fn failure(outcome: &Outcome, contestant: &Contestant) -> Cell {
    let entry = outcome.entry(contestant.key);
    entry.and_then(|entry| entry.failure.clone()).unwrap_or_else(|| "not run".to_owned()).into()
}

/// (n, seconds) of a contestant on the sheets, which come in several sizes.
fn costs(outcomes: &[&Outcome], key: &str) -> Vec<(f64, f64)> {
    let sheets = outcomes.iter().filter(|outcome| outcome.set.starts_with("sheets"));
    sheets.filter_map(|o| Some((o.shape.0 as f64, o.best(key)?.seconds))).collect()
}

/// How cost grows with n, where there are sheets of several sizes.
fn growth(stage: Stage, outcomes: &[&Outcome]) -> Option<(String, Table)> {
    let mut table = Table::new(format!("{stage}-growth"), "", ["", "exponent"]);
    let mut sizes = 0;
    for contestant in stage.contestants() {
        let costs = costs(outcomes, contestant.key);
        if let (Some(first), Some(last)) = (costs.first(), costs.last())
            && first.0 < last.0
        {
            sizes = sizes.max(costs.len());
            let exponent = (last.1 / first.1).ln() / (last.0 / first.0).ln();
            table.row([contestant.name.into(), Cell::Number(exponent, 2)]);
        }
    }
    let words =
        "Growth of the wall time from the smallest to the largest of the sheets, as a power of n";
    (stage.timed() && sizes > 1).then(|| (words.to_owned(), table))
}

fn figures(stage: Stage, outcomes: &[&Outcome], report: &mut Report) -> anyhow::Result<()> {
    if stage.timed() {
        let mut chart = LineChart::new("points", "seconds").log_x().log_y();
        let mut drawn = 0;
        for contestant in stage.contestants() {
            let costs = costs(outcomes, contestant.key);
            if costs.len() > 1 {
                chart = chart.series(Series::new(contestant.name, costs));
                drawn += 1;
            }
        }
        if drawn > 0 {
            let caption = format!("{}: wall time against the number of points.", title(stage).0);
            report.plot(&format!("{stage}-times"), &caption, &chart)?;
        }
        return Ok(());
    }
    accuracy::figures(outcomes, report)
}

/// Rows in which a peer does better than its counterpart.
fn behind(outcomes: &[Outcome]) -> Vec<String> {
    let mut rows = Vec::new();
    for outcome in outcomes {
        let Ok(stage) = outcome.stage.parse::<Stage>() else { continue };
        for contestant in stage.contestants() {
            let ours = contestant.against.and_then(|key| outcome.best(key));
            let Some((ours, peer)) = ours.zip(outcome.best(contestant.key)) else { continue };
            let mut row = |what: &str, ours: f64, peer: f64| {
                rows.push(row_behind(outcome, contestant, what, ours, peer));
            };
            if stage.timed() && peer.seconds < ours.seconds {
                row("seconds", ours.seconds, peer.seconds);
            }
            if let Some((ours, peer)) = ours.peak_mib.zip(peer.peak_mib)
                && stage.timed()
                && peer < ours
            {
                row("MiB", ours, peer);
            }
            rows.extend(accuracy::behind(outcome, contestant, ours, peer));
        }
    }
    rows
}

fn row_behind(
    outcome: &Outcome,
    contestant: &Contestant,
    what: &str,
    ours: f64,
    peer: f64,
) -> String {
    let Contestant { name, why, .. } = contestant;
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    format!("{name}, {}, {what}: {peer:.3} against {ours:.3}{why}", outcome.set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::Entry;

    fn entry(key: &str, told: &str) -> Entry {
        let runs = vec![serde_json::from_str(told).unwrap()];
        Entry { key: key.into(), runs, failure: None, patience: 0.0 }
    }

    fn outcome(stage: &str, set: &str, n: usize, entries: Vec<Entry>) -> Outcome {
        Outcome { stage: stage.into(), set: set.into(), shape: (n, 32), entries }
    }

    #[test]
    fn races_become_a_page_that_hides_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let slow = Entry {
            key: "pyamg".into(),
            runs: Vec::new(),
            failure: Some("not done after 110 s".into()),
            patience: 0.0,
        };
        let ours = r#"{"seconds": 0.5, "cpu": 1.0, "peak_mib": 100.0, "residual": 1e-9}"#;
        let peer = r#"{"seconds": 0.25, "cpu": 4.0, "peak_mib": 250.0, "residual": 1e-6}"#;
        let small = vec![entry("harmonic", ours), entry("graphlearning", peer), slow];
        let ours = r#"{"seconds": 5.0, "cpu": 1.0, "peak_mib": 100.0, "residual": 1e-9}"#;
        let large = vec![entry("harmonic", ours)];
        let labels = |numbers: &str| {
            format!(r#"{{"seconds": 1.0, "accuracies": {{"1": {numbers}, "2": [0.5, 0.5]}}}}"#)
        };
        let spread = vec![
            entry("dynamics", &labels("[0.5, 0.7]")),
            entry("poisson-dynamics", &labels("[0.4, 0.6]")),
            entry("graphlearning-poisson", &labels("[0.9]")),
        ];
        let outcomes = [
            outcome("solve", "sheets-10k", 10_000, small),
            outcome("solve", "sheets-50k", 100_000, large),
            outcome("labels", "digits", 1797, spread),
        ];
        let text = write(&outcomes, folder.path()).unwrap();
        assert!(
            text.contains("| GraphLearning | 0.250 | 4.00 | 250 | 1.0e-6 | 0.50 | 4.00 | 2.50 |"),
            "{text}"
        );
        assert!(text.contains("| PyAMG, CG | not done after 110 s |"), "{text}");
        assert!(text.contains("| gaussfield | 1.00 |"), "{text}");
        assert!(text.contains("| gaussfield dynamics, default | uniform, once | 0.600 | 0.500 |"));
        assert!(text.contains("GraphLearning, sheets-10k, seconds: 0.250 against 0.500"), "{text}");
        // Both are told nothing; the default of the dynamics is told a little.
        assert!(
            text.contains(
                "GraphLearning Poisson, digits, 1 labels, splits 0 to 9: 0.900 against 0.400"
            ),
            "{text}"
        );
        assert!(folder.path().join("figures/solve-times.svg").is_file());
        assert!(folder.path().join("report.html").is_file());
    }
}

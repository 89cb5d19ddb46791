//! The figures as tables and plots: on a page, and as Markdown.

use crate::figures::Figure;
use crate::growth;
use gaussfield_report::{Cell, Colophon, Heading, Report, Table};
use std::path::Path;

const WORDS: &str = "Medians of one run on one machine. The ratio is to the baseline of the same \
                     group, the row with 1.00: compare ratios, not times.";

/// Writes `report.html` with a table for every suite, and their numbers.
pub(crate) fn write(figures: &[Figure], folder: &Path) -> anyhow::Result<()> {
    let mut report = Report::default();
    for suite in figures.chunk_by(|a, b| a.suite == b.suite) {
        let name = &suite[0].suite;
        let mut table = Table::new(name, "", ["benchmark", "median", "±", "ratio"]);
        for figure in suite {
            table.row(cells(figure));
        }
        report.section(name, "").table(table);
    }
    growth::tell(&growth::found(figures), &mut report)?;
    let heading =
        Heading { title: "Benchmarks".to_owned(), summary: WORDS.to_owned(), ..Heading::default() };
    let colophon = Colophon { command: "cargo xtask bench".to_owned(), ..Colophon::default() };
    Ok(report.write(folder, &heading, &colophon)?)
}

pub(crate) fn markdown(figures: &[Figure]) -> String {
    let mut table = Table::new("bench", "", ["suite", "benchmark", "median", "±", "ratio"]);
    for figure in figures {
        table.row([Cell::from(figure.suite.as_str())].into_iter().chain(cells(figure)));
    }
    let growth = growth::table(&growth::found(figures));
    let growth = growth.map(|table| format!("\n## Cost against n\n\n{}", table.markdown()));
    format!("# Benchmarks\n\n{WORDS}\n\n{}{}", table.markdown(), growth.unwrap_or_default())
}

fn cells(figure: &Figure) -> [Cell; 4] {
    let Figure { group, benchmark, .. } = figure;
    let (unit, scale) = unit(figure.median_ns);
    let interval = |arm: f64| format!("± {:.2} {unit}", arm / scale);
    // At least two digits that say something, also far below 1.
    let ratio = |ratio: f64| Cell::Number(ratio, if ratio >= 0.095 { 2 } else { 4 });
    [
        format!("{group}: {benchmark}").into(),
        format!("{:.2} {unit}", figure.median_ns / scale).into(),
        figure.plus_minus_ns.map_or_else(|| "once".to_owned(), interval).into(),
        figure.ratio.map_or(Cell::Empty, ratio),
    ]
}

/// The unit in which a time has one to three digits before the point.
fn unit(nanoseconds: f64) -> (&'static str, f64) {
    match nanoseconds {
        t if t < 1e3 => ("ns", 1.0),
        t if t < 1e6 => ("µs", 1e3),
        t if t < 1e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    }
}

//! Cost against n, wherever a suite measured the same thing at several sizes.

use crate::figures::Figure;
use gaussfield_report::plot::{LineChart, Series};
use gaussfield_report::{Cell, Report, Table};
use std::collections::BTreeMap;

/// What follows the number that is a size.
const COUNTED: [&str; 4] = [" nodes", " points", " rows", " labels"];

/// The same work at several sizes.
pub(crate) struct Growth {
    pub(crate) suite: String,
    /// The name of the benchmark with n for its size.
    pub(crate) name: String,
    /// (n, seconds), increasing.
    pub(crate) costs: Vec<(f64, f64)>,
}

impl Growth {
    /// The slope of a line through ln seconds over ln n.
    pub(crate) fn exponent(&self) -> f64 {
        let logs: Vec<(f64, f64)> = self.costs.iter().map(|(n, s)| (n.ln(), s.ln())).collect();
        let mean =
            |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
        let (n, s) = (mean(|log| log.0), mean(|log| log.1));
        let products: f64 = logs.iter().map(|log| (log.0 - n) * (log.1 - s)).sum();
        products / logs.iter().map(|log| (log.0 - n).powi(2)).sum::<f64>()
    }
}

/// All that was measured at two sizes or more, by suite and name.
pub(crate) fn found(figures: &[Figure]) -> Vec<Growth> {
    let mut all: BTreeMap<(&str, String), BTreeMap<u64, f64>> = BTreeMap::new();
    for figure in figures {
        if let Some((name, n)) = sized(&format!("{}: {}", figure.group, figure.benchmark)) {
            let costs = all.entry((figure.suite.as_str(), name)).or_default();
            costs.insert(n, figure.median_ns / 1e9);
        }
    }
    all.retain(|_, costs| costs.len() > 1);
    let growth = |((suite, name), costs): ((&str, String), BTreeMap<u64, f64>)| Growth {
        suite: suite.to_owned(),
        name,
        costs: costs.into_iter().map(|(n, seconds)| (n as f64, seconds)).collect(),
    };
    all.into_iter().map(growth).collect()
}

/// A name with n for the number that is counted, and the number.
fn sized(name: &str) -> Option<(String, u64)> {
    let end = COUNTED.iter().find_map(|counted| name.find(counted))?;
    let is_part = |c: char| c.is_ascii_digit() || c == ',';
    let start = name[..end]
        .rfind(|c| !is_part(c))
        .map_or(0, |at| at + name[at..].chars().next().map_or(0, char::len_utf8));
    let n: u64 = name[start..end].replace(',', "").parse().ok().filter(|&n| n > 0)?;
    Some((format!("{}n{}", &name[..start], &name[end..]), n))
}

/// The exponents as a table; nothing where nothing was measured at several sizes.
pub(crate) fn table(all: &[Growth]) -> Option<Table> {
    let mut table = Table::new("exponents", "", ["suite", "benchmark", "n", "cost ∝ n^"]);
    for growth in all {
        let sizes: Vec<String> = growth.costs.iter().map(|(n, _)| n.to_string()).collect();
        table.row([
            Cell::from(growth.suite.as_str()),
            growth.name.as_str().into(),
            sizes.join(", ").into(),
            Cell::Number(growth.exponent(), 2),
        ]);
    }
    (!all.is_empty()).then_some(table)
}

/// A section with the table, and a figure for each suite.
pub(crate) fn tell(all: &[Growth], report: &mut Report) -> anyhow::Result<()> {
    let Some(table) = table(all) else { return Ok(()) };
    report.section("Cost against n", "The exponent is the slope of a line through the logarithms.");
    report.table(table);
    for suite in all.chunk_by(|a, b| a.suite == b.suite) {
        let mut chart = LineChart::new("n", "seconds").log_x().log_y();
        for growth in suite {
            chart = chart.series(Series::new(growth.name.as_str(), growth.costs.clone()));
        }
        let name = &suite[0].suite;
        report.plot(&format!("growth-{name}"), &format!("{name}: seconds against n."), &chart)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(benchmark: &str, seconds: f64) -> Figure {
        Figure {
            suite: "growth".into(),
            group: "once".into(),
            benchmark: benchmark.into(),
            median_ns: 1e9 * seconds,
            plus_minus_ns: None,
            ratio: None,
        }
    }

    #[test]
    fn sizes_are_read_from_names() {
        assert_eq!(
            sized("once: solve, 1,000 nodes").unwrap(),
            ("once: solve, n nodes".into(), 1000)
        );
        assert_eq!(sized("kd-tree: 50 points, k 3").unwrap().1, 50);
        assert!(sized("no number of nodes").is_none() && sized("16 threads").is_none());
    }

    #[test]
    fn a_square_grows_with_exponent_two() {
        let figures = [
            figure("solve, 100 nodes", 0.5),
            figure("solve, 200 nodes", 2.0),
            figure("solve, 400 nodes", 8.0),
            figure("other, 100 nodes", 1.0),
        ];
        let all = found(&figures);
        assert_eq!(all.len(), 1);
        assert!((all[0].exponent() - 2.0).abs() < 1e-12);
        let text = table(&all).unwrap().markdown();
        assert!(
            text.contains("| growth | once: solve, n nodes | 100, 200, 400 | 2.00 |"),
            "{text}"
        );
        let folder = tempfile::tempdir().unwrap();
        crate::page::write(&figures, folder.path()).unwrap();
        assert!(folder.path().join("figures/growth-growth.svg").is_file());
        assert!(crate::page::markdown(&figures).contains("| 2.00 |"));
    }
}

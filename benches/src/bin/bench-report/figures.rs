//! Criterion's files, read.

use std::path::Path;

use anyhow::Context;
use gaussfield_benches::baseline;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// One benchmark's figures, times in nanoseconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figure {
    pub(crate) suite: String,
    pub(crate) group: String,
    pub(crate) benchmark: String,
    pub(crate) median_ns: f64,
    /// The longer arm of the confidence interval of the median; none for work that ran once.
    pub(crate) plus_minus_ns: Option<f64>,
    /// Median over the median of the group's baseline.
    pub(crate) ratio: Option<f64>,
}

#[derive(Deserialize)]
struct Identity {
    group_id: String,
    function_id: Option<String>,
    value_str: Option<String>,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    confidence_interval: Option<Interval>,
    point_estimate: f64,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// Every benchmark under criterion's folder, by suite, group and name.
pub(crate) fn read(folder: &Path) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    collect(folder, &mut figures)?;
    figures.sort_by(|a, b| {
        (&a.suite, &a.group, &a.benchmark).cmp(&(&b.suite, &b.group, &b.benchmark))
    });
    let baselines: Vec<Option<f64>> = figures.iter().map(|f| of_baseline(f, &figures)).collect();
    for (figure, base) in figures.iter_mut().zip(baselines) {
        figure.ratio = base.map(|base| figure.median_ns / base);
    }
    Ok(figures)
}

fn of_baseline(figure: &Figure, all: &[Figure]) -> Option<f64> {
    let name = baseline(&figure.suite)?;
    let same_group = |f: &&Figure| f.suite == figure.suite && f.group == figure.group;
    all.iter().filter(same_group).find(|f| f.benchmark == name).map(|f| f.median_ns)
}

fn collect(folder: &Path, figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if !path.is_dir() {
            continue;
        }
        if path.file_name().is_some_and(|name| name == "new") {
            figures.push(figure(&path)?);
        } else {
            collect(&path, figures)?;
        }
    }
    Ok(())
}

fn figure(folder: &Path) -> anyhow::Result<Figure> {
    let identity: Identity = parse(&folder.join("benchmark.json"))?;
    let Estimates { median } = parse(&folder.join("estimates.json"))?;
    let (suite, group) = identity.group_id.split_once('/').unwrap_or((&identity.group_id, ""));
    let name = [identity.function_id, identity.value_str].into_iter().flatten();
    let middle = median.point_estimate;
    let longer =
        |interval: Interval| (middle - interval.lower_bound).max(interval.upper_bound - middle);
    Ok(Figure {
        suite: suite.to_string(),
        group: group.to_string(),
        benchmark: name.collect::<Vec<_>>().join(" "),
        median_ns: middle,
        plus_minus_ns: median.confidence_interval.map(longer),
        ratio: None,
    })
}

pub(crate) fn parse<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

//! The figures as a Markdown page.

use crate::figures::Figure;

pub(crate) fn markdown(figures: &[Figure]) -> String {
    let mut page = String::from(
        "# Benchmarks\n\n\
         Medians of one run on one machine. The ratio is to the baseline of the same group, the \
         row with 1.00: compare ratios, not times.\n\n\
         | suite | benchmark | median | ± | ratio |\n\
         |---|---|--:|--:|--:|\n",
    );
    for figure in figures {
        let Figure { suite, group, benchmark, .. } = figure;
        let (unit, scale) = unit(figure.median_ns);
        let median = figure.median_ns / scale;
        let once = || "once".to_string();
        let interval =
            figure.plus_minus_ns.map_or_else(once, |arm| format!("± {:.2} {unit}", arm / scale));
        let ratio = figure.ratio.map_or("–".to_string(), two_digits);
        page += &format!(
            "| {suite} | {group}: {benchmark} | {median:.2} {unit} | {interval} | {ratio} |\n"
        );
    }
    page
}

/// At least two digits that say something, also far below 1.
fn two_digits(ratio: f64) -> String {
    let decimals = if ratio >= 0.095 { 2 } else { 4 };
    format!("{ratio:.decimals$}")
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

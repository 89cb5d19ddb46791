//! The sentences of sections 4 and 6.
//!
//! What "good", "large" or "slightly" mean is in the constants below, which were committed before
//! the run that is reported.

mod families;
mod graphs;
mod thresholds;

use super::scans::Family;
use super::study::{Case, Studied, Study, real};
use crate::Context;
use anyhow::Result;
use gaussfield_report::format::number;

/// Rank correlation from which "good".
const GOOD_CORRELATION: f64 = 0.5;
/// k up to which "small".
const SMALL: f64 = 16.0;
/// Factor from which "much larger", and "a few orders of magnitude".
const MUCH: f64 = 3.0;
const ORDERS: f64 = 100.0;
/// A turn of a curve counts from this share of its range.
const TURN: f64 = 0.05;
/// Lost accuracy up to which "reasonably well", and gain up to which "slightly"; a graph is good
/// that loses no more against the best of its family.
const REASONABLE: f64 = 0.05;
/// How many times as large a share of good graphs is "much easier".
const EASIER: f64 = 2.0;
/// Difference between the share above zero and the true share from which "biased"; and the share
/// of cases from which "often".
const BIAS: f64 = 0.2;
const OFTEN: f64 = 0.25;
/// The share of cases from which "can": fewer would be an accident.
const CAN: f64 = 0.1;
/// The share of cells of Table 2 from which a cut is the better one in general.
const IN_GENERAL: f64 = 0.75;

/// All sentences, over the tasks that ran on the report's data.
pub(super) fn run(ctx: &mut Context, cases: &[Case]) -> Result<()> {
    ctx.report.section(
        "The sentences of sections 4 and 6",
        format!(
            "Each is checked over the tasks that ran, and holds if it does in more than half of \
             them where it speaks in general. Read as: good correlation, Spearman's of at least \
             {GOOD_CORRELATION} over k; small k, up to {SMALL}; much more edges, {MUCH} times; a \
             few orders of magnitude, {ORDERS} times; zig-zag, more turns of at least {TURN} of a \
             curve's range; reasonably well and slightly, {REASONABLE} of accuracy; biased, a \
             share above zero off by {BIAS}; often, in {OFTEN} of the cases; can, in {CAN} of them; \
             better or worse than the other families, by two standard errors of the difference over \
             label sets, each the mean over tasks; easier, {EASIER} times as large a share of the \
             graphs looked at within {REASONABLE} of the family's best tuned accuracy."
        ),
    );
    let studies = real(cases);
    let mut claims = Vec::new();
    graphs::neighbours(&studies, &mut claims);
    graphs::radius(&studies, &mut claims);
    thresholds::thresholds(&studies, &mut claims);
    families::families(&studies, &mut claims);
    let missing = if studies.is_empty() { cases.iter().find_map(Case::missing) } else { None };
    for claim in claims {
        ctx.report.claim(claim.not_run_if(missing));
    }
    Ok(())
}

/// More than half of the tasks, and the words for it.
fn most(count: usize, of: usize) -> bool {
    2 * count > of
}

fn studied<'a>(studies: &[&'a Study], family: Family) -> Vec<(&'static str, &'a Studied)> {
    let one = |study: &&'a Study| study.of(family).map(|studied| (study.plan.name, studied));
    studies.iter().filter_map(one).collect()
}

/// "1/2 0.8, 2/3 0.5".
fn listed(values: &[(&str, f64)]) -> String {
    let one =
        |(name, value): &(&str, f64)| format!("{name} {}", number((value * 1e3).round() / 1e3));
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

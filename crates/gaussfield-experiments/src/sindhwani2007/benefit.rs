//! Figures 2 and 3: what unlabelled data are worth, on test points and on unlabelled ones.

use super::choice::{Method, Outcome, Set};
use super::comparison::{jackknife, side, with_error};
use super::grid::{PLACES, WIDTHS};
use super::study::{Case, Study, figures};
use crate::Context;
use anyhow::Result;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::{Cell, Claim, Table};

const METHODS: [(Method, &str); 2] = [(Method::Ssgp, "SSGP"), (Method::Gp, "GP")];

pub(super) fn run(ctx: &mut Context, cases: &[Case]) -> Result<()> {
    ctx.report.section(
        "Figures 2 and 3: benefit of unlabelled data",
        "SSGP against the same process with γ_I = 0 (GP). Solid: the least error on the grid, found \
         for each draw. Dashed: the error where the evidence is largest. Bars are one standard \
         deviation over draws.\n\n\
         SSGP's grid holds GP's, so its least error cannot be above GP's. The claims about a gain \
         are therefore decided at the chosen parameters, where nothing is given away. A gain is \
         the mean over the numbers of labels, draw by draw; it counts, as every difference here, \
         from two of its standard errors.",
    );
    ctx.report.statement(
        "Section 4.2",
        "Using unlabelled data, SSGP improves significantly on the standard GP on test and on \
         unlabelled points; the gap is larger on the unlabelled points; this holds over the whole \
         span of amounts of labelled data. Figure 2: the gap converges faster, the performance of \
         the parameters chosen by the evidence is closer to the best for SSGP than for GP, and \
         SSGP's curves have less variance. (Words about PCMAC are lost from this caption.)",
    );
    figures(ctx, cases, [2, 3], METHODS)?;
    ctx.report.table(table(cases)?);
    for case in cases {
        for claim in claims(case)? {
            ctx.report.claim(claim);
        }
    }
    Ok(())
}

/// Error at the chosen parameters, GP − SSGP.
fn gain(outcome: &Outcome, set: Set) -> f64 {
    outcome.of(Method::Gp, set).chosen - outcome.of(Method::Ssgp, set).chosen
}

/// How far the chosen parameters are from the best ones.
fn loss(outcome: &Outcome, method: Method) -> f64 {
    let pair = outcome.of(method, Set::Test);
    pair.chosen - pair.best
}

fn table(cases: &[Case]) -> Result<Table> {
    let mut table = Table::new(
        "gains",
        "Errors in per cent at the chosen parameters, over draws. The last column is the share of \
         draws in which the evidence takes a graph (γ_I > 0).",
        ["data set", "labels", "GP test", "SSGP test", "GP unlabelled", "SSGP unlabelled", "graph"],
    );
    for study in cases.iter().filter_map(|case| case.study.as_ref().ok()) {
        let of = |method, set| study.curve(move |o: &Outcome| o.of(method, set).chosen);
        let columns = [
            of(Method::Gp, Set::Test)?,
            of(Method::Ssgp, Set::Test)?,
            of(Method::Gp, Set::Unlabelled)?,
            of(Method::Ssgp, Set::Unlabelled)?,
        ];
        let graph = study.curve(|o| o.graph)?;
        for (at, &count) in study.counts.iter().enumerate() {
            let mut cells = vec![Cell::from(study.plan.name), Cell::Number(count as f64, 0)];
            cells.extend(columns.iter().map(|column| Cell::of_trials(column[at], 1)));
            cells.push(Cell::Number(graph[at].mean, 2));
            table.row(cells);
        }
    }
    Ok(table)
}

pub(super) fn claims(case: &Case) -> Result<Vec<Claim>> {
    let (id, name) = (case.plan.id, case.plan.name);
    let claim = |key: &str, place: &str, words: &str| {
        Claim::new(format!("{key}-{id}"), place, format!("{name}: {words}"))
    };
    Ok(vec![
        case.judge(
            claim(
                "fig2",
                "Figure 2, section 4.2",
                "unlabelled data improve the test error (points)",
            ),
            |study, claim| significant(study, claim, Set::Test),
            |study| why_gain(study, &[Set::Test]),
        )?,
        case.judge(
            claim(
                "fig3",
                "Figure 3, section 4.2",
                "unlabelled data improve the error on unlabelled points (points)",
            ),
            |study, claim| significant(study, claim, Set::Unlabelled),
            |study| why_gain(study, &[Set::Unlabelled]),
        )?,
        case.judge(
            claim(
                "fig3-larger",
                "Section 4.2",
                "the gap is larger on unlabelled points than on test points (points more)",
            ),
            larger,
            |study| {
                let over = more_on_unlabelled(study)?;
                Ok(format!(
                    "the difference is {}; the paper's own numbers are lost, so how much larger is \
                     not known",
                    side(over)
                ))
            },
        )?,
        case.judge(
            claim(
                "span",
                "Section 4.2",
                "the improvement holds over the whole span of amounts of labels",
            ),
            span,
            |study| why_gain(study, &[Set::Test, Set::Unlabelled]),
        )?,
        case.judge(
            claim(
                "fig2-closer",
                "Figure 2",
                "what the evidence chooses is closer to the best for SSGP than for GP",
            ),
            closer,
            why_closer,
        )?,
        case.judge(
            claim("fig2-variance", "Figure 2", "SSGP's curves have less variance than GP's"),
            variance,
            |study| Ok(format!("the difference is {}", side(less_spread(study)?))),
        )?,
    ])
}

fn significant(study: &Study, claim: Claim, set: Set) -> Result<Claim> {
    let over = study.over_draws(usize::MAX, |o| gain(o, set))?;
    let of = |method| study.over_draws(usize::MAX, move |o| o.of(method, set).chosen);
    Ok(claim.paper("significant").over(over).above(0.0).because(&format!(
        "GP {:.1} %, SSGP {:.1} %, mean over the numbers of labels",
        of(Method::Gp)?.mean,
        of(Method::Ssgp)?.mean
    )))
}

/// The gain on unlabelled points less that on test points.
fn more_on_unlabelled(study: &Study) -> Result<MeanStd> {
    study.over_draws(usize::MAX, |o| gain(o, Set::Unlabelled) - gain(o, Set::Test))
}

fn larger(study: &Study, claim: Claim) -> Result<Claim> {
    let over = more_on_unlabelled(study)?;
    let mean = |set| study.over_draws(usize::MAX, move |o| gain(o, set));
    Ok(claim.paper("larger").over(over).above(0.0).because(&format!(
        "gain {:.2} on unlabelled points, {:.2} on test points",
        mean(Set::Unlabelled)?.mean,
        mean(Set::Test)?.mean
    )))
}

/// A gain at every number of labels, on both sets.
fn span(study: &Study, claim: Claim) -> Result<Claim> {
    let mut fails = Vec::new();
    for (set, name) in [(Set::Test, "test"), (Set::Unlabelled, "unlabelled")] {
        for (over, count) in study.curve(|o| gain(o, set))?.iter().zip(&study.counts) {
            if over.mean <= 0.0 {
                fails.push(format!("{name} at {count} labels ({:.2})", over.mean));
            }
        }
    }
    let words =
        if fails.is_empty() { "everywhere".to_owned() } else { "not everywhere".to_owned() };
    let reason = match fails.is_empty() {
        true => "the mean gain is above zero at every number of labels, on both sets".to_owned(),
        false => format!("no gain on {}", fails.join(", ")),
    };
    Ok(claim.paper("everywhere").ours_value(words).holds_if(fails.is_empty(), reason))
}

fn closer(study: &Study, claim: Claim) -> Result<Claim> {
    let of = |method| study.over_draws(usize::MAX, move |o| loss(o, method));
    let over = study.over_draws(usize::MAX, |o| loss(o, Method::Gp) - loss(o, Method::Ssgp))?;
    Ok(claim.paper("closer").over(over).above(0.0).because(&format!(
        "test error at the chosen parameters above the least one on the grid, mean over the \
             numbers of labels: {:.2} for SSGP, {:.2} for GP",
        of(Method::Ssgp)?.mean,
        of(Method::Gp)?.mean
    )))
}

fn variance(study: &Study, claim: Claim) -> Result<Claim> {
    let over = less_spread(study)?;
    let of = |method| spread(study, method, None);
    Ok(claim.paper("less").over(over).above(0.0).because(&format!(
        "standard deviation over draws, mean over both curves and all numbers of labels: {:.2} \
             for SSGP, {:.2} for GP; the standard error is the jackknife's",
        of(Method::Ssgp)?,
        of(Method::Gp)?
    )))
}

/// How much less SSGP's curves vary over draws than GP's.
fn less_spread(study: &Study) -> Result<MeanStd> {
    jackknife(study.draws(), |without| {
        Ok(spread(study, Method::Gp, without)? - spread(study, Method::Ssgp, without)?)
    })
}

/// The standard deviation over draws on the test points, over the best and the chosen curve.
fn spread(study: &Study, method: Method, without: Option<usize>) -> Result<f64> {
    let rows = study.without(without);
    let mut total = 0.0;
    for at in 0..study.counts.len() {
        let pairs: Vec<_> = rows.iter().map(|row| row[at].of(method, Set::Test)).collect();
        let best: Vec<f64> = pairs.iter().map(|pair| pair.best).collect();
        let chosen: Vec<f64> = pairs.iter().map(|pair| pair.chosen).collect();
        for values in [best, chosen] {
            total += MeanStd::over(&values)?.std.unwrap_or(0.0);
        }
    }
    Ok(total / (2 * study.counts.len().max(1)) as f64)
}

/// Where the gain is least: how sharp the evidence is there, and what its choice costs.
fn why_gain(study: &Study, sets: &[Set]) -> Result<String> {
    let mut least = (f64::INFINITY, 0, Set::Test);
    for &set in sets {
        for (at, over) in study.curve(|o| gain(o, set))?.iter().enumerate() {
            if over.mean < least.0 {
                least = (over.mean, at, set);
            }
        }
    }
    let (_, at, set) = least;
    let at_least = |of: &dyn Fn(&Outcome) -> f64| -> Result<MeanStd> { Ok(study.curve(of)?[at]) };
    let pair = |method| move |o: &Outcome| o.of(method, set);
    let (ours, plain) = (pair(Method::Ssgp), pair(Method::Gp));
    Ok(format!(
        "the least gain is at {} labels on {} points: {}. There {:.0} of the {PLACES} settings lie \
         within half a nat of the largest evidence; SSGP's choice is {:.1} points above the least \
         error on its grid, GP's {:.1} above that on its own, and the two least errors are {:.1} \
         points apart; {:.1} % of the graph's edges join the classes",
        study.counts[at],
        if set == Set::Test { "test" } else { "unlabelled" },
        with_error(at_least(&|o| gain(o, set))?),
        at_least(&|o| o.near)?.mean,
        at_least(&|o| ours(o).chosen - ours(o).best)?.mean,
        at_least(&|o| plain(o).chosen - plain(o).best)?.mean,
        at_least(&|o| plain(o).best - ours(o).best)?.mean,
        study.across
    ))
}

fn why_closer(study: &Study) -> Result<String> {
    let gap = |of: &dyn Fn(&Outcome, Method) -> f64| {
        study.over_draws(usize::MAX, |o| of(o, Method::Gp) - of(o, Method::Ssgp))
    };
    Ok(format!(
        "the least error is found with the true classes, among {PLACES} settings for SSGP and {} for \
         GP: SSGP's is {:.2} points below GP's, its chosen one {:.2} points below. The caption's \
         words about the data sets this holds for are lost",
        WIDTHS.len(),
        gap(&|o, method| o.of(method, Set::Test).best)?.mean,
        gap(&|o, method| o.of(method, Set::Test).chosen)?.mean
    ))
}

//! What the text says of other pairs of digits.

use super::curves::Curves;
use super::{percent, ranking};
use crate::Context;
use crate::tasks::Digits;
use anyhow::Result;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{ClassPrior, Decision, HeldOut, Transductive as _};
use gaussfield_report::{Cell, Claim, Table};

/// Pairs that look alike, chosen before any result was seen; the paper does not name its own.
const PAIRS: [(usize, usize); 4] = [(1, 7), (3, 5), (3, 8), (4, 9)];
const PLACE: &str = "Section 7, on Figure 3 left";

pub(super) fn run(ctx: &mut Context, digits: &Digits) -> Result<()> {
    let counts: &[usize] = if ctx.quick() { &[10, 50] } else { &[4, 10, 20, 50, 100] };
    ctx.report.statement(
        PLACE,
        "The same was observed on several other pairs of digits: thresh is poor, the class prior \
         helps.",
    );
    let mut table = Table::new(
        "fig3-pairs-table",
        "Other pairs: mean accuracy (%) over the numbers of labels, and the gain of CMN over thresh.",
        ["pair", "thresh", "CMN", "gain", "cut at true share"],
    );
    let (mut gains, mut weak) = (Vec::new(), Vec::new());
    for (low, high) in PAIRS {
        let pair = format!("{low} vs {high}");
        let names = [low.to_string(), high.to_string()];
        let task = digits.task(
            &digits.rows_of(&[low, high]),
            &names.each_ref().map(String::as_str),
            |digit| usize::from(digit == high),
        )?;
        let curves = Curves::measure(
            ctx,
            &format!("fig3-pair-{low}-{high}"),
            &digits.sigma(),
            (counts, ["thresh", "CMN", "cut at true share"]),
            &task.labels,
            |_, visible| {
                let held_out = HeldOut::new(&task.labels, visible)?;
                let scores = Harmonic::default().fit(&task.graph, visible)?.interior_scores()?;
                let prior = Decision::ClassMass(ClassPrior::add_one(visible)?);
                Ok([
                    percent(&held_out, &Decision::Argmax.decide(&scores)?)?,
                    percent(&held_out, &prior.decide(&scores)?)?,
                    ranking(&held_out, &scores)?,
                ])
            },
        )?;
        let gain = curves.gain("CMN", "thresh")?;
        let ranked = curves.over_grid("cut at true share")?;
        table.row([
            Cell::from(pair.clone()),
            Cell::of_trials(curves.over_grid("thresh")?, 1),
            Cell::of_trials(curves.over_grid("CMN")?, 1),
            Cell::of_trials(gain.over_grid, 1),
            Cell::of_trials(ranked, 1),
        ]);
        if !gain.is_significant() {
            weak.push(format!("{pair} (cut at the true share: {:.1} %)", ranked.mean));
        }
        gains.push(format!("{pair}: {:+.1}", gain.over_grid.mean));
    }
    let reason = match weak.as_slice() {
        [] => "asked for a gain above two standard errors on every pair".to_owned(),
        weak => format!("no gain above two standard errors on {}", weak.join(", ")),
    };
    let claim = Claim::new(
        "fig3-pairs-prior",
        PLACE,
        "on other pairs of digits, too, CMN improves over thresh (points of accuracy)",
    )
    .paper("improves")
    .ours_value(gains.join("; "))
    .holds_if(weak.is_empty(), reason);
    let claim = claim.explained(
        "the paper does not name its pairs; on these the gain varies more from trial to trial than \
         it amounts to",
    );
    ctx.report.table(table).claim(claim.not_run_if(digits.missing.as_deref()));
    Ok(())
}

//! One column of the figure of error rates.

use super::METHODS;
use super::task::{RATES, Run};
use crate::Context;
use crate::kapoor2005::judge::{bar, clearly_below, rate};
use crate::texts::on_edition;
use anyhow::Result;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_report::plot::Bars;
use gaussfield_report::{Cell, Claim, Figure, Table};
use std::f64::consts::LN_2;

/// One column of the figure.
pub(super) struct Side {
    pub(super) id: &'static str,
    name: &'static str,
    ep: &'static str,
    parameter: &'static str,
    /// The paper's error rates and bars on unlabelled points.
    paper: [(f64, f64); 4],
    /// Which of the rates of a run are the paper's.
    rates: [usize; 4],
}

pub(super) const DIGITS: Side = Side {
    id: "fig3-digits",
    name: "odd vs even",
    ep: "EP-NL",
    parameter: "σ",
    paper: [(14.46, 4.4), (16.02, 1.1), (23.98, 4.9), (24.23, 1.1)],
    rates: [0, 1, 2, 3],
};
/// Labels of both classes together.
pub(super) const TEXT_LABELS: usize = 10;
pub(super) const TEXTS: Side = Side {
    id: "fig3-texts",
    name: "PC vs MAC",
    ep: "EP-CL",
    parameter: "γ",
    paper: [(9.28, 0.7), (18.03, 3.5), (10.86, 2.4), (46.88, 0.3)],
    rates: [0, 1, 4, 5],
};

/// Points of error that tell: a margin for "similar", and two standard errors above it are too few
/// runs.
const TELLING: f64 = 5.0;

/// What the runs came to.
struct Rates {
    /// In the order of the methods.
    unlabelled: Vec<MeanStd>,
    /// EP less LLGC on digits, less Harmonic on texts, run by run.
    gap: MeanStd,
    /// EP on new points less EP on unlabelled ones, run by run.
    apart: MeanStd,
}

/// Why the texts come out differently: what was tried beside, in the same runs.
fn texts_differ(runs: &[Run], over: Over<'_>) -> Result<String> {
    let best = runs.iter().map(|run| run.evidence).fold(f64::NEG_INFINITY, f64::max);
    let tosses = -LN_2 * TEXT_LABELS as f64;
    Ok(format!(
        "the paper takes the texts from zhu2003, which does not say how counts become weights; with \
         {TEXT_LABELS} labels the log evidence here is at most {:.2} above that of as many \
         coin tosses, {tosses:.2}, so that it can hardly choose. {}",
        best - tosses,
        beside(runs, over)?
    ))
}

/// The same for digits.
fn digits_differ(runs: &[Run], over: Over<'_>) -> Result<String> {
    Ok(format!(
        "the paper's five draws of images and labels are not known, and its bars are those of five \
         runs. {}",
        beside(runs, over)?
    ))
}

/// A quantity over runs.
type Over<'a> = &'a dyn Fn(&dyn Fn(&Run) -> f64) -> Result<MeanStd>;

/// How far single runs lie apart, and what another cut of the same answers gives.
fn beside(runs: &[Run], over: Over<'_>) -> Result<String> {
    let ends = |of: &dyn Fn(&Run) -> f64| {
        let all = runs.iter().map(of);
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
    };
    let (low, high) = ends(&|run| run.unlabelled[0]);
    let median = over(&|run| run.median)?;
    let (half, mass) = (over(&|run| run.unlabelled[2])?, over(&|run| run.unlabelled[4])?);
    let [cut, copied] = [0, 1].map(|at| over(&|run| run.other_new[at]));
    let (cut, copied) = (cut?, copied?);
    Ok(format!(
        "Single runs of EP err from {low:.1} to {high:.1} %; cut at the median of its means instead \
         of zero it errs {:.1} ± {:.1} %, on new points {:.1} ± {:.1} %, where the class of the nearest \
         node by EP errs {:.1} ± {:.1} %; Harmonic errs {:.1} ± {:.1} % at ½ and {:.1} ± {:.1} % with \
         class mass normalisation",
        median.mean,
        bar(median),
        cut.mean,
        bar(cut),
        copied.mean,
        bar(copied),
        half.mean,
        bar(half),
        mass.mean,
        bar(mass)
    ))
}

impl Side {
    fn methods(&self) -> [&'static str; 4] {
        [self.ep, METHODS[1], METHODS[2], METHODS[3]]
    }

    pub(super) fn report(
        &self,
        ctx: &mut Context,
        runs: &[Run],
        note: Option<String>,
        missing: Option<&str>,
    ) -> Result<()> {
        let over = |of: &dyn Fn(&Run) -> f64| -> Result<MeanStd> {
            Ok(MeanStd::over(&runs.iter().map(of).collect::<Vec<f64>>())?)
        };
        let (mut unlabelled, mut new) = (Vec::new(), Vec::new());
        for method in self.rates {
            unlabelled.push(over(&|run| run.unlabelled[method])?);
            new.push(over(&|run| run.new[method])?);
        }
        let with_bars = |rates: &[MeanStd]| -> Vec<(f64, Option<f64>)> {
            rates.iter().map(|&over| (over.mean, Some(bar(over)))).collect()
        };
        let mut chart = Bars::new("error (%)", self.methods())
            .title(self.name)
            .series("unlabelled", with_bars(&unlabelled))
            .series("new", with_bars(&new));
        if missing.is_none() {
            for (method, &(paper, _)) in self.paper.iter().enumerate() {
                chart = chart.paper(method, 0, paper);
            }
        }
        let caption = format!(
            "Figure 3, {}: error on unlabelled and on new points, mean over {} runs, bars of 1.64 \
             standard errors; dashes are the paper's numbers.",
            self.name,
            runs.len()
        );
        let edition = note.clone().filter(|_| missing.is_none());
        ctx.report.add_figure(Figure::of(self.id, &caption, &chart)?.stand_in(note));
        let heads = ["run", self.parameter, "δ", "ε", "log evidence", "by LLGC", "by Harmonic"];
        let caption = format!(
            "{}: what was learned in each run, and the {} that leaving one out chose.",
            self.name, self.parameter
        );
        let mut table = Table::new(format!("{}-learned", self.id), caption, heads);
        for (at, run) in runs.iter().enumerate() {
            table.row(vec![
                Cell::Number(at as f64 + 1.0, 0),
                Cell::Number(run.learned[0], 3),
                Cell::Text(format!("{:.2e}", run.learned[1])),
                Cell::Text(format!("{:.2e}", run.learned[2])),
                Cell::Number(run.evidence, 2),
                Cell::Number(run.chosen[0], 2),
                Cell::Number(run.chosen[1], 2),
            ]);
        }
        ctx.report.table(table);
        let median = over(&|run| run.median)?;
        let mut beside = vec![format!(
            "{} cut at the median of its means instead of at zero {:.1} ± {:.1} %",
            self.ep,
            median.mean,
            bar(median)
        )];
        let names: [&str; RATES] = [
            "EP",
            "LLGC",
            "Harmonic decided at ½",
            "1-NN by cosine",
            "Harmonic with class mass normalisation",
            "1-NN by Euclid",
        ];
        // On digits the graph's metric is Euclid's already.
        let others = if self.kind_is_digits() { vec![4] } else { vec![2, 3] };
        for method in others {
            let rate = over(&|run| run.unlabelled[method])?;
            beside.push(format!("{} {:.1} ± {:.1} %", names[method], rate.mean, bar(rate)));
        }
        ctx.report.text(format!(
            "Beside the paper's numbers, wrong on {}: {}.",
            self.name,
            beside.join("; ")
        ));
        let beside = if self.kind_is_digits() { self.rates[1] } else { self.rates[2] };
        let gap = over(&|run| run.unlabelled[0] - run.unlabelled[beside])?;
        let apart = over(&|run| run.new[0] - run.unlabelled[0])?;
        let explanation = match self.kind_is_digits() {
            true => digits_differ(runs, &over)?,
            false => texts_differ(runs, &over)?,
        };
        for claim in self.claims(Some(&Rates { unlabelled, gap, apart })) {
            let claim = claim.explained(&explanation);
            ctx.report.claim(on_edition(claim.not_run_if(missing), edition.as_ref()));
        }
        Ok(())
    }

    pub(super) fn not_run(&self, ctx: &mut Context, reason: &str) -> Result<()> {
        for claim in self.claims(None) {
            ctx.report.claim(claim.not_run(reason));
        }
        Ok(())
    }

    /// The printed numbers, and what the text says of their order.
    fn claims(&self, found: Option<&Rates>) -> Vec<Claim> {
        let place = format!("Figure 3, {}", self.name);
        let nothing = MeanStd { mean: f64::NAN, std: None, trials: 1 };
        let of = |rates: Option<&[MeanStd]>, at: usize| {
            rates.and_then(|rates| rates.get(at).copied()).unwrap_or(nothing)
        };
        let rates = found.map(|found| &found.unlabelled[..]);
        let mut claims: Vec<Claim> = (0..4)
            .map(|at| {
                let id = format!("{}-{}", self.id, METHODS[at].to_lowercase());
                let claim = rate(&id, &place, self.methods()[at], self.paper[at], of(rates, at));
                if rates.is_none() { claim.not_run("") } else { claim }
            })
            .collect();
        let own = of(rates, 0);
        let worse = if self.kind_is_digits() { [2, 3] } else { [1, 3] };
        let others: Vec<String> = worse
            .iter()
            .map(|&at| {
                format!("{} {:.1} ± {:.1}", METHODS[at], of(rates, at).mean, bar(of(rates, at)))
            })
            .collect();
        let text = format!(
            "{} significantly outperforms {} and {}",
            self.ep, METHODS[worse[0]], METHODS[worse[1]]
        );
        claims.push(
            Claim::new(format!("{}-clearly", self.id), place.clone(), text).over(own).holds_if(
                worse.iter().all(|&at| clearly_below(own, of(rates, at))),
                format!(
                    "{} {:.1} ± {:.1}, {}; bars must not overlap, as in the paper",
                    self.ep,
                    own.mean,
                    bar(own),
                    others.join(", ")
                ),
            ),
        );
        let gap = found.map_or(nothing, |found| found.gap);
        let claim =
            |text: String| Claim::new(format!("{}-near", self.id), place.clone(), text).over(gap);
        claims.push(if self.kind_is_digits() {
            let two = 2.0 * gap.standard_error().unwrap_or(f64::INFINITY);
            claim(format!("{} is at least as good as LLGC (points of error, more)", self.ep))
                .holds_if(
                    gap.mean <= two,
                    format!("run by run; not above zero by two standard errors, {two:.1}"),
                )
                .says_little_if(two > TELLING, "the runs are too few to tell")
        } else {
            claim(format!("{} is better than Harmonic (points of error, less)", self.ep)).below(0.0)
        });
        let apart = found.map_or(nothing, |found| found.apart);
        let text = format!(
            "similar results on new points: error of {} there less that on unlabelled ones (points)",
            self.ep
        );
        claims.push(
            Claim::new(format!("{}-new", self.id), place, text)
                .paper("similar")
                .over(apart)
                .similar(TELLING),
        );
        claims
    }

    fn kind_is_digits(&self) -> bool {
        self.id == DIGITS.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_without_data_are_all_there() {
        assert_eq!(TEXTS.claims(None).len(), 7);
    }
}

//! Section 6 on the limit of short length scales: whether growing from the nearest label is inferior
//! where classes are not extremely well separated.

use super::figure3::percent;
use crate::tasks::Digits;
use crate::texts::{BASEBALL_HOCKEY, PC_MAC, Texts, WINDOWS_MAC};
use crate::{Context, Found, Trial};
use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_data::split::Split;
use gaussfield_graph::{
    CosineExponential, Exponential, Graph, Metric, Neighbours, Pattern, Search, Symmetry,
    WeightFamily as _,
};
use gaussfield_harmonic::Harmonic;
use gaussfield_harmonic::relatives::NearestGrowth;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_labels::{ClassPrior, Decision, HeldOut, Islands, Labels, Transductive as _};
use gaussfield_points::Points;
use gaussfield_report::{Cell, Claim, Table};
use std::ops::Range;

const LABELS: usize = 20;
/// Images of each digit.
const EACH: usize = 500;
/// Pairs of digits: the paper's, and those that look alike, as for Figure 3.
const PAIRS: [(usize, usize); 5] = [(1, 2), (1, 7), (3, 5), (3, 8), (4, 9)];
const TEXTS: [(&str, [&str; 2]); 3] = [
    ("PC vs MAC", PC_MAC),
    ("baseball vs hockey", BASEBALL_HOCKEY),
    ("MS-Windows vs MAC", WINDOWS_MAC),
];
/// Classes are extremely well separated if at most so many of a hundred points have their nearest
/// neighbour in the other class.
const SEPARATED: f64 = 1.0;

/// A task: how far its classes are apart, and both methods on every draw of labels.
struct Compared {
    name: String,
    /// Per cent of the points whose nearest neighbour is in the other class.
    crossed: f64,
    /// Accuracies of CMN at the paper's graph and of growth, in per cent.
    trials: Vec<(f64, f64)>,
}

impl Compared {
    fn separated(&self) -> bool {
        self.crossed <= SEPARATED
    }

    fn over(&self, of: impl Fn(&(f64, f64)) -> f64) -> Result<MeanStd> {
        Ok(MeanStd::over(&self.trials.iter().map(of).collect::<Vec<_>>())?)
    }
}

pub(super) fn run(ctx: &mut Context, digits: &Digits) -> Result<()> {
    let mut all = Vec::new();
    let each = if ctx.quick() { EACH / 4 } else { EACH };
    for (low, high) in PAIRS {
        let seed = Trial::new(ctx.options().seed, &format!("limit-{low}-{high}"), 0).seed("images");
        let rows = digits.rows_of(&[low, high]);
        let names = [low.to_string(), high.to_string()];
        let (points, truth) = digits
            .select(&rows, &names.each_ref().map(|n| &**n), |digit| usize::from(digit == high))?;
        let each = each.min(truth.counts().into_iter().min().unwrap_or(0));
        let chosen = Split::per_class(&truth, each, seed)?.labelled().to_vec();
        let (points, truth) = (points.select(&chosen)?, truth.select(&chosen)?);
        let pattern = Pattern::complete(&points, Metric::Euclidean)?;
        let graph = Exponential { sigma: digits.sigma() }.graph(&pattern, Budget::default())?;
        let name = format!("{low} vs {high}");
        all.push(compare(ctx, name, (&points, Metric::Euclidean), &graph, &truth)?);
    }
    let texts = if ctx.quick() { 1 } else { TEXTS.len() };
    for (name, groups) in &TEXTS[..texts] {
        let Found::Here(texts) = Texts::load(ctx, groups)? else { continue };
        let data = texts.vectors()?;
        let pattern = Pattern::knn(&data.points, Metric::Cosine, 10, Symmetry::Either)?;
        let graph = CosineExponential { scale: 0.03 }.graph(&pattern, Budget::default())?;
        let points = (&data.points, Metric::Cosine);
        all.push(compare(ctx, (*name).to_owned(), points, &graph, &data.labels)?);
    }
    table(ctx, &all)?;
    let claim = claim(&all)?;
    ctx.report.claim(claim.not_run_if(digits.missing.as_deref()));
    Ok(())
}

fn compare(
    ctx: &Context,
    name: String,
    (points, metric): (&Points, Metric),
    graph: &Graph,
    truth: &Labels,
) -> Result<Compared> {
    let nearest = Neighbours::search(points, metric, 1, Search::Auto)?;
    let crosses = |i: &usize| {
        nearest.indices(*i).first().is_some_and(|&to| truth.get(to as usize) != truth.get(*i))
    };
    let nodes: Range<usize> = 0..truth.len();
    let crossed = nodes.filter(crosses).count() as f64 / truth.len().max(1) as f64;
    let experiment = format!("limit-{}", name.replace(' ', "-").to_lowercase());
    let settings = (LABELS, truth.len(), graph.edges());
    let trials = ctx.trials(&experiment, &settings, ctx.trial_count(10, 3), |trial| {
        let visible = Split::random(truth, LABELS, trial.seed("labels"))?.partial(truth)?;
        let held_out = HeldOut::new(truth, &visible)?;
        let prior = ClassPrior::add_one(&visible)?;
        let islands = Islands::Prior(prior.clone());
        let harmonic = Harmonic { islands: islands.clone(), ..Harmonic::default() };
        let scores = harmonic.fit(graph, &visible)?.interior_scores()?;
        let by_mass = Decision::ClassMass(prior).decide(&scores)?;
        let grown = NearestGrowth { islands }.fit(graph, &visible)?;
        let grown = grown.scores().select(held_out.nodes())?.argmax();
        Ok((percent(&held_out, &by_mass)?, percent(&held_out, &grown)?))
    })?;
    Ok(Compared { name, crossed: 100.0 * crossed, trials })
}

fn table(ctx: &mut Context, all: &[Compared]) -> Result<()> {
    let caption = format!(
        "Growth from the nearest label beside the harmonic function with CMN at the paper's graphs, \
         {LABELS} labels: how many points have their nearest neighbour in the other class (%), and \
         accuracies (%)."
    );
    let heads =
        ["task", "nearest neighbour of the other class", "CMN", "growth", "CMN less growth"];
    let mut table = Table::new("limit-table", caption, heads);
    for task in all {
        table.row([
            Cell::from(task.name.as_str()),
            Cell::Number(task.crossed, 1),
            Cell::of_trials(task.over(|t| t.0)?, 1),
            Cell::of_trials(task.over(|t| t.1)?, 1),
            Cell::of_trials(task.over(|t| t.0 - t.1)?, 1),
        ]);
    }
    ctx.report.table(table);
    Ok(())
}

/// The mean over the tasks that are not extremely well separated, draw by draw.
fn claim(all: &[Compared]) -> Result<Claim> {
    let claim = Claim::new(
        "limit-inferior",
        "Section 6",
        "that labelling is inferior unless classes are extremely well separated (CMN at the paper's \
         graphs above it on the other tasks, points)",
    )
    .paper("inferior");
    let others: Vec<&Compared> = all.iter().filter(|task| !task.separated()).collect();
    let draws = all.iter().map(|task| task.trials.len()).min().unwrap_or(0);
    if others.is_empty() || draws == 0 {
        return Ok(claim.not_run("every task is extremely well separated"));
    }
    let gap = |draw: usize| {
        let gaps = others.iter().map(|task| task.trials[draw].0 - task.trials[draw].1);
        gaps.sum::<f64>() / others.len() as f64
    };
    let names: Vec<&str> = others.iter().map(|task| &*task.name).collect();
    let claim = claim.over(MeanStd::over(&(0..draws).map(gap).collect::<Vec<_>>())?).above(0.0).because(
        &format!(
            "extremely well separated is read as at most {SEPARATED} % of the points with their nearest \
             neighbour in the other class; mean over {}",
            names.join(", ")
        ),
    );
    let first = &all[0];
    let before = Claim::new("", "", "").over(first.over(|t| t.0 - t.1)?).above(0.0);
    let held = before.verdict() == gaussfield_report::Verdict::Holds;
    Ok(claim.formerly(&format!("the same on {} alone", first.name), held))
}

//! Section 4.1 and Figure 4 left: a Swiss roll.

use super::curves::Curves;
use super::methods::Bench;
use super::study::Study;
use super::task::{Kernel, Task, all_classes, gaussian_em};
use crate::{Context, Trial};
use anyhow::Result;
use gaussfield_data::generate::SwissRoll;
use gaussfield_labels::Labels;
use gaussfield_mixture::Covariance;
use gaussfield_report::{Cell, Claim, ClaimKind, Table};

pub(super) const NAME: &str = "Swiss roll";
const EXPERIMENT: &str = "fig4-roll";
const PLACE: &str = "Figure 4 left, section 4.1";
/// exp(−d²/0.01).
pub(super) const SIGMA: f64 = 0.1;
/// The number of components the text speaks of.
pub(super) const SIZE: usize = 35;
/// What the text prints of HM on unseen points, in per cent.
const UNSEEN: f64 = 95.3;
/// The least M that is looked at: without a threshold the accuracy would be there already.
const SMALLEST: f64 = 5.0;
/// Sizes of the sample beyond the grid of mixtures.
const SAMPLES: [usize; 7] = [100, 200, 300, 400, 500, 600, 700];

/// A roll of n points with its graph, and the two labels at its ends.
pub(super) fn roll(seed: u64, n: usize) -> Result<(Task, Labels)> {
    laid_out(seed, SwissRoll { n, ..SwissRoll::default() })
}

/// Any roll with its graph, and the two labels at its ends.
fn laid_out(seed: u64, roll: SwissRoll) -> Result<(Task, Labels)> {
    let drawn = roll.generate(seed)?;
    let visible = drawn.seen.partial()?;
    let points = drawn.seen.data.points;
    let kernel = Kernel { neighbours: None, sigma: SIGMA };
    let task = Task {
        graph: kernel.graph(&points)?,
        em: gaussian_em(Covariance::Full),
        points,
        truth: drawn.seen.data.labels,
        unseen: drawn.unseen.points,
        unseen_truth: all_classes(&drawn.unseen.labels),
        counts: None,
        kernel,
    };
    Ok((task, visible))
}

/// The roll of a trial, as large as the paper's.
pub(super) fn roll_of(trial: &Trial) -> Result<(Task, Labels)> {
    roll(trial.seed("points"), SwissRoll::default().n)
}

pub(super) fn run(ctx: &mut Context) -> Result<Study> {
    let grid: &[usize] = if ctx.quick() {
        &[10, 20, 35, 50]
    } else {
        &[5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 100]
    };
    let trials = ctx.trial_count(20, 3);
    let curves = Curves::measure(ctx, EXPERIMENT, &SIGMA, (grid, trials), |trial| {
        let (task, visible) = roll_of(trial)?;
        Bench::new(&task, &visible, trial.seed("components"))?.run(grid)
    })?;
    let larger = Curves::measure(ctx, "fig4-roll-sample", &SIGMA, (&SAMPLES, trials), |trial| {
        let (task, visible) = roll_of(trial)?;
        Bench::new(&task, &visible, trial.seed("components"))?.run_sample(&SAMPLES)
    })?;
    let (task, _) = roll_of(&Trial::new(ctx.options().seed, EXPERIMENT, 0))?;
    ctx.report.section(
        "Figure 4 left: the Swiss roll",
        "768 points, two of them labelled, 384 points kept aside, full covariances. The paper does \
         not print the coordinates: ours are a spiral of 2.5 turns, drawn anew in every trial. \
         'graph', 'HM' and 'sample' are cut at the median of f on the unlabelled points, for \
         unseen points at the same number. The paper does not say how 'EM' is cut: ½ and the \
         median are both shown, and claims look at the better one. A 'sample' has a graph of its \
         own, built like the large one. Bars and ± are one standard deviation over trials.",
    );
    ctx.report.kind(ClaimKind::Layout);
    ctx.report.statement(
        PLACE,
        "'graph' is the ideal. The accuracy of 'HM' jumps up around M = 35 and stays there; on \
         unseen points it is 95.3 % from then on. 'sample' needs more than 400 points for 95 %, \
         and 'EM' fails whatever M.",
    );
    let chart = curves.chart("Swiss roll, U", &["graph", "HM", "sample", "EM"], "")?;
    let unseen = curves.chart("Swiss roll, unseen", &["HM", "sample", "EM"], ", unseen")?;
    ctx.report
        .plot("fig4-roll", "Figure 4 top left: accuracy on the unlabelled points.", &chart)?
        .plot("fig4-roll-unseen", "Figure 4 bottom left: on points kept aside.", &unseen)?
        .table(curves.table(
            "fig4-roll-table",
            "Swiss roll: accuracy (%), mean ± standard deviation.",
            &["graph", "HM", "sample", "EM", "EM by median", "HM, unseen", "sample, unseen"],
        )?)
        .table(larger.table(
            "fig4-roll-sample-table",
            "Swiss roll: larger samples (here M is the number of points sampled).",
            &["sample", "sample, unseen"],
        )?);
    for claim in claims(&curves, &larger, task.points.len() - 2)? {
        ctx.report.claim(claim);
    }
    let table = noisier(ctx)?;
    ctx.report
        .text(
            "The paper's roll ends at 95.3 % where ours ends higher. Whether that is the layout was \
             tried: the same roll with more noise across it, everything else as it is.",
        )
        .table(table);
    let how = "generated: the paper gives counts and weights only";
    let data = gaussfield_data::Dataset::new(NAME, task.points.clone(), task.truth.clone());
    ctx.generated(NAME, &data, how);
    Ok(Study {
        id: "fig4-roll",
        name: NAME,
        task,
        labels: 2,
        size: SIZE,
        printed: Some(SIGMA),
        kind: ClaimKind::Layout,
        curves,
        missing: None,
        note: None,
    })
}

/// HM and graph on rolls with more noise: an experiment on why ours is easier than the paper's.
fn noisier(ctx: &Context) -> Result<Table> {
    let columns = ["noise across the roll", "graph", "HM", "HM, unseen", "sample"];
    let caption = "Rolls with more noise, M = 50: accuracy (%), mean ± standard deviation.";
    let mut table = Table::new("fig4-roll-noise", caption, columns);
    let grid = [50];
    let plain = SwissRoll::default();
    let factors: &[f64] = if ctx.quick() { &[1.0, 3.0] } else { &[1.0, 1.5, 2.0, 2.5, 3.0] };
    for &factor in factors {
        let noise = factor * plain.noise;
        let trials = ctx.trial_count(20, 3);
        let curves = Curves::measure(ctx, "fig4-roll-noise", &noise, (&grid, trials), |trial| {
            let (task, visible) =
                laid_out(trial.seed("points"), SwissRoll { noise, ..plain.clone() })?;
            Bench::new(&task, &visible, trial.seed("components"))?.run(&grid)
        })?;
        let mut row = vec![Cell::Number(noise, 3)];
        for name in ["graph", "HM", "HM, unseen", "sample"] {
            row.push(Cell::of_trials(curves.at(name, grid[0])?, 1));
        }
        table.row(row);
    }
    Ok(table)
}

/// `unknowns` are those of the graph's system.
fn claims(curves: &Curves, larger: &Curves, unknowns: usize) -> Result<Vec<Claim>> {
    let over = |m: usize| m >= SIZE;
    let settled = |curves: &Curves| Ok(curves.mean_over("HM", |m| m >= 50)?.mean - 2.0);
    let threshold = curves.threshold("HM", settled)?;
    let jump = curves.between("HM", over, |m| m <= 20)?;
    let means: Vec<f64> = curves
        .grid()
        .iter()
        .zip(curves.means("HM")?)
        .filter(|&(&m, _)| over(m))
        .map(|(_, mean)| mean)
        .collect();
    let spread = means.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        - means.iter().copied().fold(f64::INFINITY, f64::min);
    let sample = larger.at("sample", 400)?;
    let enough = larger.stays_above("sample", 95.0)?;
    let em = curves.better_em("", |_| true)?;
    let best = curves.means(&em)?.into_iter().fold(0.0_f64, f64::max);
    let (gain_at, gain) = curves.least_gain(("HM", "graph"), over)?;
    let unseen = curves.mean_over("HM, unseen", over)?;
    let (_, worst) = curves.least("HM, unseen", over)?;
    let named = |m: Option<usize>| m.map_or("none".to_owned(), |m| m.to_string());
    let claim = |id: &str, text: &str| Claim::new(format!("{EXPERIMENT}-{id}"), PLACE, text);
    let roll = SwissRoll::default();
    let apart = (roll.outer - roll.inner) / roll.turns;
    let ours = "the coordinates are not the paper's";
    Ok(vec![
        claim(
            "threshold",
            "the accuracy of HM jumps up around M = 35, where 766 unknowns have become 35",
        )
        .paper(SIZE as f64)
        .over(threshold)
        .within_two_of_ours_or(curves.step(SIZE))
        .opposite(SMALLEST)
        .because(&format!(
            "the least M from which on the mean stays within 2 points of that over M ≥ 50, its \
             deviation by drawing trials anew; the opposite is the least M of the grid; the graph has \
             {unknowns} unknowns"
        ))
        .formerly("within 15", (threshold.mean - SIZE as f64).abs() <= 15.0)
        .explained(&format!(
            "{ours}: how many components a roll needs depends on how long it is beside the distance \
             of its turns"
        )),
        claim("jump", "below that the manifold does not appear (HM above its mean at M ≤ 20)")
            .paper("jumps up")
            .over(jump)
            .above(10.0)
            .because("M ≥ 35 less M ≤ 20"),
        claim("stable", "and stabilises thereafter (range of the means for M ≥ 35, points)")
            .paper("no dramatic change")
            .ours(spread, None)
            .holds_if(spread <= 3.0, "asked for at most 3 points"),
        claim(
            "graph",
            "HM performs almost as well as graph at every M ≥ 35 (least HM less graph, points)",
        )
        .paper("almost as good")
        .over(gain)
        .above(-1.0)
        .because(&format!("at M = {gain_at}; almost is within 1 point")),
        claim("unseen", "on unseen points HM reaches 95.3 % for M ≥ 35 (its mean)")
            .paper(UNSEEN)
            .over(unseen)
            .within_two_of_ours()
            .formerly("at least 95 at every M ≥ 35", worst.mean >= 95.0)
            .explained(&format!("{ours}, and ours are easier: see the table of noise below")),
        claim("sample", "sample needs M > 400 to reach 95 % (its accuracy at 400)")
            .paper("below 95")
            .over(sample)
            .below(95.0)
            .because(&format!("the least sample that stays above 95 %: {}", named(enough)))
            .explained(&format!(
                "{ours}, on whose roll even HM stops at 95.3 %; the turns of ours are {:.1} σ apart. \
                 The sample needs {} points for 95 % here",
                apart / SIGMA,
                named(enough)
            )),
        claim("em", "EM fails to follow the manifold regardless of M (its best mean)")
            .paper("fails")
            .ours(best, None)
            .holds_if(best < 75.0, format!("{em}; failing is below 75 %")),
    ])
}

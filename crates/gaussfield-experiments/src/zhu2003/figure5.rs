//! Figure 5: the length scale of two grids, learned by minimising entropy.

use crate::Context;
use anyhow::Result;
use gaussfield_core::Budget;
use gaussfield_core::Parameters as _;
use gaussfield_data::generate::{Demonstration, TwoGrids};
use gaussfield_graph::{
    Exponential, ExponentialPerDimension, Graph, Metric, Pattern, WeightFamily as _,
};
use gaussfield_harmonic::{Harmonic, HarmonicError};
use gaussfield_labels::metrics::accuracy;
use gaussfield_labels::{Decision, HeldOut, Labels, Transductive as _};
use gaussfield_report::plot::{Group, LineChart, Scatter, Series, Width};
use gaussfield_report::{Claim, ClaimKind};
use gaussfield_tune::{
    Entropy, Learned, Minimise, Objective as _, Optimiser, Stop, TuneError, learn,
};
use std::f64::consts::LN_2;

/// Smoothing factors of the curves; the paper's legend is not readable in its text.
const EPSILONS: [f64; 5] = [0.0, 0.001, 0.005, 0.01, 0.1];
/// The smoothing of the learned scales (section 7.2).
const EPSILON: f64 = 0.01;
/// Jitter that breaks the grid's exact ties, as a share of its spacing of about a half.
const JITTER: f64 = 0.01;

/// The two grids with what a method is shown.
struct Grids {
    figure: Demonstration,
    visible: Labels,
    pattern: Pattern,
}

impl Grids {
    fn new(noise: f64, seed: u64) -> Result<Self> {
        let figure = TwoGrids { noise, ..TwoGrids::default() }.generate(seed)?;
        let visible = figure.partial()?;
        let pattern = Pattern::complete(&figure.data.points, Metric::Euclidean)?;
        Ok(Self { figure, visible, pattern })
    }

    fn graph(&self, sigma: f64) -> Result<Graph> {
        Ok(Exponential { sigma }.graph(&self.pattern, Budget::default())?)
    }

    fn entropy(&self, epsilon: f64) -> Result<Entropy> {
        Ok(Entropy::new(self.visible.clone()).smoothed(epsilon)?)
    }

    /// H in bits over the scales at which every node is linked.
    fn curve(&self, epsilon: f64, sigmas: &[f64]) -> Result<Vec<(f64, f64)>> {
        let entropy = self.entropy(epsilon)?;
        let mut curve = Vec::new();
        for &sigma in sigmas {
            match entropy.value(&self.graph(sigma)?) {
                Ok(value) => curve.push((sigma, value / LN_2)),
                // Weights underflow and a part loses its labels: there is no entropy to show.
                Err(TuneError::Harmonic(HarmonicError::ComponentWithoutLabel { .. })) => {}
                Err(other) => return Err(other.into()),
            }
        }
        Ok(curve)
    }

    fn classify(&self, graph: &Graph) -> Result<(Vec<usize>, f64)> {
        let field = Harmonic::default().fit(graph, &self.visible)?;
        let classes = Decision::Argmax.decide(&field.interior_scores()?)?;
        let held_out = HeldOut::new(&self.figure.data.labels, &self.visible)?;
        let right = accuracy(&held_out, &classes)?;
        Ok((classes, right))
    }

    fn scatter(&self, classes: &[usize], title: String) -> Scatter {
        let rows = self.figure.data.points.to_dense();
        let point = |node: usize| (rows[[node, 0]], rows[[node, 1]]);
        let mut scatter = Scatter::new("x", "y").equal_units().width(Width::Half).title(title);
        let names = self.visible.names();
        for (class, name) in names.iter().enumerate() {
            let unlabelled = self.visible.unlabelled();
            let members = unlabelled.iter().zip(classes).filter(|&(_, &given)| given == class);
            let members: Vec<_> = members.map(|(&node, _)| point(node)).collect();
            scatter = scatter.group(Group::new(format!("class {name}"), class, members));
        }
        for node in self.visible.labelled() {
            if let Some(class) = self.visible.get(node) {
                scatter = scatter.group(Group::new("", class, [point(node)]).emphasised());
            }
        }
        scatter
    }
}

/// Draws the figure and checks section 7.2's first part.
pub(super) fn run(ctx: &mut Context) -> Result<()> {
    ctx.report.section(
        "Figure 5: learning the length scale of two grids",
        "The upper grid is slightly tighter than the lower one and a few points connect them; one \
         node of each is labelled. The paper does not print coordinates: the layout here is ours \
         (59 points), so that its σ and entropies need not be the paper's, while its statements \
         about their behaviour should hold.",
    );
    ctx.report.kind(ClaimKind::Layout);
    let grids = Grids::new(0.0, 0)?;
    ctx.generated("two grids", &grids.figure.data, "generated: the layout is ours");
    let steps = if ctx.quick() { 30 } else { 90 };
    let sigmas: Vec<f64> =
        (0..=steps).map(|i| 0.05 * 80_f64.powf(f64::from(i) / f64::from(steps))).collect();
    let smallest = curves(ctx, &grids, &sigmas)?;
    nuisance(ctx, &sigmas, &smallest)?;
    let tied = one_scale(ctx, &grids)?;
    two_scales(ctx, &grids, &tied)
}

/// Figure 5(c). Returns for every ε the entropy at the smallest scale and the least entropy.
fn curves(ctx: &mut Context, grids: &Grids, sigmas: &[f64]) -> Result<Vec<(f64, f64)>> {
    let mut chart = LineChart::new("σ", "entropy (bits)").log_x().cover_y(0.0, 1.0);
    let mut ends = Vec::new();
    for epsilon in EPSILONS {
        let curve = grids.curve(epsilon, sigmas)?;
        let least = curve.iter().map(|&(_, h)| h).fold(f64::INFINITY, f64::min);
        ends.push((curve.first().map_or(f64::NAN, |&(_, h)| h), least));
        chart = chart.series(Series::new(format!("ε = {epsilon}"), curve).smooth());
    }
    ctx.report.statement(
        "Figure 5(c)",
        "Without smoothing the entropy falls towards 0 as σ → 0; as ε grows this nuisance minimum \
         gradually disappears.",
    );
    ctx.report.plot(
        "fig5c",
        "Average label entropy against the length scale, for several smoothing factors.",
        &chart,
    )?;
    Ok(ends)
}

/// The minimum at σ = 0, on jittered grids: on exact ones equal distances never decide.
fn nuisance(ctx: &mut Context, sigmas: &[f64], exact: &[(f64, f64)]) -> Result<()> {
    let jittered = Grids::new(JITTER, ctx.options().seed)?;
    let fine: Vec<f64> = sigmas.iter().map(|sigma| sigma * 0.6).collect();
    let curve = jittered.curve(0.0, &fine)?;
    let (smallest, limit) = curve.first().copied().unwrap_or((f64::NAN, f64::NAN));
    let chart = LineChart::new("σ", "entropy (bits)")
        .log_x()
        .series(Series::new("ε = 0, jittered grids", curve).smooth());
    ctx.report.plot(
        "fig5c-jittered",
        &format!(
            "Without smoothing, on the same grids with each point moved by about {JITTER}: equal \
             distances no longer tie, and the entropy falls as σ → 0."
        ),
        &chart,
    )?;
    let (_, invaded) = jittered.classify(&jittered.graph(smallest)?)?;
    ctx.report.claim(
        Claim::new("fig5-nuisance", "Section 7.2", "unsmoothed, H → 0 as σ → 0")
            .paper(0.0)
            .ours_value(limit)
            .within(0.1)
            .because(&format!(
                "entropy in bits at σ = {smallest:.3}, the smallest at which every node is still \
                 linked, on grids jittered by {JITTER}; on exact grids equal distances tie and \
                 it stays at {:.2}",
                exact[0].0
            )),
    );
    ctx.report.claim(
        Claim::new("fig5a", "Figure 5(a)", "unsmoothed at small σ the algorithm performs poorly")
            .paper("the tighter grid invades the other")
            .ours_value(invaded)
            .holds_if(invaded < 0.9, "accuracy at the smallest σ; poor is below 0.9"),
    );
    let gone: Vec<String> = EPSILONS
        .iter()
        .zip(exact)
        .map(|(epsilon, (end, least))| format!("ε = {epsilon}: {:.3}", end - least))
        .collect();
    let rises = exact.windows(2).all(|pair| pair[1].0 - pair[1].1 >= pair[0].0 - pair[0].1 - 0.02);
    let at_paper = EPSILONS.iter().position(|&e| (e - EPSILON).abs() < 1e-12).unwrap_or(0);
    let (end, least) = exact[at_paper];
    ctx.report.claim(
        Claim::new("fig5c-smoothing", "Figure 5(c)", "smoothing removes the entropy minimum at 0")
            .paper("disappears as ε grows")
            .ours_value(gone.join(", "))
            .holds_if(
                end - least > 0.05,
                format!(
                    "entropy at the smallest σ above the least, in bits; at ε = {EPSILON} asked for \
                     more than 0.05; {} with ε. This is the first rule; for a while the claim asked \
                     only where the least entropy lies at two ε, and held",
                    if rises { "it never falls" } else { "it does not only rise" }
                ),
            ),
    );
    Ok(())
}

/// One σ for both dimensions: Figure 5(b).
fn one_scale(ctx: &mut Context, grids: &Grids) -> Result<Learned<Exponential, Entropy>> {
    let optimiser = Optimiser::GoldenSection { factor: 20.0, probes: 61 };
    let how = Minimise { optimiser, ..Minimise::default() };
    let learned =
        learn(&grids.pattern, &Exponential { sigma: 1.0 }, &grids.entropy(EPSILON)?, &how)?;
    let sigma = learned.family.sigma;
    let (classes, right) = grids.classify(&grids.graph(sigma)?)?;
    let small = grids.classify(&grids.graph(0.08)?)?;
    let title = format!("(a) σ = 0.08, accuracy {:.3}", small.1);
    ctx.report.plot(
        "fig5a",
        "The harmonic function at a small length scale, without smoothing.",
        &grids.scatter(&small.0, title),
    )?;
    let title = format!("(b) learned σ = {sigma:.3}, accuracy {right:.3}");
    ctx.report.plot(
        "fig5b",
        &format!("At the σ learned with ε = {EPSILON}."),
        &grids.scatter(&classes, title),
    )?;
    ctx.report.claim(
        Claim::new("fig5b-entropy", "Section 7.2", "least entropy 0.898 bits at σ = 0.67")
            .paper(0.898)
            .ours_value(learned.value / LN_2)
            .within(0.05)
            .because(&format!("at σ = {sigma:.3} on our layout; coordinates are not printed")),
    );
    ctx.report.claim(
        Claim::new("fig5b", "Figure 5(b)", "the learned σ tells the two grids apart")
            .paper("able to distinguish")
            .ours_value(right)
            .holds_if(right > 0.95, "accuracy; asked for more than 0.95"),
    );
    Ok(learned)
}

/// Separate σ_x and σ_y, of which σ_x runs off.
fn two_scales(
    ctx: &mut Context,
    grids: &Grids,
    tied: &Learned<Exponential, Entropy>,
) -> Result<()> {
    let start = ExponentialPerDimension { sigmas: vec![tied.family.sigma; 2] };
    let how = Minimise { value_tolerance: 1e-14, ..Minimise::default() };
    let learned = learn(&grids.pattern, &start, &grids.entropy(EPSILON)?, &how)?;
    let (sigma_x, sigma_y) = (learned.family.sigmas[0], learned.family.sigmas[1]);
    let graph = learned.family.graph(&grids.pattern, Budget::default())?;
    let (classes, _) = grids.classify(&graph)?;
    let (before, _) = grids.classify(&grids.graph(tied.family.sigma)?)?;
    let changed = classes.iter().zip(&before).filter(|(a, b)| a != b).count();
    let path =
        |d: usize| learned.trace.iter().enumerate().map(move |(i, s)| (i as f64, s.parameters[d]));
    let chart = LineChart::new("step", "length scale")
        .log_y()
        .series(Series::new("σ_x", path(0)))
        .series(Series::new("σ_y", path(1)));
    ctx.report.plot(
        "fig5-separate",
        "Separate length scales during the search: σ_x runs off, the x direction is irrelevant.",
        &chart,
    )?;
    let sigma_x_name = &learned.family.parameters()[0].name;
    let only_x_ran_off = matches!(&learned.stop, Stop::RanOff { names } if names.len() == 1 && names[0] == *sigma_x_name);
    ctx.report.claim(
        Claim::new("fig5-sigma-x", "Section 7.2", "σ_x keeps growing towards infinity")
            .paper("10^16 for computation")
            .ours_value(sigma_x)
            .holds_if(only_x_ran_off, format!("the search ended because {}", learned.stop)),
    );
    ctx.report.claim(
        Claim::new("fig5-sigma-y", "Section 7.2", "σ_y stabilises at 0.65")
            .paper(0.65)
            .ours_value(sigma_y)
            .within(0.1)
            .because("the unit of length is our layout's, of which the paper prints none"),
    );
    ctx.report.claim(
        Claim::new("fig5-separate-entropy", "Section 7.2", "least entropy 0.619 bits")
            .paper(0.619)
            .ours_value(learned.value / LN_2)
            .within(0.05)
            .because("on our layout"),
    );
    ctx.report.claim(
        Claim::new("fig5-same", "Section 7.2", "the same classification as with one σ")
            .paper(0.0)
            .ours_value(changed as f64)
            .within(0.0)
            .because("points of 57 classified otherwise, on our layout"),
    );
    Ok(())
}

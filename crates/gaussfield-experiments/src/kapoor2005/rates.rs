//! Figure 3: error rates with all parameters learned, beside cross-validation.

use super::data::Images;
use super::judge::{bar, clearly_below, rate};
use super::leave_one_out::{Influence, Method, middle_of_best};
use super::model::{EPSILON, Fitted, Kind, Learning, class, observed};
use crate::plot::Bars;
use crate::report::{Cell, Figure, Table};
use crate::{Claim, Context, Found, Trial};
use anyhow::{Context as _, Result};
use gaussfield_baselines::{Kernel, NearestNeighbours};
use gaussfield_data::Dataset;
use gaussfield_gp::Ridge;
use gaussfield_graph::{
    CosineExponential, Exponential, MemoryBudget, Metric, Neighbours, Pattern, Search, Symmetry,
    WeightFamily,
};
use gaussfield_labels::metrics::MeanStd;
use gaussfield_labels::{HeldOut, Labels, metrics};
use gaussfield_points::Points;
use ndarray::Array2;
use rand::seq::SliceRandom as _;
use serde::{Deserialize, Serialize};
use std::f64::consts::SQRT_2;
use std::sync::Arc;

const METHODS: [&str; 4] = ["EP", "LLGC", "Harmonic", "1-NN"];
const STEPS: u64 = 30;

/// Error rates in per cent, in the order of [`METHODS`], and what was learned.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Run {
    unlabelled: [f64; 4],
    new: [f64; 4],
    /// The kernel's parameter, δ, ε.
    learned: [f64; 3],
    evidence: f64,
    /// The kernel's parameter that cross-validation chose for LLGC and Harmonic.
    chosen: [f64; 2],
}

/// One column of the figure.
struct Side {
    id: &'static str,
    name: &'static str,
    ep: &'static str,
    parameter: &'static str,
    /// The paper's error rates and bars on unlabelled points.
    paper: [(f64, f64); 4],
}

const DIGITS: Side = Side {
    id: "fig3-digits",
    name: "odd vs even",
    ep: "EP-NL",
    parameter: "σ",
    paper: [(14.46, 4.4), (16.02, 1.1), (23.98, 4.9), (24.23, 1.1)],
};
const TEXTS: Side = Side {
    id: "fig3-texts",
    name: "PC vs MAC",
    ep: "EP-CL",
    parameter: "γ",
    paper: [(9.28, 0.7), (18.03, 3.5), (10.86, 2.4), (46.88, 0.3)],
};

pub(super) fn run(ctx: &mut Context, images: &Images, texts: &Found<Dataset>) -> Result<()> {
    ctx.report.section(
        "Figure 3: error rates",
        "Odd against even digits: of 400 images of each digit, 15 labelled and 485 unlabelled of \
         each class are nodes of the graph, the rest are new; weights exp(−d²/2σ²) on all pairs, \
         the prior is EP-NL. PC against MAC: 5 labelled, 895 unlabelled, the rest new; weights \
         exp(−(1 − cos)/γ) on 10 nearest neighbours, the prior is EP-CL. All three parameters \
         (σ or γ, δ, ε) are learned by the exact gradient of the evidence, from three widths, ε = \
         0.05, and δ a hundredth of the Laplacian's mean diagonal.",
    );
    ctx.report.text(
        "LLGC (α = 0.99) and the harmonic function (decided at ½) choose σ from 100 to 400 in \
         steps of 10, and γ from 0.01 to 0.2, by leaving one label out. The paper prints steps of \
         0.1 for γ, which would leave two values; they are read as 0.01. Of equally good values \
         the middle one is taken. New points get the mean by ȳ = K b for EP, where K is the full \
         kernel matrix with its diagonal (cut to neighbours it would not be positive definite), \
         and the class of the nearest node for LLGC and the harmonic function. Error bars are 1.64 \
         standard errors, as in the paper.",
    );
    ctx.report.statement(
        "Figure 3, section 3",
        "Means over five runs. Odd against even: EP-NL 14.46 ± 4.4 % wrong, LLGC 16.02 ± 1.1, \
         Harmonic 23.98 ± 4.9, 1-NN 24.23 ± 1.1: significantly better than the last two, and at \
         least as good as LLGC. PC against MAC: EP-CL 9.28 ± 0.7, Harmonic 10.86 ± 2.4, LLGC \
         18.03 ± 3.5, 1-NN 46.88 ± 0.3: significantly better than the last two, and better than \
         Harmonic. Similar results hold on new points.",
    );
    let quick = ctx.quick();
    let runs = ctx.trial_count(5, 2);
    let (each, nodes) = if quick { (60, 150) } else { (400, 500) };
    let widths: Vec<f64> = (100..=400)
        .step_by(if quick { 50 } else { 10 })
        .map(|width| images.scale * width as f64)
        .collect();
    let settings = (each, nodes, &widths, STEPS, &images.missing);
    let digits: Vec<Run> = ctx.trials(DIGITS.id, &settings, runs, |trial| {
        let (points, truth) = images.odd_even(each, &mut trial.rng("images"))?;
        let task = Task::draw(points, truth, 15, nodes, trial)?;
        let pattern = Pattern::complete(Arc::clone(&task.points), Metric::Euclidean)?;
        let starts = [150.0, 250.0, 400.0].map(|w| Exponential::gaussian(images.scale * w));
        let grid: Vec<Exponential> = widths.iter().map(|&w| Exponential::gaussian(w)).collect();
        let kernel = |family: &Exponential, a: &Points, b: &Points| -> Result<Array2<f64>> {
            Ok(Kernel::Rbf { width: family.sigma / SQRT_2 }.cross(a, b)?)
        };
        let shown = |family: &Exponential| family.sigma / SQRT_2;
        task.run(Kind::Normalised, &pattern, (&starts, &grid), kernel, shown)
    })?;
    DIGITS.report(ctx, &digits, images.note.clone(), images.missing.as_deref())?;
    let data = match texts {
        Found::Missing(reason) => return TEXTS.not_run(ctx, reason),
        Found::Here(data) => data,
    };
    let nodes = if quick { 300 } else { 900 };
    let scales: Vec<f64> =
        (1..=20).step_by(if quick { 4 } else { 1 }).map(|at| 0.01 * f64::from(at)).collect();
    let settings = (nodes, &scales, STEPS);
    let texts: Vec<Run> = ctx.trials(TEXTS.id, &settings, runs, |trial| {
        let task = Task::draw(data.points.clone(), data.labels.clone(), 5, nodes, trial)?;
        let pattern =
            Pattern::knn(Arc::clone(&task.points), 10, Metric::Cosine, Symmetry::Either)?;
        let starts = [0.02, 0.05, 0.15].map(|scale| CosineExponential { scale });
        let grid: Vec<CosineExponential> =
            scales.iter().map(|&scale| CosineExponential { scale }).collect();
        let kernel = |family: &CosineExponential, a: &Points, b: &Points| -> Result<Array2<f64>> {
            let scale = family.scale;
            Ok(Kernel::Cosine.cross(a, b)?.mapv(|cos| ((cos - 1.0) / scale).exp()))
        };
        task.run(Kind::Combinatorial, &pattern, (&starts, &grid), kernel, |family| family.scale)
    })?;
    TEXTS.report(ctx, &texts, None, None)
}

/// Nodes, and points that are not in the graph.
struct Task {
    points: Arc<Points>,
    truth: Labels,
    visible: Labels,
    new: Points,
    new_truth: HeldOut,
}

impl Task {
    /// Of each class so many labelled, so many nodes in all, the rest new.
    fn draw(
        points: Points,
        truth: Labels,
        labelled: usize,
        nodes: usize,
        trial: &Trial,
    ) -> Result<Self> {
        let mut rows: Vec<usize> = (0..truth.len()).collect();
        rows.shuffle(&mut trial.rng("rows"));
        let (mut seen, mut inside, mut outside, mut shown) =
            (vec![0; truth.classes()], Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let class = truth.get(row).context("a point has no class")?;
            if seen[class] < labelled {
                shown.push(inside.len());
            }
            let place = if seen[class] < nodes { &mut inside } else { &mut outside };
            place.push(row);
            seen[class] += 1;
        }
        let inner = truth.select(&inside)?;
        let outer = truth.select(&outside)?;
        let all: Vec<usize> = (0..outer.len()).collect();
        Ok(Self {
            points: Arc::new(points.select(&inside)?),
            visible: inner.keep(&shown)?,
            truth: inner,
            new: points.select(&outside)?,
            new_truth: HeldOut::of(&outer, &all)?,
        })
    }

    fn run<F: WeightFamily + Clone>(
        &self,
        kind: Kind,
        pattern: &Pattern,
        (starts, grid): (&[F], &[F]),
        kernel: impl Fn(&F, &Points, &Points) -> Result<Array2<f64>>,
        shown: impl Fn(&F) -> f64,
    ) -> Result<Run> {
        let held_out = HeldOut::new(&self.truth, &self.visible)?;
        let metric = pattern.metric();
        let percent = |set: &HeldOut, classes: &[usize]| -> Result<f64> {
            Ok(100.0 * metrics::error(set, classes)?)
        };
        let on_unlabelled = |all: &[usize]| -> Result<f64> {
            let classes: Vec<usize> = held_out.nodes().iter().map(|&node| all[node]).collect();
            percent(&held_out, &classes)
        };
        let observed = observed(&self.visible)?;
        let learning =
            Learning { kind, epsilon: Some(EPSILON), steps: STEPS, pattern, observed: &observed };
        let fitted: Fitted<F> = learning.from(starts)?;
        let latent = fitted.posterior.latent();
        let classes: Vec<usize> = latent.iter().map(|&y| class(y)).collect();
        let gram = kernel(&fitted.family, &self.points, &self.points)?;
        let extension = fitted.posterior.extension(gram.view(), Ridge::None)?;
        let extended = extension.at(kernel(&fitted.family, &self.new, &self.points)?.view())?;
        let new: Vec<usize> = extended.iter().map(|&y| class(y)).collect();
        let mut unlabelled = [on_unlabelled(&classes)?, 0.0, 0.0, 0.0];
        let mut fresh = [percent(&self.new_truth, &new)?, 0.0, 0.0, 0.0];

        let nearest = Neighbours::query(&self.points, &self.new, metric, 1, Search::default())?;
        let mut chosen = [0.0; 2];
        for (at, method) in [Method::Consistency, Method::Harmonic].into_iter().enumerate() {
            let influence = |family: &F| -> Result<Influence> {
                let graph = family.graph(pattern, MemoryBudget::default())?;
                Influence::new(method, &graph, &self.visible)
            };
            let errors: Vec<usize> =
                grid.iter().map(|family| Ok(influence(family)?.errors())).collect::<Result<_>>()?;
            let best = middle_of_best(&errors).context("an empty grid")?;
            let all = influence(&grid[best])?.classify();
            let copied: Vec<usize> = (0..nearest.len())
                .filter_map(|i| nearest.indices(i).first())
                .map(|&node| all[node as usize])
                .collect();
            unlabelled[1 + at] = on_unlabelled(&all)?;
            fresh[1 + at] = percent(&self.new_truth, &copied)?;
            chosen[at] = shown(&grid[best]);
        }
        let model = NearestNeighbours::one(metric).fit(&self.points, &self.visible)?;
        let own = model.predict(&self.points.select(held_out.nodes())?)?;
        unlabelled[3] = percent(&held_out, own.classes())?;
        fresh[3] = percent(&self.new_truth, model.predict(&self.new)?.classes())?;
        Ok(Run {
            unlabelled,
            new: fresh,
            learned: [shown(&fitted.family), fitted.delta(), fitted.epsilon()],
            evidence: fitted.posterior.log_evidence(),
            chosen,
        })
    }
}

impl Side {
    fn methods(&self) -> [&'static str; 4] {
        [self.ep, METHODS[1], METHODS[2], METHODS[3]]
    }

    fn report(
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
        for method in 0..4 {
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
        for claim in self.claims(Some((&unlabelled, &new))) {
            ctx.report.claim(claim.not_run_if(missing));
        }
        Ok(())
    }

    fn not_run(&self, ctx: &mut Context, reason: &str) -> Result<()> {
        for claim in self.claims(None) {
            ctx.report.claim(claim.not_run(reason));
        }
        Ok(())
    }

    /// The printed numbers, and what the text says of their order.
    fn claims(&self, found: Option<(&[MeanStd], &[MeanStd])>) -> Vec<Claim> {
        let place = format!("Figure 3, {}", self.name);
        let nothing = MeanStd { mean: f64::NAN, std: None, trials: 1 };
        let of = |rates: Option<&[MeanStd]>, at: usize| {
            rates.and_then(|rates| rates.get(at).copied()).unwrap_or(nothing)
        };
        let rates = found.map(|found| found.0);
        let fresh = found.map(|found| found.1);
        let mut claims: Vec<Claim> = (0..4)
            .map(|at| {
                let id = format!("{}-{}", self.id, METHODS[at].to_lowercase());
                let claim = rate(&id, &place, self.methods()[at], self.paper[at], of(rates, at));
                if rates.is_none() { claim.not_run("") } else { claim }
            })
            .collect();
        let below = |id: &str, text: String, others: &[usize], set: Option<&[MeanStd]>, clear: bool| {
            let own = of(set, 0);
            let holds = others.iter().all(|&at| {
                let other = of(set, at);
                if clear { clearly_below(own, other) } else { own.mean - bar(own) <= other.mean + bar(other) }
            });
            let gaps: Vec<String> = others
                .iter()
                .map(|&at| format!("{} {:.1} ± {:.1}", METHODS[at], of(set, at).mean, bar(of(set, at))))
                .collect();
            let rule = if clear { "bars must not overlap" } else { "not clearly above" };
            Claim::new(format!("{}-{id}", self.id), place.clone(), text)
                .ours(own.mean, own.std)
                .holds_if(
                    holds,
                    format!("{} {:.1} ± {:.1}, {}; {rule}", self.ep, own.mean, bar(own), gaps.join(", ")),
                )
        };
        let (worse, near) = if self.kind_is_digits() { ([2, 3], 1) } else { ([1, 3], 2) };
        let names = format!("{} and {}", METHODS[worse[0]], METHODS[worse[1]]);
        claims.push(below(
            "clearly",
            format!("{} significantly outperforms {names}", self.ep),
            &worse,
            rates,
            true,
        ));
        claims.push(below(
            "near",
            format!("{} is at least as good as {}", self.ep, METHODS[near]),
            &[near],
            rates,
            false,
        ));
        claims.push(below(
            "new",
            format!("similar results on new points: {} is not worse than any other method", self.ep),
            &[1, 2, 3],
            fresh,
            false,
        ));
        claims
    }

    fn kind_is_digits(&self) -> bool {
        self.id == DIGITS.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kapoor2005::data::POSITIVE;

    #[test]
    fn a_task_has_its_labels_nodes_and_new_points() {
        let points = Points::dense(Array2::from_shape_fn((40, 1), |(i, _)| i as f64)).unwrap();
        let truth = Labels::numbered(&(0..40).map(|i| i % 2).collect::<Vec<_>>(), 2).unwrap();
        let task = Task::draw(points, truth, 3, 12, &Trial::new(1, "task", 0)).unwrap();
        assert_eq!(task.visible.counts(), [3, 3]);
        assert_eq!((task.truth.len(), task.new.len(), task.new_truth.len()), (24, 16, 16));
        for node in task.visible.labelled() {
            assert_eq!(task.visible.get(node), task.truth.get(node));
        }
        assert_eq!(class(1.0), POSITIVE);
    }

    #[test]
    fn claims_without_data_are_all_there() {
        assert_eq!(TEXTS.claims(None).len(), 7);
    }
}

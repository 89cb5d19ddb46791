//! Expectation propagation: one fixed point, and learning by exact gradients beside EM.
//!
//! With 100 labels the fixed point should take under 50 ms once the covariance block is known.
//! Learning the scale of the weights, δ and ε by the exact gradient of the evidence should take
//! at most a fifth of what EM takes to the same evidence: both are stopped where they first
//! reach it.

use std::hint::black_box;

use anyhow::Context;
use criterion::Criterion;
use gaussfield_core::Budget;
use gaussfield_data::generate::TwoMoons;
use gaussfield_gp::{
    Block, ExpectationPropagation, Flip, GaussianProcess, GraphPrior, Inference, Observed, Prior,
};
use gaussfield_graph::{Exponential, Metric, Pattern, WeightFamily};
use gaussfield_tune::{
    Evidence, EvidenceRule, ExpectationMaximisation, FlipEvidence, Learned, Minimise,
};
use ndarray::{Array1, Axis};

/// How far below the evidence that EM reached in its iterations both may stop.
const SLACK: f64 = 1e-3;
/// Iterations that EM may take to come there.
const ITERATIONS: usize = 60;

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let data = TwoMoons { n: 200, noise: 0.08 }.generate(1)?;
    let pattern = Pattern::complete(&data.points, Metric::Euclidean)?;
    let sign = |class: Option<usize>| if class == Some(1) { 1.0 } else { -1.0 };
    // Every tenth of the labels shown is wrong.
    let shown = |every: usize| -> (Vec<usize>, Vec<f64>) {
        let nodes = (0..data.labels.len()).step_by(every);
        let target = |(at, node): (usize, usize)| {
            let right = sign(data.labels.get(node));
            (node, if at % 10 == 3 { -right } else { right })
        };
        nodes.enumerate().map(target).unzip()
    };
    fixed_point(&mut criterion, &pattern, shown(2))?;
    learning(&mut criterion, &pattern, shown(5))?;
    criterion.final_summary();
    Ok(())
}

fn fixed_point(
    criterion: &mut Criterion,
    pattern: &Pattern,
    (nodes, targets): (Vec<usize>, Vec<f64>),
) -> anyhow::Result<()> {
    let graph = Exponential { sigma: 0.3 }.graph(pattern, Budget::default())?;
    let prior = GraphPrior::normalised(0.01).on(&graph)?;
    let gram = prior.columns(&nodes)?.values.select(Axis(0), &nodes);
    let gram = (&gram + &gram.t()) * 0.5;
    let (mean, targets) = (Array1::zeros(nodes.len()), Array1::from(targets));
    let inference = ExpectationPropagation { tolerance: 1e-8, ..Default::default() };
    let likelihood = Flip { epsilon: 0.1 };
    let run = || {
        let block = Block {
            gram: black_box(&gram),
            mean: mean.view(),
            targets: targets.view(),
            likelihood: &likelihood,
        };
        inference.run(&block, None)
    };
    run()?;
    let mut group = criterion.benchmark_group(format!("ep/fixed point, {} labels", nodes.len()));
    group.bench_function("to 1e-8", |bencher| bencher.iter(run));
    group.finish();
    Ok(())
}

fn learning(
    criterion: &mut Criterion,
    pattern: &Pattern,
    (nodes, targets): (Vec<usize>, Vec<f64>),
) -> anyhow::Result<()> {
    let observed = Observed::new(&nodes, &targets)?;
    let family = Exponential { sigma: 0.4 };
    let process = GaussianProcess::ep(Flip { epsilon: 0.05 });
    let evidence = Evidence::of(process, GraphPrior::normalised(0.05), observed)
        .learning(&["delta", "epsilon"])?;
    let em = |iterations| {
        let m_step = Minimise { max_steps: 20, gradient_tolerance: 1e-5, ..Minimise::default() };
        let em =
            ExpectationMaximisation { max_iterations: iterations, m_step, ..Default::default() };
        EvidenceRule::Em(em)
    };
    let ascent = |steps| EvidenceRule::Ascent(Minimise { max_steps: steps, ..Minimise::default() });
    let by_em = em(ITERATIONS).learn(pattern, &family, &evidence, &[])?;
    let exact = ascent(100).learn(pattern, &family, &evidence, &[])?;
    let target = by_em.value.max(exact.value) + SLACK;
    let (iterations, steps) = (reached(&by_em, target)?, reached(&exact, target)?);

    let name = format!("ep/three parameters, {steps} steps or {iterations} iterations");
    let mut group = criterion.benchmark_group(name);
    let rules = [("exact gradient", ascent(steps as u64)), ("EM", em(iterations))];
    for (name, rule) in rules {
        group.bench_function(name, |bencher| {
            bencher.iter(|| rule.learn(pattern, black_box(&family), &evidence, &[]));
        });
    }
    group.finish();
    Ok(())
}

/// The first step at which the negative log evidence is as small as the target.
fn reached(learned: &Learned<Exponential, FlipEvidence>, target: f64) -> anyhow::Result<usize> {
    let at = learned.trace.iter().position(|step| step.value <= target);
    at.context("a search did not come to the evidence it reached before")
}

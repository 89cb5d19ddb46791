//! The gradient of the log evidence equals finite differences, in every parameter.

use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    Flip, FlippedProbit, Gaussian, GaussianProcess, GraphPrior, Inference, Likelihood, Mean,
    Observed, Probit, Sigmoid,
};
use gaussfield_graph::{
    Exponential, ExponentialPerDimension, Graph, Metric, Pattern, Symmetry, Tanh, WeightFamily,
};
use gaussfield_points::Points;
use ndarray::Array2;
use proptest::prelude::*;

const DIM: usize = 2;
const STEP: f64 = 1e-5;
const CLOSE: f64 = 2e-6;

fn problem() -> impl Strategy<Value = (Points, Observed)> {
    (8_usize..14, 1_usize..6).prop_flat_map(|(n, l)| {
        let coordinates = prop::collection::vec(-1.5..1.5_f64, n * DIM);
        let signs = prop::collection::vec(any::<bool>(), l);
        (coordinates, signs).prop_map(move |(coordinates, signs)| {
            let rows = Array2::from_shape_vec((n, DIM), coordinates).unwrap();
            // Not the first nodes, and not in increasing order.
            let nodes: Vec<usize> = (0..l).map(|i| n - 1 - i).collect();
            let targets: Vec<f64> = signs.iter().map(|&s| if s { 1.0 } else { -1.0 }).collect();
            (Points::dense(rows).unwrap(), Observed::new(&nodes, &targets).unwrap())
        })
    })
}

fn pattern(points: Points, complete: bool) -> Pattern {
    if complete {
        Pattern::complete(&points, Metric::Euclidean).unwrap()
    } else {
        Pattern::knn(&points, Metric::Euclidean, 3, Symmetry::Either).unwrap()
    }
}

fn graph<F: WeightFamily>(family: &F, pattern: &Pattern) -> Graph {
    family.graph(pattern, Budget::default()).unwrap()
}

fn evidence<L: Likelihood + Clone, I: Inference<L>>(
    (process, prior): (&GaussianProcess<L, I>, &GraphPrior),
    graph: &Graph,
    observed: &Observed,
) -> f64 {
    process.fit(prior.on(graph).unwrap(), observed).unwrap().log_evidence()
}

/// Relative to the larger of the value and one thousandth.
fn gap(exact: f64, at: impl Fn(f64) -> f64, step: f64) -> f64 {
    let difference = (at(step) - at(-step)) / (2.0 * step);
    (difference - exact).abs() / exact.abs().max(1e-3)
}

/// The largest gap over the parameters of a family.
fn family_gap<L: Likelihood + Clone, I: Inference<L>, F: WeightFamily + Clone>(
    model: (&GaussianProcess<L, I>, &GraphPrior),
    observed: &Observed,
    family: &F,
    pattern: &Pattern,
) -> f64 {
    let here = graph(family, pattern);
    let (process, prior) = model;
    let gradient = process.fit(prior.on(&here).unwrap(), observed).unwrap().gradient().unwrap();
    let gradient = family.pullback(pattern, &here, &gradient.edges.unwrap()).unwrap();
    let start = family.values();
    let scale = gradient.iter().fold(1e-3, |most: f64, g| most.max(g.abs()));
    let mut worst: f64 = 0.0;
    for (i, &exact) in gradient.iter().enumerate() {
        let at = |by: f64| {
            let mut moved = start.clone();
            moved[i] += by;
            let mut family = family.clone();
            family.set_parameters(&moved).unwrap();
            evidence(model, &graph(&family, pattern), observed)
        };
        let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        worst = worst.max((difference - exact).abs() / scale);
    }
    worst
}

/// The largest gap in the parameters of the prior, the mean and those of the likelihood.
fn process_gap<L: Likelihood + Clone, I: Inference<L>>(
    process: &GaussianProcess<L, I>,
    prior: &GraphPrior,
    mean: f64,
    graph: &Graph,
    observed: &Observed,
) -> f64 {
    let fit = |prior: &GraphPrior, mean: f64, likelihood: L| {
        let process = GaussianProcess { likelihood, ..process.clone() };
        let process = process.with_mean(Mean::Constant(mean));
        process.fit(prior.on(graph).unwrap(), observed).unwrap()
    };
    let own = || process.likelihood.clone();
    let gradient = fit(prior, mean, own()).gradient().unwrap();
    let mut worst = gap(gradient.mean, |by| fit(prior, mean + by, own()).log_evidence(), STEP);
    let moved = |start: &[f64], i: usize, by: f64| {
        let mut moved = start.to_vec();
        moved[i] += by;
        moved
    };
    let start = prior.values();
    for (i, &exact) in gradient.prior.iter().enumerate() {
        let at = |by| {
            let mut prior = prior.clone();
            prior.set_parameters(&moved(&start, i, by)).unwrap();
            fit(&prior, mean, own()).log_evidence()
        };
        worst = worst.max(gap(exact, at, STEP * start[i]));
    }
    let start = process.values();
    for (i, &exact) in gradient.likelihood.iter().enumerate() {
        let at = |by| {
            let mut likelihood = own();
            likelihood.set_parameters(&moved(&start, i, by)).unwrap();
            fit(prior, mean, likelihood).log_evidence()
        };
        worst = worst.max(gap(exact, at, STEP * start[i]));
    }
    worst
}

fn prior(kind: usize, scale: f64, sigma: f64) -> GraphPrior {
    match kind {
        0 => GraphPrior::regularised(scale, sigma),
        1 => GraphPrior::shifted(0.5 * scale),
        _ => GraphPrior::normalised(0.5 * scale),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn in_prior_and_likelihood(
        (points, observed) in problem(),
        scale in 0.1..2.0_f64,
        sigma in 0.5..5.0_f64,
        kind in 0..3_usize,
        mean in -0.5..0.5_f64,
        parameter in 0.4..2.0_f64,
        epsilon in 0.02..0.4_f64,
        complete in any::<bool>(),
    ) {
        let graph = graph(&Exponential { sigma: 0.9 }, &pattern(points, complete));
        let prior = prior(kind, scale, sigma);
        macro_rules! check {
            ($name:literal, $process:expr) => {
                let gap = process_gap(&$process, &prior, mean, &graph, &observed);
                prop_assert!(gap < CLOSE, "{}: {gap}", $name);
            };
        }
        check!("sigmoid", GaussianProcess::laplace(Sigmoid { gamma: parameter }));
        check!("probit", GaussianProcess::laplace(Probit { noise: parameter }));
        check!("Gaussian", GaussianProcess::laplace(Gaussian { variance: parameter }));
        check!("EP sigmoid", GaussianProcess::ep(Sigmoid { gamma: parameter }));
        check!("EP probit", GaussianProcess::ep(Probit { noise: parameter }));
        check!("EP Gaussian", GaussianProcess::ep(Gaussian { variance: parameter }));
        check!("EP flip", GaussianProcess::ep(Flip { epsilon }));
        let both = FlippedProbit { epsilon, noise: parameter };
        check!("EP flipped probit", GaussianProcess::ep(both));
    }

    #[test]
    fn in_every_weight_parameter(
        (points, observed) in problem(),
        scale in 0.1..2.0_f64,
        sigma in 0.5..5.0_f64,
        kind in 0..3_usize,
        gamma in 0.4..2.0_f64,
        epsilon in 0.02..0.4_f64,
        complete in any::<bool>(),
    ) {
        let prior = prior(kind, scale, sigma);
        let laplace = GaussianProcess::laplace(Sigmoid { gamma });
        let ep = GaussianProcess::ep(Flip { epsilon });
        let pattern = pattern(points, complete);
        macro_rules! check {
            ($family:expr) => {
                let family = $family;
                let gap = family_gap((&laplace, &prior), &observed, &family, &pattern);
                prop_assert!(gap < CLOSE, "Laplace, {family:?}: {gap}");
                let gap = family_gap((&ep, &prior), &observed, &family, &pattern);
                prop_assert!(gap < CLOSE, "EP, {family:?}: {gap}");
            };
        }
        check!(Exponential { sigma: 0.9 });
        check!(ExponentialPerDimension { sigmas: vec![0.7, 1.4] });
        check!(Tanh { a1: -2.0, a2: 0.8 });
    }

    /// Latent values on another scale are the same process: J(βc², γc) = J(β, γ), so that
    /// 2β ∂J/∂β + γ ∂J/∂γ = 0.
    #[test]
    fn scale_of_the_latent_values_does_not_count(
        (points, observed) in problem(),
        beta in 0.1..2.0_f64,
        gamma in 0.4..2.0_f64,
        c in 0.2..5.0_f64,
    ) {
        let graph = graph(&Exponential { sigma: 0.9 }, &pattern(points, true));
        let fit = |beta, gamma| {
            let prior = GraphPrior::regularised(beta, 3.0).on(&graph).unwrap();
            GaussianProcess::laplace(Sigmoid { gamma }).fit(prior, &observed).unwrap()
        };
        let posterior = fit(beta, gamma);
        let scaled = fit(beta * c * c, gamma * c).log_evidence();
        prop_assert!((posterior.log_evidence() - scaled).abs() < 1e-10);
        let gradient = posterior.gradient().unwrap();
        let sum = 2.0 * beta * gradient.prior[0] + gamma * gradient.likelihood[0];
        prop_assert!(sum.abs() < 1e-11, "{sum}");
    }
}

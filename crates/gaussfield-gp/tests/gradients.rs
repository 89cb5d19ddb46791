//! The gradient of the log evidence equals finite differences, in every parameter.

use gaussfield_gp::{
    Gaussian, GaussianProcess, GraphPrior, Likelihood, Mean, Observed, Probit, Sigmoid,
};
use gaussfield_graph::{
    Exponential, ExponentialPerDimension, Graph, MemoryBudget, Metric, Pattern, Symmetry, Tanh,
    WeightFamily,
};
use gaussfield_points::Points;
use ndarray::Array2;
use openblas_src as _;
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
        Pattern::complete(points, Metric::Euclidean).unwrap()
    } else {
        Pattern::knn(points, 3, Metric::Euclidean, Symmetry::Either).unwrap()
    }
}

fn graph<F: WeightFamily>(family: &F, pattern: &Pattern) -> Graph {
    family.graph(pattern, MemoryBudget::default()).unwrap()
}

fn evidence<L: Likelihood>(
    process: &GaussianProcess<L>,
    graph: &Graph,
    observed: &Observed,
) -> f64 {
    process.fit(graph, observed).unwrap().log_evidence()
}

/// Relative to the larger of the value and one thousandth.
fn gap(exact: f64, at: impl Fn(f64) -> f64, step: f64) -> f64 {
    let difference = (at(step) - at(-step)) / (2.0 * step);
    (difference - exact).abs() / exact.abs().max(1e-3)
}

/// The largest gap over the parameters of a family.
fn family_gap<L: Likelihood, F: WeightFamily>(
    process: &GaussianProcess<L>,
    observed: &Observed,
    family: &F,
    pattern: &Pattern,
) -> f64 {
    let here = graph(family, pattern);
    let gradient = process.fit(&here, observed).unwrap().gradient();
    let gradient = family.pullback(pattern, &here, &gradient.edges).unwrap();
    let start = family.parameters();
    let scale = gradient.iter().fold(1e-3, |most: f64, g| most.max(g.abs()));
    let mut worst: f64 = 0.0;
    for (i, &exact) in gradient.iter().enumerate() {
        let at = |by: f64| {
            let mut moved = start.clone();
            moved[i] += by;
            let family = family.with_parameters(&moved).unwrap();
            evidence(process, &graph(&family, pattern), observed)
        };
        let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        worst = worst.max((difference - exact).abs() / scale);
    }
    worst
}

/// The largest gap in β, σ, μ and the parameter of the likelihood.
fn process_gap<L: Likelihood>(
    make: impl Fn(f64) -> L,
    parameter: f64,
    (beta, sigma, mean): (f64, f64, f64),
    graph: &Graph,
    observed: &Observed,
) -> f64 {
    let value = |beta: f64, sigma: f64, mean: f64, parameter: f64| {
        let process = GaussianProcess::new(GraphPrior::new(beta, sigma), make(parameter))
            .with_mean(Mean::Constant(mean));
        process.fit(graph, observed).unwrap()
    };
    let gradient = value(beta, sigma, mean, parameter).gradient();
    let j = |beta, sigma, mean, parameter| value(beta, sigma, mean, parameter).log_evidence();
    [
        gap(gradient.beta, |by| j(beta + by, sigma, mean, parameter), STEP * beta),
        gap(gradient.sigma, |by| j(beta, sigma + by, mean, parameter), STEP * sigma),
        gap(gradient.mean, |by| j(beta, sigma, mean + by, parameter), STEP),
        gap(gradient.likelihood[0], |by| j(beta, sigma, mean, parameter + by), STEP * parameter),
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn in_prior_and_likelihood(
        (points, observed) in problem(),
        beta in 0.1..2.0_f64,
        sigma in 0.5..5.0_f64,
        mean in -0.5..0.5_f64,
        parameter in 0.4..2.0_f64,
        complete in any::<bool>(),
    ) {
        let graph = graph(&Exponential { sigma: 0.9 }, &pattern(points, complete));
        let prior = (beta, sigma, mean);
        let sigmoid = process_gap(|gamma| Sigmoid { gamma }, parameter, prior, &graph, &observed);
        prop_assert!(sigmoid < CLOSE, "sigmoid {sigmoid}");
        let probit = process_gap(|noise| Probit { noise }, parameter, prior, &graph, &observed);
        prop_assert!(probit < CLOSE, "probit {probit}");
        let gaussian =
            process_gap(|variance| Gaussian { variance }, parameter, prior, &graph, &observed);
        prop_assert!(gaussian < CLOSE, "Gaussian {gaussian}");
    }

    #[test]
    fn in_every_weight_parameter(
        (points, observed) in problem(),
        beta in 0.1..2.0_f64,
        sigma in 0.5..5.0_f64,
        gamma in 0.4..2.0_f64,
        complete in any::<bool>(),
    ) {
        let process = GaussianProcess::new(GraphPrior::new(beta, sigma), Sigmoid { gamma });
        let pattern = pattern(points, complete);
        let one = family_gap(&process, &observed, &Exponential { sigma: 0.9 }, &pattern);
        prop_assert!(one < CLOSE, "one scale: {one}");
        let scales = ExponentialPerDimension { sigmas: vec![0.7, 1.4] };
        let each = family_gap(&process, &observed, &scales, &pattern);
        prop_assert!(each < CLOSE, "one scale per dimension: {each}");
        let tanh = family_gap(&process, &observed, &Tanh { a1: -2.0, a2: 0.8 }, &pattern);
        prop_assert!(tanh < CLOSE, "tanh: {tanh}");
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
        let process =
            |beta, gamma| GaussianProcess::new(GraphPrior::new(beta, 3.0), Sigmoid { gamma });
        let posterior = process(beta, gamma).fit(&graph, &observed).unwrap();
        let scaled = evidence(&process(beta * c * c, gamma * c), &graph, &observed);
        prop_assert!((posterior.log_evidence() - scaled).abs() < 1e-10);
        let gradient = posterior.gradient();
        let sum = 2.0 * beta * gradient.beta + gamma * gradient.likelihood[0];
        prop_assert!(sum.abs() < 1e-11, "{sum}");
    }
}

//! What sections 1 and 2.1 say of other methods: consistency is a process, and EP is nearer to the
//! truth than Laplace.

use crate::{Context, Trial};
use anyhow::{Context as _, Result};
use gaussfield_core::Budget;
use gaussfield_data::generate::TwoMoons;
use gaussfield_data::split::Split;
use gaussfield_gp::{
    Gaussian, GaussianProcess, GivenCovariance, GraphPrior, Likelihood as _, Observed, Prior as _,
    Probit,
};
use gaussfield_graph::{Exponential, Graph, Metric, Pattern, Symmetry, WeightFamily as _};
use gaussfield_harmonic::Consistency;
use gaussfield_labels::metrics::MeanStd;
use gaussfield_labels::{Labels, Transductive as _};
use gaussfield_report::{Claim, ClaimKind};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

const POINTS: usize = 200;
const NEIGHBOURS: usize = 10;
/// Differences of numbers that should be equal.
const EQUAL: f64 = 1e-8;
/// Labels of a draw whose posterior is integrated.
const FEW: usize = 3;
const DELTA: f64 = 0.01;
const NOISE: f64 = 0.5;
/// Half the side of the cube that is integrated over, in standard deviations, and steps along it.
const SIDE: f64 = 7.0;
const STEPS: usize = 71;

pub(super) fn run(ctx: &mut Context) -> Result<()> {
    ctx.report.section(
        "Sections 1 and 2.1: other methods as processes, and the better approximation",
        format!(
            "Half moons of {POINTS} points, {NEIGHBOURS} neighbours, weights exp(−d²/2σ²) with σ the \
             mean length of an edge. Local and global consistency is compared with the process whose \
             prior is the normalised Laplacian and whose noise is Gaussian on every node, unlabelled \
             ones observed as 0: prior L + (μ/2)I and noise of variance 2/μ with μ = 1/α − 1, so that \
             the posterior has the precision L + μI. What a field with rows that sum to one says is \
             the quotient of two such means, that of ±1 and that of 1 on the labelled nodes. \
             Laplace and expectation propagation are compared with the integral itself, over a cube \
             of {STEPS}³ places, for {FEW} labels under the prior L + {DELTA}·I and probit noise {NOISE}."
        ),
    );
    ctx.report.statement(
        "Sections 1 and 2.1",
        "Local and global consistency is the transformation r(λ) = λ on the normalised Laplacian with \
         a Gaussian likelihood. Expectation propagation gives better approximations than Laplace.",
    );
    let moons = TwoMoons { n: POINTS, noise: 0.1 }.generate(ctx.options().seed)?;
    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, NEIGHBOURS, Symmetry::Either)?;
    let graph =
        Exponential::gaussian(pattern.mean_distance()).graph(&pattern, Budget::default())?;
    let visible = Split::per_class(&moons.labels, 5, ctx.options().seed)?.partial(&moons.labels)?;
    let gap = consistency(&graph, &visible)?;
    ctx.report.claim(
        Claim::new(
            "llgc-process",
            "Section 2.1",
            "local and global consistency is the normalised Laplacian with a Gaussian likelihood \
             (largest difference of the scores)",
        )
        .of_kind(ClaimKind::Identity)
        .ours(gap, None)
        .holds_if(gap <= EQUAL, format!("asked for at most {EQUAL:e}")),
    );
    let draws = ctx.trial_count(20, 10);
    let key = (POINTS, NEIGHBOURS, FEW, DELTA, NOISE, STEPS);
    let found: Vec<Beside> = ctx.trials("ep-laplace", &key, draws, |trial| {
        let split = draw(&moons.labels, trial)?;
        beside(&graph, &split)
    })?;
    let of = |of: fn(&Beside) -> f64| -> Result<MeanStd> {
        Ok(MeanStd::over(&found.iter().map(of).collect::<Vec<_>>())?)
    };
    for (id, what, gap, each) in [
        (
            "ep-nearer-evidence",
            "log evidence",
            of(|it| it.ep[0] - it.laplace[0])?,
            [of(|it| it.ep[0])?, of(|it| it.laplace[0])?],
        ),
        (
            "ep-nearer-mean",
            "posterior means",
            of(|it| it.ep[1] - it.laplace[1])?,
            [of(|it| it.ep[1])?, of(|it| it.laplace[1])?],
        ),
    ] {
        ctx.report.claim(
            Claim::new(
                id,
                "Section 1",
                format!(
                    "EP gives better approximations than Laplace: its error of the {what} with three \
                     labels, less that of Laplace"
                ),
            )
            .of_kind(ClaimKind::Layout)
            .paper("better")
            .over(gap)
            .below(0.0)
            .because(&format!(
                "beside the integral EP is off by {:.2e}, Laplace by {:.2e}",
                each[0].mean, each[1].mean
            )),
        );
    }
    Ok(())
}

/// Three labels with both classes among them.
fn draw(truth: &Labels, trial: &Trial) -> Result<Labels> {
    Ok(Split::random(truth, FEW, trial.seed("labels"))?.partial(truth)?)
}

/// The largest difference between the two ways to the same scores.
fn consistency(graph: &Graph, visible: &Labels) -> Result<f64> {
    let method = Consistency::default();
    let scores = method.fit(graph, visible)?;
    let scores = scores.scores().values();
    let tie = 1.0 / method.alpha - 1.0;
    let prior = GraphPrior::normalised(0.5 * tie).on(graph)?;
    let process = GaussianProcess::laplace(Gaussian { variance: 2.0 / tie });
    let all: Vec<usize> = (0..graph.nodes()).collect();
    let mean = |of: &dyn Fn(usize) -> f64| -> Result<Array1<f64>> {
        let targets: Vec<f64> = all.iter().map(|&node| visible.get(node).map_or(0.0, of)).collect();
        Ok(process.fit(&prior, &Observed::new(&all, &targets)?)?.latent().to_owned())
    };
    let signed = mean(&|class| if class == 1 { 1.0 } else { -1.0 })?;
    let mass = mean(&|_| 1.0)?;
    let quotient = signed / mass;
    let gaps = quotient.iter().enumerate();
    Ok(gaps.fold(0.0, |most, (node, q)| most.max((2.0 * scores[[node, 1]] - 1.0 - q).abs())))
}

/// Errors of the log evidence and of the posterior means, by EP and by Laplace.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Beside {
    ep: [f64; 2],
    laplace: [f64; 2],
}

fn beside(graph: &Graph, visible: &Labels) -> Result<Beside> {
    let nodes = visible.labelled();
    let targets: Vec<f64> =
        nodes.iter().map(|&node| if visible.get(node) == Some(1) { 1.0 } else { -1.0 }).collect();
    let block = GraphPrior::normalised(DELTA).on(graph)?.columns(&nodes)?.values;
    let block = block.select(ndarray::Axis(0), &nodes);
    let gram = (&block + &block.t()) * 0.5;
    let likelihood = Probit { noise: NOISE };
    let (log_mass, means) = integrated(&gram, &targets, &likelihood)?;
    let observed = Observed::new(&[0, 1, 2], &targets)?;
    let error = |evidence: f64, latent: ndarray::ArrayView1<'_, f64>| {
        let off = latent.iter().zip(&means).map(|(got, want)| (got - want).powi(2)).sum::<f64>();
        [(evidence - log_mass).abs(), (off / FEW as f64).sqrt()]
    };
    let ep = GaussianProcess::ep(likelihood).fit(GivenCovariance::new(gram.clone())?, &observed)?;
    let laplace =
        GaussianProcess::laplace(likelihood).fit(GivenCovariance::new(gram)?, &observed)?;
    Ok(Beside {
        ep: error(ep.log_evidence(), ep.latent()),
        laplace: error(laplace.log_evidence(), laplace.latent()),
    })
}

/// log ∫ N(y; 0, K) Π P(t|y) dy and the mean of y under the integrand: the trapezoidal rule in the
/// coordinates in which the prior is white, where a smooth integrand converges beyond any power of
/// the step.
fn integrated(gram: &Array2<f64>, targets: &[f64], noise: &Probit) -> Result<(f64, [f64; FEW])> {
    let root = triangular(gram)?;
    let step = 2.0 * SIDE / (STEPS - 1) as f64;
    let place = |at: usize| -SIDE + step * at as f64;
    let weight: Vec<f64> = (0..STEPS).map(|at| (-0.5 * place(at).powi(2)).exp()).collect();
    let (mut mass, mut first) = (0.0, [0.0; FEW]);
    for a in 0..STEPS {
        let y0 = root[[0, 0]] * place(a);
        let p0 = weight[a] * noise.probability(targets[0] * y0, 0.0);
        for b in 0..STEPS {
            let y1 = root[[1, 0]] * place(a) + root[[1, 1]] * place(b);
            let p1 = p0 * weight[b] * noise.probability(targets[1] * y1, 0.0);
            for c in 0..STEPS {
                let y2 =
                    root[[2, 0]] * place(a) + root[[2, 1]] * place(b) + root[[2, 2]] * place(c);
                let p = p1 * weight[c] * noise.probability(targets[2] * y2, 0.0);
                mass += p;
                for (sum, y) in first.iter_mut().zip([y0, y1, y2]) {
                    *sum += p * y;
                }
            }
        }
    }
    let normal = (step / (2.0 * std::f64::consts::PI).sqrt()).powi(FEW as i32);
    Ok(((mass * normal).ln(), first.map(|sum| sum / mass)))
}

/// The lower triangular root of a 3 × 3 covariance.
fn triangular(gram: &Array2<f64>) -> Result<Array2<f64>> {
    let mut root = Array2::<f64>::zeros((FEW, FEW));
    for i in 0..FEW {
        for j in 0..=i {
            let done: f64 = (0..j).map(|k| root[[i, k]] * root[[j, k]]).sum();
            let left = gram[[i, j]] - done;
            root[[i, j]] = if i == j { left.sqrt() } else { left / root[[j, j]] };
        }
    }
    root.iter().all(|value| value.is_finite()).then_some(root).context("no covariance")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn consistency_is_a_process() {
        let edges = (0..11).map(|i| (i, i + 1, 1.0 + 0.3 * (i as f64).sin()));
        let graph = Graph::from_edges(12, edges.chain([(0, 5, 0.4), (3, 9, 0.2)])).unwrap();
        let mut classes = vec![None; 12];
        (classes[1], classes[6], classes[10]) = (Some(0), Some(1), Some(1));
        let visible = Labels::new(classes, vec!["a".into(), "b".into()]).unwrap();
        assert!(consistency(&graph, &visible).unwrap() < EQUAL);
    }

    /// Without correlation the integral is a product of three, each known in closed form.
    #[test]
    fn the_integral_of_independent_labels_is_known() {
        let gram = array![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5]];
        let (mass, means) = integrated(&gram, &[1.0, -1.0, 1.0], &Probit { noise: NOISE }).unwrap();
        assert!((mass - 3.0 * 0.5_f64.ln()).abs() < 1e-9, "{mass}");
        for (i, sign) in [1.0, -1.0, 1.0].into_iter().enumerate() {
            let variance: f64 = gram[[i, i]];
            // E[y | t] = t·v·√(2/π)/√(v + ν²).
            let want = sign * variance * (2.0 / std::f64::consts::PI).sqrt()
                / (variance + NOISE * NOISE).sqrt();
            assert!((means[i] - want).abs() < 1e-8, "{} {want}", means[i]);
        }
    }

    #[test]
    fn expectation_propagation_is_nearer_than_laplace() {
        let edges = (0..8).map(|i| (i, (i + 1) % 9, 1.0));
        let graph = Graph::from_edges(9, edges).unwrap();
        let mut classes = vec![None; 9];
        (classes[0], classes[2], classes[7]) = (Some(0), Some(0), Some(1));
        let visible = Labels::new(classes, vec!["a".into(), "b".into()]).unwrap();
        let found = beside(&graph, &visible).unwrap();
        assert!(
            found.ep[0] < 0.5 * found.laplace[0] && found.ep[1] < found.laplace[1],
            "{found:?}"
        );
    }
}

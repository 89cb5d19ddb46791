//! Kernels bent by a polynomial of the Laplacian.

use super::{N, graph, inverse, observed, points, which};
use gaussfield_core::{Budget, Parameters};
use gaussfield_gp::{
    GaussianProcess, Kernel, Prior, PriorFamily as _, Probit, Warp, WarpTerm, WarpedPrior,
};
use gaussfield_graph::{Exponential, WeightFamily as _};
use gaussfield_points::Points;
use ndarray::Array2;
use proptest::prelude::*;

const KERNEL: Kernel = Kernel::Rbf { width: 0.6 };

fn prior(points: &Points, normalised: bool, warp: Warp, further: &[WarpTerm]) -> WarpedPrior {
    WarpedPrior::new(points, KERNEL, warp).with_laplacian(which(normalised)).with_terms(further)
}

fn terms(betas: [f64; 2]) -> [WarpTerm; 2] {
    [WarpTerm { power: 1, beta: betas[0] }, WarpTerm { power: 3, beta: betas[1] }]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn it_is_the_formula(
        coordinates in prop::collection::vec(-1.5..1.5_f64, 2 * N),
        gamma_a in 0.2..2.0_f64, gamma_i in 0.0..5.0_f64,
        first in 0.0..5.0_f64, third in 0.0..5.0_f64,
        normalised in any::<bool>(),
    ) {
        let points = points(&coordinates);
        let (_, graph) = graph(&points, 0.8);
        let warp = Warp { gamma_a, gamma_i, power: 2 };
        let kernel = prior(&points, normalised, warp, &terms([first, third])).on(&graph).unwrap();
        let power = |p: usize| {
            which(normalised).apply_power(&graph, Array2::eye(N).view(), p).unwrap()
        };
        let m = (power(2) * gamma_i + power(1) * first + power(3) * third) / gamma_a;
        let k = KERNEL.gram(&points, Budget::default()).unwrap();
        let (inverse, determinant) = inverse(Array2::eye(N) + m.dot(&k));
        let expected = (&k - &k.dot(&inverse).dot(&m).dot(&k)) / gamma_a;
        let gap = (&kernel.gram() - &expected).iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        prop_assert!(gap < 1e-8 / gamma_a, "{gap}");
        prop_assert!((kernel.log_geometry() + 0.5 * determinant.ln()).abs() < 1e-7);
        // γ_I counts as the factor of a term does.
        let alone = Warp { gamma_a, gamma_i: first, power: 1 };
        let as_term = [WarpTerm { power: 1, beta: first }];
        let by_warp = prior(&points, normalised, alone, &[]).on(&graph).unwrap();
        let by_term = prior(&points, normalised, Warp { gamma_i: 0.0, ..warp }, &as_term);
        let by_term = by_term.on(&graph).unwrap();
        let gap = &by_warp.columns(&[3]).unwrap().values - &by_term.columns(&[3]).unwrap().values;
        prop_assert!(gap.iter().all(|gap| gap.abs() < 1e-9 / gamma_a));
    }

    #[test]
    fn gradients_equal_finite_differences(
        coordinates in prop::collection::vec(-1.5..1.5_f64, 2 * N),
        at in prop::collection::vec(0.3..2.0_f64, 5),
        normalised in any::<bool>(),
    ) {
        let points = points(&coordinates);
        let process = GaussianProcess::ep(Probit { noise: 0.4 });
        let fit = |values: &[f64], sigma: f64| {
            let (_, graph) = graph(&points, sigma);
            let warp = Warp { gamma_a: 1.0, gamma_i: 1.0, power: 2 };
            let mut prior = prior(&points, normalised, warp, &terms([1.0, 1.0]));
            prior.set_parameters(values).unwrap();
            process.fit(prior.on(&graph).unwrap(), observed()).unwrap()
        };
        let (sigma, step) = (0.8, 1e-5);
        let gradient = fit(&at, sigma).gradient().unwrap();
        prop_assert_eq!(gradient.prior.len(), 5);
        let mut pairs = Vec::new();
        for (index, &exactly) in gradient.prior.iter().enumerate() {
            let moved = |by: f64| {
                let mut values = at.clone();
                values[index] += by;
                fit(&values, sigma).log_evidence()
            };
            pairs.push((exactly, moved(step) - moved(-step)));
        }
        let (pattern, graph) = graph(&points, sigma);
        let edges = gradient.edges.unwrap();
        let by_sigma = Exponential { sigma }.pullback(&pattern, &graph, &edges).unwrap()[0];
        let moved = |by: f64| fit(&at, sigma + by).log_evidence();
        pairs.push((by_sigma, moved(step) - moved(-step)));
        for (index, (exactly, difference)) in pairs.into_iter().enumerate() {
            let gap = (difference / (2.0 * step) - exactly).abs() / (1e-2 + exactly.abs());
            prop_assert!(gap < 2e-4, "parameter {index}: {exactly}, gap {gap}");
        }
    }
}

#[test]
fn a_wrong_term_is_named() {
    let points = super::spiral();
    let (_, graph) = graph(&points, 0.7);
    let warp = Warp { gamma_a: 1.0, gamma_i: 1.0, power: 1 };
    let told =
        |term: WarpTerm| prior(&points, false, warp, &[term]).on(&graph).unwrap_err().to_string();
    assert!(told(WarpTerm { power: 0, beta: 1.0 }).contains("power of a further term is 0"));
    let negative = told(WarpTerm { power: 3, beta: -2.0 });
    assert!(negative.contains("beta[3] is -2") && negative.contains("not negative"), "{negative}");
    let names: Vec<_> = prior(&points, false, warp, &terms([1.0, 1.0])).parameters();
    let names: Vec<&str> = names.iter().map(|parameter| &*parameter.name).collect();
    assert_eq!(names, ["width", "gamma_a", "gamma_i", "beta[1]", "beta[3]"]);
}

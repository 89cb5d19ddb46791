//! The kernel against its formula, and its gradients against finite differences.

use super::{N, graph, inverse, observed, points, warped, which};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    GaussianProcess, Kernel, LandmarkPrior, Prior, PriorFamily as _, Probit, Warp,
};
use gaussfield_graph::{Exponential, WeightFamily};
use ndarray::{Array2, Axis};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn it_is_the_formula_on_nodes_and_new_points(
        coordinates in prop::collection::vec(-1.5..1.5_f64, 2 * N),
        new in prop::collection::vec(-2.0..2.0_f64, 6),
        gamma_a in 0.2..2.0_f64,
        gamma_i in 0.0..20.0_f64,
        power in 1..4_u32,
        normalised in any::<bool>(),
    ) {
        let points = points(&coordinates);
        let queries = super::points(&new);
        let (_, graph) = graph(&points, 0.8);
        let (which, kernel) = (which(normalised), Kernel::Rbf { width: 0.6 });
        let warp = Warp { gamma_a, gamma_i, power };
        let warped = warped(&points, &graph, which, 0.6, warp);

        let budget = Budget::default();
        let m = which.apply_power(&graph, Array2::eye(N).view(), power as usize).unwrap();
        let m = m * (gamma_i / gamma_a);
        let k = kernel.gram(&points, budget).unwrap();
        let (inverse, determinant) = inverse(Array2::eye(N) + m.dot(&k));
        let middle = inverse.dot(&m);
        let expected = (&k - &k.dot(&middle).dot(&k)) / gamma_a;
        let scale = 1.0 / gamma_a;
        let close = |a: &Array2<f64>, b: &Array2<f64>| {
            (a - b).iter().all(|gap| gap.abs() < 1e-9 * scale)
        };
        prop_assert!(close(&warped.gram(), &expected));
        let nodes = [3, 0, 11];
        prop_assert!(close(&warped.columns(&nodes).unwrap().values, &expected.select(Axis(1), &nodes)));
        let variances = warped.variances(&nodes).unwrap();
        for (at, &node) in nodes.iter().enumerate() {
            prop_assert!((variances[at] - expected[[node, node]]).abs() < 1e-9 * scale);
        }
        let cross = kernel.cross(&queries, &points, Budget::default()).unwrap();
        let expected_cross = (&cross - &cross.dot(&middle).dot(&k)) / gamma_a;
        prop_assert!(close(&warped.covariance(&queries, &points).unwrap(), &expected_cross));

        // A new point that lies on a node is that node.
        let process = GaussianProcess::ep(Probit { noise: 0.3 });
        let posterior = process.fit(&warped, observed()).unwrap();
        let predictions = posterior.marginals(&points).unwrap();
        let all: Vec<usize> = (0..N).collect();
        let own = posterior.variances(&all).unwrap();
        let probabilities = posterior.probabilities(&all).unwrap();
        for i in 0..N {
            prop_assert!((predictions.mean[i] - posterior.latent()[i]).abs() < 1e-7);
            prop_assert!((predictions.variance[i] - own[i]).abs() < 1e-7 * scale);
            prop_assert!((predictions.probability[i] - probabilities[i]).abs() < 1e-6);
            prop_assert!((0.0..=0.694).contains(&predictions.entropy[i]));
        }
        // log p(G|φ) by a plain determinant.
        prop_assert!((warped.log_geometry() + 0.5 * determinant.ln()).abs() < 1e-8);
    }

    #[test]
    fn gradients_equal_finite_differences(
        coordinates in prop::collection::vec(-1.5..1.5_f64, 2 * N),
        width in 0.4..1.0_f64,
        gamma_a in 0.3..2.0_f64,
        gamma_i in 0.1..5.0_f64,
        power in 1..3_u32,
        normalised in any::<bool>(),
    ) {
        let points = points(&coordinates);
        let which = which(normalised);
        let process = GaussianProcess::ep(Probit { noise: 0.4 });
        let sigma = 0.8;
        let landmarks: Vec<usize> = (0..N).step_by(2).collect();
        for exact in [true, false] {
            let evidence = |width: f64, gamma_a: f64, gamma_i: f64, sigma: f64| {
                let (_, graph) = graph(&points, sigma);
                let warp = Warp { gamma_a, gamma_i, power };
                let observed = observed();
                if exact {
                    let prior = warped(&points, &graph, which, width, warp);
                    let fit = process.fit(prior, &observed).unwrap();
                    (fit.log_evidence(), fit.gradient().unwrap())
                } else {
                    let mut family = LandmarkPrior {
                        points: points.clone(),
                        kernel: Kernel::Rbf { width: 1.0 },
                        laplacian: which,
                        warp: Warp { gamma_a: 1.0, gamma_i: 1.0, ..warp },
                        landmarks: landmarks.clone(),
                        budget: Budget::default(),
                    };
                    family.set_parameters(&[width, gamma_a, gamma_i]).unwrap();
                    let fit = process.fit(family.on(&graph).unwrap(), &observed).unwrap();
                    (fit.log_evidence(), fit.gradient().unwrap())
                }
            };
            let gradient = evidence(width, gamma_a, gamma_i, sigma).1;
            let j = |w, a, i, s| evidence(w, a, i, s).0;
            let step = 1e-5;
            let mut differences = vec![
                (gradient.prior[0],
                 j(width + step, gamma_a, gamma_i, sigma) - j(width - step, gamma_a, gamma_i, sigma)),
                (gradient.prior[1],
                 j(width, gamma_a + step, gamma_i, sigma) - j(width, gamma_a - step, gamma_i, sigma)),
                (gradient.prior[2],
                 j(width, gamma_a, gamma_i + step, sigma) - j(width, gamma_a, gamma_i - step, sigma)),
            ];
            let (pattern, graph) = graph(&points, sigma);
            let edges = gradient.edges.unwrap();
            let by_sigma = Exponential { sigma }.pullback(&pattern, &graph, &edges).unwrap()[0];
            differences.push((
                by_sigma,
                j(width, gamma_a, gamma_i, sigma + step) - j(width, gamma_a, gamma_i, sigma - step),
            ));
            for (at, (exactly, difference)) in differences.into_iter().enumerate() {
                let gap = (difference / (2.0 * step) - exactly).abs() / (1e-2 + exactly.abs());
                prop_assert!(gap < 2e-4, "exact {exact}, parameter {at}: {exactly}, gap {gap}");
            }
        }
    }
}

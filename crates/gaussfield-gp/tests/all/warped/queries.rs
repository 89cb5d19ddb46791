//! New points: in batches, one by one, made ready for many sets of labels.

use super::{N, graph, observed, points, spiral, warped};
use gaussfield_core::{Budget, SizeMismatch};
use gaussfield_gp::{
    Ambient, GaussianProcess, Geometry, GpError, Kernel, LandmarkKernel, Observed, Probit, Warp,
};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::{Array2, array};

#[test]
fn queries_made_ready_serve_every_warp_and_every_set_of_labels() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let budget = Budget::default();
    let geometry = Geometry::new(&graph, Laplacian::Symmetric, budget).unwrap();
    let at = |width| Ambient::new(&geometry, &points, Kernel::Rbf { width }, budget).unwrap();
    let (ambient, other) = (at(0.4), at(0.8));
    let new = Points::dense(array![[0.1, 0.2], [-0.5, 0.4], [2.0, -1.0]]).unwrap();
    let shared = ambient.queries(&new).unwrap();
    let process = GaussianProcess::ep(Probit { noise: 0.1 });
    for gamma_i in [0.0, 0.5, 20.0] {
        let warp = Warp { gamma_a: 0.7, gamma_i, power: 2 };
        let kernel = ambient.warp(warp).unwrap();
        let ready = kernel.queries(&shared).unwrap();
        for observed in [observed(), Observed::new(&[0, 13], &[1.0, -1.0]).unwrap()] {
            let posterior = process.fit(&kernel, &observed).unwrap();
            let (a, b) =
                (posterior.marginals(&new).unwrap(), posterior.marginals_ready(&ready).unwrap());
            assert!((&a.mean - &b.mean).iter().all(|gap| gap.abs() < 1e-12));
            assert!((&a.variance - &b.variance).iter().all(|gap| gap.abs() < 1e-12));
            assert!((&a.entropy - &b.entropy).iter().all(|gap| gap.abs() < 1e-9));
        }
        let foreign = other.warp(warp).unwrap().queries(&shared).unwrap_err();
        assert_eq!(foreign, GpError::ForeignQueries);
        assert!(foreign.to_string().contains("call `queries` of the `Ambient`"));
        // Features of landmarks are not those of all nodes.
        let landmarks = LandmarkKernel::new(
            &points,
            &graph,
            Laplacian::Symmetric,
            Kernel::Rbf { width: 0.4 },
            warp,
            &[0, 5, 10],
            budget,
        );
        let posterior = process.fit(landmarks.unwrap(), observed()).unwrap();
        let error = posterior.marginals_ready(&ready).unwrap_err();
        let short = SizeMismatch { what: "features of the queries", expected: 3, got: N };
        assert_eq!(error, short.into());
    }
}

#[test]
fn many_queries_are_answered_as_one_by_one() {
    let points = spiral();
    let (_, graph) = graph(&points, 0.7);
    let warp = Warp { gamma_a: 1.0, gamma_i: 5.0, power: 1 };
    let prior = warped(&points, &graph, Laplacian::Combinatorial, 0.4, warp);
    let process = GaussianProcess::ep(Probit { noise: 0.1 });
    let posterior = process.fit(&prior, observed()).unwrap();
    // More than one batch.
    let rows =
        Array2::from_shape_fn((1100, 2), |(i, d)| ((7 * i + 3 * d) % 31) as f64 / 15.0 - 1.0);
    let queries = Points::dense(rows).unwrap();
    let together = posterior.marginals(&queries).unwrap();
    for at in [0, 511, 512, 1099] {
        let alone = posterior.marginals(&queries.select(&[at]).unwrap()).unwrap();
        assert!((alone.mean[0] - together.mean[at]).abs() < 1e-12);
        assert!((alone.variance[0] - together.variance[at]).abs() < 1e-12);
    }
}

#[test]
fn duplicate_points_do_no_harm() {
    let mut coordinates = Vec::new();
    for i in 0..N {
        let x = (i / 2) as f64 * 0.4;
        coordinates.extend([x, 0.5 * x]);
    }
    let points = points(&coordinates);
    let (_, graph) = graph(&points, 0.7);
    for gamma_i in [0.0, 10.0] {
        let warp = Warp { gamma_a: 1.0, gamma_i, power: 1 };
        let prior = warped(&points, &graph, Laplacian::Combinatorial, 0.5, warp);
        let observed = Observed::new(&[0, 1, 12], &[1.0, 1.0, -1.0]).unwrap();
        let posterior = GaussianProcess::ep(Probit { noise: 0.1 }).fit(&prior, &observed).unwrap();
        assert!(posterior.log_evidence().is_finite());
        assert!(posterior.latent()[0] > 0.0 && posterior.latent()[13] < 0.0);
        assert!(posterior.gradient().unwrap().prior.iter().all(|slope| slope.is_finite()));
    }
}
